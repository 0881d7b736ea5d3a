// Package document reads YAML files that users write. It is strict, reports all problems at once with line and column,
// and takes a time proportional to the size of the file. It has the common parts of all such files: text without tabs,
// plain YAML, groups of known keys, lists, words. The caller knows the meaning of the words.
//
// A key is declared once, with its destination field:
//
//	r.Optional("cores", "Processors that each run may use", r.Measure(&z.Cores, unit.None, 0.1, 1e4)),
//
// From a list of such keys [Reader.Group] reads a group and reports its problems. [Object] makes the JSON Schema, from
// which the help pages are written. To add a key, add such a line to the list of its group (config.reader.zoomKeys for
// `zoom`) and write the help pages again: PEREGRINE_STORE=1 go test ./cmd/peregrine -run TestHelpLists. A kind of value
// that is not in value.go needs its own [Value], with its reading and its schema.
package document

// Package document reads the YAML files that people write: strictly, with every problem
// at its line and column, all of them at once, and in a time that grows with the size of
// the file. What is common to all such files is here: text without tabs, plain YAML,
// groups of known keys, lists, words. What the words mean is known by who reads.
//
// A key is declared once, with the field that it is read into:
//
//	r.Optional("cores", "Processors that each run may use", r.Measure(&z.Cores, unit.None, 0.1, 1e4)),
//
// From a list of such keys [Reader.Group] reads a group and reports what is wrong with it, and [Object] makes the JSON
// Schema, out of which the help pages are written. To add a key, add such a line to the list of its group
// (config.reader.zoomKeys for `zoom`) and write the help pages anew:
// PEREGRINE_STORE=1 go test ./cmd/peregrine -run TestHelpLists. A kind of value that is not in
// value.go is a [Value] of its own: how it is read, and its schema.
package document

package hosts

// The JSON Schema of the file, out of its keys.

import (
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/convert"
)

// Schema returns the JSON Schema (draft 2020-12) of a hosts file. It accepts every file that [Parse] accepts. It does
// not check addresses, options, patterns and regular expressions. The definition with the name of a provider has the
// keys of its launchers.
func Schema() *jsonschema.Schema {
	keys := launcherKeys(&document.Reader{}, &Launcher{})
	defs := map[string]*jsonschema.Schema{document.QuantityName: document.QuantitySchema()}
	for _, p := range providers {
		var taken []document.Key
		for _, k := range keys {
			if k.takenBy(p) {
				taken = append(taken, k.Key)
			}
		}
		defs[string(p)] = document.Object("", taken)
	}
	entry := document.ByWord(keys[0].Key, "", document.Texts(providers)...)
	all := document.NamedSchema(nameShape(), entry)
	all.Description, all.PropertyNames.Not = "Launchers by name.", &jsonschema.Schema{Enum: convert.All(builtin,
		func(name string) any { return name })}
	s := &jsonschema.Schema{Description: "Where runs may go.", Type: "object",
		Properties: map[string]*jsonschema.Schema{"launchers": all},
		Required:   []string{"launchers"}, AdditionalProperties: document.Never(), Defs: defs}
	return document.Titled("Peregrine hosts", s)
}

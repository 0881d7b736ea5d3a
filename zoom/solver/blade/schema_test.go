package blade

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// The schema and the reader agree on a geometry, and on what is wrong with others.
func TestSchema(t *testing.T) {
	schema := must.Value(Schema().Resolve(nil))(t)
	data := must.Value(os.ReadFile(e3File))(t)
	for _, c := range []struct{ old, with string }{
		{"", ""}, {"rotating: true", "rotating: maybe"}, {"    chord: ", "    chrod: "},
		{"blades: 32", "blades: many"}, {"blades: 32", "blades: 0"},
		{"angle: deg", "angle: grad"}, {"units: {length: cm, angle: deg}", ""},
		{"radius: [36.067, 63.4, 105.41], ", ""}, {"source: ", "sauce: "},
	} {
		text := strings.Replace(string(data), c.old, c.with, 1)
		asJSON := must.Value(yaml.YAMLToJSON([]byte(text)))(t)
		var v any
		must.OK(t, json.Unmarshal(asJSON, &v))
		_, read := Parse([]byte(text))
		if err := schema.Validate(v); (err == nil) != (read == nil) || (err == nil) != (c.old == "") {
			t.Errorf("%q for %q: schema %v, reader %v", c.with, c.old, err, read)
		}
	}
}

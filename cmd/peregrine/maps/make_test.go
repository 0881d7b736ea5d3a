package maps

import (
	"reflect"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"

	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Every field of a shape has a flag, and every flag a field of its own.
func TestEveryShapeParameterHasItsFlag(t *testing.T) {
	var compressor perfmap.CompressorShape
	var core perfmap.CoreShape
	var turbine perfmap.TurbineShape
	c, u := pflag.NewFlagSet("compressor", pflag.ContinueOnError), pflag.NewFlagSet("turbine", pflag.ContinueOnError)
	compressorFlags(c, &compressor, &core)
	turbineFlags(u, &turbine)
	given := 0
	for _, f := range []*pflag.FlagSet{c, u} {
		f.VisitAll(func(f *pflag.Flag) {
			given++
			if err := f.Value.Set(numeric.Text(float64(given) / 64)); err != nil {
				t.Errorf("--%s: %v", f.Name, err)
			}
		})
	}
	seen := map[float64]string{}
	for _, shape := range []any{compressor, core, turbine} {
		v := reflect.ValueOf(shape)
		for i := range v.NumField() {
			name := v.Type().String() + "." + v.Type().Field(i).Name
			var x float64
			switch f := v.Field(i).Interface().(type) {
			case float64:
				x = f
			case []float64:
				if len(f) == 1 {
					x = f[0]
				}
			default: // the name, and the core's shape, which is looked at by itself
				continue
			}
			if x == 0 {
				t.Errorf("no flag sets %s", name)
			}
			if other, twice := seen[x]; twice {
				t.Errorf("one flag sets %s and %s", name, other)
			}
			seen[x] = name
		}
	}
	must.Equal(t, given, len(seen))
}

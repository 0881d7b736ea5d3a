package maps

import (
	"bytes"
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/format"
)

// A kept map is known by the hash in its name, and a map with one other digit is not taken for it.
func TestKeptMapHasItsHash(t *testing.T) {
	settings := settings.Settings{Cache: t.TempDir()}
	compressor := must.Value(perfmap.MakeCompressor(perfmap.CompressorShape{Name: "hpc", PR: 5, Eff: 0.85}))(t)
	turbine := must.Value(perfmap.MakeTurbine(perfmap.TurbineShape{Name: "hpt", PR: 3, Eff: 0.9}))(t)
	must.OK(t, (&executive.Studies{Settings: settings}).SaveMaps(map[string]result.ScaledMap{
		"hpc": {Map: compressor}, "hpt": {Map: turbine}}))
	kept := must.Value(keptMaps(settings))(t)
	must.Equal(t, 2, len(kept))
	for _, k := range kept {
		if k.differs(must.Value(format.Read(k.path))(t)) {
			t.Errorf("%s is not known", k.name)
		}
		text := must.Value(os.ReadFile(k.path))(t)
		at := bytes.LastIndexByte(text, '.') + 1 // the first decimal of a number
		text[at] ^= 1
		must.OK(t, os.WriteFile(k.path, text, 0o644))
		if !k.differs(must.Value(format.Read(k.path))(t)) {
			t.Errorf("%s is taken for what it was, with another digit at %d", k.name, at)
		}
	}
}

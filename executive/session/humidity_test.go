package session

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// The water in the air has one place in the file: given for the gas and for the ambient air, it is
// refused with both. An option or a case replaces either.
func TestWaterInTheAirHasOnePlace(t *testing.T) {
	const ofGas, ofAir = "gas: {WAR: 0.01}\n", "type: ambient, WAR: 0.02"
	for _, c := range []struct {
		gas, air string
		sets     []string
		want     string
		water    float64
	}{
		{
			gas: ofGas, air: ofAir,
			want: "test.yaml:4:33: ambient.WAR: the water in the air is given as gas.WAR, too, at 1:12; keep one " +
				"of them",
		},
		{gas: "gas: {WAR: 0}\n", air: ofAir, want: "test.yaml:4:33: ambient.WAR"},
		{gas: ofGas, air: "type: ambient", water: 0.01},
		{air: ofAir, water: 0.02},
		{gas: ofGas, air: "type: ambient", sets: []string{"ambient.WAR=0.03"}, water: 0.03},
		{air: ofAir, sets: []string{"ambient.WAR=0.03"}, water: 0.03},
	} {
		text := c.gas + strings.TrimPrefix(strings.Replace(enginetest.Turbojet, "type: ambient", c.air, 1), "\n")
		cfg := must.Value(config.Parse("test.yaml", []byte(text), components.Catalogue(), c.sets))(t)
		m, err := graph.New(cfg)
		switch {
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%+v: got %v", c, err)
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.want == "" && *m.Index["ambient"].Declaration.WAR != c.water:
			t.Errorf("%+v: the air has %g of water", c, *m.Index["ambient"].Declaration.WAR)
		}
	}
}

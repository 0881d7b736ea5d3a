package config_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// machines is the small catalogue with parts that have several shaft ports, electric
// ports or several streams.
func machines() *config.Catalogue {
	shaft := func(name string, dir config.Direction) config.Port {
		return config.Port{Name: name, Kind: config.Shaft, Dir: dir}
	}
	electric := func(dir config.Direction) config.Port {
		return config.Port{Name: "electric", Kind: config.Electric, Dir: dir, Optional: true}
	}
	stream := func(name string, dir config.Direction, n int) config.Port {
		return config.Port{Name: name, Kind: config.Flow, Dir: dir, Stream: n}
	}
	c := catalogue()
	c.Types = append(c.Types,
		&config.Type{Name: "gearbox", Ports: []config.Port{shaft("in", config.In), shaft("out", config.Out)}},
		&config.Type{
			Name: "split_gear", Ports: []config.Port{shaft("shaft", config.In), shaft("left", config.Out),
				shaft("right", config.Out)},
		},
		&config.Type{Name: "generator", Ports: []config.Port{shaft("shaft", config.In), electric(config.Out)}},
		&config.Type{Name: "motor", Ports: []config.Port{shaft("shaft", config.Out), electric(config.In)}},
		&config.Type{Name: "exchanger", Ports: []config.Port{
			stream("cold", config.In, 1), stream("cold_out", config.Out, 1), stream("hot", config.In, 2),
			stream("hot_out", config.Out, 2)}},
	)
	return c
}

// A name in drives or driven_by means the port that faces that way; a component
// with several is named with its port. Buses follow the same grammar.
func TestShaftPorts(t *testing.T) {
	const text = `engine: geared hybrid
components:
  a: {type: ambient}
  c: {type: compressor, eff: 0.9}
  t: {type: turbine, eff: 0.9}
  n: {type: nozzle}
  gear: {type: gearbox}
  split: {type: split_gear}
  g: {type: generator}
  m: {type: motor}
  lonely: {type: motor}
flow: [a -> c -> t -> n]
shafts:
  turbine_shaft: {N: 1, drives: [gear.in, g], driven_by: [t, lonely]}
  middle: {N: 1, drives: split, driven_by: gear}
  left: {N: 1, drives: c, driven_by: [split.left, m.shaft]}
  right: {N: 1, driven_by: split.right}
buses:
  dc: {feeds: m, fed_by: [g.electric]}
`
	e := must.Value(config.Parse("x", []byte(text), machines(), nil))(t)
	var got []string
	for _, s := range append(e.Shafts, e.Buses...) {
		got = append(got, fmt.Sprint(s.Name, " ", s.Drives, " ", s.DrivenBy))
	}
	want := []string{
		"turbine_shaft [gear.in g.shaft] [t.shaft lonely.shaft]",
		"middle [split.shaft] [gear.out]",
		"left [c.shaft] [split.left m.shaft]",
		"right [] [split.right]",
		"dc [m.electric] [g.electric]",
	}
	must.Equal(t, want, got)
}

// The flow may pass each stream of a heat exchanger, so that a recuperator is no
// loop; twice through one stream is.
func TestAnExchangerIsNoLoop(t *testing.T) {
	const head = `engine: recuperated
components:
  a: {type: ambient}
  x: {type: exchanger}
  b: {type: burner}
  n: {type: nozzle}
`
	must.Value(config.Parse("x", []byte(head+"flow: [a -> x.cold, x.cold_out -> b -> x.hot, x.hot_out -> n]\n"),
		machines(), nil))(t)
	must.Value(config.Parse("x", []byte(head+"flow: [a -> x.cold -> b -> x.hot -> n]\n"), machines(), nil))(t)
	const loop = head + "flow: [x.cold_out -> b -> x.cold, a -> x.hot, x.hot_out -> n]\n"
	if _, err := config.Parse("x", []byte(loop), machines(), nil); err == nil {
		t.Error("a loop through one stream passed")
	}
}

// Every wrong port is told once, with its place and what to do.
func TestBadShaftPorts(t *testing.T) {
	data, err := os.ReadFile("testdata/shaft_ports.yaml")
	must.OK(t, err)
	_, err = config.Parse("shaft_ports.yaml", data, machines(), nil)
	golden.Text(t, "testdata/shaft_ports.txt", fmt.Sprintln(err))
}

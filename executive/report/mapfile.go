package report

import (
	"io"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/format"
)

// mapFormat writes the maps that zooming made, in Peregrine's own format.
type mapFormat struct{}

func (mapFormat) Extension() string { return "map" }

func (mapFormat) Files() []File {
	return []File{
		{"maps/COMPONENT-zoomed", "the map that zooming made"},
		{"maps/COMPONENT-CASE", "the map that a zoomed component had at the end of a transient"},
	}
}

func (mapFormat) Results(to *Folder, r *result.Results, _ unit.System) {
	for name, m := range r.ZoomedMaps {
		to.Write("maps/"+name+"-zoomed", writeMap(m.Map))
	}
}

func (mapFormat) History(to *Folder, _ *result.Results, c *result.Result, _ unit.System) {
	for name, m := range c.Maps {
		to.Write("maps/"+name+"-"+c.Name, writeMap(m.Map))
	}
}

func writeMap(m *perfmap.Map) func(w io.Writer) error {
	return func(w io.Writer) error {
		native, err := format.FindWriter("peregrine")
		if err != nil {
			return err
		}
		return native.Write(w, m)
	}
}

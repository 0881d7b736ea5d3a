package executive

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// History is what a transient leaves behind: outputs over time, SI units, speeds in
// rpm. Where an input steps there are two points at one time, before and after.
type History struct {
	Paths  []string    // of the columns: outputs, as in `until`
	T      []float64   // s, not falling
	Values [][]float64 // by column; NaN where an output has no value
	// Places are the operating points on the components' maps, by component and as
	// long as T.
	Places map[string][]perfmap.PlotPoint
}

// Column is the history of one output, nil if there is none.
func (h *History) Column(path string) []float64 {
	if i := slices.Index(h.Paths, path); i >= 0 {
		return h.Values[i]
	}
	return nil
}

// MarshalJSON implements json.Marshaler: {"t": [...], path: [...]}, in the order of
// the columns, null where an output has no value.
func (h *History) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`{"t":`)
	writeColumn(&b, h.T)
	for i, path := range h.Paths {
		name, err := json.Marshal(path)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, ",%s:", name)
		writeColumn(&b, h.Values[i])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func writeColumn(b *bytes.Buffer, values []float64) {
	b.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		if !finite(v) {
			b.WriteString("null")
			continue
		}
		b.Write(strconv.AppendFloat(b.AvailableBuffer(), v, 'g', -1, 64))
	}
	b.WriteByte(']')
}

// WriteCSV writes one row a time: t, s, and the columns, SI units; an output
// without a value is empty.
func (h *History) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(append([]string{"t"}, h.Paths...)); err != nil {
		return err
	}
	row := make([]string, 1+len(h.Paths))
	for i, t := range h.T {
		row[0] = strconv.FormatFloat(t, 'g', -1, 64)
		for j, c := range h.Values {
			if row[j+1] = ""; finite(c[i]) {
				row[j+1] = strconv.FormatFloat(c[i], 'g', -1, 64)
			}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// recorder writes a model's outputs into a history.
type recorder struct {
	h      *History
	get    []func() float64
	places []func()
}

// newRecorder lists the columns: shaft speeds, thrust or power, fuel flow, burner
// exit temperatures, stall margins, what the schedules move, what the case saves.
func (m *Model) newRecorder(c *config.Case) (*recorder, error) {
	r := &recorder{h: &History{Places: map[string][]perfmap.PlotPoint{}}}
	var paths []string
	for _, s := range m.cfg.Shafts {
		paths = append(paths, "shafts."+s.Name+".N")
	}
	if len(m.perf.thrust) > 0 {
		paths = append(paths, "performance.Fn")
	}
	if m.perf.Power != 0 {
		paths = append(paths, "performance.power")
	}
	paths = append(paths, "performance.Wf")
	for _, p := range m.parts {
		if _, ok := p.comp.(*components.Burner); ok {
			paths = append(paths, p.name+".out.Tt")
		}
	}
	for _, p := range m.parts {
		if m.stalls(p) {
			paths = append(paths, p.name+".SMN")
		}
	}
	for _, s := range c.Transient.Schedules {
		if !strings.HasSuffix(s.Path, ".Wf") || len(m.perf.fuel) > 1 { // a single burner's is the engine's
			paths = append(paths, s.Path)
		}
	}
	for _, path := range append(paths, c.Transient.Save...) {
		if slices.Contains(r.h.Paths, path) || slices.Contains(r.h.Paths, "shafts."+path) {
			continue
		}
		at, err := m.read(path)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: case %s: %w", m.cfg.File, c.Pos, c.Name, err)
		}
		r.h.Paths, r.get = append(r.h.Paths, path), append(r.get, at.get)
	}
	r.h.Values = make([][]float64, len(r.get))
	for _, p := range m.parts {
		if _, ok := p.comp.(components.MapUser); ok {
			r.places = append(r.places, r.place(p))
		}
	}
	return r, nil
}

// place notes where a component works on its map.
func (r *recorder) place(p *part) func() {
	var wc, pr, eff *float64
	for _, o := range p.decl.Outputs {
		switch o.Name {
		case "Wc":
			wc = o.At
		case "PR":
			pr = o.At
		case "eff":
			eff = o.At
		}
	}
	return func() {
		if wc != nil && pr != nil && eff != nil {
			r.h.Places[p.name] = append(r.h.Places[p.name], perfmap.PlotPoint{Wc: *wc, PR: *pr, Eff: *eff})
		}
	}
}

// stalls tells whether a part has a stall line to be passed.
func (m *Model) stalls(p *part) bool {
	if _, ok := p.comp.(interface{ Margins() }); !ok {
		return false
	}
	u, ok := p.comp.(components.MapUser)
	if !ok {
		return false
	}
	pm, _, _ := u.Map()
	return pm != nil && pm.HasStall()
}

// add notes the model's present state as that at t, s.
func (r *recorder) add(t float64) {
	r.h.T = append(r.h.T, t)
	for i, get := range r.get {
		r.h.Values[i] = append(r.h.Values[i], get())
	}
	for _, place := range r.places {
		place()
	}
}

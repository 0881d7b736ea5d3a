package report

// The tables of kept results, for the page of a study.

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/table"
)

// CaseTables is the tables of a case.
type CaseTables struct {
	Machines []Part
	Stations []Part // with all their quantities
}

// Tables returns the tables of kept results as Table writes them: of all cases side by side, and of each case.
func (k *Kept) Tables(sys unit.System) (all []Part, of []CaseTables) {
	k.order()
	t := &tables{sys: sys, cat: components.Catalogue(), results: k.Results}
	t.sideBySide(k.Results.Cases)
	all = t.take()
	for _, c := range k.Results.Cases {
		t.parts = nil
		t.components(c)
		t.machines(c)
		t.zooms(c)
		machines := t.take()
		t.parts = nil
		t.stations(c, slices.DeleteFunc(slices.Clone(flow.Fields), func(f flow.Field) bool {
			for _, s := range c.Stations {
				if v, ok := s.Value(f); ok && v != 0 {
					return false
				}
			}
			return true
		}))
		of = append(of, CaseTables{machines, t.take()})
	}
	return all, of
}

// order sorts the names of the results, whose order no file keeps, as the components are in the engine. Bleeds come
// last.
func (k *Kept) order() {
	var names []string
	place := map[string]int{}
	for i, p := range k.Flow.Components {
		place[p.Name] = i
		names = append(names, p.Name)
	}
	bleed := func(port string) int {
		if strings.Contains(port, ".") {
			return 0
		}
		return 1
	}
	for _, c := range k.Results.Cases {
		c.Order = result.Names{Components: names, Shafts: slices.Sorted(maps.Keys(c.Shafts)),
			Stations: slices.SortedFunc(maps.Keys(c.Stations), func(a, b string) int {
				of, _, _ := strings.Cut(a, ".")
				other, _, _ := strings.Cut(b, ".")
				return cmp.Or(bleed(a)-bleed(b), place[of]-place[other], cmp.Compare(a, b))
			})}
	}
}

// Table returns the first points of the sweep.
func (s *KeptSweep) Table(sys unit.System, most int) *table.Table {
	g := newPoints(sys, s.Columns)
	for _, r := range s.Rows[:min(most, len(s.Rows))] {
		values := make([]float64, len(r.Values))
		for i, v := range r.Values {
			if values[i] = math.NaN(); v != nil {
				values[i] = *v
			}
		}
		text := ""
		if !r.Converged {
			text = "not converged: " + r.Message
		}
		g.add(values, text)
	}
	return g.Table
}

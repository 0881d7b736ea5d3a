package session

import (
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// mapResponse is a map as a response: the same lookups in other words.
type mapResponse struct{ m *perfmap.Map }

func (r mapResponse) value(name string, nc, x float64) float64 {
	v, _ := r.m.Value(name, perfmap.Point{Alpha: r.m.Design.Alpha, Nc: nc, X: x})
	return v.V
}

func (r mapResponse) At(_, nc, x float64, v *components.Responded) perfmap.Edge {
	v.Wc = r.value("Wc", nc, x)
	v.PR[0], v.Eff[0] = r.value("PR", nc, x), r.value("eff", nc, x)
	return 0
}

func (r mapResponse) Design(v *components.Responded) (nc, x float64) {
	r.At(0, r.m.Design.Nc, r.m.Design.X, v)
	return r.m.Design.Nc, r.m.Design.X
}

func (r mapResponse) Bounds() (lo, hi float64) { return r.m.X[0], r.m.X[len(r.m.X)-1] }
func (r mapResponse) Name() string             { return "a map" }

// An engine solves on a response as it does on the map that has the same values, also in copies of the model.
func TestResponse(t *testing.T) {
	s := turbojetSession(t, "")
	u := s.Model.Index["compressor"].Component.(components.MapUser)
	m, _, _ := u.Map()
	mapped := must.Value(s.Model.Clone())(t)
	responding := must.Value(s.Model.Clone())(t)
	must.OK(t, responding.Index["compressor"].Component.(components.Responder).SetResponse(&mapResponse{m}, false))
	responding = must.Value(responding.Clone())(t)
	if !responding.Responds() || mapped.Responds() {
		t.Errorf("responds: %t, on its map: %t", responding.Responds(), mapped.Responds())
	}
	for _, thrust := range []float64{0.95, 0.8, 0.6} {
		c := fnCase(thrust*52.489e3, nil)
		var speeds [2]float64
		for i, m := range []*steady.Solver{mapped, responding} {
			must.OK(t, m.Settle())
			if _, err := m.OffDesign(t.Context(), &newton.Solver{}, &c); err != nil {
				t.Fatalf("%g: %v", thrust, err)
			}
			speeds[i] = *m.Index["spool"].Declaration.Unknowns[0].At
		}
		near(t, fmt.Sprintf("rpm on the response at %g of the thrust", thrust), speeds[1], speeds[0], 1e-9)
	}
	// A map takes the place of a response.
	must.OK(t, responding.Index["compressor"].Component.(components.MapUser).SetMap(m, false))
	if responding.Responds() {
		t.Error("the response stays beside a map")
	}
}

// A response whose design point is none cannot be scaled.
func TestResponseWithoutDesign(t *testing.T) {
	s := turbojetSession(t, "")
	u := s.Model.Index["compressor"].Component
	m, _, _ := u.(components.MapUser).Map()
	if err := u.(components.Responder).SetResponse(&flatResponse{mapResponse{m}}, false); err == nil {
		t.Error("a pressure ratio of 1 is scaled")
	}
}

// flatResponse has a pressure ratio of 1 everywhere.
type flatResponse struct{ mapResponse }

func (r flatResponse) Design(v *components.Responded) (nc, x float64) {
	nc, x = r.mapResponse.Design(v)
	v.PR[0] = 1
	return nc, x
}

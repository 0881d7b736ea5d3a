package executive

import (
	"context"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/newton"
)

func TestE3(t *testing.T) {
	cfg, err := config.Load("../config/examples/e3.yaml", components.Catalogue(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel(cfg)
	if err != nil {
		t.Fatal(err)
	}
	info, err := m.Design()
	t.Log(info)
	if err != nil {
		t.Fatal(err)
	}
	show := func() {
		t.Logf("%+v", m.perf)
		r := m.result("x", "design")
		for _, n := range r.order.stations {
			s := r.Stations[n]
			t.Logf("%-14s %3s W %8.3f Pt %10.0f Tt %8.2f FAR %.5f MN %.3f", n, s.Number, s.W, s.Pt, s.Tt, s.FAR, s.MN)
		}
		for _, n := range r.order.components {
			t.Log(n, r.Components[n])
		}
		t.Log(r.Shafts)
	}
	show()
	st := m.save()
	for i := range cfg.Cases {
		m.restore(st)
		var nw newton.Solver
		info, err := m.OffDesign(context.Background(), &nw, &cfg.Cases[i])
		t.Log(cfg.Cases[i].Name, info, err)
		show()
	}
}

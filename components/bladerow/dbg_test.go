package bladerow

import (
	"math"
	"testing"
	"time"
)

func TestDbg(t *testing.T) {
	c := Case{Body: rotor67(t), Gas: Gas{1.4, 287.05}, Inlet: Inlet{Pt: []float64{101325}, Tt: []float64{288.15}}, Exit: Exit{Ps: 110000}, N: 16043}
	c.Settings = c.Settings.withDefaults()
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	p, err := newPassage(c.Body, c.Settings.Mesh)
	if err != nil {
		t.Fatal(err)
	}
	ps := []*passage{p.coarse(), p}
	var prev *level
	for _, p := range ps {
		l, err := newLevel(&c, p)
		if err != nil {
			t.Fatal(err)
		}
		l.start(&c)
		if prev != nil {
			prev.refine(l)
		}
		t0 := time.Now()
		for n := range 600 {
			ok := l.step(min(20, 2+float64(n)*0.1))
			if n%50 == 0 || !ok && n < 10 {
				w := func(i int) float64 {
					s := 0.0
					for k := range l.n[2] {
						for j := range l.n[1] {
							c := l.at(i, j, k)
							f := c
							a := c - 1
							var q [5]float64
							for v := range 5 {
								q[v] = 0.5 * (l.q[v][a] + l.q[v][c])
							}
							s += q[0] * (q[1]*l.metric.s[0][0][f] + q[2]*l.metric.s[0][1][f] + q[3]*l.metric.s[0][2][f] - l.omega*l.g[0][f])
						}
					}
					return s * l.ref.rho * l.ref.v * 22
				}
				t.Logf("%d %v %.3g  W %.3f %.3f", n, ok, l.last, w(0), w(l.n[0]))
				if math.IsNaN(l.last) {
					t.Fatal()
				}
			}
		}
		t.Log(time.Since(t0))
		prev = l
	}
}

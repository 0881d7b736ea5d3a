package blade

import (
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// The E3 fan's solid has the table's thickness and leans against the rotation; each
// point of it lies on the camber surface, half a thickness away.
func TestSolid(t *testing.T) {
	g := e3Fan(t)
	row := g.Rows[0]
	b := must.Value(g.Solid(row, 9, 41))(t)
	for n, s := range b.Sections {
		if last(s.Upper) >= s.Upper[0] && n > 2 {
			t.Errorf("section %d leans with the rotation", n+1)
		}
		for k := 1; k < len(s.Z)-1; k++ {
			p := row.At(s.Z[k], s.R[k])
			if e := math.Abs((s.Upper[k]+s.Lower[k])/2 + p.Theta); e > 1e-12 {
				t.Errorf("section %d, point %d: camber off by %g rad", n+1, k, e)
			}
			if e := math.Abs((s.Upper[k]-s.Lower[k])*s.R[k] - p.Thickness); e > 1e-12 {
				t.Errorf("section %d, point %d: thickness off by %g m", n+1, k, e)
			}
		}
		// Cut at the widest point, across the chord, it is the table's.
		most := 0.0
		for k := range s.Z {
			p := row.At(s.Z[k], s.R[k])
			most = max(most, (s.Upper[k]-s.Lower[k])*s.R[k]*math.Cos(p.Angle))
		}
		want := row.Section(s.R[20])
		if r := most / (want.ThicknessRatio * want.Chord); r < 0.9 || r > 1.1 {
			t.Errorf("section %d: thickness is %.3f of the table's", n+1, r)
		}
	}
	if _, err := g.Solid(row, 1, 41); err == nil {
		t.Error("one section was taken")
	}
	gap := *row
	gap.TipGap = 0.002
	if b, err := g.Solid(&gap, 9, 41); err != nil || b.TipGap != 0.002 {
		t.Errorf("%v; the gap is lost", err)
	}
	s := row.Section(0.8)
	short := must.Value(NewRow("short", 32, true, row.StackZ, []float64{0.36, 0.8}, []Section{s, s}))(t)
	must.Refuse(g.Solid(short, 9, 41))(t, `row "short": its sections lie at radii from 0.36 to 0.8 m`)
}

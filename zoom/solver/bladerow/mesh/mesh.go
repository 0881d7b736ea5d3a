// Package mesh lays H-meshes of hexahedra through passages of blade rows: node lines along the flow, from blade to
// blade and from hub to casing, finer toward the walls.
package mesh

import (
	"cmp"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// Mesh is the resolution of a passage. Zero values mean the defaults.
type Mesh struct {
	Upstream, Blade, Downstream int     // cells along the flow; default 24, 36, 20
	Pitch, Span                 int     // cells from blade to blade and from hub to casing; default 24, 24
	Front, Rear                 float64 // length ahead of and behind the blade, in tip axial chords; default 1, 1.5
	// first cell at blades, hub and casing, over the pitch half way up; default 0.01
	Wall float64
	Gap  int // cells of Span in the tip gap, if any; default 4
	// cells of Downstream along the dead water behind a round trailing edge; default 4
	Closing int
	Edge    float64 // first cell at the leading and trailing edge, in axial chords; default 0.0015
}

func (m Mesh) WithDefaults() Mesh {
	m.Upstream, m.Blade, m.Downstream = cmp.Or(m.Upstream, 24), cmp.Or(m.Blade, 36), cmp.Or(m.Downstream, 20)
	m.Pitch, m.Span = cmp.Or(m.Pitch, 24), cmp.Or(m.Span, 24)
	m.Gap, m.Closing = cmp.Or(m.Gap, 4), cmp.Or(m.Closing, 4)
	m.Front, m.Rear = cmp.Or(m.Front, 1), cmp.Or(m.Rear, 1.5)
	m.Wall, m.Edge = cmp.Or(m.Wall, 0.01), cmp.Or(m.Edge, 0.0015)
	return m
}

// Passage is the H-mesh of a blade passage: i along the flow, j against the rotation from one blade's lower to the next
// blade's upper side, k from hub to casing.
type Passage struct {
	*Grid
	Pitch  float64 // rad
	LE, TE int     // first and last node line of the blade
	Tip    int     // node line on which it ends: NK without a gap
	Closed int     // node line behind te at the end of the dead water: te without
}

// Layout places a mesh, beyond the row and its Mesh.
type Layout struct {
	Height  func(k int) func(z float64) float64 // radius of node line k over z
	In, Out []float64                           // axial place of its ends, line by line; nil: by Front and Rear
}

// NewPassage lays the mesh of a row by itself.
func NewPassage(b *blade.Body, set Mesh) (*Passage, error) {
	set = set.WithDefaults()
	return Layout{Height: Heights(b, set, TipLine(b, set))}.Passage(b, set)
}

// TipLine returns the node line on which a blade ends.
func TipLine(b *blade.Body, set Mesh) int {
	if b.TipGap > 0 {
		return set.Span - set.Gap
	}
	return set.Span
}

// Passage lays the mesh. Along the flow the i-lines follow the sections; ahead of
// the blade and behind it they leave with the camber's direction and turn axial.
func (lay Layout) Passage(b *blade.Body, set Mesh) (*Passage, error) {
	ni := set.Upstream + set.Blade + set.Downstream
	p := &Passage{Pitch: 2 * math.Pi / float64(b.Blades), LE: set.Upstream, TE: set.Upstream + set.Blade,
		Tip: TipLine(b, set)}
	p.Closed = p.TE
	end, thickness := rounding(b)
	if thickness > 0.1*set.Edge {
		p.Closed += set.Closing
	} else {
		end = 1
	}
	x := Spaced(set.Blade, set.Edge, set.Edge)
	for m := range x {
		x[m] *= end
	}
	stations, err := b.Stations(x)
	if err != nil {
		return nil, err
	}
	across := Spaced(set.Pitch, set.Wall, set.Wall)
	lines := make([]line3, set.Span+1)
	for k := range lines {
		if lines[k], err = p.line(b, set, stations, lay, k); err != nil {
			return nil, err
		}
	}
	theta := make([][]float64, len(lines))
	for k := range lines {
		theta[k] = lines[k].across(p.Pitch, across, smoothings(set.Blade))
	}
	p.Grid = NewGrid(ni, set.Pitch, set.Span, func(i, j, k int) (x, y, z float64) {
		sin, cos := math.Sincos(theta[k][j*(ni+1)+i])
		return lines[k].r[i] * cos, lines[k].r[i] * sin, lines[k].z[i]
	})
	return p, nil
}

// Heights returns the radius of node line k at z: cells fine at hub and casing, and even in a tip gap.
func Heights(b *blade.Body, set Mesh, tip int) func(k int) func(z float64) float64 {
	s := &b.Sections[len(b.Sections)-1]
	z := s.Z[len(s.Z)/2]
	hub, casing := b.Hub.At(z), b.Casing.At(z)
	first := set.Wall * math.Pi * (hub + casing) / float64(b.Blades) / (casing - hub)
	last := first
	if b.TipGap > 0 {
		last = 2 * b.TipGap / float64(set.Gap) / (casing - hub)
	}
	below := Spaced(tip, first, last)
	return func(k int) func(z float64) float64 {
		return func(z float64) float64 {
			hub, top := b.Hub.At(z), b.Casing.At(z)-b.TipGap
			if k <= tip {
				return hub + below[k]*(top-hub)
			}
			return top + b.TipGap*float64(k-tip)/float64(set.Span-tip)
		}
	}
}

// line3 is an i-line on both sides of the blade.
type line3 struct{ z, r, lower, upper, camber []float64 }

// line lays i-line k. From its tip on a blade is as thin as a sheet, so that the gap's cells on either side of it meet
// (the pinched tip of Denton, ASME 92-GT-295, appendix).
func (p *Passage) line(b *blade.Body, set Mesh, stations []blade.Station, lay Layout, k int) (line3, error) {
	n, radius, pinched := set.Blade, lay.Height(k), b.TipGap > 0 && k >= p.Tip
	var z, lower, upper []float64
	for m := range stations {
		a := Meeting(b, &stations[m], radius) // the line need not keep its share of the span
		_, l, u := stations[m].At(b.Span(a, radius(a)))
		if m == 0 || m == n && p.Closed == p.TE || pinched {
			l = (l + u) / 2
			u = l
		}
		z, lower, upper = append(z, a), append(lower, l), append(upper, u)
	}
	chord := z[n] - z[0]
	first, last := b.Hub.Range()
	c0, c1 := b.Casing.Range()
	zin, zout := z[0]-set.Front*chord, z[n]+set.Rear*chord
	if lay.In != nil {
		zin = lay.In[k]
	}
	if lay.Out != nil {
		zout = lay.Out[k]
	}
	if zin < max(first, c0) || zout > min(last, c1) {
		return line3{}, fmt.Errorf(
			"bladerow: blade row %q: the mesh from z = %.4g to %.4g m leaves the flow path, %.4g to %.4g m: lower "+
				"Mesh.Front or Mesh.Rear", b.Name, zin, zout, max(first, c0), min(last, c1))
	}
	mid := func(m int) float64 { return (lower[m] + upper[m]) / 2 }
	// The camber's direction over a thirtieth of the chord at either edge.
	head, tail := 1, n-1
	for head < n-1 && z[head]-z[0] < chord/30 {
		head++
	}
	for tail > 1 && z[n]-z[tail] < chord/30 {
		tail--
	}
	front, rear := (mid(head)-mid(0))/(z[head]-z[0]), (mid(n)-mid(tail))/(z[n]-z[tail])
	var out line3
	add := func(z, lo, up, camber float64) {
		out.z, out.r = append(out.z, z), append(out.r, radius(z))
		out.lower, out.upper, out.camber = append(out.lower, lo), append(out.upper, up), append(out.camber, camber)
	}
	s := Spaced(set.Upstream, set.Edge*chord/(z[0]-zin), 0)
	for i := set.Upstream; i > 0; i-- {
		d := s[i] * (z[0] - zin)
		th := mid(0) - fade(front, d, chord)
		add(z[0]-d, th, th, th)
	}
	for m := range z {
		camber := mid(m)
		switch { // straight over a rounding
		case m < head:
			camber = mid(0) + front*(z[m]-z[0])
		case m > tail:
			camber = mid(n) - rear*(z[n]-z[m])
		}
		add(z[m], lower[m], upper[m], camber)
	}
	closing := 0.0
	if p.Closed > p.TE {
		slope := rear * radius(z[n])
		closing = max(deadWater*(upper[n]-lower[n])*radius(z[n])/(1+slope*slope), 2*set.Edge*chord)
		for _, x := range Spaced(p.Closed-p.TE, set.Edge*chord/closing, 0)[1:] {
			th, half := mid(n)+fade(rear, x*closing, chord), (upper[n]-lower[n])/2*(1-x)
			add(z[n]+x*closing, th-half, th+half, th)
		}
	}
	rest := set.Downstream - (p.Closed - p.TE)
	s = Spaced(rest, max(z[n]+closing-out.z[len(out.z)-2], set.Edge*chord)/(zout-z[n]-closing), 0)
	for i := 1; i <= rest; i++ {
		d := closing + s[i]*(zout-z[n]-closing)
		th := mid(n) + fade(rear, d, chord)
		add(z[n]+d, th, th, th)
	}
	return out, nil
}

// across lays the j-lines between the sides of an i-line's passage and returns their angles, line by line, evenly
// between the sides at the fractions at. The deviation of the sides from the camber is smoothed along the flow, so that
// the kinks at a blade's edges do not reach the middle: in each of times rounds a node moves up to half of the way to
// the straight line between its neighbours, less the nearer it is to a side.
func (l *line3) across(pitch float64, at []float64, times int) []float64 {
	n := len(l.z)
	out, was := make([]float64, n*len(at)), make([]float64, n)
	for j, a := range at {
		th := out[j*n : (j+1)*n]
		for i := range th {
			th[i] = l.lower[i] + a*(l.upper[i]-l.lower[i]) - l.camber[i]
		}
		weight := 0.5 * min(1, 8*min(a, 1-a))
		for range times {
			copy(was, th)
			for i := 1; i < n-1; i++ {
				f := (l.z[i] - l.z[i-1]) / (l.z[i+1] - l.z[i-1])
				th[i] += weight * (was[i-1] + f*(was[i+1]-was[i-1]) - was[i])
			}
		}
		for i := range th {
			th[i] += l.camber[i] - a*pitch
		}
	}
	return out
}

// smoothings returns the number of smoothings of the lines along a blade of so many cells: a kink spreads over 2.2
// cells to either side (standard deviation), on coarse meshes over a sixteenth of the blade's. The kinks that Rotor
// 67's leading edge sends a quarter of the way to the next blade, of 6 to 14 deg, become 1 to 2 deg.
func smoothings(cells int) int { return min(10, cells*cells/128) }

// deadWater is the length of the dead water behind a round trailing edge, in thicknesses
// normal to the camber. Its sides carry the mean of both pressures, so that the blade's end
// bears no load (Kutta's condition): cells as coarse as the rounding would let the flow follow
// it to the other side. Between 2 and 4 thicknesses Rotor 67's flow at a pressure near its
// peak efficiency changes by 0.4 %, the pressure ratio by 0.6 %.
const deadWater = 3

// rounding returns the axial chord fraction at which the sides of the trailing edge begin to close by more than 53 deg,
// the foremost of all sections, and the greatest tangential thickness there, in axial chords.
func rounding(b *blade.Body) (at, thickness float64) {
	at = 1
	for k := range b.Sections {
		s := &b.Sections[k]
		n := len(s.Z) - 1
		chord := s.Z[n] - s.Z[0]
		t := func(m int) float64 { return s.R[m] * (s.Upper[m] - s.Lower[m]) }
		for n > 1 && t(n-1)-t(n) > s.Z[n]-s.Z[n-1] {
			n--
		}
		at, thickness = min(at, (s.Z[n]-s.Z[0])/chord), max(thickness, t(n)/chord)
	}
	return at, thickness
}

// Meeting returns the axial place at which a cut through the blade meets a line of the radius given over z.
func Meeting(b *blade.Body, s *blade.Station, radius func(z float64) float64) float64 {
	z, _, _ := s.At(0.5)
	for range 3 {
		z, _, _ = s.At(b.Span(z, radius(z)))
	}
	return z
}

func Between(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for k := range a {
		out[k] = (a[k] + b[k]) / 2
	}
	return out
}

func (p *Passage) Coarse() *Passage {
	return &Passage{Grid: p.Grid.Coarse(), Pitch: p.Pitch, LE: p.LE / 2, TE: p.TE / 2, Tip: p.Tip / 2,
		Closed: p.Closed / 2}
}

// Leaving returns the tangent of the angle at which strip k of the mesh leaves the blade, in the middle of the pitch.
func (p *Passage) Leaving(k int) float64 {
	a, b := p.Vertex(p.TE-2, p.NJ/2, k), p.Vertex(p.TE, p.NJ/2, k)
	turn := math.Remainder(math.Atan2(b[1], b[0])-math.Atan2(a[1], a[0]), 2*math.Pi)
	return math.Hypot(b[0], b[1]) * turn / (b[2] - a[2])
}

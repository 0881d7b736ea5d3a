package bladerow

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"encoding/xml"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/average"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/field"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// sector is a field on a conical sector of an annulus, its state a function of place.
func sector(n float64, at func(z, r, th float64) (rho, vz, vr, vt, ps float64)) *field.Field {
	f := &field.Field{
		Passage: field.Passage{Row: "sector", Blades: 20, N: n, Gamma: 1.4, R: 287.05, Pt: 101325, Tt: 288.15, LE: 4,
			TE: 12},
	}
	f.Grid = mesh.NewGrid(16, 8, 6, func(i, j, k int) (x, y, z float64) {
		z = float64(i) / 16
		hub := 0.5 + 0.1*z
		r, th := hub+(1-hub)*float64(k)/6, 3-f.Pitch()*float64(j)/8 // passes pi on its way
		return r * math.Cos(th), r * math.Sin(th), z
	})
	for c := range f.X {
		r := math.Hypot(f.X[c], f.Y[c])
		cos, sin := f.X[c]/r, f.Y[c]/r
		rho, vz, vr, vt, ps := at(f.Z[c], r, math.Atan2(sin, cos))
		f.Rho, f.Ps = append(f.Rho, rho), append(f.Ps, ps)
		f.Vx, f.Vy, f.Vz = append(f.Vx, vr*cos-vt*sin), append(f.Vy, vr*sin+vt*cos), append(f.Vz, vz)
	}
	return f
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s: %.15g, want %.15g", what, got, want)
	}
}

// Gas that turns as a solid body with the row stands still in its frame: its relative
// Mach number is that of the axial flow, its rothalpy that of the axial flow at rest, and the
// isentropic Mach number along the blade again that of the flow.
func TestSolidBodySwirl(t *testing.T) {
	const n, vz, ts = 3000.0, 120.0, 280.0
	omega := n * math.Pi / 30
	g := air
	f := sector(n, func(_, r, _ float64) (rho, z, rr, vt, ps float64) {
		// dp/dr = rho omega^2 r at one temperature
		ps = 9e4 * math.Exp(omega*omega*r*r/(2*g.R*ts))
		return ps / (g.R * ts), vz, 0, omega * r, ps
	})
	a := math.Sqrt(g.Gamma * g.R * ts)
	for c := range f.X {
		s := f.At(c)
		near(t, "MN_rel", s.MNRel, vz/a, 1e-12)
		near(t, "beta", s.Beta, 0, 1e-12)
		near(t, "alpha", s.Alpha, math.Atan2(omega*s.Radius, vz), 1e-12)
		near(t, "Tt_rel", s.TtRel, ts+vz*vz/(2*g.Cp()), 1e-12)
		near(t, "Tt", s.Tt, ts+(vz*vz+omega*omega*s.Radius*s.Radius)/(2*g.Cp()), 1e-12)
	}
	for k, m := range f.Meridional() {
		near(t, "mean MN_rel", m.MNRel, vz/a, 1e-12)
		near(t, "mean radius", m.Radius, f.At(k/(f.NI+1)*(f.NI+1)*(f.NJ+1)+k%(f.NI+1)).Radius, 1e-12)
	}
	// Along a cone the radius changes: seen from the row gas comes from the inlet at
	// Tt_rel = ts + vz^2/2cp + (u^2-u1^2)/2cp, and the pressure is that of the place.
	for _, span := range []float64{1.0 / 6, 0.5, 5.0 / 6} { // on k-lines: between them means are interpolated
		s := f.Surface(span)
		if len(s.X) != 9 || s.X[0] != 0 || s.X[8] != 1 {
			t.Fatalf("places %v", s.X)
		}
		in := f.PitchMean(0, span)
		for k, r := range s.Lower.R {
			rel := ts + vz*vz/(2*g.Cp()) + omega*omega*(r*r-in.Radius*in.Radius)/(2*g.Cp())
			p := f.IsentropicMach(&in, r, s.Lower.Ps[k])
			pt := in.Pt * math.Pow(rel/in.Tt, 3.5)
			near(t, "Mis", p, math.Sqrt(5*(math.Pow(pt/s.Lower.Ps[k], 2/7.0)-1)), 1e-10)
			near(t, "other side", s.Upper.Mis[k], s.Lower.Mis[k], 1e-12)
		}
	}
}

// A sheet's angles are true: a logarithmic spiral on a cone, whose angle against the
// meridian is constant, becomes a straight line; and a pitch is the distance between
// its sides.
func TestSheet(t *testing.T) {
	f := sector(0, func(_, _, _ float64) (rho, z, r, vt, ps float64) { return 1, 100, 0, 0, 1e5 })
	for _, span := range []float64{0, 0.31, 1} {
		s := f.Sheet(span)
		row := s.NI + 1
		for i := range row {
			near(t, "width", s.T[i]-s.T[s.NJ*row+i], s.Pitch, 1e-12)
		}
		near(t, "origin", s.M[s.LE], 0, 0)
		c := f.Spanwise(span)
		for i := 1; i < row; i++ {
			// The generator of a cone: dm/r = ds/r, exactly ln(r2/r1)/sin(cone angle).
			r0, r1 := c.R(i-1, 0), c.R(i, 0)
			length := math.Hypot(1.0/16, r1-r0)
			exact := length / r0
			if r1 != r0 {
				exact = length * math.Log(r1/r0) / (r1 - r0)
			}
			near(t, "dm/r", (s.M[i]-s.M[i-1])/c.R(s.LE, 0), exact, 1e-5)
		}
	}
}

// sheared fills a level, ghosts included, with a flow that varies over the span; beside
// the planes with that of the planes.
func sheared(l *level, at func(r float64) [5]float64) {
	for k := -ghosts; k < l.n[2]+ghosts; k++ {
		for j := -ghosts; j < l.n[1]+ghosts; j++ {
			for i := -ghosts; i < l.n[0]+ghosts; i++ {
				jj, kk := min(max(j, 0), l.n[1]-1), min(max(k, 0), l.n[2]-1)
				x := l.grid.Centre(min(max(i, 0), l.n[0]-1), jj, kk)
				if i < 1 {
					x = l.faceCentre(l.at(0, jj, kk), 0)
				} else if i >= l.n[0]-1 {
					x = l.faceCentre(l.at(l.n[0], jj, kk), 0)
				}
				r := math.Hypot(x[0], x[1])
				q := at(r)
				q[1], q[2] = -q[2]*x[1]/r, q[2]*x[0]/r // from circumferential
				l.setState(l.at(i, j, k), q)
			}
		}
	}
}

// All averages of a uniform flow are the flow itself; over the span, angles and totals
// are those of the place. Of any flow the averages keep what stations count.
func TestAverages(t *testing.T) {
	c := tiny67(t)
	c.Settings.Model = Euler
	s := solver(t, c)
	l := s.levels[0]
	const rho, vz, p = 0.95, 0.5, 0.9
	sheared(l, func(float64) [5]float64 { return [5]float64{rho, 0, 0, vz, p} })
	r := &march.Result{Inlet: l.station(0, c.Gas), Exit: l.station(l.n[0], c.Gas)}
	a := must.Value(s.Averages(r))(t)
	tt := p/rho + vz*vz/7
	pt := p * math.Pow(tt*rho/p, 3.5)
	for how := range a.Inlet.Pt {
		near(t, string(how)+" Pt", a.Inlet.Pt[how]/l.ref.p, pt, 1e-12)
		near(t, string(how)+" PR", a.Row[how].PR, 1, 1e-12)
	}
	near(t, "Tt", a.Exit.Tt/l.ref.t, tt, 1e-12)
	near(t, "Ps", a.Exit.Ps/l.ref.p, p, 1e-12)
	near(t, "W", a.Inlet.W, r.Inlet.W, 1e-12)

	spin := l.omega
	sheared(l, func(r float64) [5]float64 { return [5]float64{rho, 0, spin * r, vz, p + r*r} })
	r = &march.Result{Inlet: l.station(0, c.Gas), Exit: l.station(l.n[0], c.Gas)}
	a = must.Value(s.Averages(r))(t)
	near(t, "W", a.Exit.W, r.Exit.W, 1e-12)
	near(t, "Pt", a.Exit.Pt[average.Mass], r.Exit.Pt, 1e-12)
	near(t, "Tt", a.Exit.Tt, r.Exit.Tt, 1e-12)
	if pt := a.Exit.Pt; !(pt[average.Work] < pt[average.Mass]*(1-1e-4)) ||
		math.Abs(pt[average.Area]/pt[average.Mass]-1) < 1e-4 {
		t.Errorf("the averages of a sheared flow are all alike: %v", pt)
	}
	in, out, err := s.Profiles(r)
	must.OK(t, err)
	for _, p := range []*Profile{in, out} {
		for k := range p.R {
			// The middles of a row's faces, chords of unequal length, lie on nearly one circle.
			near(t, "beta", p.Beta[k], 0, 5e-4)
			near(t, "alpha", p.Alpha[k], math.Atan2(spin*p.R[k], vz), 5e-4)
			if p.Span[k] <= 0 || p.Span[k] >= 1 || k > 0 && p.Span[k] <= p.Span[k-1] {
				t.Errorf("row %d lies at %g of the span", k, p.Span[k])
			}
		}
	}
	for k := range in.PR {
		near(t, "PR of the inlet", in.PR[k], 1, 1e-12)
		near(t, "eff of the inlet", in.Eff[k], 0, 0)
	}
}

// What a run writes reads back as the flow that the solver holds; the other files have
// what they should.
func TestFilesRoundTrip(t *testing.T) {
	c := tiny67(t)
	c.Settings.Model, c.Settings.MaxIterations = Euler, 30
	s := solver(t, c)
	dir := t.TempDir()
	r := must.Value(s.RunIn(context.Background(), dir, nil))(t)
	fields, err := field.ReadFields(dir)
	if err != nil || len(fields) != 1 {
		t.Fatal(err)
	}
	f, want := fields[0], s.Fields()[0]
	want.Run = &field.EndState{Status: r.Status, Iterations: r.Iterations, W: r.W, PR: r.PR, TR: r.TR, Eff: r.Eff}
	if diff := cmp.Diff(want.Passage, f.Passage) + cmp.Diff(want.Run, f.Run); diff != "" {
		t.Error(diff)
	}
	for n, pair := range [][2][]float64{{f.X, want.X}, {f.Y, want.Y}, {f.Z, want.Z}, {f.Rho, want.Rho},
		{f.Vx, want.Vx}, {f.Vy, want.Vy}, {f.Vz, want.Vz}, {f.Ps, want.Ps}} {
		for k := range pair[1] {
			if d := math.Abs(pair[0][k] - pair[1][k]); !(d <= 1e-9*max(1, math.Abs(pair[1][k]))) {
				t.Fatalf("array %d, node %d: %g, want %g", n, k, pair[0][k], pair[1][k])
			}
		}
	}
	history := must.Value(os.ReadFile(filepath.Join(dir, march.HistoryFile)))(t)
	if !bytes.HasPrefix(history, []byte("# bladerow history 1\n")) ||
		!bytes.Contains(history, []byte("\nend not_converged 30 ")) {
		t.Errorf("history:\n%s", history)
	}
	// Both periodic sides carry the same state.
	closed := f.Sheet(0.3).Closed
	if closed != f.TE+s.levels[s.at].grid.Closed-s.levels[s.at].grid.TE || closed == f.TE {
		t.Errorf("the sides meet on node line %d; the blade ends on %d", closed, f.TE)
	}
	for i := range f.NI + 1 {
		if i >= f.LE && i <= closed {
			continue
		}
		a, b := f.At(f.Node(i, 0, 5)), f.At(f.Node(i, f.NJ, 5))
		near(t, "Ps across the pitch", a.Ps, b.Ps, 1e-9)
		near(t, "Vtheta across the pitch", a.Vtheta, b.Vtheta, 1e-9)
	}
	var averages struct {
		Exit struct{ W float64 }
		Row  map[string]struct{ PR, Eff float64 }
	}
	data := must.Value(os.ReadFile(filepath.Join(dir, AveragesFile)))(t)
	must.OK(t, json.Unmarshal(data, &averages))
	near(t, "W of the file", averages.Exit.W, r.Exit.W, 1e-12)
	near(t, "PR of the file", averages.Row["mass"].PR, r.PR, 1e-12)
	for name, lines := range map[string]int{InletFile: 1 + 12, ExitFile: 1 + 12, SurfaceFile: 1 + 5*19} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || strings.Count(string(data), "\n") != lines || strings.Contains(string(data), "NaN") {
			t.Errorf("%s: %v, %d lines; want %d of numbers", name, err, strings.Count(string(data), "\n"), lines)
		}
	}
}

func TestReadFieldsRefuses(t *testing.T) {
	f := sector(1000, func(_, _, _ float64) (rho, z, r, vt, ps float64) { return 1, 100, 0, 0, 1e5 })
	var grid, flow bytes.Buffer
	must.OK(t, field.WriteGrid(&grid, []*field.Field{f}))
	must.OK(t, field.WriteFlow(&flow, []*field.Field{f}))
	good, _ := json.Marshal(field.Passages{Rows: []field.Passage{f.Passage}})
	cold := append([]byte(nil), flow.Bytes()...)
	copy(cold[12+32:], make([]byte, 8)) // density 0
	for _, tc := range []struct{ name, passage, grid, flow, want string }{
		{"good", string(good), grid.String(), flow.String(), ""},
		{"no run", "", "", "", "no folder of a finished bladerow run"},
		{"no gas", strings.Replace(string(good), `"gamma":1.4`, `"gamma":14`, 1), grid.String(), flow.String(),
			"row 1: bladerow: Gas.Gamma: 14"},
		{"no JSON", "{", grid.String(), flow.String(), field.PassageFile},
		{"edges", strings.Replace(string(good), `"TE":12`, `"TE":120`, 1), grid.String(), flow.String(),
			"edges at node lines 4 and 120 of 17"},
		{
			"cut grid", string(good), grid.String()[:1000], flow.String(),
			"grid.xyz: block 1: 988 bytes for 3 values at 1071 nodes",
		},
		{"empty grid", string(good), "", flow.String(), "no PLOT3D file"},
		{"huge grid", string(good), "\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f", flow.String(),
			"want at least 2 each way"},
		{"cut flow", string(good), grid.String(), flow.String()[:900], "flow.q: block 1: 856 bytes"},
		{"long grid", string(good), grid.String() + "more", flow.String(), "grid.xyz: 4 bytes beyond its end"},
		{"no rows", `{"rows": []}`, grid.String(), flow.String(), "names no row"},
		{"other grid", string(good), grid.String(), grid.String(), "flow.q: "},
		{"no density", string(good), grid.String(), string(cold), "flow.q: block 1: node 1: density 0 kg/m3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{field.PassageFile: tc.passage, march.GridFile: tc.grid,
				march.FlowFile: tc.flow} {
				if tc.passage == "" {
					continue
				}
				must.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
			}
			_, err := field.ReadFields(dir)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// A function file holds the quantities in their order behind its header.
func TestFunctionFile(t *testing.T) {
	f := sector(1000, func(z, r, th float64) (rho, vz, vr, vt, ps float64) { return 1 + z, 100 * r, 3, 50 * th, 1e5 })
	list := field.Quantities()
	var b, names bytes.Buffer
	must.OK(t, field.WriteFunctions(&b, []*field.Field{f}, list))
	must.OK(t, field.WriteFunctionNames(&names, list))
	var head [4]int32
	if err := binary.Read(&b, binary.LittleEndian, &head); err != nil || head != [4]int32{17, 9, 7, int32(len(list))} {
		t.Fatalf("%v, header %v", err, head)
	}
	for _, q := range list {
		got := make([]float64, len(f.X))
		must.OK(t, binary.Read(&b, binary.LittleEndian, got))
		if diff := cmp.Diff(f.Values(q), got); diff != "" {
			t.Errorf("%s: %s", q.Name, diff)
		}
	}
	if b.Len() > 0 || !strings.HasPrefix(names.String(), "Ps [Pa]\nTs [K]\n") ||
		strings.Count(names.String(), "\n") != len(list) {
		t.Errorf("%d bytes left; names:\n%s", b.Len(), names.String())
	}
}

// A VTK file is XML whose appended arrays decode to the flow.
func TestVTK(t *testing.T) {
	f := sector(1000, func(z, r, th float64) (rho, vz, vr, vt, ps float64) { return 1 + z, 100 * r, 3, 50 * th, 1e5 })
	var b bytes.Buffer
	must.OK(t, f.WriteVTK(&b, field.Quantities()))
	type array struct {
		Name   string `xml:"Name,attr"`
		Type   string `xml:"type,attr"`
		Parts  int    `xml:"NumberOfComponents,attr"`
		Offset int    `xml:"offset,attr"`
	}
	var file struct {
		Header string `xml:"header_type,attr"`
		Grid   struct {
			Extent string `xml:"WholeExtent,attr"`
			Piece  struct {
				Data   []array `xml:"PointData>DataArray"`
				Points array   `xml:"Points>DataArray"`
			}
		} `xml:"StructuredGrid"`
		Appended string `xml:"AppendedData"`
	}
	must.OK(t, xml.Unmarshal(b.Bytes(), &file))
	if file.Header != "UInt64" || file.Grid.Extent != "0 16 0 8 0 6" ||
		len(file.Grid.Piece.Data) != 3+len(field.Quantities()) {
		t.Fatalf("%+v", file.Grid)
	}
	block := strings.TrimSpace(file.Appended)[1:] // behind the underscore
	values := func(a array) []float32 {
		n := a.Parts * len(f.X)
		text := block[a.Offset : a.Offset+base64.StdEncoding.EncodedLen(8+4*n)]
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
		if size := binary.LittleEndian.Uint64(data); size != uint64(4*n) {
			t.Fatalf("%s: %d bytes, want %d", a.Name, size, 4*n)
		}
		out := make([]float32, n)
		must.OK(t, binary.Read(bytes.NewReader(data[8:]), binary.LittleEndian, out))
		return out
	}
	want := map[string][]float64{"rho": f.Rho}
	for _, q := range field.Quantities() {
		want[q.Name] = f.Values(q)
	}
	for _, a := range file.Grid.Piece.Data {
		got := values(a)
		if a.Name == "V" {
			for c := range f.X {
				if got[3*c] != float32(f.Vx[c]) || got[3*c+1] != float32(f.Vy[c]) || got[3*c+2] != float32(f.Vz[c]) {
					t.Fatalf("V at node %d: %v", c, got[3*c:3*c+3])
				}
			}
			continue
		}
		if a.Name == "W" { // its size is MN_rel's speed
			for c := range f.X {
				s := f.At(c)
				w := math.Sqrt(float64(got[3*c]*got[3*c] + got[3*c+1]*got[3*c+1] + got[3*c+2]*got[3*c+2]))
				near(t, "W", w, s.MNRel*math.Sqrt(1.4*287.05*s.Ts), 1e-6)
			}
			continue
		}
		for c, v := range want[a.Name] {
			if got[c] != float32(v) {
				t.Fatalf("%s at node %d: %g, want %g", a.Name, c, got[c], v)
			}
		}
	}
	points := values(file.Grid.Piece.Points)
	for c := range f.X {
		if points[3*c] != float32(f.X[c]) || points[3*c+1] != float32(f.Y[c]) || points[3*c+2] != float32(f.Z[c]) {
			t.Fatalf("node %d: %v", c, points[3*c:3*c+3])
		}
	}
}

// A profile reads back as it was written, to the digits of its file; a survey may lack
// columns, and faults are told with their line.
func TestProfileFile(t *testing.T) {
	p := &Profile{}
	for n, c := range p.columns() {
		for k := range 3 {
			*c.v = append(*c.v, float64(n+1)/8+float64(k))
		}
	}
	var b bytes.Buffer
	must.OK(t, p.Write(&b))
	got := must.Value(ReadProfile(&b))(t)
	must.Equal(t, p, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-6*(1+math.Abs(a)) }))
	got, err := ReadProfile(strings.NewReader("#span alpha[deg]\n\n0.5 90\n"))
	if err != nil || len(got.Span) != 1 || math.Abs(got.Alpha[0]-math.Pi/2) > 1e-12 || got.Pt != nil {
		t.Errorf("%v, %+v", err, got)
	}
	for _, tc := range []struct{ text, want string }{
		{"", "no profile"},
		{"# span\n", "no profile"},
		{"# span speed\n", `line 1: "speed" is no name`},
		{"# span span\n", `line 1: "span" is no name, or there twice`},
		{"# Pt[Pa]\n1\n", "line 1: no column span among Pt[Pa]"},
		{"# span eff\n0.5 0.9\n0.6\n", "line 3: 1 numbers for 2 names"},
		{"# span eff\n0.5 NaN\n", `line 2: eff is "NaN"`},
	} {
		must.Refuse(ReadProfile(strings.NewReader(tc.text)))(t, tc.want)
	}
}

// Several rows are blocks of one file, and read back as they were.
func TestBlocks(t *testing.T) {
	at := func(z, r, th float64) (rho, vz, vr, vt, ps float64) { return 1 + z, 100 * r, 3, 50 * th, 1e5 }
	want := []*field.Field{sector(1000, at), sector(0, at)}
	want[1].Grid = want[1].Grid.Coarse()
	n := len(want[1].X)
	for _, v := range []*[]float64{&want[1].Rho, &want[1].Vx, &want[1].Vy, &want[1].Vz, &want[1].Ps} {
		*v = (*v)[:n]
	}
	var grid, flow, functions bytes.Buffer
	must.OK(t, field.WriteGrid(&grid, want))
	must.OK(t, field.WriteFlow(&flow, want))
	must.OK(t, field.WriteFunctions(&functions, want, field.Quantities()[:2]))
	if size := 4 + 2*16 + 2*8*(len(want[0].X)+n); functions.Len() != size {
		t.Errorf("function file of %d bytes, want %d", functions.Len(), size)
	}
	got := []*field.Field{{Passage: want[0].Passage}, {Passage: want[1].Passage}}
	must.OK(t, field.ReadGrids(grid.Bytes(), got))
	must.OK(t, field.ReadFlows(flow.Bytes(), got))
	must.Equal(t, want, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)) }))
	must.Fail(t, field.ReadGrids(grid.Bytes(), append(got, got[0])), "2 blocks; want 3")
}

// The files of a stage hold both rows; the exit is that of the vanes, which stand.
func TestStageFiles(t *testing.T) {
	c := stage(t)
	c.Settings.Levels, c.Settings.MaxIterations, c.Settings.Model = 1, 40, Euler
	s := solver(t, c)
	dir := t.TempDir()
	r := must.Value(s.RunIn(context.Background(), dir, nil))(t)
	fields, err := field.ReadFields(dir)
	if err != nil || len(fields) != 2 || fields[0].Row != "rotor" || fields[1].N != 0 || fields[1].Blades != 40 ||
		fields[0].Run.W != r.W {
		t.Fatalf("%v, %d fields", err, len(fields))
	}
	last := fields[1]
	_, exit, err := s.Profiles(r)
	must.OK(t, err)
	for k := range exit.R {
		near(t, "beta behind vanes", exit.Beta[k], exit.Alpha[k], 1e-12)
		if k > 0 && !(exit.Span[k] > exit.Span[k-1]) {
			t.Errorf("row %d lies at %g of the span", k, exit.Span[k])
		}
	}
	a := must.Value(s.Averages(r))(t)
	near(t, "PR of the averages", a.Row[average.Mass].PR, r.PR, 1e-12)
	if z := last.Z[last.Node(last.NI, 0, 0)]; z < 0.15 {
		t.Errorf("the last block ends at %g m", z)
	}
	data, err := os.ReadFile(filepath.Join(dir, SurfaceFile))
	if err != nil || strings.Count(string(data), "\n") != 1+2*5*17 ||
		!strings.Contains(string(data), "\n2 0.9000 1.000000 ") {
		t.Errorf("%v, surfaces:\n%.400s", err, data)
	}
	// Between the rows both blocks lie on one surface.
	for k := range last.NK + 1 {
		a, b := fields[0].Node(fields[0].NI, 0, k), last.Node(0, 0, k)
		near(t, "z between the rows", fields[0].Z[a], last.Z[b], 1e-9)
	}
}

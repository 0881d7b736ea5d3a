//go:build unix

package external

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// planes are two cells of a plane behind a rotor, in the frame of its blades.
const planes = `planes:
  exit:
    Ps: {file: exit.csv, column: p, unit: kPa}
    Ts: {file: exit.csv, column: T, unit: K}
    axial: {file: exit.csv, column: u, unit: m/s}
    tangential: {file: exit.csv, column: v, unit: m/s}
    area: {file: exit.csv, column: A, unit: cm2}
    gamma: "1.4"
    R: "287"
    frame: relative
    speed: {value: "-200 * x / 3"}
outputs:
  W: {plane: exit, quantity: W}
  Tt: {plane: exit, quantity: Tt}
  Pt: {plane: exit, quantity: Pt}
  Pt_area: {plane: exit, quantity: Pt, average: area}
  Tt_rel: {plane: exit, quantity: Tt, frame: relative}
  alpha: {plane: exit, quantity: alpha}
  Pts: {plane: exit, quantity: Pt, shape: profile}
`

// Averages of a plane are those of its cells, each with the total state of its own absolute velocity.
func TestPlane(t *testing.T) {
	cells := [][5]float64{{101.1, 290, 130, 150, 30}, {98.7, 300, 60, 80, 10}}
	table := "p,T,u,v,A\n"
	var w, tt, pt, area, ptArea, ttRel, axial, tangential float64
	var pts []float64
	const cp = 287 * 3.5
	for _, c := range cells {
		table += fmt.Sprintf("%g,%g,%g,%g,%g\n", c[0], c[1], c[2], c[3], c[4])
		dw := c[0] * 1000 / (287 * c[1]) * c[2] * c[4] * 1e-4
		v := c[3] - 200
		tot := c[1] + (c[2]*c[2]+v*v)/(2*cp)
		p := c[0] * 1000 * math.Pow(tot/c[1], 3.5)
		w, tt, pt = w+dw, tt+dw*tot, pt+dw*p
		area, ptArea = area+c[4], ptArea+c[4]*p
		ttRel += dw * (c[1] + (c[2]*c[2]+c[3]*c[3])/(2*cp))
		axial, tangential = axial+dw*c[2], tangential+dw*v
		pts = append(pts, p)
	}
	b := newBench(t, planes, map[string]string{"first": "cat >exit.csv <<'END'\n" + table + "END"})
	r, _, err := b.run(t.Context(), nil)
	if err != nil || r.Class != event.Converged {
		t.Fatal(err, r.Class, r.Message)
	}
	for name, want := range map[string]float64{
		"W": w, "Tt": tt / w, "Pt": pt / w, "Pt_area": ptArea / area, "Tt_rel": ttRel / w,
		"alpha": math.Atan2(tangential, axial),
	} {
		if got := r.Numbers[name]; !(math.Abs(got/want-1) < 1e-12) {
			t.Errorf("%s is %.12g, want %.12g", name, got, want)
		}
	}
	for i, want := range pts {
		if got := r.Arrays["Pts"]; len(got) != 2 || !(math.Abs(got[i]/want-1) < 1e-12) {
			t.Errorf("total pressures %v, want %v", got, pts)
		}
	}
}

// A change of frame keeps rothalpy: Tt_rel - U^2/(2 cp) ahead of the blades is the Tt of a flow without swirl. One
// number is the area of the whole plane.
func TestPlaneFrames(t *testing.T) {
	text := strings.Replace(planes, "{file: exit.csv, column: A, unit: cm2}", `{value: "0.5"}`, 1)
	b := newBench(t, text,
		map[string]string{"first": "printf 'p,T,u,v\\n100,280,145,200\\n100,280,145,200\\n' >exit.csv"})
	r, _, err := b.run(t.Context(), nil)
	if err != nil || r.Class != event.Converged {
		t.Fatal(err, r.Class, r.Message)
	}
	n := r.Numbers
	const cp = 287 * 3.5
	if d := n["Tt_rel"] - 200*200/(2*cp) - n["Tt"]; math.Abs(d) > 1e-10 || math.Abs(n["alpha"]) > 1e-15 {
		t.Errorf("rothalpy is off by %g K, swirl %g", d, n["alpha"])
	}
	if want := 1e5 / (287 * 280) * 145 * 0.5; math.Abs(n["W"]/want-1) > 1e-12 {
		t.Errorf("flow %.12g, want %.12g", n["W"], want)
	}
}

// What is wrong with planes is said with its place; a plane that is not whole is no answer.
func TestPlaneFaults(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"unit: kPa", "unit: K", "planes.exit.Ps.unit: \"K\": want a unit of pressure"},
		{"    frame: relative\n", "", "planes.exit: \"exit\": a speed belongs to frame: relative"},
		{`    speed: {value: "-200 * x / 3"}` + "\n", "", "no key speed, which frame: relative needs"},
		{`    gamma: "1.4"` + "\n", "", "no key gamma, and no input of that name"},
		{"column: T, unit: K", "column: T", "planes.exit.Ts: no key unit"},
		{"quantity: W}", "quantity: w}", "outputs.W.quantity: \"w\": unknown word, did you mean W?"},
		{
			"plane: exit, quantity: W}", "plane: exits, quantity: W}",
			"outputs.W.plane: \"exits\": no plane, did you mean exit?",
		},
		{"quantity: W}", "quantity: W, average: area}", "outputs.W: the flow and a profile are no averages"},
		{"quantity: W}", "quantity: W, unit: Pa}", "outputs.W: \"Pa\": W of a plane is mass flow, in kg/s"},
		{
			"{plane: exit, quantity: W}", "{file: x.csv, column: x, frame: relative}",
			"outputs.W: quantity, average and frame belong to a plane",
		},
		{"{plane: exit, quantity: W}", "{plane: exit}", "outputs.W: no key quantity"},
		{`value: "-200 * x / 3"`, `value: "-200 * y"`, "planes.exit.speed.value: \"-200 * y\": unknown name y"},
	} {
		b := newBench(t, strings.Replace(planes, c.old, c.new, 1), map[string]string{"first": ""})
		_, err := Load(filepath.Join(b.dir, "d.yaml"))
		var all *document.Errors
		if !errors.As(err, &all) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v", c.new, c.old, err)
		}
	}
	b := newBench(t, planes, map[string]string{"first": "printf 'p,T,u,v,A\\n100,280,145,200,\\n' >exit.csv"})
	if r, _, err := b.run(t.Context(), nil); err != nil || r.Class != event.BadOutput {
		t.Error(err, r.Class, r.Message)
	}
}

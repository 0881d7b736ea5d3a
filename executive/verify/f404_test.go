package verify

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/must"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
)

// f404 designs an engine of the F404's class for its dry thrust, with parameters of its own.
func f404(t *testing.T, sets ...string) (*steady.Solver, error) {
	t.Helper()
	d := designType{name: "F404", text: f404Text}
	m, err := d.parse([]string{vary("ambient.W", byThrust, 48.9e3), vary("burner.FAR", "hpt.rotor.Tt", 1600)}, sets)
	must.OK(t, err)
	_, err = m.Design(t.Context())
	return m, err
}

func value(t *testing.T, m *steady.Solver, path string) float64 {
	t.Helper()
	r := must.Value(m.Read(path))(t)
	return r.Get()
}

// A mixed engine is found for any starting values in its file, and a mixer by either of its Mach numbers.
func TestMixedStarts(t *testing.T) {
	base, err := f404(t, "mixer.MN_bypass=0.3")
	must.OK(t, err)
	w := value(t, base, "ambient.W")
	near := func(what string, m *steady.Solver, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		} else if got := value(t, m, "ambient.W"); math.Abs(got-w) > 1e-7*w {
			t.Errorf("%s: ambient.W is %.10g, want %.10g", what, got, w)
		}
	}
	core, err := f404(t, assign("mixer.MN_core", value(t, base, "mixer.MN_core")))
	near("by MN_core", core, err)
	coarse := float64(enginetest.Trials(t, 4, 1, 1))
	for far := 0.0; far < 0.1; far += 0.004 * coarse {
		m, err := f404(t, "mixer.MN_bypass=0.3", assign("burner.FAR", far))
		near(fmt.Sprintf("from FAR %.3g", far), m, err)
	}
	for pr := 5.0; pr < 8; pr += 0.1 * coarse {
		if _, err := f404(t, "mixer.MN_bypass=0.3", assign("hpc.PR", pr)); err != nil {
			t.Errorf("hpc.PR %.2g: %v", pr, err)
		}
	}
}

// Every possible design of a carpet is found. A design is possible if the static pressure of the bypass stream at its
// Mach number is at most the total pressure of the core stream.
func TestMixedCarpet(t *testing.T) {
	const mn = 0.3
	static := math.Pow(1+0.2*mn*mn, -3.5) // of cold air
	coarse := float64(enginetest.Trials(t, 2, 1, 1))
	found := 0
	for pr := 3.4; pr < 4.5; pr += 0.2 * coarse {
		for bpr := 0.2; bpr < 0.46; bpr += 0.05 * coarse {
			at := []string{assign("fan.PR", pr), assign("splitter.BPR", bpr)}
			_, err := f404(t, append(at, assign("mixer.MN_bypass", mn))...)
			fast, errFast := f404(t, append(at, assign("mixer.MN_bypass", 0.45))...)
			if errFast != nil {
				fast, errFast = f404(t, append(at, assign("mixer.MN_bypass", 0.65))...)
			}
			if errFast != nil {
				t.Fatalf("%v: %v", at, errFast)
			}
			possible := value(t, fast, "mixer.ER")*static < 1
			switch {
			case possible != (err == nil):
				t.Errorf("%v: a solution is possible: %v; %v", at, possible, err)
			case possible:
				found++
			case !strings.Contains(err.Error(), "static pressure of one stream"):
				t.Errorf("%v: %v", at, err)
			}
		}
	}
	if want := enginetest.Trials(t, 8, 28, 28); found != want {
		t.Errorf("%d are found, want %d", found, want)
	}
}

var temperature = regexp.MustCompile(`Tt = [0-9.e+]+`)

// The message on an impossible target names the nearest possible value, at a bounded cost.
func TestImpossibleDesigns(t *testing.T) {
	var cost []int
	for i := range designTypes[:enginetest.Trials(t, 2, len(designTypes), len(designTypes))] {
		d := &designTypes[i]
		for k, done := 1, 0; done < 1; k++ {
			drawn := d.draw(k)
			m, err := drawn.forward()
			if err != nil || !sane(m) {
				continue
			}
			balances, sets, err := drawn.wished(m)
			must.OK(t, err)
			line := slices.IndexFunc(balances, temperature.MatchString)
			if line < 0 {
				continue
			}
			done++
			balance := balances[line]
			for kelvin, side := range map[int]string{150: "least", 5000: "greatest"} {
				balances[line] = temperature.ReplaceAllString(balance, fmt.Sprintf("Tt = %d", kelvin))
				m := must.Value(d.parse(balances, sets))(t)
				info, err := m.Design(t.Context())
				cost = append(cost, info.Evaluations)
				if err == nil || !strings.Contains(graph.Advise(err),
					"Tt is out of reach: by burner.FAR alone, its "+side+" value") {
					t.Errorf("%s %d, %d K: %v", d.name, k, kelvin, err)
				}
			}
		}
	}
	slices.Sort(cost)
	t.Logf("%d evaluations in the median, %d at most", quantile(cost, 0.5), quantile(cost, 1))
	if quantile(cost, 0.5) > 1500 || quantile(cost, 1) > 5000 {
		t.Error("failing is too dear")
	}
}

// A target out of reach is named, with the cause.
func TestWhatIsOutOfReach(t *testing.T) {
	for name, c := range map[string]struct {
		balance string
		sets    []string
		want    string
	}{
		"temperature": {
			vary("burner.FAR", "hpt.rotor.Tt", 700), nil,
			"hpt.rotor.Tt is out of reach: by burner.FAR alone, its least value is 812.3 K, " +
				"at burner.FAR = 0, its bound",
		},
		"pressures": {vary("fan.PR", "mixer.ER", 1.2), []string{"burner.FAR=0.025"},
			"mixer.ER is out of reach: by fan.PR alone, its greatest value is 1.06"},
		"shaft": {vary("hpc.PR", "performance.OPR", 200), []string{"burner.FAR=0"},
			"hp.power is not met: the turbines give"},
	} {
		d := designType{name: "F404", text: f404Text}
		m, err := d.parse([]string{c.balance}, append(c.sets, "mixer.MN_bypass=0.3"))
		must.OK(t, err)
		if _, err = m.Design(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

package executive_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// gridError is by how much the map of a fixed grid is off where the engine works: in flow and pressure ratio at equal
// ln(Wc^2/PR), and in efficiency.
func gridError(r *result.Result, fan knownFan) float64 {
	at := r.Components["fan"]
	wc, pr, eff := at.Value("Wc"), at.Value("PR"), at.Value("eff")
	var v components.Responded
	fan.At(0, at.Value("Nc"), math.Log(wc*wc/pr), &v)
	return max(math.Abs(pr/v.PR[0]-1), math.Abs(eff/v.Eff[0]-1))
}

// The error of a fixed grid covers the space between its lines, on fans at random, and is not much larger than the true
// error.
func TestErrorOfAGrid(t *testing.T) {
	testenv.Long(t, "studies of fans drawn at random")
	random := rand.New(rand.NewPCG(13, 3))
	points, within, squares, estimates := 0, 0, 0.0, 0.0
	studies := enginetest.Trials(t, 6, 6, 9)
	for n := range studies {
		fan := anyFan(random)
		engine := knownEngine(t, 0, "absolute", 1300+20*random.Float64(), 1400+20*random.Float64(),
			1480+20*random.Float64())
		engine.Zooms[0].Runs = []int{3, 5, 8}[n%3]
		if _, err := couple(t, engine, &fan); err != nil {
			continue // the engine has no solution on it
		}
		r, err := zoomBy(t, engine, fan, 2)
		if err != nil && strings.Contains(err.Error(), "which chokes at") {
			continue // lines are planned at a speed whose flow does not pass the inlet
		}
		must.OK(t, err)
		for _, at := range r.Cases {
			z := at.Zoom["fan"]
			if !at.Converged || !z.ErrorHolds {
				continue
			}
			e := gridError(at, fan)
			t.Logf("%d runs a line, %s: true error %.2g, estimated %.2g by %+v", engine.Zooms[0].Runs, at.Name, e,
				z.Error, *z.Causes)
			points, squares, estimates = points+1, squares+e*e, estimates+z.Error
			if e <= z.Error {
				within++
			}
		}
	}
	ratio := estimates / math.Sqrt(squares*float64(points))
	t.Logf("%d of %d points within the estimate, its mean %.2f times the rms true error", within, points, ratio)
	if points < 2*studies || within*100 < 95*points || ratio > 4 {
		t.Errorf("%d of %d points within the estimate, its mean %.2f times the rms true error", within, points, ratio)
	}
}

// A grid with too few runs names for each case the missing run; a grid with enough runs does not.
func TestGridNamesTheRunToAdd(t *testing.T) {
	for _, runs := range []int{3, 12}[:enginetest.Trials(t, 1, 2, 2)] {
		engine := knownEngine(t, 0, "absolute", 1400)
		engine.Zooms[0].Runs = runs
		r := zoomKnown(t, engine, smooth, 2)
		at := r.Cases[0]
		z := at.Zoom["fan"]
		i := slices.IndexFunc(r.Warnings, func(w result.Warning) bool { return w.Rule == "zoom_error_large" })
		if few := z.Error > config.DefaultError; few != (i >= 0) || few != z.Short {
			t.Errorf("%d runs: estimated error %.2g, warnings %v", runs, z.Error, r.Warnings)
		}
		if z.Next == nil {
			t.Fatalf("%d runs: estimated error %.2g by %+v, and no run to add", runs, z.Error, *z.Causes)
		}
		if n := z.Next.Inputs["N"] / at.Components["fan"].Value("Nc"); math.Abs(n-1) > 1e-4 ||
			z.Next.Inputs["throttle"] <= 0 || z.Next.Gain <= 0 || z.Next.Gain > z.Error {
			t.Errorf("%d runs: run to add %+v at %.5f of the speed", runs, *z.Next, n)
		}
		if i < 0 {
			continue
		}
		w := r.Warnings[i]
		if w.Case != at.Name || len(w.Evidence) != 1 || w.Evidence[0] != "run to add: "+z.Next.String() ||
			!strings.Contains(w.Message, "too few for 0.1 %") {
			t.Errorf("%d runs: warning %+v", runs, w)
		}
	}
}

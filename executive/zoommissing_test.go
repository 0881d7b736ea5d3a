package executive_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// zoomFrail runs cruise and part power of the zoomed turbofan with a fan of known speed lines; some runs crash or stall
// by a script instead of answering.
func zoomFrail(t *testing.T, runs int, scale string, fails func(run string) event.Class) (*result.Results, error) {
	t.Helper()
	solvers := must.Value(executive.Solvers(settings.Settings{Launcher: "local"}))(t)
	engine := must.Value(config.Load("testdata/zoomed.yaml", executive.Catalogue(solvers), nil))(t)
	z := &engine.Zooms[0]
	z.Runs, z.Settings = runs, nil
	if scale != "" {
		z.Scale = scale
	}
	fan := smooth
	fan.fails = fails
	return executive.Run(t.Context(), engine, []string{"cruise", "part_power"},
		executive.Options{Zoomer: knownZoomer{t, fan, 2, nil, true}})
}

// crash lets the runs of these names crash; a name without throttle is a whole line.
func crash(names ...string) func(string) event.Class {
	return func(run string) event.Class {
		if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(run, name) }) {
			return event.Crashed
		}
		return ""
	}
}

// The lines of the map are at 98.0 % (throttles 1 to 6) and at 100 % (0 to 5).
func TestWhatAMapLacksIsWarnedOf(t *testing.T) {
	for _, c := range []struct {
		name     string
		scale    string
		fails    func(string) event.Class
		warnings []string // rule and case
		holds    [2]bool  // of cruise and part_power
	}{
		{"whole", "", crash(), nil, [2]bool{true, true}},
		{"stalled at the ends", "", func(run string) event.Class {
			if strings.Contains(run, "k+05") || strings.Contains(run, "k+06") {
				return event.Stalled
			}
			return ""
		}, nil, [2]bool{true, true}},
		{"stalled within", "", func(run string) event.Class {
			if strings.Contains(run, "n100.0-k+01") {
				return event.Stalled
			}
			return ""
		}, []string{"zoom_runs_failed "}, [2]bool{true, true}},
		{"two runs", "", crash("fan-n100.0-k+02", "fan-n098.0-k+06"), []string{"zoom_runs_failed "},
			[2]bool{true, true}},
		{"a line", "", crash("fan-n098.0-k+01", "fan-n098.0-k+02", "fan-n098.0-k+03", "fan-n098.0-k+04"),
			[]string{"zoom_runs_failed ", "zoom_line_lost ", "zoom_estimate_void part_power"}, [2]bool{true, false}},
		{"half a line", "", crash("fan-n098.0-k+01", "fan-n098.0-k+03", "fan-n098.0-k+05"),
			[]string{"zoom_runs_failed ", "zoom_estimate_void part_power"}, [2]bool{true, false}},
		{"the design's line", "", crash("fan-n100.0"),
			[]string{"zoom_runs_failed ", "zoom_line_lost ", "zoom_scaled_far ", "zoom_estimate_void cruise",
				"zoom_estimate_void part_power"}, [2]bool{}},
		{"the design's line, absolute", "absolute", crash("fan-n100.0"),
			// 6 of 18
			[]string{"zoom_runs_failed ", "zoom_line_lost ", "zoom_estimate_void cruise"}, [2]bool{false, true}},
		{"the design's flow", "", crash("fan-n100.0-k+00", "fan-n100.0-k+01", "fan-n100.0-k+02", "fan-n100.0-k-0"),
			[]string{"zoom_runs_failed ", "zoom_scaled_far ", "zoom_estimate_void cruise"}, [2]bool{false, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name != "half a line" && c.scale == "" {
				testenv.Long(t, "a study of each way to lose runs")
			}
			r := must.Value(zoomFrail(t, 6, c.scale, c.fails))(t)
			var got []string
			for _, w := range r.Warnings {
				if strings.HasPrefix(w.Rule, "zoom_") {
					got = append(got, w.Rule+" "+w.Case)
				}
			}
			must.Equal(t, c.warnings, got)
			for i, at := range r.Cases {
				if holds := at.Zoom["fan"].ErrorHolds; holds != c.holds[i] {
					t.Errorf("%s: the estimate holds: %t", at.Name, holds)
				}
			}
		})
	}
}

// The warning of failed runs names them, and both outputs have it.
func TestFailedRunsAreNamed(t *testing.T) {
	r := must.Value(zoomFrail(t, 6, "",
		crash("fan-n100.0-k+00", "fan-n100.0-k+02", "fan-n098.0-k+01", "fan-n098.0-k+03", "fan-n098.0-k+05")))(t)
	var table, encoded bytes.Buffer
	must.OK(t, errors.Join(report.Table(&table, r, unit.SI), report.JSON(&encoded, r)))
	must.Contain(t, table.String(),
		"warning: fan: 5 of 12 runs of its map gave no answer: fan-n098.0-k+01, "+
			"fan-n098.0-k+03,\n    fan-n098.0-k+05, and 2 more (rule zoom_runs_failed)\n      run fan-n098.0-k+01",
		": crashed: ", "scripted crash", "%, which does not hold: too many runs are missing",
		"warning: cruise, fan: the estimated error of its map, ", "      5 of 12 runs of the map are missing")
	var decoded struct {
		Cases []struct {
			Zoom map[string]map[string]any `json:"zoom"`
		} `json:"cases"`
		Warnings []result.Warning `json:"warnings"`
	}
	must.OK(t, json.Unmarshal(encoded.Bytes(), &decoded))
	by := map[string][]result.Warning{}
	for _, w := range decoded.Warnings {
		by[w.Rule] = append(by[w.Rule], w)
	}
	if len(by["zoom_runs_failed"]) != 1 || len(by["zoom_runs_failed"][0].Evidence) != 5 ||
		len(by["zoom_estimate_void"]) != 2 || len(decoded.Warnings) != 4 {
		t.Errorf("warnings %+v", decoded.Warnings)
	}
	// of the line that lost two of six, two of three were lost for a while: that depends on which ended first
	lines := by["curve_lost_two"]
	if len(lines) != 1 || !strings.Contains(lines[0].Message, "lost 3 of its 6 runs") {
		t.Fatalf("lines that were lost: %+v", lines)
	}
	want := []string{"runs counted: fan-n098.0-k+01, fan-n098.0-k+02, fan-n098.0-k+03, fan-n098.0-k+04, " +
		"fan-n098.0-k+05, fan-n098.0-k+06"}
	if w := lines[0]; w.Component != "fan" || !slices.Equal(w.Evidence, want) {
		t.Errorf("about %q, evidence %q", w.Component, w.Evidence)
	}
	if holds, ok := decoded.Cases[0].Zoom["fan"]["error_holds"].(bool); !ok || holds {
		t.Errorf("error_holds is %v", decoded.Cases[0].Zoom["fan"]["error_holds"])
	}
}

// A solver that answers the same request differently is warned of, with both runs.
func TestAnswersThatDifferAreWarnedOf(t *testing.T) {
	r, err := zoomFrail(t, 6, "", func(name string) event.Class {
		if strings.HasSuffix(name, study.VerifiedMark) {
			return otherAnswer
		}
		return ""
	})
	must.OK(t, err)
	if len(r.Warnings) != 1 || r.Warnings[0].Rule != "zoom_not_repeatable" || len(r.Warnings[0].Evidence) != 1 {
		t.Fatalf("warnings %+v", r.Warnings)
	}
	w := r.Warnings[0]
	if want := "runs " + w.Run + " and " + w.Run + study.VerifiedMark +
		" of the same request differ: exit_Pt[0] is "; !strings.HasPrefix(w.Evidence[0], want) {
		t.Errorf("%q lacks %q", w.Evidence[0], want)
	}
}

// writtenZoomer has a solver whose files are written while its runs go on.
type writtenZoomer struct{ knownZoomer }

func (z writtenZoomer) Study(ctx context.Context, cfg *config.Zoom, judge *executive.Judge) (*study.Study, error) {
	s, err := z.knownZoomer.Study(ctx, cfg, judge)
	if err == nil {
		s.Pool.Program.Watch = func() func() error { return func() error { return errors.New("it was written") } }
	}
	return s, err
}

// Answers that may be of another program are warned of, and a study of the next program has none of them.
func TestSolversThatChangeAreWarnedOf(t *testing.T) {
	engine, answers := knownEngine(t, 0, "", 1400), must.Value(cache.Open(t.TempDir()))(t)
	engine.Zooms[0].Runs = 4
	known := knownZoomer{t, smooth, 2, answers, false}
	for _, zoomer := range []executive.Zoomer{writtenZoomer{known}, known} {
		r := must.Value(executive.Run(t.Context(), engine, []string{"1400K"}, executive.Options{Zoomer: zoomer}))(t)
		var runs int
		for _, w := range r.Warnings {
			if w.Rule == "zoom_solver_changed" {
				runs = len(w.Evidence)
			}
		}
		_, written := zoomer.(writtenZoomer)
		if a := r.Cases[0].Zoom["fan"]; a.Cached > 0 || written != (runs == 8) || !written && runs > 0 {
			t.Errorf("written %t: warned of %d runs of the 8 of its map, %d cached", written, runs, a.Cached)
		}
	}
}

// Good runs whose lines cross do not cost the map: it leaves out the necessary runs, and reports them.
func TestLinesThatCrossAreWarnedOf(t *testing.T) {
	r, err := zoomFrail(t, 6, "", func(name string) event.Class {
		if strings.HasPrefix(name, "fan-n098.0-k+01") {
			return otherLine
		}
		return ""
	})
	must.OK(t, err)
	got := slices.DeleteFunc(r.Warnings, func(w result.Warning) bool {
		return w.Rule == "neighbours_disagree" ||
			w.Rule == "zoom_error_large"
	})
	if len(got) != 1 || got[0].Rule != "zoom_lines_cross" ||
		got[0].Message != "speed lines cross where its map leaves out good runs: fan-n098.0-k+01" ||
		len(got[0].Evidence) != 1 {
		t.Errorf("warnings %+v", got)
	}
	for _, at := range r.Cases {
		if z := at.Zoom["fan"]; !at.Converged || !z.ErrorHolds || z.Failed > 0 {
			t.Errorf("%s: zoomed by %+v", at.Name, z)
		}
	}
}

// If no map remains, the runs are named all the same.
func TestNoMapNamesItsRuns(t *testing.T) {
	r, err := zoomFrail(t, 6, "", crash("fan"))
	if _, ok := errors.AsType[*executive.NoZoomError](err); !ok {
		t.Fatalf("%v", err)
	}
	last := r.Warnings[len(r.Warnings)-1]
	must.Equal(t, "zoom_runs_failed: the 12 runs of its map all failed by one cause", last.Rule+": "+last.Message)
	if len(last.Evidence) != 1 || slices.Contains(warnedOf(r.Warnings), "zoom_line_lost fan") {
		t.Errorf("%q: %q", last.Evidence, warnedOf(r.Warnings))
	}
}

// warnedOf lists rules with the components that they warn of.
func warnedOf(all []result.Warning) (out []string) {
	for _, w := range all {
		out = append(out, w.Rule+" "+w.Component)
	}
	return out
}

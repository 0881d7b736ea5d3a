package plot

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/paper/papertest"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/perfmaptest"
)

func plotted(t *testing.T, m *perfmap.Map, opt Options) []byte {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, Draw(&b, m, opt))
	return b.Bytes()
}

func TestPlotOfACompressor(t *testing.T) {
	m := perfmaptest.Fan(t, perfmap.Monotone)
	s := must.Value(m.ScaleTo(3540, 640, 1.65, 0.89))(t)
	opt := Options{
		Title: "E3 fan & core", FlowUnit: "kg/s", Scale: s,
		Points: []Mark{{Name: "max climb", Wc: 640, PR: 1.65}, {Name: "takeoff", Wc: 575, PR: 1.5, Beyond: true}},
		Bands: []Band{{Low: []Mark{{Wc: 630, PR: 1.6}, {Wc: 640, PR: 1.5}},
			High: []Mark{{Wc: 632, PR: 1.6}, {Wc: 642, PR: 1.5}}}},
		Ends: [][]Mark{{{Wc: 600, PR: 1.6}, {Wc: 620, PR: 1.7}}},
	}
	svg := plotted(t, m, opt)
	must.Contain(t, string(svg), "E3 fan &amp; core", "Corrected flow Wc, kg/s", "max climb", "takeoff", "stall line",
		"±2 standard deviations of the model", "ends of speed lines, joined", "map extrapolated",
		">110<", ">100<", ">0.88<")
	if !bytes.Equal(svg, plotted(t, m, opt)) {
		t.Error("the same plot comes out in two ways")
	}
	papertest.SVG(t, "map", svg)
}

func TestPlotOfATurbine(t *testing.T) {
	m := must.Value(perfmap.MakeTurbine(perfmap.TurbineShape{Name: "HPT", PR: 5, Eff: 0.927}))(t)
	svg := plotted(t, m, Options{Points: []Mark{{Name: "cruise", Wc: 1, PR: 5, Eff: 0.927}}})
	must.Contain(t, string(svg), "HPT", "Flow parameter Wp", "Efficiency", "cruise", "Nc 100 %")
	papertest.SVG(t, "map", svg)
}

func TestPlotOfASingleLine(t *testing.T) {
	m := must.Value(perfmap.FromLines("zoomed",
		[]perfmap.Line{
			perfmaptest.Line(1, [3]float64{90, 1.7, 0.85}, [3]float64{95, 1.65, 0.9}, [3]float64{96, 1.5, 0.85}),
		}, perfmap.LineOptions{Stall: true}))(t)
	if svg := plotted(t, m, Options{}); !bytes.Contains(svg, []byte("solver run")) {
		t.Error("the runs are not shown")
	}
}

func TestPlotAsPNG(t *testing.T) {
	fan := perfmaptest.Fan(t, perfmap.Monotone)
	papertest.PNG(t, "map", plotted(t, fan, Options{Format: "png"}))
	must.Fail(t, Draw(io.Discard, fan, Options{Format: "gif"}), `"gif" is neither svg nor png`)
}

// Points of different flight conditions are not joined, runs beside the lines have a sign of their own, and the legend
// states the range of efficiency and names the line that joins points.
func TestPlotNamesWhatItShows(t *testing.T) {
	m := must.Value(perfmap.FromLines("zoomed", []perfmap.Line{
		perfmaptest.Line(0.9277, [3]float64{80, 1.5, 0.80}, [3]float64{90, 1.4, 0.85}, [3]float64{95, 1.2, 0.82}),
		perfmaptest.Line(1, [3]float64{90, 1.7, 0.84}, [3]float64{97, 1.6, 0.9}, [3]float64{99, 1.4, 0.85}),
	}, perfmap.LineOptions{}))(t)
	m.Origin.Points[0].Nc = 0.95
	points := []Mark{{Name: "takeoff", Wc: 90, PR: 1.4}, {Name: "cruise", Wc: 97, PR: 1.6}}
	for _, c := range []struct {
		opt  Options
		name string
	}{{Options{Apart: true}, "operating point"}, {Options{}, "operating line"},
		{Options{Trajectory: true}, "trajectory"}} {
		c.opt.Points = points
		svg := string(plotted(t, m, c.opt))
		must.Contain(t, svg, ">"+c.name+"<", ">solver run<", ">solver run at another speed<", ">edge of the map<",
			">efficiency 0.83 to 0.89<", ">92.8<", ">takeoff<", ">cruise<")
		if joined := strings.Count(svg, "stroke:#1B5EB8;stroke-width:1.2"); joined == 0 != c.opt.Apart {
			t.Errorf("%s: %d lines through the points", c.name, joined)
		}
	}
}

// The legend is in the corner where it covers no line's speed, at the upper left where maps leave room there.
func TestLegendCoversNoSpeed(t *testing.T) {
	low := perfmaptest.Line(0.98, [3]float64{620, 1.62, 0.88}, [3]float64{640, 1.6, 0.90}, [3]float64{645, 1.5, 0.86})
	high := perfmaptest.Line(1, [3]float64{622, 1.66, 0.88}, [3]float64{650, 1.62, 0.9}, [3]float64{655, 1.5, 0.85})
	flat := must.Value(perfmap.FromLines("flat", []perfmap.Line{low, high}, perfmap.LineOptions{Stall: true}))(t)
	single := must.Value(perfmap.FromLines("single", []perfmap.Line{high}, perfmap.LineOptions{}))(t)
	for _, c := range []struct {
		m      *perfmap.Map
		speeds []string
		above  bool // the legend is above the speeds
	}{{flat, []string{"100"}, false}, {single, []string{"100"}, false},
		{perfmaptest.Fan(t, perfmap.Monotone), []string{"60", "80", "100"}, true}} {
		svg := string(plotted(t, c.m, Options{Points: []Mark{{Name: "takeoff", Wc: 640, PR: 1.6}}}))
		at := func(text string) (x, y float64) {
			m := regexp.MustCompile(`<text [^>]*x="([-\d.]+)" y="([-\d.]+)"[^>]*>` + text + `<`).FindStringSubmatch(svg)
			if m == nil {
				t.Fatalf("%s: no text %q", c.m.Name, text)
			}
			must.Value(fmt.Sscan(m[1]+" "+m[2], &x, &y))(t)
			return x, math.Abs(y)
		}
		left, middle := at("speed line, % of design Nc")
		for _, speed := range c.speeds {
			x, y := at(speed)
			if x < left+110 && x > left-25 && math.Abs(y-middle) < 50 || c.above && middle < y {
				t.Errorf("%s: speed %s at %g, %g, the legend at %g, %g", c.m.Name, speed, x, y, left, middle)
			}
		}
	}
}

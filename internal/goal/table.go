package main

// The table, and the only place that has its goals and where they started.

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/table"
)

// row is a figure of the table: the worst result in a unit among the benchmarks of a name or below it.
type row struct {
	what   string
	pkg    string // its end
	bench  string // without "Benchmark"; * matches one part of the name
	metric string
	format string // of the figure, its unit included
	most   bool   // the worst is the greatest; else the least
	meet   string
	before string
}

const (
	ofZoom      = "/zoom"
	ofExecutive = "/executive"
	ofSensor    = "/sensor"
)

// rows are the rows of the table. Rows of the E3 use the axisymmetric solver, converged by six orders, and count all
// runs from an empty cache, with the confirming run; their true errors are of thrust and fuel consumption. The others
// are on machines that were not used while the methods were developed.
var rows = []row{
	{"one rating to 0.02 %, scalars: runs", ofExecutive, "ZoomE3/one/absolute/scalars", "runs", "%.0f", true, "4",
		"12 to 18"},
	{"  direct", ofExecutive, "ZoomE3/one/absolute/direct", "runs", "%.0f", true, "5", "12 to 18"},
	{"  map", ofExecutive, "ZoomE3/one/absolute/map", "runs", "%.0f", true, "5", "12 to 18"},
	{"  true error, the worst of them", ofExecutive, "ZoomE3/one/absolute/*", "%error", "%.3f %%", true, "0.02 %",
		"0.002 to 0.064 %"},
	{"the same scaled to design: runs, the worst method", ofExecutive, "ZoomE3/one/design/*", "runs", "%.0f", true,
		"6 (5 with exit_W)", "6 to 18"},
	{"  true error", ofExecutive, "ZoomE3/one/design/*", "%error", "%.3f %%", true, "0.02 %", "0.09 %"},
	{"each neighbour by map: runs, mean", ofExecutive, "ZoomNeighbours/map", "runs/neighbour", "%.2f", true, "1.6",
		"6 a new line"},
	{"  most", ofExecutive, "ZoomNeighbours/map", "runs/most", "%.0f", true, "3", "6 a new line"},
	{"  by scalars: mean", ofExecutive, "ZoomNeighbours/scalars", "runs/neighbour", "%.2f", true, "1.6",
		"6 a new line"},
	{"  most", ofExecutive, "ZoomNeighbours/scalars", "runs/most", "%.0f", true, "3", "6 a new line"},
	{"  by direct: mean", ofExecutive, "ZoomNeighbours/direct", "runs/neighbour", "%.2f", true, "1.6", "6 a new line"},
	{"  most", ofExecutive, "ZoomNeighbours/direct", "runs/most", "%.0f", true, "3", "6 a new line"},
	{"three ratings by map: runs", ofExecutive, "ZoomE3/three/absolute/map", "runs", "%.0f", true, "8", "24"},
	{"  rounds", ofExecutive, "ZoomE3/three/absolute/map", "rounds", "%.0f", true, "3", "-"},
	{"  scaled to design: runs", ofExecutive, "ZoomE3/three/design/map", "runs", "%.0f", true, "-", "24"},
	{"  true error, the worst method", ofExecutive, "ZoomE3/three/*/*", "%error", "%.3f %%", true, "0.02 %", "0.11 %"},
	{"nine points by map: runs", ofExecutive, "ZoomE3/nine/absolute/map", "runs", "%.0f", true, "18", "48"},
	{"  rounds of at most 4 runs: 18 take 5", ofExecutive, "ZoomE3/nine/absolute/map", "rounds", "%.0f", true, "3",
		"-"},
	{"  in rounds of at most 8: runs", ofExecutive, "ZoomE3/nine_by_eight/absolute/map", "runs", "%.0f", true, "18",
		"48"},
	{"  rounds", ofExecutive, "ZoomE3/nine_by_eight/absolute/map", "rounds", "%.0f", true, "3", "-"},
	{"  true error, the worst method", ofExecutive, "ZoomE3/nine/*/*", "%error", "%.3f %%", true, "0.02 %", "0.11 %"},
	{"60 points elsewhere: true error within the estimate", ofExecutive, "ZoomPoints", "%within", "%.0f %%", false,
		"95 %", "0 of 3, 7 of 9"},
	{"  mean estimate over rms true error", ofExecutive, "ZoomPoints", "estimate/rms", "%.2f", true, "at most 4", "-"},
	{"random fans, 0 to 40 % of the runs lost: within the estimate", ofExecutive, "ZoomHonesty/*/*", "%within",
		"%.0f %%", false, "95 %", "-"},
	{"  mean estimate over rms true error", ofExecutive, "ZoomHonesty/*/*", "estimate/rms", "%.2f", true, "at most 4",
		"-"},
	{"random fans behind vanes, at random settings: within the estimate", ofExecutive, "ZoomVanes/*", "%within",
		"%.0f %%", false, "95 %", "-"},
	{"  mean estimate over rms true error", ofExecutive, "ZoomVanes/*", "estimate/rms", "%.2f", true, "at most 4", "-"},
	{"change by order or number of cases, over what is wanted", ofExecutive, "ZoomOrder", "change/wanted", "%.2f",
		true, "below 1", "0.16 %"},
	{"change by runs at a time, bits (by kills: make soak)", ofExecutive, "ZoomOrder", "bits-changed", "%.0f", true,
		"0", "1e-6"},
	{"choked fans to 0.05 %: runs, mean", ofExecutive, "ZoomUnseen/choked/*", "runs/study", "%.1f", true, "6",
		"100 swings, -47 to 17 %"},
	{"  most", ofExecutive, "ZoomUnseen/choked/*", "runs/most", "%.0f", true, "6", "-"},
	{"  error reached", ofExecutive, "ZoomUnseen/choked/*", "%reached", "%.0f %%", false, "95 %", "-"},
	{"fans with noise of 5e-4 to 0.15 %: runs, mean", ofExecutive, "ZoomUnseen/noisy/*", "runs/study", "%.1f", true,
		"9", "-"},
	{"  most", ofExecutive, "ZoomUnseen/noisy/*", "runs/most", "%.0f", true, "9", "-"},
	{"  error reached", ofExecutive, "ZoomUnseen/noisy/*", "%reached", "%.0f %%", false, "95 %", "-"},
	{"engine on Rotor 67 by bladerow to 0.3 %: runs", ofExecutive, "ZoomRotor67", "runs", "%.0f", true, "6", "-"},
	{"  true error", ofExecutive, "ZoomRotor67", "%error", "%.3f %%", true, "0.3 %", "-"},
	{"whole map of the E3's fan to 0.5 % rms: runs", ofZoom, "Whole/fan", "runs", "%.0f", true, "28", "69"},
	{"  true error, rms", ofZoom, "Whole/fan", "%rms", "%.2f %%", true, "0.5 %", "0.59 % by 48"},
	{"  with a coarse mesh as prior: runs", ofZoom, "Whole/fan/coarse", "runs", "%.0f", true, "18", "69"},
	{"  of Rotor 67: runs", ofZoom, "Whole/rotor67", "runs", "%.0f", true, "28", "-"},
	{"  true error, rms", ofZoom, "Whole/rotor67", "%rms", "%.2f %%", true, "0.5 %", "-"},
	{"stall ends of eleven lines to 1 %, E3: runs a line", ofZoom, "Ends/fan/stall", "runs/end", "%.1f", true, "5",
		"none is sought"},
	{"  Rotor 67", ofZoom, "Ends/rotor67/stall", "runs/end", "%.1f", true, "5", "none is sought"},
	{"iterations from a neighbour over cold ones, throughflow", "/throughflow", "Neighbour", "iterations/cold", "%.2f",
		true, "0.4", "1"},
	{"  bladerow, Rotor 67", "/bladerow", "Neighbour", "iterations/cold", "%.2f", true, "0.4", "1"},
	{"sensor switched off: ns", ofSensor, "Off", "p50-ns", "%.1f", true, "10", "-"},
	{"  tracing 64 bytes, beyond one reading of the clock", ofSensor, "Tracing", "p50-ns", "%.1f", true, "80", "7900"},
	{"record to local monitor, idle, median: us", ofSensor, "LatencyIdle", "p50-us", "%.1f", true, "50", "70"},
	{"  at 1,000,000 a second, median", ofSensor, "LatencyMillion", "p50-us", "%.0f", true, "1000", "277 at 40,000/s"},
	{"  99 %", ofSensor, "LatencyMillion", "p99-us", "%.0f", true, "-", "-"},
	{"records a second that one monitor drains", ofSensor, "Drain/*", "records/s", "%.0f", false, "2,000,000",
		"45,000"},
	{"10 comparisons of one field on 100,000 facts: s", "/fact", "Clips/one/*", "match-s", "%.3f", true, "0.05",
		"2.4 to 3.2"},
	{"  time over that of CLIPS, reading included", "/fact", "Clips/one/*", "ratio", "%.2f", true, "-", "-"},
	{"10 joins of two facts on 100,000: time over that of CLIPS", "/fact", "Clips/two/*", "ratio", "%.2f", true, "0.5",
		"-"},
	{"`runs list --where` over 100,000 runs: s", "/index", "Where/three", "s", "%.2f", true, "0.2", "-"},
	{"  by values of the solver", "/index", "Where/value", "s", "%.2f", true, "0.2", "-"},
	{"  computed run by run", "/index", "Where/computed", "s", "%.2f", true, "-", "-"},
	{"what a run takes beside a solver that does nothing, watched, warm: ms", "/run", "OverheadWarmWatched", "ms/run",
		"%.1f", true, "1.5", "7.9"},
	{"  fresh", "/run", "OverheadWatched", "ms/run", "%.0f", true, "10", "25"},
	{"runs a second of it by two workers, watched, warm", "/run", "Runs/warm", "runs/s", "%.0f", false, "1,000", "230"},
	{"  behind a cache that lacks them", "/run", "Runs/cache", "runs/s", "%.0f", false, "-", "-"},
	{"  fresh", "/run", "Runs/fresh", "runs/s", "%.0f", false, "160", "48"},
	{"16 equal throughflow runs: two workers over one", "/cmd/peregrine", "Workers/equal", "times", "%.2f", false,
		"1.95", "1.89 to 1.98"},
	{"  24 of the E3's fan, a fixed grid, whole process", "/cmd/peregrine", "Workers/grid", "times", "%.2f", false,
		"1.9", "1.79"},
	{"memory of a pool at 10,000 finished runs, MB", "/run", "Memory", "MB", "%.0f", true, "100", "34 at 2,000"},
	{"start, handshake and first call on a node, more than here: ms", "/host/nodes", "RelayStart", "ms/more", "%.1f",
		true, "10", "75 by srun"},
	{"100 runs that do nothing over four nodes that are there: s", "/host/nodes", "RelayRuns/fresh", "s/100", "%.2f",
		true, "2", "9.6 as a Slurm array"},
	{"a call through a relay: ms", "/host/nodes", "RelayCalls/call/node", "ms/call", "%.2f", true, "0.15", "0.1"},
	{"100,000 events through a relay: s", "/host/nodes", "RelayCalls/events/node", "s/100000", "%.2f", true, "0.5",
		"0.36"},
	{"a run folder of 100 MB from a node: MB/s", "/host/nodes", "RelayFolder/one", "MB/s", "%.0f", false, "200", "-"},
	{"  bytes that pass beside its own", "/host/nodes", "RelayFolder/counted", "%more", "%.1f %%", true, "0 twice",
		"-"},
	{"1,000 relays, 10,000 runs: host's memory, from plugins on a hundred of them, MB", "/host/nodes", "ManyRelays",
		"MB/all", "%.0f", true, "300", "-"},
	{"  of a core when idle", "/host/nodes", "ManyRelays", "%cpu", "%.1f %%", true, "5 %", "-"},
	{"a safe point of a solver that nobody steers: ns", "/steer", "SafePoint", "ns/point", "%.1f", true, "10", "-"},
	{"100 probe writes: us, median", "/steer", "Probes", "us/100", "%.0f", true, "1,000", "15,400 in Falcon"},
	{"  99 %", "/steer", "Probes", "us/100-p99", "%.0f", true, "-", "-"},
	{"100 actuations by one command, beyond the safe point: us, median", "/steer", "Actuations", "us/done", "%.0f",
		true, "500", "7,900 in Falcon"},
	{"  99 %", "/steer", "Actuations", "us/done-p99", "%.0f", true, "-", "-"},
	{"list of 10,000 objects: ms", "/steer", "List", "ms/list", "%.1f", true, "50", "-"},
	{"`set` through gRPC under mTLS accepted: us, median", "/zoom/plugin", "SteerSet", "us/accepted", "%.0f", true,
		"1,000", "627 in Falcon"},
	{"  99 %", "/zoom/plugin", "SteerSet", "us/accepted-p99", "%.0f", true, "-", "-"},
	{"  applied, of iterations of 1 ms: us, median", "/zoom/plugin", "SteerSet", "us/applied", "%.0f", true,
		"the next iteration", "-"},
	{"30 runs to a common synch point, beyond the longest iteration: us, 99 %", "/zoom/plugin", "Sync", "us/late-p99",
		"%.0f", true, "10,000", "-"},
	{"1,000 runs of 10 watched objects at 10 Hz: host's part of a core", "/zoom/plugin", "Watched", "%cpu", "%.0f %%",
		true, "20 %", "-"},
	{"  memory, MB", "/zoom/plugin", "Watched", "MB", "%.0f", true, "100", "-"},
	{"  objects a second", "/zoom/plugin", "Watched", "updates/s", "%.0f", false, "100,000", "-"},
	{"closed loop, from a solver's value to its changed variable by a rule in the run: us, median", "/insitu",
		"ClosedLoop", "p50-us", "%.1f", true, "5", "610 in Falcon"},
	{"  99 %", "/insitu", "ClosedLoop", "p99-us", "%.1f", true, "-", "4,483 at worst"},
	{"the same by a rule in the host, under mTLS: us, median", "executive/rules", "RuleClosedLoop", "us/loop", "%.0f",
		true, "300", "610 in Falcon"},
	{"  99 %", "executive/rules", "RuleClosedLoop", "us/loop-p99", "%.0f", true, "1,000", "4,483 at worst"},
	{"  what the governor of the Courant number costs an iteration: ns", "/insitu", "Iteration/governor",
		"ns/iteration", "%.0f", true, "-", "-"},
	{"E3 fan by bladerow, objects registered and nobody there: upper end of the 95 % interval", "/bladerow", "Steered",
		"%upper", "%.2f %%", true, "0.2 %", "3 % in Falcon"},
	{"  median", "/bladerow", "Steered", "%median", "%.2f %%", true, "-", "-"},
	{"  every sensor on, at each iteration", "/zoom/solver", "Sensors", "%upper", "%.2f %%", true, "3 %",
		"1300 % and more"},
	{"runs within what they state of settling", "/throughflow", "Unsettled/*", "%within", "%.0f %%", false, "95 %",
		"-"},
}

// of reports whether a finding belongs to a row.
func (r *row) of(f *finding) bool {
	want, is := strings.Split("Benchmark"+r.bench, "/"), strings.Split(f.name, "/")
	if len(want) != len(is) || !strings.HasSuffix(f.pkg, r.pkg) {
		return false
	}
	for i := range want {
		if want[i] != "*" && want[i] != is[i] {
			return false
		}
	}
	return true
}

// worst is the figure of a row, and how long its benchmarks took together; not a number: none was measured.
func (m *measured) worst(r *row) (worst float64, took time.Duration) {
	worst = math.NaN()
	for i := range m.all {
		f := &m.all[i]
		v, ok := f.metrics[r.metric]
		if !ok || !r.of(f) {
			continue
		}
		took += f.took
		if math.IsNaN(worst) || r.most == (v > worst) {
			worst = v
		}
	}
	return worst, took
}

// table is the table as text.
func (m *measured) table(rows []row) string {
	t := table.New("l", "what", "measured", "meet", "at the start", "took")
	for i := range rows {
		r := &rows[i]
		v, took := m.worst(r)
		figure, spent := "not run", ""
		if !math.IsNaN(v) {
			figure = fmt.Sprintf(r.format, v)
			if took >= time.Second { // otherwise they were read from a file
				spent = fmt.Sprintf("%.0f s", took.Seconds())
			}
		}
		if strings.HasPrefix(r.what, " ") && i > 0 && r.bench == rows[i-1].bench {
			spent = ""
		}
		t.Row(r.what, figure, r.meet, r.before, spent)
	}
	return t.String()
}

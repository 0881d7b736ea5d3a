package main

// The trace of a run, read from its log and tables, for labels alone. It shares no code with the product's parsers,
// because the corpus must not share their faults.

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// trace is a run, iteration by iteration.
type trace struct {
	time      []float64            // of each iteration
	residual  map[string][]float64 // initial residual of an equation's first solution in each iteration; NaN: none
	bounding  []bool               // a bound or limiter acted in the iteration
	criterion int                  // iteration at which the solver reported that its criterion was reached, or 0
	fpe       bool                 // died of a floating point error, or wrote NaN
	fatal     bool                 // ended by an error of its own
	end       bool                 // closing sentence
	faulty    string               // the solver's message on an invalid case
	silent    bool                 // only the exit status shows how it died: the log lacks the solver's error output
	runaway   bool                 // the continuity error ends a thousand times above its median, or higher
	inTables  bool                 // tables show how it died
	errors    []float64            // continuity error of each correction
	watched   []series
	region    string // whose equations follow, of a case with several
}

// series is a monitored value.
type series struct {
	name  string
	time  []float64
	value []float64
	scale float64 // reference for its changes
}

// died adds the exit status.
func (t *trace) died(status int) {
	switch {
	case status == 128+int(syscall.SIGFPE) && !t.fpe:
		t.fpe, t.silent = true, true
	case (status != 0 && status < 128 || status == 128+int(syscall.SIGABRT)) && !t.fatal:
		t.fatal, t.silent = true, true
	}
	if n := len(t.errors); n > 10 {
		t.runaway = t.errors[n-1] > 1e3*median(t.errors)
	}
}

func readTrace(log, tables string) (*trace, error) {
	text, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	t := &trace{residual: map[string][]float64{}}
	scan := bufio.NewScanner(bytes.NewReader(text))
	scan.Buffer(nil, 1<<24)
	for scan.Scan() {
		t.line(scan.Text())
	}
	t.pad()
	files, err := filepath.Glob(filepath.Join(tables, "*", "*", "*.dat"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	for _, f := range files {
		if base := filepath.Base(f); base == "solverInfo.dat" || base == "moment.dat" {
			continue
		}
		list, err := readTable(f)
		if err != nil {
			return nil, err
		}
		t.watched = append(t.watched, list...)
	}
	return t, nil
}

func (t *trace) line(l string) {
	switch {
	case strings.HasPrefix(l, "Time = "), strings.HasPrefix(l, " Time = "), strings.HasPrefix(l, "Iteration: "):
		v, err := strconv.ParseFloat(strings.TrimSuffix(l[strings.LastIndexByte(l, ' ')+1:], "s"), 64)
		if err != nil {
			return
		}
		t.pad()
		t.time = append(t.time, v)
		t.bounding = append(t.bounding, false)
		t.region = ""
	case strings.HasPrefix(l, "Solving for fluid region "), strings.HasPrefix(l, "Solving for solid region "):
		t.region = l[len("Solving for fluid region "):] + ":"
	case strings.Contains(l, "Solving for ") && strings.Contains(l, "Initial residual = "):
		_, rest, _ := strings.Cut(l, "Solving for ")
		name, rest, _ := strings.Cut(rest, ", Initial residual = ")
		text, _, _ := strings.Cut(rest, ",")
		name = t.region + name
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			t.fpe = true
			v = math.NaN()
		}
		if strings.Contains(rest, "nan") {
			t.fpe = true
		}
		list := t.residual[name]
		if len(list) < len(t.time) {
			for len(list) < len(t.time)-1 {
				list = append(list, math.NaN())
			}
			t.residual[name] = append(list, v)
		}
	case strings.HasPrefix(l, "bounding "), strings.HasPrefix(l, "pressureControl: p m"):
		if n := len(t.bounding); n > 0 {
			t.bounding[n-1] = true
		}
	case strings.Contains(l, "sum local = "):
		_, rest, _ := strings.Cut(l, "sum local = ")
		text, _, _ := strings.Cut(rest, ",")
		if v, err := strconv.ParseFloat(strings.TrimPrefix(text, "-"), 64); err == nil {
			t.fpe = t.fpe || math.IsNaN(v) || math.IsInf(v, 0)
			t.errors = append(t.errors, v)
		}
	case strings.Contains(l, "solution converged in "):
		t.criterion = len(t.time)
	case strings.Contains(l, "sigFpe") || strings.Contains(l, "loating point exception"):
		if !strings.Contains(l, "trapping") {
			t.fpe = true
		}
	case strings.HasPrefix(l, "Entry '"), strings.HasPrefix(l, "Unknown "):
		t.faulty = l
	case strings.HasPrefix(l, "--> FOAM FATAL"):
		t.fatal = true
	case l == "End":
		t.end = true
	}
}

func (t *trace) pad() {
	for name, list := range t.residual {
		for len(list) < len(t.time) {
			list = append(list, math.NaN())
		}
		t.residual[name] = list
	}
}

// readTable returns the columns of a table of postProcessing. Columns of forces share a scale, the largest mean.
func readTable(path string) ([]series, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var times []float64
	var columns [][]float64
	for _, l := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(l, "#") || l == "" {
			continue
		}
		var row []float64
		for _, f := range strings.Fields(strings.NewReplacer("(", " ", ")", " ").Replace(l)) {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				v = math.NaN()
			}
			row = append(row, v)
		}
		if len(row) < 2 || columns != nil && len(row)-1 != len(columns) {
			continue
		}
		if columns == nil {
			columns = make([][]float64, len(row)-1)
		}
		times = append(times, row[0])
		for i, v := range row[1:] {
			columns[i] = append(columns[i], v)
		}
	}
	keep := len(columns)
	base := filepath.Base(path)
	name := filepath.Base(filepath.Dir(filepath.Dir(path)))
	if base == "force.dat" {
		keep = min(keep, 2) // the total's x and y
	}
	if base == "coefficient.dat" {
		columns = columns[min(len(columns), 0):]
	}
	var list []series
	for i := range keep {
		list = append(list, series{name: name + ":" + strconv.Itoa(i), time: times, value: columns[i]})
	}
	last := func(v []float64) []float64 { return v[len(v)-max(1, len(v)/5):] }
	top := 0.
	for i := range list {
		v := list[i].value
		late := v[len(v)/10:]
		list[i].scale = max(math.Abs(mean(last(v))), 0.05*maxAbs(late))
		top = max(top, list[i].scale)
	}
	if base == "force.dat" || base == "coefficient.dat" {
		for i := range list {
			list[i].scale = top
		}
	}
	return list, nil
}

// to returns the series up to a time, inclusive.
func (s series) to(t float64) []float64 {
	n := len(s.time)
	for n > 0 && s.time[n-1] > t*(1+1e-9) {
		n--
	}
	return s.value[:n]
}

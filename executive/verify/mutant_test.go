package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// fault is something that a mutant found.
type fault struct {
	class string // panic, hang, message, effort, audit, another, oneway
	what  string
}

// oneway is the class of solutions found from one start and not from another. No answer is wrong then, but one is
// missing.
const oneway = "oneway"

// trial is a mutant on trial.
type trial struct {
	*mutant
	rnd                       *rand.Rand // of starts
	parsed, designed          bool
	cases, converged, compare int
	effort                    int // most evaluations of a case, design or point
	times, timesDone          int // transients, and those that come to their end
	points, pointsDone        int // of sweeps, and those that converge both ways
	faults                    []fault
}

func (t *trial) fault(class, format string, args ...any) {
	t.faults = append(t.faults, fault{class, fmt.Sprintf(format, args...)})
}

// try makes a mutant, solves it in two ways and judges it.
func try(starts []startEngine, number uint64) (t *trial) {
	t = &trial{
		mutant: &mutant{number: number, start: &startEngine{name: "none"}}, rnd: rand.New(rand.NewPCG(number, 13)),
	}
	defer func() {
		if r := recover(); r != nil {
			t.fault("panic", "%v\n%s", r, debug.Stack())
		}
	}()
	t.mutant = newMutant(starts, number)
	cfg, err := t.parse()
	if err != nil {
		t.refused(err)
		return t
	}
	t.parsed = true
	m, err := graph.New(cfg)
	if err == nil {
		err = session.Check(m)
	}
	if err != nil {
		t.placed(err)
		return t
	}
	s, err := session.New(context.Background(), m)
	if err != nil {
		t.failed("design", err)
		return t
	}
	t.designed = true
	t.seen("design", s.Design())
	t.sound(cfg, s.Design())
	t.solve(s, t.redesign(s))
	t.transients(s)
	t.sweeps(s)
	return t
}

// goText is text of Go or of a library without meaning to an engineer.
var goText = regexp.MustCompile(
	`cannot unmarshal|runtime error|strconv\.|%!|<nil>|nil pointer|interface \{|map\[|reflect|index out of|goroutine|\bNaN\b|\bInf\b|0x[0-9a-f]{6}|not enough: stop`)

// quoted matches a message's quotations of the text.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// ofGo reports whether a message has words of Go's that are none of the text's.
func ofGo(message string) bool { return goText.MatchString(quoted.ReplaceAllString(message, "")) }

// refused judges why a text is no engine.
func (t *trial) refused(err error) {
	var e *document.Errors
	if !errors.As(err, &e) || len(e.Problems) == 0 {
		t.fault("message", "refused without problems: %v", err)
		return
	}
	for _, p := range e.Problems {
		if p.Message == "" || p.Pos.Line < 0 || ofGo(p.Message) {
			t.fault("message", "%v", p)
		}
	}
}

// named matches an error that names its subject: a place in the file, or a component and a value.
var named = regexp.MustCompile(`:\d+:\d+: |^(?:[\w]+: )?\w+: .*\d`)

// placed judges why an engine has no equations.
func (t *trial) placed(err error) {
	for line := range strings.Lines(err.Error()) {
		if !strings.HasPrefix(line, " ") && !strings.Contains(line, t.start.file) && !named.MatchString(line) ||
			ofGo(line) {
			t.fault("message", "%q", line)
		}
	}
}

// failed judges why something was not found.
func (t *trial) failed(what string, err error) {
	if !graph.Unsolved(err) {
		t.placed(err)
		return
	}
	t.reason(what, graph.Advise(err))
}

func (t *trial) reason(what, message string) {
	if len(message) < 10 || ofGo(message) {
		t.fault("message", "%s fails: %q", what, message)
	}
}

// mostEffort is how often the engine may be evaluated for a case.
const mostEffort = 5000

// seen records the effort of a result and checks that a result without a solution has a reason.
func (t *trial) seen(what string, r *result.Result) {
	t.effort = max(t.effort, r.Solver.Evaluations)
	if r.Solver.Evaluations > mostEffort {
		t.fault("effort", "%s took %d evaluations (converged %v: %s)", what, r.Solver.Evaluations, r.Converged,
			r.Message)
	}
	if !r.Converged {
		t.reason(what, r.Message)
	}
}

// sound judges a result by itself: numbers are finite, and mass and the power of shafts are conserved.
func (t *trial) sound(cfg *config.Engine, r *result.Result) {
	p := r.Performance
	finite := func(what string, list ...float64) {
		for _, v := range list {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.fault("audit", "%s: %s: %v", r.Name, what, list)
				return
			}
		}
	}
	finite("performance", p.Fn, p.Fg, p.Fram, p.Wf, p.OPR, p.BPR, p.Power)
	for name, s := range r.Stations {
		finite(name, s.W, s.Pt, s.Tt, s.Ht, s.FAR)
		if s.W < 0 || s.W > 0 && (s.Pt <= 0 || s.Tt <= 0) {
			t.fault("audit", "%s: %s: %+v", r.Name, name, s)
		}
	}
	for name, s := range r.Shafts {
		finite(name, s["N"], s["power"])
	}
	in, out := 0.0, p.Wf
	for _, c := range cfg.Components {
		switch c.Type.Name {
		case "ambient":
			in += r.Stations[c.Name+".out"].W
		case "nozzle":
			out -= r.Stations[r.Inlets[c.Name+".in"]].W
		}
	}
	for _, b := range cfg.Bleeds {
		if b.To == "" {
			out -= r.Stations[b.Name].W
		}
	}
	if math.Abs(in+out) > 1e-8*in {
		t.fault("audit", "%s: mass is off by %g of %g kg/s", r.Name, in+out, in)
	}
}

// values are the compared numbers of two solutions.
func values(r *result.Result) map[string]float64 {
	out := map[string]float64{"Fn": r.Performance.Fn, "Wf": r.Performance.Wf}
	for name, s := range r.Shafts {
		out[name+".N"] = s["N"]
	}
	return out
}

// apart is the greatest relative difference of two results.
func apart(a, b *result.Result) (away float64, where string) {
	x, y := values(a), values(b)
	for name := range x {
		scale := max(math.Abs(x[name]), 1e-9)
		if name == "Fn" {
			scale = max(scale, a.Performance.Fg)
		}
		if d := math.Abs(x[name]-y[name]) / scale; d > away {
			away, where = d, fmt.Sprintf("%s %.9g and %.9g", name, x[name], y[name])
		}
	}
	return away, where
}

const sameAnswer = 1e-6

// redesign designs the engine from other starting values of its varied parameters, and returns it; nil if it is not
// found.
func (t *trial) redesign(s *session.Session) *session.Session {
	var sets []string
	for _, b := range s.Engine.Design {
		if _, at, _, err := s.Model.Parameter(b.Vary); err == nil && *at != 0 {
			x := *at * math.Pow(3, between(t.rnd, -1, 1))
			if strings.HasSuffix(b.Vary, "PR") {
				x = 1 + (*at-1)*math.Pow(3, between(t.rnd, -1, 1))
			}
			for _, bound := range []struct {
				at   *float64
				side float64
			}{{b.Min, 1}, {b.Max, -1}} {
				if bound.at != nil && (x-*bound.at)*bound.side < 0 {
					x = *bound.at
				}
			}
			sets = append(sets, assign(b.Vary, x))
		}
	}
	cfg, err := t.parse(sets...)
	if err != nil { // beyond a bound of the parameter
		return nil
	}
	other, err := session.Open(context.Background(), cfg)
	if err != nil {
		t.fault(oneway, "design from %v: %v", sets, err)
		return nil
	}
	if away, where := apart(s.Design(), other.Design()); away > sameAnswer {
		t.fault("another", "design from %v: %s", sets, where)
		return nil
	}
	return other
}

// solve solves the cases of an engine, each from the design, and then in reverse order, each after a neighbour, from
// another design if it exists.
func (t *trial) solve(s, other *session.Session) {
	answers := map[string]*result.Result{}
	var list []*config.Case
	for i := range s.Engine.Cases {
		c := &s.Engine.Cases[i]
		if c.Transient != nil {
			continue
		}
		list = append(list, c)
		r, err := s.SolveCase(context.Background(), s.Model, c)
		t.cases++
		if err != nil {
			t.failed(c.Name, err)
			continue
		}
		t.seen(c.Name, r)
		if r.Converged {
			t.converged++
			t.sound(s.Engine, r)
		}
		answers[c.Name] = r
	}
	if other == nil {
		other = s
	}
	slices.Reverse(list)
	p, err := other.Point()
	if err != nil {
		t.fault(oneway, "no point: %v", err)
		return
	}
	for _, c := range list {
		if r := answers[c.Name]; r != nil && (c.From == "" || !s.KeepsFound(c)) {
			t.walk(other, p, c, r)
		}
	}
}

// flat is a case with all that it inherits, and the flight condition, as its own.
func flat(s *session.Session, c *config.Case) config.Case {
	out := config.Case{Name: c.Name, Solve: s.Model.Targets(c)}
	var chain []*config.Case
	for at := c; at != nil; at = s.Engine.Case(at.From) {
		chain = append(chain, at)
		if at.From == "" {
			break
		}
	}
	slices.Reverse(chain)
	for _, path := range settable(s) {
		if _, at, _, err := s.Model.Parameter(path); err == nil {
			out.Set = append(out.Set, config.Setting{Path: path, Value: config.Value{Num: *at}})
		}
	}
	for _, at := range chain {
		out.Set = append(out.Set, at.Set...)
		out.Limits = append(out.Limits, at.Limits...)
	}
	varied := func(path string) bool {
		return slices.ContainsFunc(out.Solve, func(b config.Balance) bool { return b.Vary == path })
	}
	out.Set = slices.DeleteFunc(out.Set, func(v config.Setting) bool { return varied(v.Path) })
	return out
}

// settable are the parameters that some case sets or varies.
func settable(s *session.Session) []string {
	var list []string
	add := func(path string) {
		if !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	for _, c := range s.Engine.Components {
		if c.Type.Name == "ambient" {
			add(c.Name + ".altitude")
			add(c.Name + ".mach")
			add(c.Name + ".dTs")
		}
	}
	for _, c := range s.Engine.Cases {
		if c.Transient != nil {
			continue
		}
		for _, v := range c.Set {
			add(v.Path)
		}
		for _, b := range c.Solve {
			add(b.Vary)
		}
	}
	return list
}

// walk solves a case after a neighbour in altitude, Mach number and throttle, and compares the result with the answer
// from the design.
func (t *trial) walk(s *session.Session, p *steady.OperatingPoint, c *config.Case, want *result.Result) {
	flattened := flat(s, c)
	near := flattened
	near.Limits = nil
	near.Set, near.Solve = slices.Clone(flattened.Set), slices.Clone(flattened.Solve)
	for i := range near.Set {
		v := &near.Set[i].Value.Num
		switch _, name, _ := strings.Cut(near.Set[i].Path, "."); name {
		case "altitude":
			*v += between(t.rnd, -2000, 2000)
		case "mach":
			*v = max(0, *v+between(t.rnd, -0.15, 0.15))
		}
	}
	if len(near.Solve) > 0 {
		near.Solve[0].Target *= between(t.rnd, 0.8, 1.1)
	}
	_, _ = p.Solve(context.Background(), &near) // it need not be there
	info, err := p.Solve(context.Background(), &flattened)
	t.compare++
	t.effort = max(t.effort, info.Evaluations)
	if info.Evaluations > mostEffort {
		t.fault("effort", "%s took %d evaluations after a neighbour (%v)", c.Name, info.Evaluations, err)
	}
	if (err == nil) != want.Converged {
		t.fault(oneway, "%s: from the design %v %s (%v, limited by %v); after a neighbour: %v (%v)", c.Name,
			want.Converged, want.Message, values(want), want.Limited, err, values(p.Result("")))
		return
	}
	if err != nil {
		t.failed(c.Name, err)
		return
	}
	r := p.Result(c.Name)
	if away, where := apart(want, r); away > sameAnswer {
		t.fault("another", "%s: from the design and after a neighbour %s (limited by %v and %v)", c.Name, where,
			want.Limited, r.Limited)
	}
	if len(flattened.Solve) > 0 {
		t.within(c.Name, p, slices.Concat(s.Engine.Limits, flattened.Limits))
	}
	for _, b := range flattened.Solve {
		if got := p.Value(b.Until); len(r.Limited) == 0 &&
			!(math.Abs(got-b.Target) <= 1e-8*max(math.Abs(b.Target), 1)) {
			t.fault("audit", "%s: %s is %.10g, not %.10g", c.Name, b.Until, got, b.Target)
		}
	}
}

// within judges whether a solution passes limits.
func (t *trial) within(name string, p *steady.OperatingPoint, limits []config.Limit) {
	for _, l := range limits {
		got := p.Value(l.Path)
		if l.Max != nil && got > *l.Max+1e-6*math.Abs(*l.Max) || l.Min != nil && got < *l.Min-1e-6*math.Abs(*l.Min) {
			t.fault("audit", "%s: %s is %.10g, beyond its limit", name, l.Path, got)
		}
	}
}

// counts are those of many trials.
type counts struct {
	engines, parsed, designed, cases, converged, compared, effort int
	times, timesDone, points, pointsDone                          int
	faults                                                        map[string]int
}

func (c *counts) add(t *trial) {
	c.engines++
	if t.parsed {
		c.parsed++
	}
	if t.designed {
		c.designed++
	}
	c.cases += t.cases
	c.converged += t.converged
	c.compared += t.compare
	c.effort = max(c.effort, t.effort)
	c.times += t.times
	c.timesDone += t.timesDone
	c.points += t.points / 2 // each is solved twice
	c.pointsDone += t.pointsDone
	for _, f := range t.faults {
		c.faults[f.class]++
	}
}

func (c *counts) String() string {
	return fmt.Sprintf("%d engines: %d parse, %d have a design; %d of %d cases converge, %d are solved twice; %d of "+
		"%d transients end; %d of %d points of sweeps converge both ways; at most %d evaluations; found: %v",
		c.engines, c.parsed, c.designed, c.converged, c.cases, c.compared, c.timesDone, c.times, c.pointsDone,
		c.points, c.effort, c.faults)
}

// hung is the time after which a mutant counts as hanging. Most take a tenth of a second. The permitted work of others
// is counted in evaluations.
const hung = 5 * time.Minute

// tryMutants tries the mutants from first on, on all cores, and counts them by kind. Solutions that converge one way
// only are logged, other faults fail the test.
func tryMutants(tb testing.TB, first uint64, n int) map[string]*counts {
	tb.Helper()
	starts := startEngines(tb)
	total := map[string]*counts{}
	var wg sync.WaitGroup
	var mu sync.Mutex
	next := first
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				mu.Lock()
				number := next
				next++
				mu.Unlock()
				if number >= first+uint64(n) {
					return
				}
				guard := time.AfterFunc(hung, func() {
					debug.SetTraceback("all")
					panic(fmt.Sprintf("mutant %d hangs", number))
				})
				t := try(starts, number)
				guard.Stop()
				mu.Lock()
				if total[t.kind] == nil {
					total[t.kind] = &counts{faults: map[string]int{}}
				}
				total[t.kind].add(t)
				for _, f := range t.faults {
					if f.class == oneway {
						tb.Logf("%v: %s: %s", t.mutant, f.class, f.what)
					} else {
						tb.Errorf("%v: %s: %s", t.mutant, f.class, f.what)
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return total
}

// environment is a number that an environment variable has.
func environment(tb testing.TB, name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return n
}

// No mutant panics, hangs, is refused or fails without a reason, or has two answers, and hardly any has an answer one
// way only. The first mutants are tried; in a soak test those from PEREGRINE_MUTANT on, by default from the time in
// seconds on. PEREGRINE_TESTS=soak PEREGRINE_MUTANT=7 PEREGRINE_MUTANTS=1 tries and shows mutant 7 alone.
func TestMutants(t *testing.T) {
	first, n := uint64(1), enginetest.Trials(t, 4, 60, 200)
	if testenv.IsSoak() {
		first = environment(t, "PEREGRINE_MUTANT", uint64(time.Now().Unix()))
		n = int(environment(t, "PEREGRINE_MUTANTS", 200))
	}
	t.Logf("mutants from PEREGRINE_MUTANT=%d on", first)
	if n == 1 {
		m := newMutant(startEngines(t), first)
		t.Logf("%v\n%s\n--set %s", m, m.text, strings.Join(m.sets, " --set "))
	}
	lost, compared := 0, 0
	for kind, c := range tryMutants(t, first, n) {
		t.Logf("%s: %v", kind, c)
		lost, compared = lost+c.faults[oneway], compared+c.compared
	}
	if most := 5 + compared/50; lost > most {
		t.Errorf("%d of %d cases and designs have an answer one way only", lost, compared)
	}
}

// BenchmarkMutants tries ten thousand.
func BenchmarkMutants(b *testing.B) {
	first, n := environment(b, "PEREGRINE_MUTANT", 1), int(environment(b, "PEREGRINE_MUTANTS", 10000))
	for b.Loop() {
		for kind, c := range tryMutants(b, first, n) {
			b.Logf("%s: %v", kind, c)
			b.ReportMetric(float64(c.faults[oneway]), kind+"-oneway")
			b.ReportMetric(100*float64(c.converged)/float64(max(c.cases, 1)), "%converged-"+kind)
		}
	}
}

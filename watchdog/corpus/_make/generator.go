package main

// Histories from a generator: shapes of other solvers, with noise and a prescribed end. They are tables of plain
// columns or of comma-separated values.

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/corpus"
)

const generatorCases = 190

// shape describes a generated history. Residuals are logarithms to the base of 10.
type shape struct {
	d         dice
	n         int
	rise      float64   // how far residuals first rise, orders
	delay     float64   // iterations before they begin to fall
	fall      []float64 // of each equation, orders per iteration
	start     []float64
	floor     []float64
	creep     []float64 // orders per iteration from the floor on; nil: none
	noise     float64   // orders
	memory    float64   // of the noise from one iteration to the next
	swing     float64   // of residuals at the end, orders
	period    float64
	meshes    []int // iterations at which a finer mesh begins, and residuals jump
	grow      int   // iteration from which residuals grow, 0: never
	rate      float64
	ceiling   float64
	watched   []watched
	notNumber bool // the last line holds NaN
}

// watched is a monitored value: it approaches its end as the residuals fall.
type watched struct {
	name              string
	end               float64
	away              float64 // distance at the start, relative
	settle            float64 // iterations in which its distance falls by a factor of e
	swing, noise, run float64 // relative; run: random walk
}

// shape returns a shape without an end yet: a run that converges.
func (d dice) shape() *shape {
	s := &shape{d: d, noise: pick(d, 0.005, 0.02, 0.05, 0.1), memory: pick(d, 0, 0.5, 0.9), period: d.between(12, 60)}
	s.rise, s.delay = pick(d, 0, 0, 0.3, 1), pick(d, 0., 0, 20, 60)
	top := pick(d, 0., 0, 0, 1.1, -0.7, 2, 4) // residuals need not be normalised
	equations := 1 + d.IntN(5)
	speed := math.Exp(d.between(math.Log(0.005), math.Log(0.05)))
	for range equations {
		s.start = append(s.start, top+d.between(-0.5, 0.2))
		s.fall = append(s.fall, speed*d.between(0.8, 1.3))
		s.floor = append(s.floor, -99)
	}
	slowest := s.fall[0]
	for _, f := range s.fall {
		slowest = min(slowest, f)
	}
	s.n = int(s.delay + (d.between(4.6, 6.5)+s.rise)/slowest)
	if d.chance(0.3) {
		s.swing = d.between(0.02, 0.1)
	}
	if d.chance(0.15) {
		s.meshes = []int{s.n / 6, s.n / 3}
	}
	if d.chance(0.65) {
		settle := 1 / (slowest * math.Ln10)
		s.watched = append(s.watched, watched{name: "W_in", end: d.between(5, 700), away: d.between(-0.3, 0.3),
			settle: settle * d.between(0.6, 1), noise: 1e-5})
		w := s.watched[0]
		w.name, w.away = "W_out", -w.away/2
		s.watched = append(s.watched, w)
		if d.chance(0.6) {
			s.watched = append(s.watched, watched{name: "PR", end: d.between(1.1, 4), away: d.between(-0.2, 0.2),
				settle: settle * d.between(0.6, 1), noise: 1e-5},
				watched{name: "eff", end: d.between(0.7, 0.93), away: d.between(-0.2, 0),
					settle: settle * d.between(0.6, 1), noise: 1e-5})
		}
		if d.chance(0.4) {
			s.watched = append(s.watched,
				watched{name: "lift", end: pick(d, -12., 0.31, 480), away: d.between(-0.6, 0.6), settle: settle,
					noise: 2e-5})
		}
	}
	return s
}

// residual returns that of an equation at iteration i, from 1, without noise.
func (s *shape) residual(e, i int) float64 {
	t := float64(i)
	v := s.start[e] + s.rise*math.Min(1, t/15) - s.fall[e]*math.Max(0, t-s.delay)
	for _, m := range s.meshes {
		if i >= m {
			v += 0.8 * math.Exp(-float64(i-m)/20)
		}
	}
	if v < s.floor[e] {
		v = s.floor[e]
		if s.creep != nil {
			v -= s.creep[e] * (t - (s.start[e]-s.floor[e])/s.fall[e])
		}
	}
	if s.grow > 0 && i > s.grow {
		v = math.Min(s.ceiling, v+s.rate*float64(i-s.grow))
	}
	if s.swing > 0 {
		v += s.swing * math.Sin(2*math.Pi*t/s.period+float64(e)) * math.Min(1, t/s.period/2)
	}
	return v
}

// table returns the columns' names and the lines.
func (s *shape) table() (names []string, lines [][]float64) {
	variables := []string{"residual", "res_u", "res_v", "res_k", "res_omega"}
	if s.d.chance(0.5) {
		variables = []string{"continuity", "x-velocity", "y-velocity", "energy", "k"}
	}
	names = append(names, pick(s.d, "iteration", "iteration", "iteration", "iter"))
	for e := range s.start {
		names = append(names, variables[e])
	}
	for _, w := range s.watched {
		names = append(names, w.name)
	}
	noise, walk := make([]float64, len(s.start)), make([]float64, len(s.watched))
	for i := 1; i <= s.n; i++ {
		line := []float64{float64(i)}
		for e := range s.start {
			noise[e] = s.memory*noise[e] + math.Sqrt(1-s.memory*s.memory)*s.noise*s.d.NormFloat64()
			line = append(line, math.Pow(10, s.residual(e, i)+noise[e]))
		}
		for k, w := range s.watched {
			walk[k] = 0.97*walk[k] + math.Sqrt(1-0.97*0.97)*s.d.NormFloat64()
			v := 1 + w.away*math.Exp(-float64(i)/w.settle)*math.Cos(float64(i)/w.settle/2) +
				w.swing*math.Sin(2*math.Pi*float64(i)/s.period+float64(k)/3) + w.noise*s.d.NormFloat64() + w.run*walk[k]
			if s.grow > 0 && i > s.grow {
				v += math.Pow(10, math.Min(s.rate*float64(i-s.grow)-3, 2)) * s.d.NormFloat64()
			}
			line = append(line, v*w.end)
		}
		lines = append(lines, line)
	}
	if s.notNumber {
		l := lines[len(lines)-1]
		for k := 1; k < len(l); k++ {
			l[k] = math.NaN()
		}
	}
	return names, lines
}

// text writes the table; cut is how many bytes are lost at its end.
func (s *shape) text(family string, cut int) string {
	names, lines := s.table()
	var b strings.Builder
	separator := "  "
	if family == "csv" {
		separator = pick(s.d, ",", ", ")
		b.WriteString(strings.Join(names, separator) + "\n")
	} else {
		b.WriteString("# " + strings.Join(names, " ") + "\n")
	}
	for _, l := range lines {
		fields := []string{fmt.Sprint(int(l[0]))}
		for k, v := range l[1:] {
			format := "%.5e"
			if k >= len(s.start) {
				format = "%.7g"
			}
			fields = append(fields, strings.ToLower(fmt.Sprintf(format, v)))
		}
		b.WriteString(strings.Join(fields, separator) + "\n")
	}
	text := b.String()
	return text[:len(text)-min(cut, len(text)/10)]
}

// outcome is the data given to the monitor, and the end of the text.
type outcome struct {
	limit, status int
	noStatus      bool
	cut           int
	alone         corpus.Label
	how           string
}

// ends are the ends of generated histories, with the number of each in a hundred.
var ends = []struct {
	label corpus.Label
	share int
	put   func(s *shape) outcome
}{
	{corpus.Converged, 30, (*shape).converged},
	{corpus.ConvergedByValue, 22, (*shape).byValue},
	{corpus.Limit, 5, (*shape).limited},
	{corpus.EndedEarly, 5, (*shape).early},
	{corpus.Slow, 9, (*shape).slow},
	{corpus.Stalled, 5, (*shape).stalled},
	{corpus.Oscillating, 6, (*shape).oscillating},
	{corpus.Diverged, 5, (*shape).diverged},
	{corpus.NonFinite, 4, (*shape).nonFinite},
	{corpus.Unphysical, 6, (*shape).unphysical},
	{corpus.Dead, 3, (*shape).dead},
}

func (s *shape) converged() outcome {
	return outcome{limit: s.n + s.d.IntN(3*s.n), alone: corpus.Converged, how: "residuals fall by 4.6 orders and more"}
}

// stand gives residuals a floor at so many orders below the start, from a third of the run on.
func (s *shape) stand(low, high float64) {
	s.n = max(s.n, 300)
	for e := range s.floor {
		s.floor[e] = s.start[e] + s.rise - s.d.between(low, high)
		s.fall[e] = (s.start[e] + s.rise - s.floor[e]) / (float64(s.n) * s.d.between(0.15, 0.3))
	}
	s.delay, s.meshes = min(s.delay, float64(s.n)/20), nil
	s.swing = 0
}

// watch adds monitored values if the shape has none. They settle within a tenth of the run.
func (s *shape) watch(swing, noise, run float64) {
	if len(s.watched) == 0 {
		s.watched = []watched{{name: pick(s.d, "PR", "lift", "W_out"), end: s.d.between(1, 3), away: 0.2}}
	}
	for k := range s.watched {
		w := &s.watched[k]
		w.settle = float64(s.n) / s.d.between(12, 25)
		w.swing, w.noise, w.run = swing, noise, run
	}
}

func (s *shape) byValue() outcome {
	s.stand(1.5, 3.2)
	kind := "stand"
	swing := 0.
	if s.d.chance(0.3) {
		kind, swing = "swing by 0.04 %", 2e-4
		s.swing = s.d.between(0.1, 0.4)
	}
	s.watch(swing, pick(s.d, 1e-6, 1e-5, 5e-5), 0)
	return outcome{limit: s.n, alone: corpus.ConvergedByValue, how: "residuals reach their floor, values " + kind}
}

// part cuts the run where its residuals have fallen by so many orders. Values still move there.
func (s *shape) part(low, high float64) {
	slowest := s.fall[0]
	for _, f := range s.fall {
		slowest = min(slowest, f)
	}
	orders := s.d.between(low, high)
	s.n = max(60, int(s.delay+(orders+s.rise)/slowest))
	s.meshes = nil
	for k := range s.watched {
		w := &s.watched[k]
		w.settle = float64(s.n) / s.d.between(1.2, 2.5)
		w.away = math.Copysign(max(math.Abs(w.away), 0.1), w.away)
	}
}

func (s *shape) limited() outcome {
	s.part(1, 2.7)
	return outcome{limit: s.n, alone: corpus.EndedEarly, how: "cut at the limit while residuals fall"}
}

func (s *shape) early() outcome {
	s.part(1, 2.7)
	return outcome{limit: s.n * (2 + s.d.IntN(4)), alone: corpus.EndedEarly, how: "ends while residuals fall"}
}

func (s *shape) dead() outcome {
	s.part(1, 2.7)
	return outcome{limit: s.n * (2 + s.d.IntN(4)), status: pick(s.d, 137, 143, 139, 1), cut: 1 + s.d.IntN(30),
		alone: corpus.EndedEarly, how: "ends within a line, by a signal or an error"}
}

func (s *shape) slow() outcome {
	s.n = max(s.n, 400)
	s.delay, s.rise, s.swing, s.meshes, s.noise = 0, 0, 0, nil, min(s.noise, 0.01)
	quick := s.d.between(0.8, 1.2)
	// behind the first order they creep: the next three would take 13 to 20 times the iterations
	for e := range s.fall {
		s.fall[e] = quick / (0.1 * float64(s.n))
		s.floor[e] = s.start[e] - quick
		s.creep = append(s.creep, 3/(float64(s.n)*s.d.between(13, 20)))
	}
	for k := range s.watched {
		w := &s.watched[k]
		w.settle, w.away = float64(s.n)*2, math.Copysign(max(math.Abs(w.away), 0.15), w.away)
	}
	return outcome{noStatus: true, alone: corpus.Slow, how: "residuals creep"}
}

func (s *shape) stalled() outcome {
	s.stand(1, 3)
	if s.d.chance(0.5) {
		s.watch(0, 1e-4, s.d.between(0.005, 0.03))
		return outcome{limit: s.n, alone: corpus.Stalled, how: "residuals reach a floor, values wander"}
	}
	s.watched = nil
	return outcome{limit: s.n, alone: corpus.Stalled, how: "residuals reach a floor, no values"}
}

func (s *shape) oscillating() outcome {
	s.stand(1, 2.8)
	s.swing, s.noise = s.d.between(0.15, 0.6), min(s.noise, 0.05)
	if s.d.chance(0.6) {
		s.watch(s.d.between(0.01, 0.15), 1e-4, 0)
		return outcome{limit: s.n, alone: corpus.Oscillating, how: "residuals and values swing"}
	}
	s.watched = nil
	return outcome{limit: s.n, alone: corpus.Oscillating, how: "residuals swing, no values"}
}

func (s *shape) diverged() outcome {
	if s.d.chance(0.4) { // it never approaches anything
		s.stand(0.05, 0.3)
		s.swing, s.rise, s.noise = 0, 0, 0.1
		s.watch(0, 0.02, s.d.between(0.2, 0.4))
		return outcome{limit: s.n, alone: corpus.Diverged, how: "residuals stay at their start, values run wild"}
	}
	s.part(1.5, 3)
	s.grow = s.n
	s.rate, s.ceiling = s.d.between(0.03, 0.2), s.start[0]+s.d.between(2, 8)
	s.n += int((s.ceiling-s.start[0]+4)/s.rate) + s.d.IntN(100)
	return outcome{limit: s.n + s.d.IntN(2)*500, status: pick(s.d, 0, 0, 1, 134), alone: corpus.Diverged,
		how: "residuals and values grow by orders"}
}

func (s *shape) nonFinite() outcome {
	s.part(0.5, 2.5)
	s.grow = s.n
	s.rate, s.ceiling = s.d.between(0.1, 0.6), 250
	s.n += int(s.d.between(4, 30) / s.rate)
	s.notNumber = true
	return outcome{limit: s.n + 500, status: pick(s.d, 0, 1, 136), alone: corpus.NonFinite,
		how: "residuals grow to NaN"}
}

func (s *shape) unphysical() outcome {
	settle := float64(s.n) / s.d.between(12, 20)
	value := func(name string, end float64) watched {
		return watched{name: name, end: end, away: 0.2, settle: settle, noise: 1e-5}
	}
	t := outcome{limit: 2 * s.n, alone: corpus.Unphysical}
	if s.d.chance(0.5) {
		s.watched = []watched{value("W_in", 60), value("W_out", 60), value("PR", 1.6),
			value("eff", s.d.between(1.03, 1.3))}
		t.how = "it converges to an efficiency above 1"
	} else {
		w := s.d.between(10, 90)
		s.watched = []watched{
			value("W_in", w), value("W_out", w*pick(s.d, s.d.between(0.8, 0.95), s.d.between(1.05, 1.2))),
			value("PR", 1.6),
		}
		t.how = "it converges to different flows in and out"
	}
	return t
}

// generate makes the generated history i.
func (m *maker) generate(name string, i int) ([]corpus.History, error) {
	d := roll(m.seed, "generator", i)
	at := (i * 37) % 100 // walks through all shares
	k := 0
	for at >= ends[k].share {
		at -= ends[k].share
		k++
	}
	s := d.shape()
	t := ends[k].put(s)
	family := pick(d, "columns", "csv")
	file := map[string]string{"columns": "history.dat", "csv": "history.csv"}[family]
	if err := writeFile(filepath.Join(m.out, "history", name, file), s.text(family, t.cut)); err != nil {
		return nil, err
	}
	return []corpus.History{
		{Name: name, Files: []string{file}, Solver: "generator", Family: family, Label: ends[k].label, Alone: t.alone,
			Limit: t.limit, Status: t.status, HasStatus: !t.noStatus, How: t.how}}, nil
}

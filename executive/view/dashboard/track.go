package dashboard

// The latest of a series of numbers, as little lines are drawn of them.

import (
	"math"
	"time"
)

// latest is how many iterations a track keeps.
const latest = 100

// track keeps the logarithms of the latest residuals.
type track struct {
	logs  [latest]float32 // log10, a ring
	next  int
	count int
	at    float64 // iteration of the last
	last  float64
}

// add adds the residual of an iteration. If an iteration has several residuals, the largest counts.
func (t *track) add(at, x float64) {
	y := float32(math.Inf(-1))
	if x > 0 {
		y = float32(math.Log10(x))
	}
	if t.count > 0 && at == t.at {
		i := (t.next + latest - 1) % latest
		t.logs[i] = max(t.logs[i], y)
		t.last = max(t.last, x)
		return
	}
	t.logs[t.next] = y
	t.next = (t.next + 1) % latest
	t.count = min(t.count+1, latest)
	t.at, t.last = at, x
}

func (t *track) len() int        { return t.count }
func (t *track) lastAt() float64 { return t.at }

// values are the logarithms, the oldest first. Zeros are left out: explicit solvers print them.
func (t *track) values() []float64 {
	list := make([]float64, 0, t.count)
	for i := range t.count {
		if y := float64(t.logs[(t.next+latest-t.count+i)%latest]); !math.IsInf(y, 0) && !math.IsNaN(y) {
			list = append(list, y)
		}
	}
	return list
}

// pace is how fast iterations come: of the latest of them.
type pace struct {
	at   [16]float64
	when [16]time.Time
	n    int
}

func (p *pace) add(at float64, when time.Time) {
	if p.n > 0 && at <= p.at[(p.n-1)%len(p.at)] {
		if at < p.at[(p.n-1)%len(p.at)] {
			p.n = 0
		} else {
			return
		}
	}
	p.at[p.n%len(p.at)], p.when[p.n%len(p.when)] = at, when
	p.n++
}

// each returns the time of one iteration, 0 if it is unknown.
func (p *pace) each() time.Duration {
	if p.n < 2 {
		return 0
	}
	last, first := (p.n-1)%len(p.at), max(0, p.n-len(p.at))%len(p.at)
	made := p.at[last] - p.at[first]
	if made <= 0 {
		return 0
	}
	return time.Duration(float64(p.when[last].Sub(p.when[first])) / made)
}

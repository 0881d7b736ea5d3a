package sensor

// Histograms of a thread's numbers. The thread only counts; percentiles are the monitor's work.

import (
	"math"
	"sync/atomic"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// quantiles are the quantiles of a histogram's summary.
var quantiles = []struct {
	name    string
	percent float64
}{{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p999", 99.9}}

// summary returns the fields of the record that sums up a window.
func (f *Filter) summary(fields []Field) []Field {
	of := fields[f.index(fields)]
	list := []Field{{Name: "count"}, {Name: "outside"}, {Name: of.Name + "_mean", Unit: of.Unit},
		{Name: of.Name + "_min", Unit: of.Unit}}
	for _, q := range quantiles {
		list = append(list, Field{Name: of.Name + "_" + q.name, Unit: of.Unit})
	}
	return append(list, Field{Name: of.Name + "_max", Unit: of.Unit})
}

// histogram counts in one of two windows while the monitor reads the other. If the monitor has not returned the other
// yet, the window grows: no record is lost and no thread waits.
type histogram struct {
	Filter
	field  int
	active *window                // the thread's
	ended  atomic.Pointer[window] // to the monitor
	spare  atomic.Pointer[window] // to the thread
}

type window struct {
	counts  *hdrhistogram.Histogram // in steps of Resolution
	outside int
	n       int // outside included
	sum     float64
}

func newHistogram(s *Spec) *histogram {
	h := &histogram{Filter: s.Filter, field: s.Filter.index(s.Fields)}
	if h.Digits == 0 {
		h.Digits = 2
	}
	h.active = h.window()
	h.spare.Store(h.window())
	return h
}

func (h *histogram) window() *window {
	return &window{counts: hdrhistogram.New(1, int64(h.Greatest/h.Resolution), h.Digits)}
}

// count takes a record and reports whether a window waits for the monitor now that did not before.
func (h *histogram) count(values []float64) bool {
	x, w := values[h.field], h.active
	w.n++
	if !(x >= 0 && x <= h.Greatest) || w.counts.RecordValue(int64(math.Round(x/h.Resolution))) != nil {
		w.outside++
	} else {
		w.sum += x
	}
	if w.n < h.N || h.ended.Load() != nil {
		return false
	}
	next := h.spare.Swap(nil)
	if next == nil {
		return false
	}
	h.active = next
	h.ended.Store(w)
	return true
}

// take gives the monitor the summary of an ended window, and returns the window to the thread. Once the thread has
// closed, its unfinished window has ended, too.
func (h *histogram) take(closed bool, into []float64) ([]float64, bool) {
	w := h.ended.Load()
	if w == nil && closed && h.active.n > 0 {
		w = h.active
	}
	if w == nil {
		return into, false
	}
	into = h.sumUp(w, into)
	w.counts.Reset()
	w.outside, w.n, w.sum = 0, 0, 0
	if w != h.active {
		h.spare.Store(w)
		h.ended.Store(nil)
	}
	return into, true
}

func (h *histogram) sumUp(w *window, into []float64) []float64 {
	inside := float64(w.n - w.outside)
	into = append(into, float64(w.n), float64(w.outside))
	if inside == 0 {
		for range 3 + len(quantiles) {
			into = append(into, math.NaN())
		}
		return into
	}
	into = append(into, w.sum/inside, float64(w.counts.Min())*h.Resolution)
	for _, q := range quantiles {
		into = append(into, float64(w.counts.ValueAtPercentile(q.percent))*h.Resolution)
	}
	return append(into, float64(w.counts.Max())*h.Resolution)
}

package slice

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// list is a source of records at some times, which then fails or not.
func list(name string, times []float64, failure error) Source {
	return func(_ context.Context, pass func([]trace.Record) error) error {
		for _, t := range times {
			if err := pass([]trace.Record{{Time: t, Process: name, Kind: trace.Marker}}); err != nil {
				return err
			}
		}
		return failure
	}
}

// Any number of sources gives all records, in the order of time.
func TestMerge(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		var sources []Source
		var want, got []float64
		for i := range rapid.IntRange(0, 9).Draw(t, "sources") {
			times := rapid.SliceOfN(rapid.Float64Range(0, 10), 0, 700).Draw(t, "times")
			slices.Sort(times)
			want = append(want, times...)
			sources = append(sources, list(fmt.Sprint(i), times, nil))
		}
		slices.Sort(want)
		must.OK(t, Merge(context.Background(), sources, func(r *trace.Record) error {
			got = append(got, r.Time)
			return nil
		}))
		if !slices.Equal(got, want) {
			t.Errorf("%d records of %d, or not in order", len(got), len(want))
		}
	})
}

// A source that fails is told by a record and the error; the others are read to their ends.
func TestSourceIsGone(t *testing.T) {
	gone := errors.New("b: the connection is lost")
	var got []string
	err := Merge(context.Background(), []Source{
		list("a", []float64{1, 4}, nil), list("b", []float64{2}, gone), list("c", []float64{3}, nil),
	}, func(r *trace.Record) error {
		got = append(got, fmt.Sprintf("%s %v %s", r.Kind, r.Time, r.Name))
		return nil
	})
	must.Equal(t, []string{"marker 1 ", "marker 2 ", "lost 2 b: the connection is lost", "marker 3 ", "marker 4 "}, got)
	if !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

// A reader that gives up ends all sources, also those that wait for it.
func TestReaderGivesUp(t *testing.T) {
	full := errors.New("no space left")
	times := make([]float64, 100*batchSize)
	ended := 0
	sources := []Source{list("a", times, nil), list("b", times, nil), list("c", times, nil)}
	for i := range sources {
		read := sources[i]
		sources[i] = func(ctx context.Context, pass func([]trace.Record) error) error {
			err := read(ctx, pass)
			if err == nil {
				err = errors.New("it was read to its end")
			}
			return err
		}
	}
	err := Merge(context.Background(), sources, func(*trace.Record) error {
		ended++
		return full
	})
	if !errors.Is(err, full) || ended != 1 || strings.Contains(err.Error(), "to its end") {
		t.Errorf("got %v after %d records", err, ended)
	}
}

// Lines that cannot belong to a slice are not parsed. Doubtful ones are.
func TestSkips(t *testing.T) {
	f := Filter{From: 2, To: 3, Processes: []string{"a", "b"}, Kinds: []trace.Kind{trace.Send}}
	for line, skips := range map[string]bool{
		`{"time":2.5,"process":"a","kind":"send"}`:      false,
		`{"time":2.5,"process": "b" , "kind" : "send"}`: false,
		`{"time":1.5,"process":"a","kind":"send"}`:      true,
		`{"time":1.5}`: true,
		`{"time":2.5,"process":"c","kind":"send"}`:        true,
		`{"time":2.5,"process":"a","kind":"receive"}`:     true,
		`{"time":1,"process":"a","kind":"send","time":2}`: false,
		`{"process":"a","kind":"send","time":1}`:          false,
		`{"time":2,"process":"\u0061","kind":"send"}`:     false,
		`{"time":9,"process":"c","ki`:                     false,
	} {
		must.Equal(t, skips, f.Skips()([]byte(line)))
	}
	f.Processes = []string{"c", `"`}
	must.Equal(t, false, f.Skips()([]byte(`{"time":2.5,"process":"a","kind":"send"}`)))
}

// The filter chooses by each of its parts.
func TestFilter(t *testing.T) {
	r := trace.Record{Time: 2, Host: "h", Process: "p", Kind: trace.Send, Values: map[string]any{"run": "r"}}
	all := Filter{From: math.Inf(-1), To: math.Inf(1)}
	for name, change := range map[string]func(f *Filter){
		"from":    func(f *Filter) { f.From = 2.1 },
		"to":      func(f *Filter) { f.To = 1.9 },
		"host":    func(f *Filter) { f.Hosts = []string{"g"} },
		"process": func(f *Filter) { f.Processes = []string{"q"} },
		"run":     func(f *Filter) { f.Runs = []string{"p"} },
		"kind":    func(f *Filter) { f.Kinds = []trace.Kind{trace.Fork} },
		"where":   func(f *Filter) { f.Where = func(*trace.Record) bool { return false } },
	} {
		f := all
		if change(&f); !all.Holds(&r) || f.Holds(&r) {
			t.Errorf("%s does not choose", name)
		}
	}
	f := all
	f.From, f.To, f.Hosts, f.Processes, f.Runs = 2, 2, []string{"g", "h"}, []string{"p"}, []string{"r"}
	if !f.Holds(&r) {
		t.Error("the slice does not hold its limits")
	}
}

// Curves are thinned evenly; other records stay.
func TestThin(t *testing.T) {
	var records []trace.Record
	for i := range 1000 {
		records = append(records, trace.Record{Time: float64(i), Kind: trace.Count, Name: "load"})
	}
	records = append(records, trace.Record{Kind: trace.Send}, trace.Record{Kind: trace.Count, Name: "rare"})
	got := Thin(records, 10)
	if len(got) != 12 || got[0].Time != 0 || got[9].Time != 900 {
		t.Errorf("%d records, from %v to %v", len(got), got[0].Time, got[9].Time)
	}
}

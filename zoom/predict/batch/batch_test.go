package batch

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
)

// line is a job of a workload: submitted, runtime, processors and requested time.
func line(submit, runtime, processors, requested float64) string {
	return fmt.Sprintf("1 %g -1 %g -1 -1 -1 %g %g -1 1 1 1 1 1 1 -1 -1\n", submit, runtime, processors, requested)
}

// A site of 10 processors: until 100 s a job has 6. The head of the queue needs 8; smaller jobs may pass if
// they end by 100 s, or fit into the 2 processors left beside it.
func TestWaitsByHand(t *testing.T) {
	t.Parallel()
	site := func(jobs ...Job) *Site { return &Site{Processors: 10, Jobs: jobs} }
	first, large := Job{0, 6, 100, 100}, Job{1, 8, 50, 50}
	for _, x := range []struct {
		name   string
		policy Policy
		job    Job
		number int
		want   []float64
	}{
		{"first come, first served", FCFS, Job{Processors: 2, Requested: 10}, 1, []float64{98}},
		{"it ends before the first one begins", EASY, Job{Processors: 4, Requested: 90}, 1, []float64{0}},
		{"it would delay the first one", EASY, Job{Processors: 4, Requested: 99}, 1, []float64{148}},
		{"it uses what the first one leaves", EASY, Job{Processors: 2, Requested: 1000}, 1, []float64{0}},
		{"three at a time: one in what is left, and two after it", EASY, Job{Processors: 2, Requested: 1000}, 3,
			[]float64{0, 148, 148}},
	} {
		s := &scheduler{ctx: t.Context(), policy: x.policy, jobs: site(first, large).Jobs, free: 10}
		for s.due() <= 2 {
			s.advance()
		}
		if got := s.wait(x.job, x.number, 2); !slices.Equal(got, x.want) {
			t.Errorf("%s: waits %v s, want %v", x.name, got, x.want)
		}
	}
	_, err := site(first).Waits(t.Context(), Job{Processors: 11, Requested: 1}, 1, 1, EASY)
	must.Fail(t, err, "11 processors, and the site of the workload has 10")
	ended, end := context.WithCancelCause(t.Context())
	end(errors.New("the user's"))
	_, err = site(first).Waits(ended, Job{Processors: 10, Requested: 1}, 1, 1, EASY) // it waits for the first
	must.Fail(t, err, "the user's")
}

// No job waits longer by EASY than the first in the queue would by first come, first served, and never are more
// processors in use than there are.
func TestEasyKeepsTheFirst(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const processors = 8
		var jobs []Job
		at := 0.0
		for range rapid.IntRange(1, 30).Draw(t, "jobs") {
			at += float64(rapid.IntRange(0, 20).Draw(t, "gap")) + 1e-3 // jobs are told apart by it
			asked := float64(rapid.IntRange(1, 60).Draw(t, "requested"))
			jobs = append(jobs, Job{at, rapid.IntRange(1, processors).Draw(t, "processors"), asked, asked})
		}
		s := &scheduler{ctx: t.Context(), policy: EASY, jobs: jobs, free: processors}
		head, latest := Job{}, math.Inf(1)
		for !math.IsInf(s.due(), 1) {
			s.advance()
			if s.free < 0 {
				t.Fatal("more processors in use than there are")
			}
			if len(s.waiting) == 0 || s.waiting[0].Job != head {
				head, latest = Job{}, math.Inf(1)
			}
			if len(s.waiting) > 0 {
				begins, _ := s.reserve(s.waiting[0].Processors)
				if begins > latest {
					t.Fatalf("%+v would begin at %v s, and before at %v s", s.waiting[0], begins, latest)
				}
				head, latest = s.waiting[0].Job, begins
			}
		}
		if len(s.waiting) > 0 || s.free != processors {
			t.Fatalf("%d wait for ever", len(s.waiting))
		}
	})
}

func TestParse(t *testing.T) {
	t.Parallel()
	head := "; Computer: a site\n; MaxProcs: 64\n"
	s := must.Value(Parse([]byte(head+line(5, 10, 4, 20)+line(0, 10, 4, -1)+line(7, -1, 4, 20)), 0))(t)
	if s.Processors != 64 || s.LeftOut != 1 || len(s.Jobs) != 2 || s.Jobs[0] != (Job{0, 4, 10, 10}) ||
		s.Jobs[1] != (Job{5, 4, 20, 10}) {
		t.Errorf("%+v", s)
	}
	_, err := Parse([]byte(head+line(5, 10, 65, 20)+"1 2 3 4\n"+strings.Replace(line(6, 1, 1, 1), "6", "soon", 1)+
		line(-7, 1, 1, 1)+"1 8 -1 10 -1 -1 -1 4"), 0)
	must.Fail(t, err, "3:1: a job of 65 processors; the site has 64")
	for _, want := range []string{"4:1: 4 fields", `5:3: field 2: "soon"`, "6:1: a job that is submitted at -7 s",
		"7:1: 8 fields"} {
		must.Fail(t, err, want)
	}
	for text, want := range map[string]string{"": "1:1: no header MaxProcs", head: "no job that ran",
		line(1, 1, 1, 1): "no header MaxProcs", head + line(1, 1, 1, math.NaN()): "3:21: field 9"} {
		_, err := Parse([]byte(text), 0)
		must.Fail(t, err, want)
	}
}

// FuzzParse reads any workload without a panic, and a small job has its place among the jobs of each that it accepts.
func FuzzParse(f *testing.F) {
	f.Add([]byte("; MaxProcs: 4\n" + line(0, 10, 4, 20) + line(5, 10, 1, -1)))
	f.Add([]byte("1 2 3"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse(data, 0)
		if err != nil {
			if places := Errors(nil); !errors.As(err, &places) || len(places) == 0 || places[0].Line < 1 {
				t.Fatal(err)
			}
			return
		}
		for _, policy := range []Policy{FCFS, EASY} {
			for _, waits := range must.Value(s.Waits(t.Context(), Job{Processors: 1, Requested: 10}, 2, 3, policy))(t) {
				if !(waits[0] >= 0) || waits[1] < waits[0] {
					t.Errorf("%s: waits %v", policy, waits)
				}
			}
		}
	})
}

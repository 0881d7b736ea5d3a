package schedule_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// report is one call of a place's methods.
type report struct {
	add  []schedule.Job
	come *schedule.Slot
	leave,
	withdraw,
	end string
}

// model repeats the state of a place from its answers alone.
type model struct {
	place   schedule.Scheduler
	slots   map[string]schedule.Slot
	jobs    map[string]schedule.Job
	waiting map[string]bool
	running map[string]string // slot by job
	log     []schedule.Start
}

func newModel() *model {
	return &model{slots: map[string]schedule.Slot{}, jobs: map[string]schedule.Job{}, waiting: map[string]bool{},
		running: map[string]string{}}
}

// apply makes a report and checks the answer against the limits.
func (u *model) apply(t *rapid.T, r report) {
	var starts []schedule.Start
	var err error
	gone := r.leave
	switch {
	case r.add != nil:
		for _, j := range r.add {
			u.jobs[j.Name], u.waiting[j.Name] = j, true
		}
		starts, err = u.place.Add(r.add...)
	case r.come != nil:
		u.slots[r.come.Name] = *r.come
		starts, err = u.place.AddSlot(*r.come)
	case r.leave != "":
		delete(u.slots, r.leave)
		starts = u.place.RemoveSlot(r.leave)
	case r.withdraw != "":
		var waited bool
		waited, starts = u.place.Withdraw(r.withdraw)
		if waited != u.waiting[r.withdraw] {
			t.Fatalf("withdrawn %s waited: %t", r.withdraw, waited)
		}
		delete(u.waiting, r.withdraw)
	default:
		delete(u.running, r.end)
		starts = u.place.Ended(r.end)
	}
	must.OK(t, err)
	touched := map[string]bool{}
	for _, s := range starts {
		if !u.waiting[s.Job] {
			t.Fatalf("%s is started, and does not wait", s.Job)
		}
		if _, there := u.slots[s.Slot]; !there || s.Slot == gone {
			t.Fatalf("%s is started on %s, which is not there", s.Job, s.Slot)
		}
		delete(u.waiting, s.Job)
		u.running[s.Job] = s.Slot
		touched[s.Slot] = true
	}
	u.log = append(u.log, starts...)
	for name := range touched {
		u.checkSlot(t, name)
	}
	if u.place.Waiting() != len(u.waiting) || len(u.place.Running()) != len(u.running) {
		t.Fatalf("it counts %d that wait and %d that run; there are %d and %d", u.place.Waiting(),
			len(u.place.Running()), len(u.waiting), len(u.running))
	}
}

// checkSlot checks the limits of a slot in which a job was started.
func (u *model) checkSlot(t *rapid.T, name string) {
	s := u.slots[name]
	var runs, cores int
	var memory int64
	licences := map[string]int{}
	for job, at := range u.running {
		if at != name {
			continue
		}
		n := u.jobs[job].Needs
		runs, cores, memory = runs+1, cores+n.Cores, memory+n.Memory
		for l, k := range n.Licences {
			licences[l] += k
		}
	}
	// A slot that shrank holds more than it has of what the started run does not need.
	last := u.jobs[u.log[len(u.log)-1].Job].Needs
	if s.Runs > 0 && runs > s.Runs || last.Cores > 0 && cores > s.Cores || last.Memory > 0 && memory > s.Memory {
		t.Fatalf("slot %+v holds %d runs with %d cores and %d bytes", s, runs, cores, memory)
	}
	for l, k := range last.Licences {
		if k > 0 && licences[l] > s.Licences[l] {
			t.Fatalf("slot %+v holds %d of licence %s", s, licences[l], l)
		}
	}
}

func amounts(most int) *rapid.Generator[schedule.Amount] {
	return rapid.Custom(func(t *rapid.T) schedule.Amount {
		a := schedule.Amount{
			Cores: rapid.IntRange(0, most).Draw(t, "cores"), Memory: int64(rapid.IntRange(0, most).Draw(t, "memory")),
		}
		if n := rapid.IntRange(0, 2).Draw(t, "licences"); n > 0 {
			a.Licences = map[string]int{"cfd": n}
		}
		return a
	})
}

// reports draws a report that is possible in the present state.
func (u *model) reports(t *rapid.T, n int) report {
	running, waiting := slices.Sorted(maps.Keys(u.running)), slices.Sorted(maps.Keys(u.waiting))
	switch k := rapid.IntRange(0, 9).Draw(t, "report"); {
	case k < 4 && len(running) > 0:
		return report{end: rapid.SampledFrom(running).Draw(t, "ended")}
	case k == 4:
		name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "slot")
		return report{
			come: &schedule.Slot{Name: name, Runs: rapid.IntRange(0, 4).Draw(t, "runs"),
				Amount: amounts(8).Draw(t, "has")},
		}
	case k == 5:
		return report{leave: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "slot")}
	case k == 6 && len(waiting) > 0:
		return report{withdraw: rapid.SampledFrom(waiting).Draw(t, "withdrawn")}
	}
	var jobs []schedule.Job
	for i := range rapid.IntRange(1, 5).Draw(t, "jobs") {
		jobs = append(jobs, schedule.Job{
			Name: fmt.Sprintf("j%d-%d", n, i), Component: rapid.SampledFrom([]string{"fan", "hpc", "lpt"}).Draw(t,
				"component"),
			Priority: rapid.IntRange(0, 2).Draw(t, "priority"), Needs: amounts(8).Draw(t, "needs"),
		})
	}
	return report{add: jobs}
}

// Whatever happens, no limit is passed, no job runs twice at a time, and the same
// reports bring the same answers. If runs end and there is a slot that is big
// enough, every job ends.
func TestScheduler(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		u := newModel()
		var reports []report
		for n := range rapid.IntRange(1, 40).Draw(t, "length") {
			r := u.reports(t, n)
			reports = append(reports, r)
			u.apply(t, r)
		}
		repeated := newModel()
		for _, r := range reports {
			repeated.apply(t, r)
		}
		if diff := cmp.Diff(u.log, repeated.log); diff != "" {
			t.Fatalf("the same reports brought other starts: %s", diff)
		}
		u.apply(t, report{
			come: &schedule.Slot{
				Name: "big", Amount: schedule.Amount{Cores: 8, Memory: 8, Licences: map[string]int{"cfd": 2}},
			},
		})
		if stuck := u.place.Stuck(); stuck != nil {
			t.Fatalf("stuck: %v", stuck)
		}
		for len(u.running) > 0 {
			u.apply(t, report{end: rapid.SampledFrom(slices.Sorted(maps.Keys(u.running))).Draw(t, "ended")})
		}
		if len(u.waiting) > 0 {
			t.Fatalf("%v wait for ever", u.waiting)
		}
	})
}

// An endless stream of small jobs does not block a large one.
func TestNothingStarves(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		u := newModel()
		cores := rapid.IntRange(2, 8).Draw(t, "cores")
		u.apply(t, report{come: &schedule.Slot{Name: "a", Amount: schedule.Amount{Cores: cores}}})
		small := func(n int) report {
			return report{
				add: []schedule.Job{{Name: fmt.Sprintf("s%d", n), Component: "fan", Needs: schedule.Amount{Cores: 1}}},
			}
		}
		n := 0
		for ; n < cores; n++ {
			u.apply(t, small(n))
		}
		u.apply(t, report{
			add: []schedule.Job{
				{Name: "big", Component: rapid.SampledFrom([]string{"fan", "hpc"}).Draw(t, "component"),
					Needs: schedule.Amount{Cores: cores}},
			},
		})
		for ends := 0; u.waiting["big"]; ends++ {
			if ends > schedule.Patience+3*cores {
				t.Fatalf("after %d ends the big job still waits", ends)
			}
			u.apply(t, small(n))
			n++
			u.apply(t, report{end: rapid.SampledFrom(slices.Sorted(maps.Keys(u.running))).Draw(t, "ended")})
		}
	})
}

func starts(t *testing.T) func([]schedule.Start, error) []string {
	return func(list []schedule.Start, err error) []string {
		t.Helper()
		must.OK(t, err)
		out := []string{}
		for _, s := range list {
			out = append(out, s.Job+" on "+s.Slot)
		}
		return out
	}
}

// Components share the cores; a small study does not wait for a large one.
func TestFairness(t *testing.T) {
	var p schedule.Scheduler
	get := starts(t)
	var many []schedule.Job
	for i := range 6 {
		many = append(many, schedule.Job{Name: fmt.Sprintf("fan%d", i), Component: "fan"})
	}
	get(p.Add(many...))
	get(p.Add(schedule.Job{Name: "hpc0", Component: "hpc"}, schedule.Job{Name: "hpc1", Component: "hpc", Priority: 1}))
	got := get(p.AddSlot(schedule.Slot{Name: "here", Runs: 4}))
	want := []string{"fan0 on here", "hpc1 on here", "fan1 on here", "hpc0 on here"}
	must.Equal(t, want, got)
}

func TestRefused(t *testing.T) {
	var p schedule.Scheduler
	if _, err := p.Add(schedule.Job{Name: "a"}, schedule.Job{Name: "a"}); err == nil {
		t.Error("a job was added twice")
	}
	if _, err := p.Add(schedule.Job{Name: "b", Needs: schedule.Amount{Cores: -1}}); err == nil {
		t.Error("a job with a negative need was added")
	}
	if _, err := p.AddSlot(schedule.Slot{Name: "x", Runs: -1}); err == nil {
		t.Error("a slot for less than no run was added")
	}
	if got := p.Stuck(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("stuck: %v", got)
	}
}

// A scheduler reports slots, jobs and ends of runs; the place answers with the jobs to start
// and their slots.
func ExampleScheduler() {
	p := &schedule.Scheduler{}
	show := func(what string, starts []schedule.Start) { fmt.Println(what, starts) }
	starts, _ := p.AddSlot(schedule.Slot{Name: "node1", Amount: schedule.Amount{Cores: 2}})
	show("node1 added:", starts)
	starts, _ = p.Add(
		schedule.Job{Name: "fan-1", Component: "fan", Needs: schedule.Amount{Cores: 1}},
		schedule.Job{Name: "fan-2", Component: "fan", Needs: schedule.Amount{Cores: 1}},
		schedule.Job{Name: "hpc-1", Component: "hpc", Needs: schedule.Amount{Cores: 1}},
		schedule.Job{Name: "hpc-2", Component: "hpc", Needs: schedule.Amount{Cores: 64}},
	)
	show("four jobs:", starts)
	fmt.Println("no slot could hold", p.Stuck())
	waited, _ := p.Withdraw("hpc-2")
	fmt.Println("withdrawn:", waited)
	show("node1 removed:", p.RemoveSlot("node1"))
	fmt.Println("still running", p.Running())
	// Output:
	// node1 added: []
	// four jobs: [{fan-1 node1} {hpc-1 node1}]
	// no slot could hold [hpc-2]
	// withdrawn: true
	// node1 removed: []
	// still running [{fan-1 node1} {hpc-1 node1}]
}

// A slot that did not last long enough for a job takes it as soon as the answer has changed.
func TestFitsMayChange(t *testing.T) {
	t.Parallel()
	long := false
	p := &schedule.Scheduler{Fits: func(string, string) bool { return long }}
	must.Value(p.AddSlot(schedule.Slot{Name: "s", Amount: schedule.Amount{Cores: 1}}))(t)
	if starts := must.Value(p.Add(schedule.Job{Name: "j", Kind: "k"}))(t); len(starts) > 0 {
		t.Errorf("it starts: %v", starts)
	}
	long = true
	_, starts := p.Withdraw("")
	must.Equal(t, []schedule.Start{{Job: "j", Slot: "s"}}, starts)
}

// Of many slots the first with room is found, also after others have left and moved it.
func TestManySlots(t *testing.T) {
	t.Parallel()
	const n = 150
	var p schedule.Scheduler
	started := starts(t)
	name := func(i int) string { return fmt.Sprintf("%03d", i) }
	for i := range n {
		started(p.AddSlot(schedule.Slot{Name: name(i), Amount: schedule.Amount{Cores: 2}}))
	}
	add := func(job string, cores int) []string {
		return started(p.Add(schedule.Job{Name: job, Needs: schedule.Amount{Cores: cores}}))
	}
	for i := range n {
		must.Equal(t, []string{name(i) + " on " + name(i)}, add(name(i), 2))
	}
	must.Equal(t, []string{}, add("waits", 2))
	for i := 0; i < n-1; i += 2 { // their jobs are lost with them
		must.Equal(t, []string{}, started(p.RemoveSlot(name(i)), nil))
		must.Equal(t, []string{}, started(p.Ended(name(i)), nil))
	}
	must.Equal(t, []string{"waits on 141"}, started(p.Ended("141"), nil))
	must.Equal(t, []string{}, add("small", 1))
	must.Equal(t, []string{"small on 147"}, started(p.Ended("147"), nil))
	must.Equal(t, []string{"other on 147"}, add("other", 1))
	must.Equal(t, []string{}, add("last", 1))
}

// A job lacks the resource without whose need it had room; none if it waits for cores, or for more than one.
func TestLacks(t *testing.T) {
	t.Parallel()
	var p schedule.Scheduler
	cfd := map[string]int{"cfd": 1}
	_, err := p.AddSlot(schedule.Slot{Name: "node", Amount: schedule.Amount{Cores: 4, Memory: 8, Licences: cfd}})
	must.OK(t, err)
	_, err = p.Add(schedule.Job{Name: "runs", Needs: schedule.Amount{Cores: 2, Memory: 6, Licences: cfd}},
		schedule.Job{Name: "memory", Needs: schedule.Amount{Cores: 2, Memory: 3}},
		schedule.Job{Name: "licence", Needs: schedule.Amount{Cores: 2, Licences: cfd}},
		schedule.Job{Name: "cores", Needs: schedule.Amount{Cores: 3}},
		schedule.Job{Name: "both", Needs: schedule.Amount{Memory: 3, Licences: cfd}})
	must.OK(t, err)
	for name, want := range map[string]string{"runs": "", "memory": schedule.LacksMemory,
		"licence": schedule.LacksLicence, "cores": "", "both": "", "unknown": ""} {
		must.Equal(t, want, p.Lacks(name))
	}
}

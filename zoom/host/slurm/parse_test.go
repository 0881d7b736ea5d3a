package slurm

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// printed turns lines with readable separators into what squeue prints in our form.
func printed(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.Replace(line, "|", fieldEnd, len(columns)-1) + jobEnd + "\n")
	}
	return b.String()
}

// Jobs of several versions, typed from squeue(1): times as Unix times or, where SLURM_TIME_FORMAT is not known, in
// its own form; fields padded or not. Other jobs of the user are left out, whatever their names are.
func TestParseQueue(t *testing.T) {
	got, err := parseQueue(printed(
		"12_0|RUNNING|None|1|1795433048|1795436648|n[1-2]|peregrine-fan",
		"12_1 |PENDING |Priority |0|N/A|N/A||peregrine-fan",
		"12_2|PENDING|launch failed requeued held|2|Unknown|Unknown|(null)|peregrine-fan",
		"13_0|CANCELLED|None|0|1795433048|1795433050||peregrine-other.study",
		"14|RUNNING|None|0|1795433048|1795436648|n3|a | name\nof two lines",
		"15|RUNNING|None|0|1795433048|1795436648|n3|peregrine-by-hand",
		"16_7|RUNNING|(null)|0|2026-11-23T11:24:08|NONE|gpu03|peregrine-fan",
	))
	want := map[string][]provider.State{
		"fan": {
			{ID: "12_0", Phase: provider.Running, Nodes: []string{"n1", "n2"}, Restarts: 1,
				Ends: time.Unix(1795436648, 0)},
			{ID: "12_1", Phase: provider.Waiting, Reason: "Priority"},
			{ID: "12_2", Phase: provider.Stuck, Restarts: 2},
			{ID: "16_7", Phase: provider.Running, Nodes: []string{"gpu03"}},
		},
		"other.study": {{ID: "13_0", Phase: provider.Ended, Reason: "CANCELLED"}},
	}
	if err == nil && len(got["fan"]) > 2 {
		reason := got["fan"][2].Reason
		if !strings.HasPrefix(reason, "launch failed requeued held: ") ||
			!strings.Contains(reason, "scontrol release 12_2") {
			t.Errorf("reason %q", reason)
		}
		got["fan"][2].Reason = ""
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

// What is not in our form is an error and no empty queue: a block would seem to have ended.
func TestParseQueueRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"JOBID PARTITION NAME\n":                                    "squeue printed",
		"slurm_load_jobs error: Unable to contact slurm controller": "squeue printed",
		printed("12_0|RUNNING|None"):                                "want 8 fields",
		printed("12_[0-3]|PENDING|None|0|N/A|N/A||peregrine-s"):     "want JOB_INDEX",
		printed("12_0||None|0|N/A|N/A||peregrine-s"):                "no state of job 12_0",
		printed("12_0|RUNNING|None|x|N/A|N/A||peregrine-s"):         `"x" restarts`,
		printed("12_0|RUNNING|None|0|N/A|N/A|n[1-|peregrine-s"):     "nodes of job 12_0",
	} {
		if got, err := parseQueue(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	if got, err := parseQueue(""); err != nil || len(got) != 0 {
		t.Errorf("an empty queue: %v, %v", got, err)
	}
}

// Every state of squeue(1) has its phase, and one that nobody knows yet is neither ended nor stuck.
func TestStates(t *testing.T) {
	all :=
		`BOOT_FAIL CANCELLED COMPLETED CONFIGURING COMPLETING DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PENDING PREEMPTED RUNNING RESV_DEL_HOLD REQUEUE_FED
		REQUEUE_HOLD REQUEUED RESIZING REVOKED SIGNALING SPECIAL_EXIT STAGE_OUT STOPPED SUSPENDED TIMEOUT EXPEDITING LAUNCH_FAILED POWER_UP_NODE RECONFIG_FAIL`
	for _, state := range strings.Fields(all) {
		if phases[state] == "" {
			t.Errorf("state %s has no phase", state)
		}
	}
	if n := len(strings.Fields(all)); n != len(phases) {
		t.Errorf("%d states, want %d", len(phases), n)
	}
	for _, c := range []struct {
		job   job
		phase provider.Phase
		words string // in the reason
	}{
		{job{id: "1_0", state: "HIBERNATING", nodes: []string{"n1"}}, provider.Running, "HIBERNATING"},
		{job{id: "1_0", state: "HIBERNATING"}, provider.Waiting, "HIBERNATING"},
		{job{id: "1_0", state: "FAILED", reason: "NonZeroExitCode"}, provider.Ended, "FAILED (NonZeroExitCode)"},
		{job{id: "1_0", state: "COMPLETING", reason: "NodeDown"}, provider.Running, "COMPLETING (NodeDown)"},
		{job{id: "1_0", state: "REQUEUE_HOLD"}, provider.Stuck, "scontrol release 1_0"},
		{job{id: "1_0", state: "STOPPED"}, provider.Stuck, "scancel --signal=CONT 1_0"},
		{job{id: "1_0", state: "PENDING", reason: "JobHeldAdmin"}, provider.Stuck, "ask its administrators"},
		{job{id: "1_0", state: "PENDING", reason: "job requeued in held state"}, provider.Stuck,
			"ask its administrators"},
		{job{id: "1_0", state: "PENDING", reason: "DependencyNeverSatisfied"}, provider.Stuck, "--dependency"},
		{job{id: "1_0", state: "PENDING", reason: "PartitionTimeLimit"}, provider.Stuck, "never be had"},
		{job{id: "1_0", state: "PENDING", reason: "QOSMaxCpuPerJobLimit"}, provider.Stuck, "never be had"},
		{job{id: "1_0", state: "PENDING", reason: "QOSMaxMemoryPerNode"}, provider.Stuck, "never be had"},
		{job{id: "1_0", state: "PENDING", reason: "InvalidAccount"}, provider.Stuck, "--account"},
		{job{id: "1_0", state: "PENDING", reason: "QOSMaxJobsPerUserLimit"}, provider.Waiting,
			"QOSMaxJobsPerUserLimit"},
		{job{id: "1_0", state: "PENDING", reason: "ReqNodeNotAvail, UnavailableNodes:n1"}, provider.Waiting, "n1"},
		{job{id: "1_0", state: "PENDING", reason: "BeginTime"}, provider.Waiting, "BeginTime"},
		// of a job that was held before it ran
		{job{id: "1_0", state: "RUNNING", reason: "JobHeldUser"}, provider.Running, "JobHeldUser"},
	} {
		if s := c.job.describe(); s.Phase != c.phase || !strings.Contains(s.Reason, c.words) {
			t.Errorf("%+v: %s %q, want %s %q", c.job, s.Phase, s.Reason, c.phase, c.words)
		}
	}
}

func TestParseNodes(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "",
		"None assigned":        "",
		"n1":                   "n1",
		"n[1-3,7]":             "n1 n2 n3 n7",
		"gpu[008-011],login":   "gpu008 gpu009 gpu010 gpu011 login",
		"r[0-1]n[1-2]":         "r0n1 r0n2 r1n1 r1n2",
		"a[1-2]-ib,b[05]x,c-d": "a1-ib a2-ib b05x c-d",
	} {
		if got, err := parseNodes(text, mostNodes); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"n[1", "n1]", "n[2-1]", "n[a-b]", "n[]", "n[1-99999999]", "n[0-999]m[0-999]", ",",
		"n[-1]", "n[00000000000001]"} {
		if got, err := parseNodes(text, mostNodes); err == nil {
			t.Errorf("%q: %d nodes, want an error", text, len(got))
		}
	}
}

// Whatever squeue prints, it is read within bounds, and every block that is found has an ID and a phase.
func FuzzQueue(f *testing.F) {
	f.Add(printed("12_0|RUNNING|None|1|1795433048|1795436648|n[1-2,007]x[0-1]|peregrine-fan"))
	f.Add(printed("12_1|PENDING|Priority|0|N/A|N/A|(null)|peregrine-fan", "5|X|Y|0|||a|b"))
	f.Add("squeue: error")
	f.Fuzz(func(t *testing.T, text string) {
		intaketest.Bounded(t, len(text), func() {
			studies, err := parseQueue(text)
			for study, states := range studies {
				for _, s := range states {
					if err != nil || !blockID().MatchString(s.ID) || s.Phase == "" || s.Restarts < 0 {
						t.Errorf("%q has %+v (%v)", study, s, err)
					}
				}
			}
		})
	})
}

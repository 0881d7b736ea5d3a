package slurm

// The output of squeue, in a format of this package. Its JSON differs in each version, and its columns cut long texts.

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// Characters that no name contains separate fields and jobs: names of jobs may contain all others, including ends of
// lines.
const (
	fieldEnd = "\x1f"
	jobEnd   = "\x1e"
)

// columns are the fields of a job in the output of squeue, in the order of parseJob.
var columns = []string{"JobArrayID", "State", "Reason", "RestartCnt", "StartTime", "EndTime", "NodeList", "Name"}

// queueFormat returns squeue's format for the columns: each in its full length, with an end.
func queueFormat() string {
	return strings.Join(columns, ":"+fieldEnd+",") + ":" + jobEnd
}

// job is squeue's report on a block.
type job struct {
	id, state, reason string
	restarts          int
	start, end        time.Time // zero: unknown. The start of a waiting job is Slurm's estimate
	nodes             []string
}

// alone matches jobs that are no elements of an array, and so no blocks, with any name.
var alone = regex.Lazy(`^[0-9]+(\+[0-9]+)?$`)

// parseQueue returns the blocks among the jobs in the output of squeue, by study.
func parseQueue(text string) (map[string][]provider.State, error) {
	studies, nodesLeft := map[string][]provider.State{}, mostNodes
	entries := strings.Split(text, jobEnd)
	if rest := strings.TrimSpace(entries[len(entries)-1]); rest != "" {
		return nil, fmt.Errorf("squeue printed %.200q, want %d fields of each job", rest, len(columns))
	}
	for _, entry := range entries[:len(entries)-1] {
		fields := strings.Split(strings.TrimLeft(entry, "\n"), fieldEnd)
		if len(fields) != len(columns) {
			return nil, fmt.Errorf("squeue printed %.200q, want %d fields of each job", entry, len(columns))
		}
		study, ours := strings.CutPrefix(strings.TrimSpace(fields[len(fields)-1]), prefix)
		if !ours || alone().MatchString(strings.TrimSpace(fields[0])) {
			continue
		}
		j, err := parseJob(fields, nodesLeft)
		if err != nil {
			return nil, err
		}
		nodesLeft -= len(j.nodes)
		studies[study] = append(studies[study], j.describe())
	}
	return studies, nil
}

func parseJob(fields []string, mostNodes int) (job, error) {
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	j := job{id: fields[0], state: fields[1], reason: fields[2], start: parseTime(fields[4]), end: parseTime(fields[5])}
	if !blockID().MatchString(j.id) {
		return job{}, fmt.Errorf("squeue printed job %.200q, want JOB_INDEX", fields[0])
	}
	if j.state == "" {
		return job{}, fmt.Errorf("squeue printed no state of job %s", j.id)
	}
	var err error
	if j.restarts, err = strconv.Atoi(fields[3]); err != nil || j.restarts < 0 {
		return job{}, fmt.Errorf("squeue printed %.200q restarts of job %s, want a number", fields[3], j.id)
	}
	if strings.EqualFold(j.reason, "none") || j.reason == "(null)" {
		j.reason = ""
	}
	if j.nodes, err = parseNodes(fields[6], mostNodes); err != nil {
		return job{}, fmt.Errorf("squeue: nodes of job %s: %w", j.id, err)
	}
	return j, nil
}

// parseTime reads a Unix time, as squeue prints it with SLURM_TIME_FORMAT, or squeue's own format. Any other text is an
// unknown time.
func parseTime(text string) time.Time {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds > 0 {
		return time.Unix(seconds, 0)
	}
	if t, err := time.ParseInLocation("2006-01-02T15:04:05", text, time.Local); err == nil {
		return t
	}
	return time.Time{}
}

// squeue's report on a job, in the terms of package provider.

// describe translates Slurm's state and reason.
func (j job) describe() provider.State {
	s := provider.State{ID: j.id, Restarts: j.restarts, Nodes: j.nodes, Reason: j.reason, Phase: j.phase()}
	if j.state != "PENDING" && j.state != "RUNNING" {
		s.Reason = j.state
		if j.reason != "" {
			s.Reason += " (" + j.reason + ")"
		}
	}
	advice := stopped[j.state]
	if s.Phase == provider.Waiting {
		for _, h := range held {
			if h.reason().MatchString(strings.Trim(j.reason, "()")) {
				s.Phase, advice = provider.Stuck, h.advice
				break
			}
		}
	}
	if advice != "" {
		s.Reason += ": " + strings.ReplaceAll(advice, "{id}", j.id)
	}
	switch s.Phase {
	case provider.Waiting:
		s.Expected = j.start
	case provider.Running:
		s.Ends = j.end
	}
	return s
}

// phase returns the phase of the job's state. For an unknown state, of a later version of Slurm, the nodes decide: a
// job with nodes must not be taken for dead.
func (j job) phase() provider.Phase {
	phase, known := phases[j.state]
	switch {
	case known:
		return phase
	case len(j.nodes) > 0:
		return provider.Running
	}
	return provider.Waiting
}

// The meaning of Slurm's states and reasons for a block. Sources: squeue(1), JOB STATE CODES and JOB REASON CODES, of
// Slurm 20.11 to 25.05, and the names in libslurm.

// phases maps every state, as printed by squeue's State, to a phase.
var phases = map[string]provider.Phase{
	"PENDING":       provider.Waiting,
	"REQUEUED":      provider.Waiting,
	"REQUEUE_FED":   provider.Waiting,
	"LAUNCH_FAILED": provider.Waiting, // returns to the queue; it is held if that happens too often
	"RECONFIG_FAIL": provider.Waiting, // so does this
	"SUSPENDED":     provider.Waiting, // its cores are others' for a while

	"CONFIGURING":   provider.Running,
	"EXPEDITING":    provider.Running, // its node failed, and it begins anew at once
	"POWER_UP_NODE": provider.Running,
	"RUNNING":       provider.Running,
	"RESIZING":      provider.Running,
	"SIGNALING":     provider.Running,
	"COMPLETING":    provider.Running, // its nodes are not free yet; it may still go back into the queue

	"REQUEUE_HOLD":  provider.Stuck,
	"RESV_DEL_HOLD": provider.Stuck,
	"SPECIAL_EXIT":  provider.Stuck,
	"STOPPED":       provider.Stuck,

	"BOOT_FAIL":     provider.Ended,
	"CANCELLED":     provider.Ended,
	"COMPLETED":     provider.Ended,
	"DEADLINE":      provider.Ended,
	"FAILED":        provider.Ended,
	"NODE_FAIL":     provider.Ended,
	"OUT_OF_MEMORY": provider.Ended,
	"PREEMPTED":     provider.Ended, // a job that returns to the queue is PENDING
	"REVOKED":       provider.Ended, // it began in another cluster of a federation, where this provider does not look
	"STAGE_OUT":     provider.Ended, // its command has ended, and its files are copied
	"TIMEOUT":       provider.Ended,
}

// held lists the reasons for which a waiting job will not start unless somebody acts, and the remedies. {id} is the
// block's ID.
var held = []struct {
	reason func() *regexp.Regexp
	advice string
}{
	{regex.Lazy(`^(launch failed requeued held|JobHoldMaxRequeue|JobLaunchFailure)$`),
		"a node failed to start it, again and again: report the node (sacct -D -j {id} or the site's administrators " +
			"know it), keep off it with --exclude=NODE, and let the block go on with `scontrol release {id}`, or " +
			"cancel it with `scancel {id}`"},
	{
		regex.Lazy(`^JobHeldUser$`),
		"you hold it: let it go on with `scontrol release {id}`, or cancel it with `scancel {id}`",
	},
	{
		regex.Lazy(
			`^(JobHeldAdmin|job requeued in held state|job requeued in special exit state|.*\bheld state)$`),
		"the site holds it, perhaps because it was put back into the queue too often: ask its administrators, or " +
			"cancel it with `scancel {id}`"},
	{
		regex.Lazy(`^DependencyNeverSatisfied$`),
		"the job that it depends on has failed: take --dependency out of the launcher's options, and cancel it with " +
			"`scancel {id}`",
	},
	{
		regex.Lazy(
			`^(BadConstraints|PartitionNodeLimit|PartitionTimeLimit|PartitionConfig|MaxMemPerLimit|(Association|QOS)(Time|Resource)Limit|(Assoc|QOS)Max.*Per(Job|Node)(Limit)?|QOSMin.*)$`),
		"it can never be had as it was requested: ask for less cores, memory, nodes or time in the launcher, or for " +
			"another partition (--partition), and cancel it with `scancel {id}`"},
	{regex.Lazy(`^(InvalidAccount|InvalidQOS|AccountNotAllowed|QOSNotAllowed)$`),
		"the site does not let you have it: name an account (--account) or a quality of service (--qos) that you may " +
			"use in the launcher's options, and cancel it with `scancel {id}`"},
	{
		regex.Lazy(`^(ReservationDeleted|DeadLine)$`),
		"what it waited for is over: take --reservation or --deadline out of the launcher's options, and cancel it " +
			"with `scancel {id}`",
	},
}

// stopped lists the remedies for states that are stuck by themselves.
var stopped = map[string]string{
	"REQUEUE_HOLD": "it was put back into the queue and is held: `scontrol release {id}`, or `scancel {id}`",
	"RESV_DEL_HOLD": "its reservation was removed: take --reservation out of the launcher's options, and `scancel " +
		"{id}`",
	"SPECIAL_EXIT": "it was put back into the queue and is held, as the site wants it after an end like this: " +
		"`scontrol release {id}`, or `scancel {id}`",
	"STOPPED": "it was stopped by a signal: `scancel --signal=CONT {id}`, or `scancel {id}`",
}

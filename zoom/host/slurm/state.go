package slurm

// The meaning of Slurm's states and reasons for a block. Sources: squeue(1), JOB STATE CODES and JOB REASON CODES, of
// Slurm 20.11 to 25.05, and the names in libslurm.

import (
	"regexp"

	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

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
	reason *regexp.Regexp
	advice string
}{
	{regexp.MustCompile(`^(launch failed requeued held|JobHoldMaxRequeue|JobLaunchFailure)$`),
		"a node failed to start it, again and again: report the node (sacct -D -j {id} or the site's administrators " +
			"know it), keep off it with --exclude=NODE, and let the block go on with `scontrol release {id}`, or " +
			"cancel it with `scancel {id}`"},
	{
		regexp.MustCompile(`^JobHeldUser$`),
		"you hold it: let it go on with `scontrol release {id}`, or cancel it with `scancel {id}`",
	},
	{
		regexp.MustCompile(
			`^(JobHeldAdmin|job requeued in held state|job requeued in special exit state|.*\bheld state)$`),
		"the site holds it, perhaps because it was put back into the queue too often: ask its administrators, or " +
			"cancel it with `scancel {id}`"},
	{
		regexp.MustCompile(`^DependencyNeverSatisfied$`),
		"the job that it depends on has failed: take --dependency out of the launcher's options, and cancel it with " +
			"`scancel {id}`",
	},
	{
		regexp.MustCompile(
			`^(BadConstraints|PartitionNodeLimit|PartitionTimeLimit|PartitionConfig|MaxMemPerLimit|(Association|QOS)(Time|Resource)Limit|(Assoc|QOS)Max.*Per(Job|Node)(Limit)?|QOSMin.*)$`),
		"it can never be had as it was requested: ask for less cores, memory, nodes or time in the launcher, or for " +
			"another partition (--partition), and cancel it with `scancel {id}`"},
	{regexp.MustCompile(`^(InvalidAccount|InvalidQOS|AccountNotAllowed|QOSNotAllowed)$`),
		"the site does not let you have it: name an account (--account) or a quality of service (--qos) that you may " +
			"use in the launcher's options, and cancel it with `scancel {id}`"},
	{
		regexp.MustCompile(`^(ReservationDeleted|DeadLine)$`),
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

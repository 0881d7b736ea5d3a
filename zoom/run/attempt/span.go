package attempt

// The times that the parts of a job and of its attempts take. Few are recorded, and in the study's log alone; other
// parts follow from the attempt's other events.

import "time"

// Names of an attempt's spans.
const (
	SpanStart   = "start"   // of the process, until it has described itself
	SpanCarry   = "carry"   // files of the request go to the run's machine
	SpanIterate = "iterate" // from the first report of solver or files to the last
	SpanCall    = "call"    // the request, until its answer; bytes of both, and of the reports
	SpanFetch   = "fetch"   // files of the run come back from its machine
)

// ValueSilence is the longest silence between two reports of an attempt, or before its answer, s: a value of its
// SpanIterate.
const ValueSilence = "silence"

// Names of the other spans of a job.
const (
	SpanSlot   = "slot"   // in a worker, from the end of the queue to the job's outcome
	SpanQueued = "queued" // in a worker, until it gets what it waits for
	SpanLookUp = "lookup" // for its answer in the cache
	SpanKeep   = "keep"   // of its answer in the cache
)

// Waits of jobs that are not in a worker.
const (
	WaitsForHold   = "hold"   // of queued jobs while a user holds them; the span has no job
	WaitsForWorker = "worker" // of a queued job
	WaitsForRound  = "round"  // of a job whose next run starts from another of its round, until all others have ended
)

// LeastSpan is the length of the shortest span that is recorded. Of shorter ones a run has many, and they explain
// nothing.
const LeastSpan = time.Millisecond

package study

// The cache entry of a run.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// StoredAnswer is a cache entry, stored as JSON: Go writes a float64 so that reading returns the same bits.
type StoredAnswer struct {
	Format int `json:"format"` // of the entry; 0 in entries of format 1
	run.Answer
	Made    time.Time          `json:"made,omitzero"`
	Host    string             `json:"host,omitempty"`
	Maker   run.Maker          `json:"maker,omitzero"`
	Request map[string]float64 `json:"request,omitempty"` // its numbers
	Steered []event.Receipt    `json:"steered,omitempty"` // acts applied on the way to the answer; part of the key
	Verdict json.RawMessage    `json:"verdict,omitempty"` // of the rules in the key on the run, see run.Rules
	// number of failures by the cause of this one, which is no answer and is remembered for a while; 0: it is an answer
	Failures int `json:"failures,omitempty"`
}

// answerFormat is the version of cache entries that this program writes.
const answerFormat = 1

// EntryError reports a cache entry that a newer program wrote.
type EntryError struct {
	Key    string
	Format int
}

func (e *EntryError) Error() string {
	return fmt.Sprintf("cache entry %.12s has format %d and this program reads up to %d: use the newer Peregrine "+
		"that wrote it, or another cache (--cache)", e.Key, e.Format, answerFormat)
}

// ReadAnswer reads the cache entry of a key. The error is an [*EntryError] if a newer program wrote it.
func ReadAnswer(key cache.Key, data []byte) (a StoredAnswer, err error) {
	if err := json.Unmarshal(data, &a); err != nil {
		return a, err
	}
	if a.Format > answerFormat {
		return a, &EntryError{key.String(), a.Format}
	}
	return a, nil
}

// Differ reports whether two entries give different answers to the same request, of any origin.
func Differ(a, b []byte) bool {
	var x, y StoredAnswer
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return !bytes.Equal(a, b)
	}
	return run.Difference(&x.Result, &y.Result) != ""
}

// Cost returns the time taken to make an entry, in seconds; 0 for a failure, which is no answer. The cache
// weighs entries by it when it reaches its limit.
func Cost(data []byte) float64 {
	var a StoredAnswer
	if json.Unmarshal(data, &a) != nil || a.Failures > 0 {
		return 0
	}
	return a.Wall.Seconds()
}

// CostUnlessKept returns [Cost], which is infinite for answers of runs that are marked to be kept, or whose marks
// cannot be read: in the folder of their study that the answer names, or in one of that name in a work folder.
func CostUnlessKept(work string) func(data []byte) float64 {
	studies := map[string]func(run string) bool{}
	kept := func(folder, run string) bool {
		if studies[folder] == nil {
			marks, err := studylog.ReadMarks(folder, time.Time{})
			studies[folder] = func(run string) bool { return err != nil || marks.Kept(run) }
		}
		return studies[folder](run)
	}
	return func(data []byte) float64 {
		var a StoredAnswer
		if json.Unmarshal(data, &a) != nil || a.Study == "" || !filepath.IsLocal(a.Study) {
			return Cost(data)
		}
		of := filepath.Dir(a.Folder)
		if filepath.IsAbs(of) && filepath.Base(of) == a.Study && kept(of, a.Run) ||
			kept(filepath.Join(work, a.Study), a.Run) {
			return math.Inf(1)
		}
		return Cost(data)
	}
}

// Machine names the machine that made the answer, with its known properties.
func (a *StoredAnswer) Machine() string {
	m := a.Maker
	m.Machine = cmp.Or(m.Machine, a.Host)
	return m.String()
}

// put stores the answer under a key. If its maker names no machine, put adds this machine.
func (a StoredAnswer) put(key cache.Key, put func(cache.Key, []byte) error) error {
	name, _ := os.Hostname()
	a.Format, a.Host, a.Made = answerFormat, cmp.Or(a.Maker.Machine, name), a.Made.Truncate(time.Second)
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return put(key, data)
}

// outcome returns the answer as the outcome of a task.
func (a *StoredAnswer) outcome(key cache.Key, t attempt.Task) run.Outcome {
	o := run.Outcome{Job: t.Job, Answer: a.Answer, Cached: true, Key: key.String(), Verdict: a.Verdict}
	if t.Variation != nil {
		o.Attempts = t.Variation.Attempts
	}
	return o
}

package rules

// The verdict on a run is kept with its answer in the cache, so that a later study needs no event of the run. It holds
// for the rules, the component and the run that it names. A run has none if its judge has not seen all of it, or if
// the rules changed or commanded the run meanwhile, or if a rule on the study fired while it iterated; its events
// are judged again.

import (
	"encoding/json"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// verdict is what rules found on a run.
type verdict struct {
	Form    int        `json:"form"`
	Rules   string     `json:"rules"` // their key
	Of      rule.Run   `json:"of"`
	Found   []finding  `json:"found,omitempty"`
	Offered []string   `json:"offered,omitempty"` // names of the values that the run reported
	Facts   rule.Facts `json:"facts,omitzero"`    // for rules on the study
	Ended   time.Time  `json:"ended,omitzero"`
}

// finding is a finding on a run, with what the judge did about it.
type finding struct {
	rule.Finding
	Would  string     `json:"would,omitempty"` // action that was noted and not taken
	Cause  *event.Ref `json:"cause,omitempty"`
	InSitu bool       `json:"in_situ,omitempty"` // by the run itself
}

// verdictForm is raised when rules find something else by the same events than in earlier versions.
const verdictForm = 1

// verdicts are the verdicts on runs whose answers have not been kept, by run.
type verdicts map[string]*verdict

// begin begins the verdict on a run with the run's first event.
func (all verdicts) begin(e *event.Event, of rule.Run, rules string) {
	if e.Kind == event.Started && e.Source == event.Host && e.Seq == 1 {
		all[e.Run] = &verdict{Form: verdictForm, Rules: rules, Of: of}
	}
}

// note adds a finding to the verdict on its run. A rule that commands the run ends the verdict.
func (all verdicts) note(f rule.Finding, cause *event.Ref, inSitu bool) {
	v := all[f.Run]
	switch {
	case v == nil:
	case f.Acts && f.Action != rule.Stop && f.Action != rule.Unusable:
		delete(all, f.Run)
	case inSitu || f.Severity != rule.Info || f.Action != "":
		x := finding{Finding: f, Cause: cause, InSitu: inSitu}
		if !f.Acts && f.Action != "" && (f.Kind != event.Ended || f.Does.OnStudy()) {
			x.Would = f.Does.String()
		}
		v.Found = append(v.Found, x)
	}
}

// conclude completes the verdict on a run that has ended, or drops it if the answer is not one to be kept.
func (all verdicts) conclude(e *event.Event, runs *rule.Monitor, facts *rule.StudyMonitor) {
	v := all[e.Run]
	switch {
	case v == nil || e.Source != event.Host:
	case !run.Repeatable(e.Class):
		delete(all, e.Run)
	default:
		v.Offered, v.Facts, v.Ended = runs.Offered(e.Run), facts.Facts(e.Run), e.Time
	}
}

// take removes the verdict on an ended run and returns it as text; nil: it has none, or a value that JSON lacks.
func (all verdicts) take(name string) json.RawMessage {
	v := all[name]
	delete(all, name)
	if v == nil || v.Ended.IsZero() {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return data
}

// keptVerdict returns the verdict that is kept with an answer; nil: there is none that holds for its run under rules.
func keptVerdict(o *run.Outcome, of rule.Run, rules string) *verdict {
	var v verdict
	if len(o.Verdict) == 0 || json.Unmarshal(o.Verdict, &v) != nil || v.Form != verdictForm || v.Rules != rules ||
		v.Of != of || v.Facts.Texts["class"] != string(o.Class) {
		return nil
	}
	return &v
}

package document

// Warnings with the lines they came from and their rules.

import (
	"github.com/peregrine-sim/peregrine/executive/report/dossier"
)

// Warning is a finding of a rule.
type Warning struct {
	Severity, Tone string
	Rule           string
	About          string // case, component, run
	When           string
	Message        string
	Evidence       []string
}

func toneOfSeverity(severity string) string {
	switch severity {
	case "error":
		return bad
	case "warning":
		return poor
	}
	return neutral
}

// warningOf is a warning of the results or of the log.
func warningOf(w dossier.Warning) Warning {
	out := Warning{Severity: w.Severity, Tone: toneOfSeverity(w.Severity), Rule: w.Rule, When: w.Time,
		Message: clipped(w.Message, 1000)}
	if !w.At.IsZero() {
		out.When = date(w.At)
	}
	for _, text := range []string{w.Case, w.Component, w.Run} {
		out.About = joined(out.About, text)
	}
	for _, line := range w.Evidence {
		out.Evidence = append(out.Evidence, clipped(line, 400))
	}
	return out
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

package document

// The parts that sections are made of.

import (
	"html/template"
	"strings"
)

// Fact is a name with a text. Tone is a class of the style.
type Fact struct {
	Name string `json:"name"`
	Text string `json:"text"`
	Tone string `json:"tone,omitempty"`
}

// Badge is a word of a state. The style has a colour for each state that is its Tone.
type Badge struct{ Text, Tone string }

// badge is the word for a state; lineEnd is the end of a speed line that a run found, which is an answer.
func badge[S ~string](state S, lineEnd string) Badge {
	if lineEnd != "" {
		return Badge{lineEnd, "end"}
	}
	return Badge{words(state), string(state)}
}

// words is a state as people read it.
func words[S ~string](state S) string { return strings.ReplaceAll(string(state), "_", " ") }

// The tones of what is no state.
const (
	good     = "good"
	bad      = "bad"
	underway = "underway"
)

// Figure is the picture of a map.
type Figure struct {
	Name    string // of the chart in the snapshot
	Title   string
	Note    string
	Picture template.HTML
}

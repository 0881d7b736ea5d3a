package document

// The parts that sections are made of.

import "html/template"

// Fact is a name with a text.
type Fact struct {
	Name string `json:"name"`
	Text string `json:"text"`
	Tone string `json:"tone,omitempty"`
}

// Badge is a word with a colour for its quality.
type Badge struct{ Text, Tone string }

// The tones of badges, bars and states.
const (
	good     = "good"
	fair     = "fair"
	poor     = "poor"
	bad      = "bad"
	neutral  = "neutral"
	underway = "underway"
)

// Figure is the picture of a map.
type Figure struct {
	Name    string // of the chart in the snapshot
	Title   string
	Note    string
	Picture template.HTML
}

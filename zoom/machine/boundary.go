package machine

// The settings of a zoom that shape the inlet profiles, the distribution of the engine's 1-D state over the radius.
// They are no settings of the solver, which gets the profiles.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/zoom/solver/average"
)

// Boundary shapes the inlet of a zoomed machine.
type Boundary struct {
	HubLayer, CasingLayer float64 // end-wall boundary layers, fractions of the annulus height
	LayerPower            float64 // n of their power law; 0: 7
	Swirl                 float64 // mean swirl angle of the absolute flow, rad
	Shape                 Swirl   // its radial distribution; empty: FreeVortex
	Average               average.Averaging
	Rings                 int // of equal area; 0: 24
}

// BoundarySetting describes one of these settings of an engine file: a number with bounds, or one of a few words.
type BoundarySetting struct {
	Name     string
	Dim      unit.Dimension
	Min, Max float64  // bounds of a number, inclusive
	Words    []string // the words allowed; nil: the setting is a number
	Doc      string

	number func(*Boundary, float64)
	word   func(*Boundary, string)
}

// BoundarySettings are all settings of the boundary.
var BoundarySettings = []BoundarySetting{
	{Name: "hub_layer", Max: 0.5, Doc: "thickness of the hub's boundary layer, a fraction of the annulus height",
		number: func(b *Boundary, v float64) { b.HubLayer = v }},
	{Name: "casing_layer", Max: 0.5, Doc: "thickness of the casing's boundary layer, a fraction of the annulus height",
		number: func(b *Boundary, v float64) { b.CasingLayer = v }},
	{Name: "layer_power", Min: 2, Max: 20, Doc: "n of the layers' power law V ~ y^(1/n)",
		number: func(b *Boundary, v float64) { b.LayerPower = v }},
	{
		Name: "swirl", Dim: unit.Angle, Min: -1.3, Max: 1.3,
		Doc:    "the mean swirl angle of the absolute flow at the inlet",
		number: func(b *Boundary, v float64) { b.Swirl = v },
	},
	{Name: "swirl_shape", Words: []string{"free-vortex", "forced-twist", "even-angle"},
		Doc:  "radial distribution of the swirl",
		word: func(b *Boundary, w string) { b.Shape = Swirl(strings.ReplaceAll(w, "-", " ")) }},
	{Name: "inlet_average", Words: []string{string(average.Mass), string(average.Area)},
		Doc:  "the average of the profiles that equals the engine's Pt, Tt and swirl",
		word: func(b *Boundary, w string) { b.Average = average.Averaging(w) }},
	{Name: InletRings, Min: 4, Max: 400, Doc: "the number of rings of equal area in which the profiles are given",
		number: func(b *Boundary, v float64) { b.Rings = int(v) }},
}

// InletRings is the only setting of the boundary that does not refer to the annulus.
const InletRings = "inlet_rings"

// IsBoundarySetting reports whether a setting of a zoom is the boundary's.
func IsBoundarySetting(name string) bool { return boundarySetting(name) != nil }

func boundarySetting(name string) *BoundarySetting {
	i := slices.IndexFunc(BoundarySettings, func(s BoundarySetting) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &BoundarySettings[i]
}

// Set sets a setting from its text in the engine file. The error states the value and the allowed values.
func (b *Boundary) Set(name, text string) error {
	s := boundarySetting(name)
	if s == nil {
		return fmt.Errorf("%s is no setting of the inlet", name)
	}
	if s.word != nil {
		if !slices.Contains(s.Words, text) {
			return fmt.Errorf("%s is %s; it must be one of %s (%s)", name, text, strings.Join(s.Words, ", "), s.Doc)
		}
		s.word(b, text)
		return nil
	}
	v, err := unit.Parse(text, s.Dim)
	if err != nil || !(v >= s.Min && v <= s.Max) || math.IsInf(v, 0) {
		return fmt.Errorf("%s is %s; it must be %s (%s)", name, text, s.Bounds(), s.Doc)
	}
	s.number(b, v)
	return nil
}

// Bounds returns the range of a number as text, in the unit of bare numbers.
func (s *BoundarySetting) Bounds() string {
	text := fmt.Sprintf("%g to %g", s.Min, s.Max)
	if u := s.Dim.Bare(); u != "" {
		text += " " + u
	}
	return text
}

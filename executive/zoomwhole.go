package executive

// The runs of a whole map that is to have an error: they follow from the model's deviations over the map, and not from where
// the cases work.

import "github.com/peregrine-sim/peregrine/zoom"

// planWhole plans the next runs of a whole map. There are none where the error is reached.
func (z *roundsZoom) planWhole() error {
	lo, hi := wholeLow, wholeHigh
	if n := len(z.cfg.Speeds); n > 0 {
		lo, hi = z.cfg.Speeds[0], z.cfg.Speeds[n-1]
	}
	points, e, err := z.rounds.NextWhole(lo, hi, z.cfg.To[0].Error, z.cfg.Batch)
	if err != nil {
		return err
	}
	for name := range z.errors {
		z.errors[name], z.short[name] = max(z.errors[name], e), e > z.cfg.To[0].Error
	}
	for _, p := range points {
		z.planned = append(z.planned, planned{ofMap, zoom.Order{At: p}})
	}
	return nil
}

// Speeds of a whole map where the file names none, as fractions of the design's.
const wholeLow, wholeHigh = 0.7, 1.05

// ofMap stands for the case of a run that is for the map alone. No case has such a name.
const ofMap = "(map)"

package blade

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ReadStreamSurfaces reads a blade row from surfaces of revolution that carry the
// blade and go on before and behind it, in the layout that NASA gave Rotor 67 (J. R.
// Wood and A. J. Strazisar; data of NASA TP-2879): a header of any text; a line "JM NS
// NB JLE JTE" with its five numbers below; and for each surface, hub to casing, four
// tables of JM numbers, each after a title and a scale factor: axial distance, radius
// times angle of the upper side, tangential thickness (subtracted from the upper side
// to give the lower), radius. The first and last surface are the walls. unit is the
// file's length in metres.
//
// The angle's sign is turned if the blade leans with it at the tip, so that it is
// positive with the rotation of a compressor rotor.
func ReadStreamSurfaces(r io.Reader, unit float64) (*Body, error) {
	f := &surfaceFile{scan: bufio.NewScanner(r)}
	jm, ns, nb, le, te, err := f.header()
	if err != nil {
		return nil, err
	}
	b := &Body{Source: "NASA stream-surface file", Blades: nb}
	for n := range ns {
		var t [4][]float64
		for k, name := range [4]string{"axial distance", "radius x theta", "thickness", "radius"} {
			if t[k], err = f.table(jm, unit); err != nil {
				return nil, fmt.Errorf("surface %d of %d, %s: line %d: %w", n+1, ns, name, f.line, err)
			}
		}
		b.Sections = append(b.Sections, profile(t, le, te))
		if n == 0 || n == ns-1 {
			wall, err := NewCurve(t[0], t[3])
			if err != nil {
				return nil, fmt.Errorf("surface %d as a wall: %w", n+1, err)
			}
			if b.Casing = wall; n == 0 {
				b.Hub = wall
			}
		}
	}
	tip := &b.Sections[ns-1]
	if last(tip.Upper) > tip.Upper[0] {
		b.mirror()
	}
	return b, b.Check()
}

func profile(t [4][]float64, le, te int) Profile {
	var p Profile
	for k := le - 1; k < te; k++ {
		r := t[3][k]
		p.Z, p.R = append(p.Z, t[0][k]), append(p.R, r)
		p.Upper, p.Lower = append(p.Upper, t[1][k]/r), append(p.Lower, (t[1][k]-t[2][k])/r)
	}
	return p
}

func (b *Body) mirror() {
	for n := range b.Sections {
		s := &b.Sections[n]
		for k := range s.Z {
			s.Lower[k], s.Upper[k] = -s.Upper[k], -s.Lower[k]
		}
	}
}

type surfaceFile struct {
	scan *bufio.Scanner
	line int
}

func (f *surfaceFile) next() (string, error) {
	if !f.scan.Scan() {
		if err := f.scan.Err(); err != nil {
			return "", err
		}
		return "", io.ErrUnexpectedEOF
	}
	f.line++
	return f.scan.Text(), nil
}

// header finds the five numbers: the last line of five names with integers below.
func (f *surfaceFile) header() (jm, ns, nb, le, te int, err error) {
	titled := false
	for {
		text, err := f.next()
		if err != nil {
			return 0, 0, 0, 0, 0, fmt.Errorf("no line of JM, NS, NB, JLE and JTE: %w", err)
		}
		w := strings.Fields(text)
		if len(w) == 5 && w[0] == "JM" {
			titled = true
			continue
		}
		if !titled || len(w) != 5 {
			continue
		}
		var v [5]int
		ok := true
		for k := range w {
			v[k], err = strconv.Atoi(w[k])
			ok = ok && err == nil
		}
		// The layout's description may show sample numbers; data follow the last ones.
		if title, err := f.next(); !ok || err != nil || !strings.Contains(title, "urface") {
			titled = false
			continue
		}
		if v[0] < 4 || v[0] > 1e5 || v[1] < 2 || v[1] > 1e4 || v[3] < 1 || v[4] <= v[3]+2 || v[4] > v[0] {
			return 0, 0, 0, 0, 0, fmt.Errorf(
				"line %d: JM %d, NS %d, NB %d, JLE %d, JTE %d: want 1 <= JLE < JTE <= JM and at least 2 surfaces",
				f.line, v[0], v[1], v[2], v[3], v[4])
		}
		return v[0], v[1], v[2], v[3], v[4], nil
	}
}

// table reads one title, a scale factor and n numbers. Lines with words belong to the title.
func (f *surfaceFile) table(n int, unit float64) ([]float64, error) {
	var v []float64
	scale := math.NaN()
	for len(v) < n {
		text, err := f.next()
		if err != nil {
			return nil, fmt.Errorf("%d of %d numbers: %w", len(v), n, err)
		}
		row, words := numbers(text)
		switch {
		case words && len(v) == 0 && math.IsNaN(scale):
		case words:
			return nil, fmt.Errorf("%q after %d of %d numbers", strings.TrimSpace(text), len(v), n)
		case math.IsNaN(scale) && len(row) == 1:
			scale = row[0]
		case math.IsNaN(scale):
			return nil, fmt.Errorf("%d numbers where a scale factor is due", len(row))
		default:
			v = append(v, row...)
		}
	}
	if len(v) > n {
		return nil, fmt.Errorf("%d numbers; want %d", len(v), n)
	}
	for k := range v {
		v[k] *= scale * unit
	}
	return v, nil
}

func numbers(text string) (v []float64, words bool) {
	for _, w := range strings.Fields(text) {
		x, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return nil, true
		}
		v = append(v, x)
	}
	return v, len(v) == 0
}

// Package papertest tells whether a picture is whole.
package papertest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// SVG fails the test if a picture is not well formed, or a number in it is none.
func SVG(t testing.TB, name string, data []byte) {
	t.Helper()
	if bytes.Contains(data, []byte("NaN")) {
		t.Errorf("%s: NaN in the picture", name)
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

// PNG fails the test if a picture is broken, blank or black.
func PNG(t testing.TB, name string, data []byte) {
	t.Helper()
	img := must.Value(png.Decode(bytes.NewReader(data)))(t)
	inked, dark, b := 0, 0, img.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			if r+g+b < 3*0xa000 {
				inked++
			}
			if r+g+b < 3*0x8000 {
				dark++
			}
		}
	}
	if paper := float64(b.Dx() * b.Dy()); float64(dark) < 0.005*paper || float64(inked) > 0.2*paper {
		t.Errorf("%s: %.4f of the paper is dark, %.4f inked", name, float64(dark)/paper, float64(inked)/paper)
	}
}

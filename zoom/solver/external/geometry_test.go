package external

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// The surface of a blade is closed, and its normals point outwards: each edge has its opposite, and the volume is
// positive.
func TestSurfaceIsClosed(t *testing.T) {
	geometry := must.Value(os.ReadFile("../../../config/examples/geometry/e3-fan.yaml"))(t)
	text := must.Value(blades(string(geometry), "rotor", formatSTL))(t)
	edges, volume := map[[2]string]int{}, 0.0
	var corners []point
	var names []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, is := strings.CutPrefix(line, "vertex "); is {
			var p point
			must.Value(fmt.Sscan(rest, &p[0], &p[1], &p[2]))(t)
			corners, names = append(corners, p), append(names, rest)
		}
		if line != "endloop" {
			continue
		}
		for i := range 3 {
			edges[[2]string{names[i], names[(i+1)%3]}]++
		}
		p, q, r := corners[0], corners[1], corners[2]
		volume += (p[0]*(q[1]*r[2]-q[2]*r[1]) + p[1]*(q[2]*r[0]-q[0]*r[2]) + p[2]*(q[0]*r[1]-q[1]*r[0])) / 6
		corners, names = nil, nil
	}
	if len(edges) < 1000 {
		t.Fatalf("%d edges", len(edges))
	}
	for e := range edges {
		if edges[e] != edges[[2]string{e[1], e[0]}] {
			t.Fatalf("the edge %v has no opposite", e)
		}
	}
	if !(volume > 1e-4 && volume < 1e-2) {
		t.Errorf("volume %g m3", volume)
	}
	if _, err := blades(string(geometry), "vane", formatSections); err == nil ||
		!strings.Contains(err.Error(), `has no blade row "vane"`) {
		t.Error(err)
	}
	sections := must.Value(blades(string(geometry), "", formatSections))(t)
	read, err := readTable([]byte(sections))
	if err != nil || len(read.names) != 5 {
		t.Errorf("%v, %v", read.names, err)
	}
}

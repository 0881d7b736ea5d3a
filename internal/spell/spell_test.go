package spell_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

func TestNearest(t *testing.T) {
	known := []string{"type", "stations", "PR", "eff", "map", "psi", "Pa", "kPa", "MN"}
	for word, want := range map[string]string{
		"tpye": "type", "sation": "stations", "ef": "eff", "PSI": "psi", "pa": "Pa",
		"mpa": "map", "Mn": "MN", "zzzz": "", "q": "", "": "",
		"efficiency": "", "sta": "", // parts of a word are hints alone
	} {
		if got := spell.Nearest(word, slices.Values(known)); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestDistanceOfKnownPairs(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "abc", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"ca", "abc", 3}, {"x", "x", 0}} {
		if got := spell.Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestDistanceIsSymmetricAndZeroOnlyForEqualWords(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-c]{0,6}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := spell.Distance(a, b)
		if e := spell.Distance(b, a); d != e {
			t.Fatalf("%d one way, %d the other", d, e)
		}
		if (d == 0) != (a == b) || d > max(len(a), len(b)) || d < max(len(a), len(b))-min(len(a), len(b)) {
			t.Fatalf("distance %d is outside its bounds", d)
		}
	})
}

func TestHint(t *testing.T) {
	known := []string{"map", "scalars", "direct", "eff", "not_converged", "non-finite"}
	for word, want := range map[string]string{
		"scalar": "scalars", "zzz": "", "efficiency": "eff", "perf_map": "map", "heatmap": "", "di": "",
		"scal": "scalars", "not_con": "not_converged", "finite": "", "converged": "", "not_map": "", "nonmap": "",
	} {
		if want = ", did you mean " + want + "?"; want == ", did you mean ?" {
			want = ", want map, scalars, direct, eff, not_converged or non-finite"
		}
		if got := spell.Hint(word, known); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
	fields := []string{"PR", "PR_core", "eff", "effPoly", "W", "wear_eff", "map_x"}
	for word, want := range map[string]string{"PRdes": "PR", "effPolytropic": "effPoly", "frac_W": "W", "frac_w": "",
		"PRdes_core": "PR_core", "Prandtl": "", "wear": "wear_eff", "x": ""} {
		if want = ", did you mean " + want + "?"; want == ", did you mean ?" {
			want = ", want PR, PR_core, eff, effPoly, W, wear_eff or map_x"
		}
		if got := spell.Hint(word, fields); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
	if got := spell.Hint("eff_table", known, "eff"); !strings.HasPrefix(got, ", want map") {
		t.Errorf("the word given already: %q", got)
	}
}

func TestHintNamesTheMostSimilarOfManyWords(t *testing.T) {
	known := []string{"zoom_a", "zoom_b", "zoom_c", "zoom_d", "zoom_e", "zoom_f", "zoom_g", "zoom_h", "zoom_i",
		"zoom_j", "zoom_k", "zoom_l", "outlet_pressure"}
	got := spell.Hint("out.pressure.at.end", known)
	if !strings.HasPrefix(got, ", want one of outlet_pressure, zoom_a") {
		t.Error(got)
	}
}

func TestCount(t *testing.T) {
	if a, b := spell.Count(1, "map"), spell.Count(0, "map"); a != "1 map" || b != "0 maps" {
		t.Errorf("%q, %q", a, b)
	}
}

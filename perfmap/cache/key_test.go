package cache

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// A value that is written at once has the encoding that it has by way of encoding/json, so that old keys stay.
func TestCanonicalEncodings(t *testing.T) {
	damaged := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
	text := rapid.OneOf(rapid.String(), damaged)
	number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1 << 53, -1 << 60, 1e21,
		1e6, 123456.5, 1e-7, 5e-324, math.MaxFloat64, math.NaN(), math.Inf(1)}))
	numbers := rapid.OneOf(rapid.Just([]float64(nil)), rapid.SliceOf(number))
	type inner struct {
		Z, A   float64
		Flag   bool
		hidden int
	}
	type own struct {
		Named string `json:"n"`
	}
	type outer struct {
		Text   string
		List   []inner
		Values []float64
		At     *inner
		None   *float64
		Any    any
		Own    own
		When   time.Time
		Bytes  []byte
		Counts map[string]int
	}
	testenv.Check(t, func(t *rapid.T) {
		some := inner{number.Draw(t, "Z"), number.Draw(t, "A"), rapid.Bool().Draw(t, "flag"), 1}
		mixed := map[string]any{"b": number.Draw(t, "x"), "a": 1.0}
		tree := map[string]any{
			"numbers": rapid.MapOf(text, number).Draw(t, "numbers"),
			"arrays":  rapid.MapOf(text, numbers).Draw(t, "arrays"),
			"texts":   rapid.MapOf(text, text).Draw(t, "texts"), "none": map[string]float64(nil), "nil": nil,
			"words": rapid.SliceOf(text).Draw(t, "words"), "no words": []string(nil),
			"struct": outer{text.Draw(t, "text"), make([]inner, rapid.IntRange(0, 2).Draw(t, "inner")),
				numbers.Draw(t, "values"), &some, nil, some, own{"x"}, time.Unix(1, 2).UTC(), []byte("ab"), nil},
			"empty": outer{}, "pointer": &some,
			"list": []any{rapid.Int64().Draw(t, "n"), text.Draw(t, "s"), mixed},

			text.Draw(t, "name"): rapid.Bool().Draw(t, "flag"),
		}
		want, wrong := appendAny(nil, tree)
		got, err := appendCanonical(nil, tree)
		if (err == nil) != (wrong == nil) || err == nil && string(got) != string(want) {
			t.Fatalf("%s (%v), want %s (%v)", got, err, want, wrong)
		}
	})
	key := must.Value(NewKey(map[string]any{"a": 1.0, "b": map[string]string{"c": "<d>"}}))(t)
	if want := "556bdde76d72edd816f3e3c064d1870641a0ea5546c6885a46c2e5bfb7d6e8c6"; key.String() != want {
		t.Errorf("%s, want %s", key, want)
	}
}

package external

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// A column that is not there is named with those that are, if somebody wrote their names.
func TestColumnsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"W,PR\n1,2\n":           `no column "eff", want W or PR`,
		"\xff\xfe,P\x01\n1,2\n": `no column "eff"`,
		"W,P\x1b[2J\n1,2\n":     `no column "eff", want W`,
	} {
		table := must.Value(readTable([]byte(text)))(t)
		if _, err := table.column("eff"); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

package convert_test

import (
	"strconv"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/must"
)

func TestAll(t *testing.T) {
	must.Equal(t, []string{"3", "1", "2"}, convert.All([]int{3, 1, 2}, strconv.Itoa))
	if convert.All([]int{}, strconv.Itoa) != nil {
		t.Error("of no elements comes a list")
	}
}

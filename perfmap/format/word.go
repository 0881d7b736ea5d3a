package format

// The words of foreign map files: how they name tables and axes, and how they
// write numbers.

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/perfmap"
)

// quantity translates a table's name in a file: TB_WcMap, WcMap, Wcorr to Wc;
// effAdiab to eff; PratioMap to PR; and TB_PR_core to PR_core. A turbine's flow
// is Wp whatever it is called. Empty: a name that no map of the kind has.
func quantity(name string, kind perfmap.Kind) string {
	word, stream, core := strings.Cut(strings.TrimPrefix(strings.ToLower(name), "tb_"), "_")
	switch strings.TrimSuffix(word, "map") {
	case "wc", "wcorr", "w", "flow", "wp":
		word = "Wc"
		if kind == perfmap.Turbine {
			word = "Wp"
		}
	case "eff", "effadiab", "eta", "ef":
		word = "eff"
	case "pr", "pratio", "pres":
		word = "PR"
	default:
		return ""
	}
	if core {
		return word + "_" + stream
	}
	return word
}

// axisName translates the name of a map's third axis: RlineMap to Rline, PRmap and PRdes to PR. The name of another
// column becomes x. An unknown name is not changed.
func axisName(name string) string {
	word := strings.ToLower(name)
	word = strings.TrimSuffix(strings.TrimSuffix(word, "map"), "des")
	switch word {
	case "r", "rline":
		return "Rline"
	case "beta":
		return "beta"
	case "pr", "pratio":
		return "PR"
	}
	if word == "alpha" || isSpeed(name) || quantity(name, perfmap.Turbine) != "" {
		return "x"
	}
	return name
}

// isSpeed reports whether an axis has a name for speed.
func isSpeed(name string) bool {
	word := strings.ToLower(name)
	return strings.HasPrefix(word, "nc") || strings.HasPrefix(word, "np") || word == "n" || word == "sped" ||
		word == "speed"
}

// parseNumber reads a number as FORTRAN, C and people write it: 1, .5, 1.,
// 1.5E-3, 1.5D-3. NaN and Inf are accepted here: [perfmap.New] reports them
// with their table and row.
func parseNumber(text string) (float64, error) {
	c := text
	if i := strings.IndexAny(text, "dD"); i > 0 {
		c = text[:i] + "e" + text[i+1:]
	}
	v, err := strconv.ParseFloat(c, 64)
	if err != nil {
		if e, ok := err.(*strconv.NumError); ok && e.Err == strconv.ErrRange {
			return 0, fmt.Errorf("%q is too large a number", text)
		}
		return 0, fmt.Errorf("%q is no number", text)
	}
	return v, nil
}

// lineIndex finds the line and column of a byte.
type lineIndex []int // where lines begin

func newLineIndex(data []byte) lineIndex {
	starts := lineIndex{0}
	for i := 0; ; {
		k := bytes.IndexByte(data[i:], '\n')
		if k < 0 {
			return starts
		}
		i += k + 1
		starts = append(starts, i)
	}
}

func (l lineIndex) place(offset int) place {
	line := sort.SearchInts(l, offset+1)
	if line == 0 {
		return place{1, 1}
	}
	return place{line, offset - l[line-1] + 1}
}

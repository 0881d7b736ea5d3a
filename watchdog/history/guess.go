package history

// The names that solvers and people give to residuals in tables. A table has no other mark of them.

import (
	"slices"
	"strings"
)

// guessed returns the name residual_X for a column of residuals, and whether its values are logarithms to base 10; ""
// for other columns. Residuals are
//
//	res_u  resU  res.u  res(u)  RES_Flow[0]  rms_rho  max_res_u  rms[Rho]  bgs[P]
//
// and the columns of Fluent's plots, continuity, x-velocity, energy, k ..., where a table has continuity or at least
// three of them. SU2's rms[X], max[X] and bgs[X] are logarithms.
func guessed(columns []string, i int) (name string, log10 bool) {
	column := columns[i]
	if open := strings.IndexByte(column, '['); open > 0 && strings.HasSuffix(column, "]") {
		switch strings.ToLower(column[:open]) {
		case "rms", "max", "bgs":
			return "residual_" + column[open+1:len(column)-1], true
		}
	}
	if equation := afterResidual(column); equation != "" {
		return "residual_" + equation, false
	}
	if slices.Contains(fluentEquations, column) && ofFluent(columns) {
		return "residual_" + column, false
	}
	return "", false
}

// residualWords begin the names of residuals, longest first.
var residualWords = []string{"residuals", "residual", "resid", "rms", "res"}

// afterResidual is the equation's name in a residual's; "" if the column is none, or is named residual_X already.
func afterResidual(column string) string {
	for _, word := range residualWords {
		if len(column) <= len(word) || !strings.EqualFold(column[:len(word)], word) {
			continue
		}
		rest := column[len(word):]
		switch c := rest[0]; {
		case strings.IndexByte("_.-:", c) >= 0:
			rest = rest[1:]
		case c == '(' || c == '[' || c == '<':
			rest = strings.TrimRight(rest[1:], ")]>")
		case c >= 'A' && c <= 'Z' && column[0] >= 'a': // resU; but RESULT is a word
		default:
			continue
		}
		if word == "residual" && column == "residual_"+rest {
			return ""
		}
		return rest
	}
	return ""
}

// fluentEquations are the columns of Fluent's residuals (Ansys Fluent User's Guide, Monitoring Residuals).
var fluentEquations = []string{
	"continuity", "x-velocity", "y-velocity", "z-velocity", "swirl", "energy", "k", "epsilon", "omega", "nut",
	"intermit", "retheta",
	"uu-stress", "vv-stress", "ww-stress", "uv-stress", "vw-stress", "uw-stress",
}

func ofFluent(columns []string) bool {
	found := 0
	for _, c := range columns {
		if slices.Contains(fluentEquations, c) {
			found++
		}
	}
	return slices.Contains(columns, "continuity") || found >= 3
}

// withoutUnit takes the unit off a name such as W_in[kg/s]. A number in brackets is a place in an array.
func withoutUnit(column string) string {
	open := strings.IndexByte(column, '[')
	if open <= 0 || !strings.HasSuffix(column, "]") || strings.Trim(column[open+1:len(column)-1], "0123456789") == "" {
		return column
	}
	return column[:open]
}

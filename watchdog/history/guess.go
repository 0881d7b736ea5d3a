package history

// The names that solvers and people give to residuals in tables. A table has no other mark of them.

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/internal/regex"
)

// Residual returns the name residual_X for a column of residuals, and whether its values are logarithms to base 10; ""
// for other columns. Residuals are
//
//	res_u  resU  res.u  res(u)  Res rho  RES_Flow[0]  rms_rho  max_res_u  rms[Rho]  bgs[P]  rho_residual  totalRes
//	maxResidual(rho)  density_RMS  L2(rho)  Rrho
//
// and the columns of Fluent's and STAR-CCM+'s plots, continuity, x-velocity, energy, k ..., where a table has
// continuity or at least three of them. SU2's rms[X], max[X], bgs[X], and Res_Flow, Res_Turb ... before its version 7
// are logarithms, and so is log10(X) of a residual. A single column res or rms is the residual.
func Residual(columns []string, i int) (name string, log10 bool) {
	column := strings.TrimSpace(columns[i])
	if inside := logarithm().FindStringSubmatch(column); inside != nil {
		column, log10 = inside[1]+inside[2], true
	}
	if open := strings.IndexByte(column, '['); open > 0 && strings.HasSuffix(column, "]") {
		switch strings.ToLower(column[:open]) {
		case "rms", "max", "bgs":
			return "residual_" + column[open+1:len(column)-1], true
		}
	}
	if equation := afterResidual(column); equation != "" {
		return "residual_" + strings.ReplaceAll(equation, " ", "_"), log10 || ofOldSU2().MatchString(column)
	}
	if found := beforeResidual().FindStringSubmatch(column); found != nil {
		return "residual_" + strings.ReplaceAll(found[1]+found[2], " ", "_"), log10
	}
	if norm().MatchString(column) { // an equation may have several
		return "residual_" + column, log10
	}
	if bareResidual().MatchString(column) {
		return "residual", log10
	}
	if plotted(column) && ofPlot(columns) {
		return "residual_" + withoutMonitor(column), log10
	}
	return "", false
}

var (
	logarithm      = regex.Lazy(`(?i)^(?:log(?:10)?\s*\((.*)\)|(?:log10|log)[\s_.:-]+(.*))$`)
	ofOldSU2       = regex.Lazy(`^Res_(Flow|Turb|Tran|Adj|Heat|Wave|FEM|FEA|Radiation|Species|Struc)`)
	beforeResidual = regex.Lazy(`^(?:(.+)[ _.-](?i:residuals?|resid|res)|([\w-]*[a-z0-9])Res(?:idual)?)$`)
	norm           = regex.Lazy(`^(?:\w*Residual\(.+\)|L(?:1|2|inf)\(\w+\)|\w+[_-](?:RMS|rms)|Rrho\w*|Rnue?)$`)
	bareResidual   = regex.Lazy(`(?i)^(residuals?|resid|res|rms)$`)
)

// residualWords begin the names of residuals, longest first.
var residualWords = []string{"residuals", "residuum", "residual", "residuo", "residu", "resid", "rms", "res"}

// afterResidual is the equation's name in a residual's; "" if the column is none, or is named residual_X already.
func afterResidual(column string) string {
	for _, word := range residualWords {
		if len(column) <= len(word) || !strings.EqualFold(column[:len(word)], word) {
			continue
		}
		rest := column[len(word):]
		switch c := rest[0]; {
		case strings.IndexByte("_.-: ", c) >= 0:
			rest = strings.TrimLeft(rest[1:], " ")
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

// plotEquations are the columns of residuals in Fluent (Ansys Fluent User's Guide, Monitoring Residuals) and in
// STAR-CCM+, in small letters.
var plotEquations = []string{
	"continuity", "x-velocity", "y-velocity", "z-velocity", "swirl", "energy", "k", "epsilon", "omega", "nut",
	"intermit", "retheta",
	"uu-stress", "vv-stress", "ww-stress", "uv-stress", "vw-stress", "uw-stress",
	"x-momentum", "y-momentum", "z-momentum", "tke", "tdr", "sdr", "sa_nut", "intermittency",
}

// plotted reports whether a column is named as an equation is in a plot of residuals.
func plotted(column string) bool {
	return slices.Contains(plotEquations, strings.ToLower(withoutMonitor(column)))
}

// withoutMonitor takes off a name the monitor before a colon to which STAR-CCM+ says that a column belongs.
func withoutMonitor(column string) string {
	if at := strings.LastIndex(column, ": "); at >= 0 {
		return column[at+2:]
	}
	return column
}

func ofPlot(columns []string) bool {
	found := 0
	for _, c := range columns {
		if c = strings.TrimSpace(c); plotted(c) {
			found++
		}
		if strings.EqualFold(withoutMonitor(c), "continuity") {
			return true
		}
	}
	return found >= 3
}

// withoutUnit takes the unit off a name such as W_in[kg/s] or Drag (N). A number in brackets is a place in an array.
func withoutUnit(column string) string {
	if open := strings.LastIndex(column, " ("); open > 0 && strings.HasSuffix(column, ")") {
		return strings.TrimSpace(column[:open])
	}
	open := strings.IndexByte(column, '[')
	if open <= 0 || !strings.HasSuffix(column, "]") || strings.Trim(column[open+1:len(column)-1], "0123456789") == "" {
		return column
	}
	return strings.TrimSpace(column[:open])
}

// ofTwo reports whether columns differ by what is in brackets alone, as T (in) and T (out) do: it is no unit there.
func ofTwo(columns []string, text string) bool {
	name := withoutUnit(text)
	return slices.ContainsFunc(columns, func(c string) bool { return c != text && withoutUnit(c) == name })
}

// shapes are the compiled patterns of like, by their text.
var shapes sync.Map

// like reports whether a name is in a list, in which a star is any text; capitals make no difference.
func like(name string, some []string) bool {
	return slices.ContainsFunc(some, func(s string) bool {
		shape, ok := shapes.Load(s)
		if !ok {
			pattern := strings.ReplaceAll(regexp.QuoteMeta(s), `\*`, ".*")
			shape, _ = shapes.LoadOrStore(s, regexp.MustCompile("(?i)^"+pattern+"$"))
		}
		return shape.(*regexp.Regexp).MatchString(name)
	})
}

package verify

// Mutants are engines that no user wrote: start engines with random changes, half of them to the text of the file, half
// to the engine. The same number makes the same mutant.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// startEngine is the origin of mutants.
type startEngine struct {
	name, file, text string
	drawn            *designType // its designs are drawn; nil: the text has one
}

// mutant is an engine made by random changes.
type mutant struct {
	number uint64
	kind   string // "text" or "model"
	start  *startEngine
	text   string
	sets   []string // as --set gives them
}

func (m *mutant) String() string {
	return fmt.Sprintf("mutant %d (%s of %s)", m.number, m.kind, m.start.name)
}

// parse reads the mutant with more settings.
func (m *mutant) parse(sets ...string) (*config.Engine, error) {
	return config.Parse(m.start.file, []byte(m.text), components.Catalogue(), slices.Concat(m.sets, sets))
}

var zoomSection = regexp.MustCompile(`(?m)^zoom:\n(?:(?:[ \t#].*)?\n)*`)

// startEngines are the shipped examples without zooms, the engines of tests, and the types from which designs are
// drawn.
func startEngines(t testing.TB) []startEngine {
	t.Helper()
	var list []startEngine
	for _, file := range enginetest.Examples(t) {
		text := zoomSection.ReplaceAllString(string(must.Value(os.ReadFile(file))(t)), "")
		if strings.Contains(text, "\nzoom:") {
			t.Fatalf("%s: its zooms are not found", file)
		}
		list = append(list, startEngine{filepath.Base(file), file, text, nil})
	}
	list = append(list, startEngine{"test turbojet", "test.yaml", enginetest.Turbojet + enginetest.Sweeps, nil})
	list = append(list, startEngine{"HBTF", "hbtf.yaml", hbtfText(t, lowHBTF), nil})
	for i := range designTypes {
		d := &designTypes[i]
		list = append(list, startEngine{d.name, "drawn.yaml", d.text, d})
	}
	return list
}

// newMutant makes a mutant.
func newMutant(starts []startEngine, number uint64) *mutant {
	rnd := rand.New(rand.NewPCG(number, 12))
	m := &mutant{number: number, start: &starts[rnd.IntN(len(starts))], kind: "text"}
	m.text = m.start.text
	if m.start.drawn != nil {
		m.drawDesign(rnd)
	}
	if number%2 == 0 {
		m.kind = "model"
		m.redraw(rnd)
		m.addCases(rnd)
		return m
	}
	m.addCases(rnd)
	m.mangle(rnd)
	return m
}

// drawDesign draws one of the designs of a type, with a user's requests.
func (m *mutant) drawDesign(rnd *rand.Rand) {
	for range 4 {
		d := m.start.drawn.draw(1 + rnd.IntN(3000))
		solved, err := d.forward()
		if err != nil || !sane(solved) {
			continue
		}
		balances, sets, err := d.wished(solved)
		if err != nil {
			panic(err)
		}
		m.text += "design:\n  - " + strings.Join(balances, "\n  - ") + "\n"
		m.sets = sets
		return
	}
}

// between draws evenly.
func between(rnd *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)*rnd.Float64() }

// pick draws one of a list.
func pick[T any](rnd *rand.Rand, list []T) T { return list[rnd.IntN(len(list))] }

// drawn is a parameter's value within wide but possible bounds; was is its present value.
func drawn(rnd *rand.Rand, name string, was float64) float64 {
	switch name {
	case "PR", "PR_core":
		return 1 + (was-1)*between(rnd, 0.5, 1.6)
	case "eff", "effPoly", "eff_core":
		return between(rnd, 0.7, 0.95)
	case "dPqP", "dPqP_cold", "dPqP_hot":
		return between(rnd, 0, 0.1)
	case "ram_recovery", "Cv", "Cfg":
		return between(rnd, 0.92, 1)
	case "W":
		if was < 1 { // of a bleed
			return between(rnd, 0, 0.12)
		}
	case "MN", "MN_bypass", "MN_core":
		return between(rnd, 0.15, 0.6)
	case "altitude":
		return between(rnd, 0, 13000)
	case "mach":
		return between(rnd, 0, 0.95)
	case "dTs":
		return between(rnd, -40, 40)
	case "FAR":
		if was == 0 {
			return 0
		}
		return between(rnd, 0.008, 0.045)
	case "offtake":
		return between(rnd, 0, 3) * max(was, 20e3)
	case "loss":
		return between(rnd, 0, 0.03)
	case "effectiveness":
		return between(rnd, 0.4, 0.95)
	}
	return was * between(rnd, 0.6, 1.6)
}

// redraw draws some parameters of components, bleeds and shafts, and the design's targets.
func (m *mutant) redraw(rnd *rand.Rand) {
	cfg, err := m.parse()
	if err != nil {
		panic(fmt.Sprintf("%v: %v", m, err))
	}
	type parameter struct {
		path, name string
		at         float64
	}
	var list []parameter
	add := func(of string, values config.Values) {
		for name, v := range values {
			if v.Set && v.Text == "" && !v.Flag {
				list = append(list, parameter{of + "." + name, name, v.Num})
			}
		}
	}
	for _, c := range cfg.Components {
		add(c.Name, c.Values)
	}
	for _, b := range cfg.Bleeds {
		add(b.Name, b.Values)
	}
	for _, s := range cfg.Shafts {
		add(s.Name, s.Values)
	}
	slices.SortFunc(list, func(a, b parameter) int { return strings.Compare(a.path, b.path) })
	for range 1 + rnd.IntN(6) {
		p := pick(rnd, list)
		if strings.Contains(p.name, "map") {
			continue
		}
		m.sets = append(m.sets, assign(p.path, drawn(rnd, p.name, p.at)))
	}
	if rnd.IntN(2) == 0 {
		m.scaleTargets(rnd)
	}
}

var target = regexp.MustCompile(`(until: [\w.]+ = )(-?[\d.]+(?:e[+-]?\d+)?)`)

// scaleTargets changes targets in the text.
func (m *mutant) scaleTargets(rnd *rand.Rand) {
	m.text = target.ReplaceAllStringFunc(m.text, func(s string) string {
		if rnd.IntN(2) == 0 {
			return s
		}
		part := target.FindStringSubmatch(s)
		v, err := strconv.ParseFloat(part[2], 64)
		if err != nil {
			return s
		}
		span := 0.3
		if strings.Contains(part[1], "Tt") {
			span = 0.1
		}
		if strings.Contains(part[1], ".PR") { // of a nozzle
			v = 1 + (v-1)*between(rnd, 0.6, 1.5)
		} else {
			v *= between(rnd, 1-span, 1+span)
		}
		return part[1] + strconv.FormatFloat(v, 'g', 6, 64)
	})
}

// addCases adds cases, and sometimes limits, that suit the design's outputs. A design that is not found gets none.
func (m *mutant) addCases(rnd *rand.Rand) {
	cfg, err := m.parse()
	if err != nil {
		return
	}
	built, err := graph.New(cfg)
	if err != nil {
		return
	}
	s, err := session.New(context.Background(), built)
	if err != nil {
		return
	}
	w := caseWriter{rnd: rnd, cfg: cfg, design: s.Model}
	for _, c := range cfg.Components {
		switch c.Type.Name {
		case "burner":
			if w.burner == "" {
				w.burner = c.Name
			}
		case "turbine":
			if w.t41 == "" {
				w.t41 = c.Name + ".rotor.Tt"
			}
		case "load", "generator", "propeller":
			w.load = c.Name
		case "ambient":
			w.ambient = c.Name
		}
	}
	if w.burner == "" || w.ambient == "" {
		return
	}
	if w.t41 == "" {
		w.t41 = w.burner + ".out.Tt"
	}
	var b strings.Builder
	n := 1 + rnd.IntN(4)
	for i := range n {
		fmt.Fprintf(&b, "  mutated%d: %s\n", i+1, w.write())
	}
	if strings.Contains(m.text, "\ncases:\n") {
		m.text = strings.Replace(m.text, "\ncases:\n", "\ncases:\n"+b.String(), 1)
	} else {
		m.text += "\ncases:\n" + b.String()
	}
	if rnd.IntN(4) == 0 && !strings.Contains(m.text, "\nlimits:") {
		m.text += "\nlimits: [" + w.limits() + "]\n"
	}
}

// caseWriter writes cases of an engine.
type caseWriter struct {
	rnd                        *rand.Rand
	cfg                        *config.Engine
	design                     *steady.Solver
	ambient, burner, t41, load string
}

func (w *caseWriter) at(path string) float64 {
	r, err := w.design.Read(path)
	if err != nil {
		return math.NaN()
	}
	return r.Get()
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// write writes a case as a flow mapping.
func (w *caseWriter) write() string {
	rnd := w.rnd
	var set []string
	put := func(path string, x float64) { set = append(set, path+": "+number(x)) }
	if rnd.IntN(3) > 0 {
		put(w.ambient+".altitude", drawn(rnd, "altitude", 0))
	}
	if rnd.IntN(3) > 0 {
		put(w.ambient+".mach", drawn(rnd, "mach", 0))
	}
	if rnd.IntN(2) == 0 {
		put(w.ambient+".dTs", drawn(rnd, "dTs", 0))
	}
	if rnd.IntN(6) == 0 && len(w.cfg.Shafts) > 0 {
		put(w.cfg.Shafts[0].Name+".offtake", between(rnd, 0, 0.02)*w.at(w.cfg.Shafts[0].Name+".power"))
	}
	var solve []string
	fuel := func(until string, x float64) {
		solve = append(solve, fmt.Sprintf("{vary: %s.FAR, until: %s = %s}", w.burner, until, number(x)))
	}
	switch k := rnd.IntN(10); {
	case k == 0:
		put(w.burner+".FAR", w.at(w.burner+".FAR")*between(rnd, 0.3, 1.1))
	case w.load != "" && k < 6:
		w.governed(put, fuel, &solve)
	case k < 5:
		share := between(rnd, 0.05, 0.9)
		fuel("performance.Fn", share*share*math.Abs(w.at("performance.Fn")))
	case k < 8:
		fuel(w.t41, w.at(w.t41)*between(rnd, 0.5, 1.1))
	case k == 8 && len(w.cfg.Shafts) > 0:
		shaft := pick(rnd, w.cfg.Shafts).Name + ".N"
		fuel(shaft, w.at(shaft)*between(rnd, 0.5, 1.05))
	default:
		fuel(w.burner+".Wf", w.at(w.burner+".Wf")*between(rnd, 0.05, 1.1))
	}
	text := "{set: {" + strings.Join(set, ", ") + "}, solve: [" + strings.Join(solve, ", ") + "]"
	if rnd.IntN(6) == 0 {
		text += ", limits: [" + w.limits() + "]"
	}
	return text + "}"
}

// governed writes a case of an engine whose load is on a shaft of its own.
func (w *caseWriter) governed(put func(string, float64), fuel func(string, float64), solve *[]string) {
	rnd, power := w.rnd, w.load+".power"
	i := slices.IndexFunc(w.cfg.Shafts, func(s config.ShaftEntry) bool {
		return slices.ContainsFunc(s.Drives, func(e config.Endpoint) bool { return e.Component == w.load })
	})
	if c := w.cfg.Component(w.load); i < 0 || c.Type.Name == "propeller" {
		fuel(w.load+".P", between(rnd, 0.2, 1.05)*w.at(w.load+".P"))
		return
	}
	speed := w.cfg.Shafts[i].Name + ".N"
	n := w.at(speed)
	if rnd.IntN(4) == 0 {
		n *= between(rnd, 0.7, 1.05)
	}
	if rnd.IntN(2) == 0 {
		put(power, between(rnd, 0.1, 1)*w.at(power))
		fuel(speed, n)
		return
	}
	fuel(w.t41, w.at(w.t41)*between(rnd, 0.65, 1.05))
	*solve = append(*solve, fmt.Sprintf("{vary: %s, until: %s = %s}", power, speed, number(n)))
}

func (w *caseWriter) limits() string {
	limits := []string{fmt.Sprintf("{path: %s, max: %s}", w.t41, number(w.at(w.t41)*between(w.rnd, 0.8, 1.08)))}
	if len(w.cfg.Shafts) > 0 && w.rnd.IntN(2) == 0 {
		shaft := pick(w.rnd, w.cfg.Shafts).Name + ".N"
		limits = append(limits,
			fmt.Sprintf("{path: %s, max: %s}", shaft, number(w.at(shaft)*between(w.rnd, 0.85, 1.08))))
	}
	return strings.Join(limits, ", ")
}

var (
	numeral  = regexp.MustCompile(`-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`)
	unitText = regexp.MustCompile(`(\d) (K|m|ft|N|kN|W|kW|MW|lbf|rpm|degR|%|s|kg/s|kW|km|m2)\b`)
	arrow    = regexp.MustCompile(` -> `)
	word     = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// mangle changes the text at one to four places.
func (m *mutant) mangle(rnd *rand.Rand) {
	for range 1 + rnd.IntN(1+rnd.IntN(4)) {
		m.text = mangled(rnd, m.text)
	}
}

// body is where the text of an engine begins, after its first comments.
func body(text string) int {
	if i := strings.Index(text, "\ncomponents:"); i >= 0 {
		return i
	}
	return 0
}

// replaceOne replaces one of the places where an expression matches.
func replaceOne(rnd *rand.Rand, text string, re *regexp.Regexp, by func(old string) string) string {
	from := body(text)
	all := re.FindAllStringIndex(text[from:], -1)
	if all == nil {
		return text
	}
	at := pick(rnd, all)
	return text[:from+at[0]] + by(text[from+at[0]:from+at[1]]) + text[from+at[1]:]
}

func mangled(rnd *rand.Rand, text string) string {
	lines := strings.Split(text, "\n")
	i := rnd.IntN(len(lines))
	switch rnd.IntN(16) {
	case 0, 1, 2, 3, 4, 5, 6:
		return replaceOne(rnd, text, numeral, func(old string) string { return otherNumber(rnd, old) })
	case 7:
		return replaceOne(rnd, text, unitText, func(old string) string {
			return old[:1] + pick(rnd, []string{"", " K", " ft", " kN", " kW", " rpm", " %", " degC", " foo", " m",
				" Pa", " 1/min"})
		})
	case 8:
		return strings.Join(slices.Delete(lines, i, i+1), "\n")
	case 9:
		return strings.Join(slices.Insert(lines, i, pick(rnd, lines)), "\n")
	case 10:
		j := rnd.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return strings.Join(lines, "\n")
	case 11: // one place only, or all
		old := word.FindString(text[body(text)+rnd.IntN(len(text)-body(text)):])
		if old == "" {
			return text
		}
		if rnd.IntN(2) == 0 {
			return strings.ReplaceAll(text, old, old+"x")
		}
		return replaceOne(rnd, text, regexp.MustCompile(`\b`+old+`\b`),
			func(string) string { return pick(rnd, word.FindAllString(text, -1)) })
	case 12:
		return replaceOne(rnd, text, arrow, func(string) string {
			return pick(rnd, []string{" ", " <- ", " -> -> ", ", ", " -> burner -> ", " -> ambient -> "})
		})
	case 13:
		lines[i] = pick(rnd, []string{" ", "  ", "\t", "- "}) + lines[i]
		return strings.Join(lines, "\n")
	case 14:
		lines[i] = strings.TrimLeft(lines[i], " ")
		return strings.Join(lines, "\n")
	}
	at := rnd.IntN(len(text))
	return text[:at] + pick(rnd, []string{"\x00", "é", "{", "}", "[", "]", ":", ": ", "#", "&a ", "*a ", "|", "!!",
		"'", "\"", "\r\n", "\ufeff", "%", "~", "NaN", ".inf", "1e999", "null", "\u202e"}) + text[at:]
}

// otherNumber is a number far from or near to another, or none.
func otherNumber(rnd *rand.Rand, old string) string {
	v, err := strconv.ParseFloat(old, 64)
	if err != nil {
		return old
	}
	switch rnd.IntN(12) {
	case 0:
		return "0"
	case 1:
		return number(-v)
	case 2:
		return number(v * 1e9)
	case 3:
		return number(v * 1e-9)
	case 4:
		return pick(rnd, []string{".nan", ".inf", "1e400", "0x1p3", "1_000", "٣", "1,5", "--1"})
	}
	return number(v * between(rnd, 0.5, 2))
}

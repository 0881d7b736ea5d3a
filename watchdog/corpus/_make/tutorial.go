package main

// Cases of other authors: OpenFOAM's tutorials, of Debian's package openfoam-examples, on coarser meshes, unchanged and
// changed so that they stagnate, swing, run away or take longer.

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// examples is where the package has the tutorials.
const examples = "/usr/share/doc/openfoam-examples/examples"

// tutorial is a case with its changes, each change for a case of the family.
type tutorial struct {
	Name, Path string // of the family; below examples
	Shares     string // a folder, below examples too, whose files it has besides
	App        string
	Scale      float64  // of the number of cells in each direction
	Prepare    []string // commands between blockMesh and the solver
	Always     []swap   // in all of its cases
	Limit      int      // see setup
	Step       float64  // of a solver that marches in time
	Restless   bool     // see setup
	Mute       bool     // see setup
	Entries    string   // see setup
	Watch      []monitor
	Fields     string // whose residuals are tabled; "": of several regions

	Changes  []string // the lists of its changes
	SIMPLEC  bool     // changes that relax it make it SIMPLE
	U        string   // the field of its velocity; "": U
	Laminar  string   // the viscosity of a last change of the first list, at which it is laminar; "": none
	TooLong  float64  // the factor by which its time step is too long; 0: its time step is not changed
	Span     int      // steps by which these changes measure; 0: the limit
	Without  []int    // changes of the lists that are left out, in their order
	Variants []variant

	// of a run in time
	End    float64 // time, s
	Co     float64 // largest Courant number of an adjusted step; 0: fixed steps
	Bolder float64 // factor of the step, or of that Courant number, that is too much
}

// variant is a change of a case.
type variant struct {
	How          string
	Strict       *float64  // criterion of all equations; 0: no criterion; nil: the tutorial's
	Relaxed      []float64 // factors of pressure, velocity, other equations and density
	Central      bool      // differences of the velocity, which do not damp
	Viscosity    string
	Laminar      string // a viscosity at which the flow is laminar
	Edits        []swap
	Scale, Steps float64 // of the cells and of the time step, besides; 0: 1
	Limit        int     // 0: the tutorial's
	Fields       string  // "": the tutorial's
}

// swap is files with blanks between, an expression that matches in each, and the text in the place of the matches.
type swap [3]string

//go:embed tutorials.yaml
var tutorialsFile []byte

// list is the content of tutorialsFile.
type list struct {
	Changes            map[string][]variant
	Tutorials, Marches []tutorial
}

// readList returns the tutorials with all their variants, and those that are run in time.
func readList() (*list, error) {
	var l list
	if err := yaml.UnmarshalWithOptions(tutorialsFile, &l, yaml.Strict()); err != nil {
		return nil, err
	}
	for i := range l.Tutorials {
		t := &l.Tutorials[i]
		var all []variant
		for k, name := range t.Changes {
			all = append(all, l.Changes[name]...)
			if k == 0 && t.Laminar != "" {
				fine := 1e-6
				all = append(all, variant{How: "central differences, laminar at viscosity " + t.Laminar, Strict: &fine,
					Central: true, Laminar: t.Laminar, Fields: "p " + t.velocity()})
			}
		}
		if span := cmp.Or(t.Span, t.Limit); t.TooLong > 0 {
			all = append(all, variant{How: "as it is"}, variant{How: "for longer", Limit: 3 * span},
				variant{How: "for longer with double steps", Limit: 2 * span, Steps: 2},
				variant{How: "steps too long", Steps: t.TooLong})
		}
		for _, k := range slices.Backward(t.Without) {
			all = slices.Delete(all, k, k+1)
		}
		t.Variants = append(all, t.Variants...)
	}
	return &l, nil
}

func (t *tutorial) velocity() string { return cmp.Or(t.U, "U") }

// edits returns the changes of files by a variant.
func (t *tutorial) edits(v variant) (edits []edit) {
	add := func(swaps ...swap) {
		for _, s := range swaps {
			for file := range strings.FieldsSeq(s[0]) {
				edits = append(edits, exchange(file, s[1], s[2]))
			}
		}
	}
	add(t.Always...)
	if v.Strict != nil {
		edits = append(edits, strict(*v.Strict))
	}
	if v.Relaxed != nil {
		edits = append(edits, relaxed(v.Relaxed))
		if t.SIMPLEC {
			add(swap{"system/fvSolution", `consistent\s+yes`, "consistent no"})
		}
	}
	if u := t.velocity(); v.Central {
		add(swap{"system/fvSchemes", `div\(phi,` + u + `\)[^;]*;`, "div(phi," + u + ") bounded Gauss linear;"})
	}
	if nu := cmp.Or(v.Viscosity, v.Laminar); nu != "" {
		add(swap{"constant/transportProperties", `(?m)^nu\s+(\[.*\])?\s*[0-9.e+-]+;`, "nu " + nu + ";"})
	}
	if v.Laminar != "" {
		add(swap{"constant/turbulenceProperties", `simulationType\s+\w+`, "simulationType laminar"})
	}
	add(v.Edits...)
	return edits
}

// edit changes a file of a case.
type edit struct {
	file string
	do   func(text string) (string, error)
}

// setup reads the case i of a variant.
func (t *tutorial) setup(i int, v variant) (*setup, error) {
	s := &setup{name: fmt.Sprintf("%s-%02d", t.Name, i), family: t.Name, app: t.App, watch: t.Watch,
		fields: cmp.Or(v.Fields, t.Fields), limit: cmp.Or(v.Limit, t.Limit), step: 1, restless: t.Restless,
		mute: t.Mute, entries: t.Entries, prepare: t.Prepare, how: "tutorial " + t.Path + ", " + v.How}
	if t.Step > 0 {
		s.step = t.Step * cmp.Or(v.Steps, 1)
		s.end = float64(s.limit) * s.step
	}
	var err error
	if s.files, err = readCase(filepath.Join(examples, t.Path)); err != nil {
		return nil, err
	}
	if t.Shares != "" {
		shared, err := readCase(filepath.Join(examples, t.Shares))
		if err != nil {
			return nil, err
		}
		maps.Copy(shared, s.files)
		s.files = shared
	}
	for _, e := range t.edits(v) {
		was, known := s.files[e.file]
		if !known {
			return nil, fmt.Errorf("%s: the tutorial has no file %s", s.name, e.file)
		}
		if s.files[e.file], err = e.do(was); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.name, e.file, err)
		}
	}
	if mesh, known := s.files["system/blockMeshDict"]; known {
		s.files["system/blockMeshDict"] = scaled(mesh, cmp.Or(t.Scale, 1)*cmp.Or(v.Scale, 1))
	}
	criteria := s.criteria()
	s.targets = func(equation string) float64 { return criterion(criteria, equation) }
	return s, nil
}

// readCase returns the files of a case by path: unpacked, macros of blockMeshDict expanded, folder 0 in its place.
func readCase(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		rel = strings.Replace(rel, "0.orig/", "0/", 1)
		if short, packed := strings.CutSuffix(rel, ".gz"); packed {
			r, err := gzip.NewReader(bytes.NewReader(text))
			if err != nil {
				return err
			}
			if text, err = io.ReadAll(r); err != nil {
				return err
			}
			rel = short
		}
		files[rel] = string(text)
		return nil
	})
	if macros, found := files["system/blockMeshDict.m4"]; found && err == nil {
		cmd := exec.Command("m4")
		cmd.Stdin = strings.NewReader(macros)
		var text []byte
		text, err = cmd.Output()
		files["system/blockMeshDict"] = string(text)
	}
	return files, err
}

var cells = regexp.MustCompile(`(hex\s*\([^)]*\)\s*\w*\s*)\(\s*(\d+)\s+(\d+)\s+(\d+)\s*\)`)

// scaled changes the number of cells of each block; a direction of one cell keeps it.
func scaled(mesh string, by float64) string {
	return cells.ReplaceAllStringFunc(mesh, func(hex string) string {
		m := cells.FindStringSubmatch(hex)
		for i := 2; i <= 4; i++ {
			if n, _ := strconv.Atoi(m[i]); n > 1 {
				m[i] = strconv.Itoa(max(2, int(float64(n)*by+0.5)))
			}
		}
		return fmt.Sprintf("%s(%s %s %s)", m[1], m[2], m[3], m[4])
	})
}

// block returns the place of a named dictionary in a text: from its name, and between its braces.
func block(text, name string) (start, from, to int) {
	at := regexp.MustCompile(`(?m)^\s*` + name + `\s*\{`).FindStringIndex(text)
	if at == nil {
		return -1, -1, -1
	}
	depth := 1
	for i := at[1]; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return at[0], at[1], i
			}
		}
	}
	return -1, -1, -1
}

// put replaces or adds a dictionary; within another if that is named.
func put(text, within, name, body string) string {
	entry := "\n" + name + "\n{\n" + body + "\n}\n"
	if start, _, to := block(text, name); start >= 0 {
		return text[:start] + entry + text[to+1:]
	}
	if _, from, _ := block(text, within); from >= 0 {
		return text[:from] + entry + text[from:]
	}
	return text + entry
}

// strict makes x the criterion of all equations; 0: no criterion.
func strict(x float64) edit {
	body := ""
	if x > 0 {
		body = fmt.Sprintf(`    ".*" %g;`, x)
	}
	return edit{"system/fvSolution", func(text string) (string, error) {
		return put(text, "SIMPLE", "residualControl", body), nil
	}}
}

// relaxed gives all fields and equations their relaxation factors: of p, U, others and the density.
func relaxed(by []float64) edit {
	return edit{"system/fvSolution", func(text string) (string, error) {
		return put(text, "", "relaxationFactors", fmt.Sprintf(`    fields { "(p|p_rgh|pa)" %g; rho %g; alpha 0.1; }
    equations { "(U|Urel|Ua)" %g; p 1; ".*" %g; }`, by[0], by[3], by[1], by[2])), nil
	}}
}

// exchange replaces a match, which must exist.
func exchange(file, match, by string) edit {
	re := regexp.MustCompile(match)
	return edit{file, func(text string) (string, error) {
		if !re.MatchString(text) {
			return "", fmt.Errorf("it has no %s", match)
		}
		return re.ReplaceAllString(text, by), nil
	}}
}

var entry = regexp.MustCompile(`("[^"]+"|\w+)\s+([0-9.eE+-]+);`)

// target is a criterion of the equations whose names match.
type target struct {
	name *regexp.Regexp
	at   float64
}

// criteria returns the criteria of a case's own residualControl.
func (s *setup) criteria() (list []target) {
	_, from, to := block(s.files["system/fvSolution"], "residualControl")
	if from < 0 {
		return nil
	}
	for _, m := range entry.FindAllStringSubmatch(s.files["system/fvSolution"][from:to], -1) {
		x, err := strconv.ParseFloat(m[2], 64)
		if err == nil {
			list = append(list, target{regexp.MustCompile("^(" + strings.Trim(m[1], `"`) + ")$"), x})
		}
	}
	return list
}

// criterion of an equation, of a velocity's component that of the velocity; any for "".
func criterion(list []target, equation string) float64 {
	for _, t := range list {
		if equation == "" || t.name.MatchString(equation) || t.name.MatchString(strings.TrimRight(equation, "xyz")) {
			return t.at
		}
	}
	return 0
}

package main

// Cases of other authors: OpenFOAM's tutorials, of Debian's package openfoam-examples, on coarser meshes, unchanged and
// changed so that they stagnate, swing, run away or take longer.

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// examples is where the package has the tutorials.
const examples = "/usr/share/doc/openfoam-examples/examples"

// tutorial is a case with its changes, each change for a case of the family.
type tutorial struct {
	name, path string // of the family; below examples
	shares     string // a folder, below examples too, whose files it has besides
	app        string
	scale      float64  // of the number of cells in each direction
	prepare    []string // commands between blockMesh and the solver
	always     []edit   // in all of its cases
	limit      int      // see setup
	step       float64  // of a solver that marches in time
	restless   bool     // see setup
	mute       bool     // see setup
	entries    string   // see setup
	watch      []monitor
	fields     string // whose residuals are tabled; "": of several regions
	variants   []variant
}

// variant is a change of a case.
type variant struct {
	how    string
	edits  []edit
	scale  float64 // of the cells, besides; 0: 1
	steps  float64 // of the time step; 0: 1
	limit  int     // 0: the tutorial's
	fields string  // "": the tutorial's
}

// edit changes a file of a case.
type edit struct {
	file string
	do   func(text string) (string, error)
}

// setup reads the case of a variant.
func (t *tutorial) setup(i int) (*setup, error) {
	v := t.variants[i]
	s := &setup{name: fmt.Sprintf("%s-%02d", t.name, i), family: t.name, app: t.app, watch: t.watch, fields: t.fields,
		limit: t.limit, step: 1, restless: t.restless, mute: t.mute, entries: t.entries, prepare: t.prepare,
		how: "tutorial " + t.path + ", " + v.how}
	if v.limit > 0 {
		s.limit = v.limit
	}
	if v.fields != "" {
		s.fields = v.fields
	}
	if t.step > 0 {
		s.step = t.step * or(v.steps, 1)
		s.end = float64(s.limit) * s.step
	}
	var err error
	if s.files, err = readCase(filepath.Join(examples, t.path)); err != nil {
		return nil, err
	}
	if t.shares != "" {
		shared, err := readCase(filepath.Join(examples, t.shares))
		if err != nil {
			return nil, err
		}
		for path, text := range shared {
			if _, present := s.files[path]; !present {
				s.files[path] = text
			}
		}
	}
	for _, e := range append(append([]edit{}, t.always...), v.edits...) {
		was, known := s.files[e.file]
		if !known {
			return nil, fmt.Errorf("%s: the tutorial has no file %s", s.name, e.file)
		}
		if s.files[e.file], err = e.do(was); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.name, e.file, err)
		}
	}
	if mesh, known := s.files["system/blockMeshDict"]; known {
		s.files["system/blockMeshDict"] = scaled(mesh, or(t.scale, 1)*or(v.scale, 1))
	}
	criteria := s.criteria()
	s.targets = func(equation string) float64 { return criterion(criteria, equation) }
	return s, nil
}

func or(x, other float64) float64 {
	if x == 0 {
		return other
	}
	return x
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

// relaxed gives all fields and equations their relaxation factors.
func relaxed(p, u, other, rho float64) edit {
	return edit{"system/fvSolution", func(text string) (string, error) {
		return put(text, "", "relaxationFactors", fmt.Sprintf(`    fields { "(p|p_rgh|pa)" %g; rho %g; alpha 0.1; }
    equations { "(U|Urel|Ua)" %g; p 1; ".*" %g; }`, p, rho, u, other)), nil
	}}
}

// swap replaces a match, which must exist.
func swap(file, match, by string) edit {
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

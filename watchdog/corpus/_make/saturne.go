package main

// Cases of code_saturne, the second solver: plane flows on a mesh of equal cells, some of them solid.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/corpus"
)

// saturneCase is a case of code_saturne.
type saturneCase struct {
	mesh   string
	xml    string // with %d for the iterations
	how    string
	family string
	limit  int
	marked bool // its tables have a column of time, not of iterations
}

const saturneCases = 45

// Marks of faces in the mesh.
const (
	faceIn = 1 + iota
	faceOut
	faceWall
	faceSide
	faceLid
)

// plate is a mesh of nx by ny cells of a rectangle; hole defines the solid cells.
type plate struct {
	nx, ny         int
	x0, x1, y0, y1 float64
	hole           func(x, y float64) bool
	mark           func(side byte) int // of the outer sides; holes are walls
	bend           func(x, y float64) (float64, float64)
}

// gmsh returns the mesh in Gmsh's format 2.2.
func (p *plate) gmsh() string {
	id := func(i, j, k int) int { return 1 + (i*(p.ny+1)+j)*2 + k }
	at := func(i, j float64) (float64, float64) {
		return p.x0 + (p.x1-p.x0)*i/float64(p.nx), p.y0 + (p.y1-p.y0)*j/float64(p.ny)
	}
	solid := func(i, j int) bool {
		x, y := at(float64(i)+0.5, float64(j)+0.5)
		return p.hole != nil && p.hole(x, y)
	}
	used := map[int]bool{}
	var elements []string
	add := func(kind, mark int, nodes ...int) {
		text := fmt.Sprintf("%d %d 2 %d %d", len(elements)+1, kind, mark, mark)
		for _, n := range nodes {
			used[n] = true
			text += " " + strconv.Itoa(n)
		}
		elements = append(elements, text)
	}
	const quad, hex = 3, 5
	for i := range p.nx {
		for j := range p.ny {
			if solid(i, j) {
				continue
			}
			c := [4][2]int{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}
			var low, high []int
			for _, n := range c {
				low, high = append(low, id(n[0], n[1], 0)), append(high, id(n[0], n[1], 1))
			}
			add(hex, 9, append(slices.Clone(low), high...)...)
			add(quad, faceSide, low...)
			add(quad, faceSide, high...)
			for _, s := range []struct {
				side       byte
				i, j, a, b int
			}{{'w', i - 1, j, 3, 0}, {'e', i + 1, j, 1, 2}, {'s', i, j - 1, 0, 1}, {'n', i, j + 1, 2, 3}} {
				switch {
				case s.i < 0 || s.j < 0 || s.i >= p.nx || s.j >= p.ny:
					add(quad, p.mark(s.side), low[s.a], low[s.b], high[s.b], high[s.a])
				case solid(s.i, s.j):
					add(quad, faceWall, low[s.a], low[s.b], high[s.b], high[s.a])
				}
			}
		}
	}
	var nodes []string
	for i := range p.nx + 1 {
		for j := range p.ny + 1 {
			for k := range 2 {
				if n := id(i, j, k); used[n] {
					x, y := at(float64(i), float64(j))
					if p.bend != nil {
						x, y = p.bend(x, y)
					}
					nodes = append(nodes, fmt.Sprintf("%d %g %g %g", n, x, y, 0.1*float64(k)))
				}
			}
		}
	}
	return fmt.Sprintf(
		"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n%s\n$EndNodes\n$Elements\n%d\n%s\n$EndElements\n",
		len(nodes), strings.Join(nodes, "\n"), len(elements), strings.Join(elements, "\n"))
}

// saturne draws a case.
func saturne(d dice) *saturneCase {
	s := &saturneCase{family: pick(d, "saturne channel", "saturne step", "saturne block", "saturne cavity"), limit: 900}
	scale := pick(d, 0.7, 1, 1.3)
	cells := func(n float64) int { return int(n*scale + 0.5) }
	p := &plate{mark: func(side byte) int {
		return map[byte]int{'w': faceIn, 'e': faceOut, 's': faceWall, 'n': faceWall}[side]
	}}
	model := pick(d, "off", "off", "k-epsilon", "k-omega-SST")
	re := pick(d, 1e4, 5e4)
	if model == "off" {
		re = pick(d, 20., 50, 100, 200, 400)
	}
	probes := [][2]float64{{2, 0.6}, {0.5, 0.3}}
	switch s.family {
	case "saturne channel":
		open := pick(d, 0., 0.4, -0.3)
		p.nx, p.ny, p.x1, p.y1 = cells(30), cells(12), 5, 1
		p.bend = func(x, y float64) (float64, float64) { return x, (y-0.5)*(1+open*x/5) + 0.5 }
	case "saturne step":
		p.nx, p.ny, p.x0, p.x1, p.y0, p.y1 = cells(40), cells(14), -2, 8, -1, 1
		p.hole = func(x, y float64) bool { return x < 0 && y < 0 }
	case "saturne block":
		p.nx, p.ny, p.x0, p.x1, p.y0, p.y1 = cells(46), cells(24), -3, 8.5, -3, 3
		p.hole = func(x, y float64) bool { return math.Abs(x) < 0.5 && math.Abs(y) < 0.5 }
		p.mark = func(side byte) int {
			return map[byte]int{'w': faceIn, 'e': faceOut, 's': faceSide, 'n': faceSide}[side]
		}
		probes = [][2]float64{{2, 0.6}, {-1, 0.3}}
	default:
		model = "off"
		re = pick(d, 20., 50, 100, 400, 1000)
		p.nx, p.ny, p.x1, p.y1 = cells(20), cells(20), 1, 1
		p.mark = func(side byte) int {
			if side == 'n' {
				return faceLid
			}
			return faceWall
		}
		probes = [][2]float64{{0.5, 0.8}, {0.5, 0.2}}
	}
	s.mesh = p.gmsh()
	blend := pick(d, 0, 0, 1)
	passing := pick(d, -1, -1, -1, 2, 2, 0)
	relax := pick(d, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1)
	step, courant := pick(d, 0.02, 0.05, 0.1), pick(d, 0.5, 1, 2, 5, 20)
	s.marked = passing == 0
	if s.marked {
		step = pick(d, 0.01, 0.03, 0.1, 0.3)
		s.limit = int(min(900, 60/step))
	}
	s.how = fmt.Sprintf("%s Re %g, %dx%d, turbulence %s, blending %d, %s", s.family, re, p.nx, p.ny, model, blend,
		map[int]string{
			-1: fmt.Sprintf("steady, relaxation %g", relax),
			2:  fmt.Sprintf("local time steps, Courant number %g", courant), 0: fmt.Sprintf("time step %g", step),
		}[passing])
	s.xml = saturneSetup(model, re, blend, passing, relax, step, courant, probes, s.family == "saturne cavity")
	return s
}

// saturneSetup returns setup.xml with %d in the place of the iterations.
func saturneSetup(model string, re float64, blend, passing int, relax, step, courant float64, probes [][2]float64,
	closed bool) string {
	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	w(`<?xml version="1.0" encoding="utf-8"?>`)
	w(`<Code_Saturne_GUI case="c" solver_version="6.0" study="s" version="2.0">`)
	w(`<additional_scalars/>`)
	w(`<analysis_control><output><listing_printing_frequency>1</listing_printing_frequency>`)
	w(`<probe_format choice="CSV"/><probe_recording_frequency>1</probe_recording_frequency>`)
	for i, p := range probes {
		w(
			`<probe id="%d" name="%d" status="on"><probe_x>%g</probe_x><probe_y>%g</probe_y><probe_z>0.05</probe_z></probe>`, i+1, i+1, p[0], p[1])
	}
	w(
		`<writer id="-1" label="results"><directory name="postprocessing"/><format name="ensight" options=""/><frequency period="none"/><output_at_end status="off"/><time_dependency choice="fixed_mesh"/></writer></output>`)
	w(
		`<time_parameters><iterations>%%d</iterations><time_passing>%d</time_passing><time_step_ref>%g</time_step_ref><relaxation_coefficient>%g</relaxation_coefficient><max_courant_num>%g</max_courant_num><zero_time_step status="off"/></time_parameters></analysis_control>`, passing, step, relax, courant)
	w(`<boundary_conditions>`)
	natures := []struct {
		mark          int
		label, nature string
	}{{faceIn, "in", "inlet"}, {faceOut, "out", "outlet"}, {faceWall, "wall", "wall"}, {faceSide, "side", "symmetry"}}
	if closed {
		natures = []struct {
			mark          int
			label, nature string
		}{{faceLid, "lid", "wall"}, {faceWall, "wall", "wall"}, {faceSide, "side", "symmetry"}}
	}
	for i, n := range natures {
		w(`<boundary label="%s" name="%d" nature="%s">%d</boundary>`, n.label, i+1, n.nature, n.mark)
	}
	if closed {
		w(
			`<wall field_id="none" label="lid"><velocity_pressure choice="on"><dirichlet component="0" name="velocity">1</dirichlet><dirichlet component="1" name="velocity">0</dirichlet><dirichlet component="2" name="velocity">0</dirichlet></velocity_pressure></wall>`)
	} else {
		w(
			`<inlet field_id="none" label="in"><turbulence choice="hydraulic_diameter"><hydraulic_diameter>1</hydraulic_diameter></turbulence><velocity_pressure choice="norm" direction="normal"><norm>1</norm></velocity_pressure></inlet>`)
		w(`<outlet field_id="none" label="out"/>`)
	}
	w(`<symmetry field_id="none" label="side"/><wall field_id="none" label="wall"/></boundary_conditions>`)
	w(
		`<calculation_management><start_restart><restart_rescue>-2</restart_rescue></start_restart><run_type>standard</run_type></calculation_management>`)
	w(`<numerical_parameters/>`)
	w(
		`<physical_properties><fluid_properties><property choice="constant" label="Density" name="density"><initial_value>1</initial_value></property><property choice="constant" label="LamVisc" name="molecular_viscosity"><initial_value>%g</initial_value></property></fluid_properties></physical_properties>`, 1/re)
	w(
		`<solution_domain><volumic_conditions><zone id="1" initialization="on" label="all_cells">all[]</zone></volumic_conditions></solution_domain>`)
	w(
		`<thermophysical_models><thermal_scalar model="off"/><ale_method status="off"/><atmospheric_flows model="off"/><compressible_model model="off"/><gas_combustion model="off" option="off"/><groundwater_model model="off"/><joule_effect model="off"/><radiative_transfer model="off"/><solid_fuels model="off"/><turbomachinery model="off"/>`)
	w(`<turbulence model="%s"><initialization choice="reference_value" zone_id="1"/></turbulence>`, model)
	w(`<reference_values><pressure>101325</pressure><velocity>1</velocity><length>1</length></reference_values>`)
	w(
		`<velocity_pressure><variable label="Pressure" name="pressure"/><variable dimension="3" label="Velocity" name="velocity"><blending_factor>%d</blending_factor></variable></velocity_pressure>`, blend)
	w(`</thermophysical_models></Code_Saturne_GUI>`)
	return b.String()
}

// saturneFiles are the files of a run that a history may hold.
var saturneFiles = []string{"residuals.csv", "monitoring/probes_Pressure.csv", "monitoring/probes_Velocity[X].csv",
	"run_solver.log"}

// saturneRun runs the case for some iterations, and returns the status.
func saturneRun(dir string, s *saturneCase, iterations int, quota int) (int, error) {
	for _, f := range []string{"residuals.csv", "run_solver.log", "error", "monitoring", "checkpoint",
		"postprocessing"} {
		if err := os.RemoveAll(filepath.Join(dir, f)); err != nil {
			return 0, err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "setup.xml"), []byte(fmt.Sprintf(s.xml, iterations)), 0o644); err != nil {
		return 0, err
	}
	limit := "unlimited"
	if quota > 0 {
		limit = strconv.Itoa(quota)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Second)
	defer cancel()
	// A quota of the size of a file, in KiB, ends the solver in the middle of a line, as a full disk does.
	cmd := exec.CommandContext(ctx, "bash", "-c",
		"ulimit -f "+limit+"; ulimit -c 0; exec nice -n 10 /usr/lib/code_saturne/cs_solver > /dev/null 2>&1")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
	err := cmd.Run()
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	state := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if state.Signaled() {
		return 128 + int(state.Signal()), nil
	}
	return state.ExitStatus(), nil
}

// saturneTrace reads the files of a run.
func saturneTrace(dir string, status int) (*trace, error) {
	t := &trace{residual: map[string][]float64{}, end: status == 0}
	names, columns, bad, err := readCSV(filepath.Join(dir, "residuals.csv"))
	if err != nil {
		return nil, err
	}
	t.fpe = bad
	for i, name := range names {
		if i == 0 {
			t.time = columns[0]
			t.bounding = make([]bool, len(t.time))
			continue
		}
		t.residual[name] = columns[i]
	}
	for _, f := range saturneFiles[1:3] {
		names, columns, bad, err := readCSV(filepath.Join(dir, f))
		if err != nil {
			return nil, err
		}
		t.fpe = t.fpe || bad
		for i := 1; i < len(names); i++ {
			v := columns[i]
			if len(v) < 2 {
				continue
			}
			scale := max(math.Abs(mean(v[len(v)*8/10:])), 0.05*maxAbs(v[len(v)/10:]))
			t.watched = append(t.watched, series{name: f + ":" + names[i], time: columns[0], value: v, scale: scale})
		}
	}
	t.fatal, t.inTables = status != 0 && !t.fpe, true
	for _, list := range t.residual {
		t.runaway = t.runaway || len(list) > 10 && list[len(list)-1] > 1e3*median(list)
	}
	return t, nil
}

// readCSV reads the columns of a table; bad reports that it holds an invalid number.
func readCSV(path string) (names []string, columns [][]float64, bad bool, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, false, err
	}
	scan := bufio.NewScanner(bytes.NewReader(text))
	for scan.Scan() {
		fields := strings.Split(scan.Text(), ",")
		if names == nil {
			for _, f := range fields {
				names = append(names, strings.TrimSpace(f))
			}
			columns = make([][]float64, len(names))
			continue
		}
		if len(fields) != len(names) {
			continue
		}
		for i, f := range fields {
			v, err := strconv.ParseFloat(strings.TrimSpace(f), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				bad, v = true, math.NaN()
			}
			columns[i] = append(columns[i], v)
		}
	}
	return names, columns, bad, scan.Err()
}

// saturne makes the histories of a case.
func (m *maker) saturne(name string, s *saturneCase, d dice) ([]corpus.History, error) {
	dir := filepath.Join(m.out, "case", name)
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "mesh.msh"), []byte(s.mesh), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.Command("nice", "-n", "10", "/usr/lib/code_saturne/cs_preprocess", "mesh.msh", "-o", "mesh_input")
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: cs_preprocess: %v\n%s", name, err, text)
	}
	status, err := saturneRun(dir, s, s.limit, 0)
	if err != nil {
		return nil, err
	}
	long, err := saturneTrace(dir, status)
	if err != nil {
		return nil, err
	}
	total := len(long.time)
	if total < 5 {
		return nil, fmt.Errorf("%d iterations, status %d", total, status)
	}
	for i := range long.watched { // the scale is that of the longest run
		long.watched[i].scale = max(long.watched[i].scale, 1e-6)
	}
	var rows []corpus.History
	for i, p := range saturnePlans(d, long, s.limit) {
		row, why, err := m.saturneHistory(dir, fmt.Sprintf("%s%c", name, 'a'+i), s, p, p.n < total, d, long, status)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(m.log, "%s%c\t%s\t%s\n", name, 'a'+i, row.Label, why)
		if row.Label != "" {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// saturnePlans returns the histories to make of a case: the whole run if it died, else runs that end before and after
// the residuals have fallen far enough.
func saturnePlans(d dice, long *trace, limit int) []plan {
	total := len(long.time)
	if !long.end || long.fpe {
		return []plan{{n: total, limit: limit}}
	}
	part := func(n int, low, high float64) int { return min(int(float64(n)*d.between(low, high)), total-1) }
	reached := total
	for n := total; n > 40; n -= 5 {
		if ok, _ := long.dropped(n); !ok {
			break
		}
		reached = n
	}
	var list []plan
	add := func(n int) { list = append(list, plan{n: n, limit: pick(d, n, n, max(limit, 2*n))}) }
	if reached < total*8/10 {
		add(part(reached, 1.05, 1.25))
		add(part(reached, 0.2, 0.6))
		if d.chance(0.5) {
			add(part(reached, 0.2, 0.75))
		}
	} else {
		add(part(total, 0.2, 0.33))
		add(part(total, 0.12, 0.33))
	}
	if d.chance(0.5) {
		list = append(list, plan{n: part(reached, 0.1, 0.33), limit: limit, made: made{killed: true}})
	}
	return list
}

func (m *maker) saturneHistory(dir, name string, s *saturneCase, p plan, rerun bool, d dice, long *trace,
	status int) (row corpus.History, why string, err error) {
	p.made.n = p.n
	p.early = p.limit > p.n
	withLog := d.chance(0.3) && !p.killed
	probes := d.chance(0.7)
	p.tables = probes
	if rerun {
		quota := 0
		if p.killed { // some KiB of the log, which grows by about 3.7 KiB an iteration
			quota = 25 + p.n*7/2
		}
		if status, err = saturneRun(dir, s, max(p.n, s.limit*btoi(p.killed)), quota); err != nil {
			return row, "", err
		}
		if p.killed {
			if status == 0 {
				return row, "the quota was not reached", nil
			}
			done, err := saturneTrace(dir, 0)
			if err != nil {
				return row, "", err
			}
			p.made.n = len(done.time)
		}
	}
	v := judge(&setup{}, func(string) float64 { return 0 }, long, p.made)
	if v.label == "" {
		return row, v.why, nil
	}
	limit := p.limit
	if s.marked { // the table counts time
		limit = 0
		if v.label == corpus.Limit {
			v.label = corpus.EndedEarly
		}
	}
	files := []string{"residuals.csv"}
	if probes {
		files = append(files, saturneFiles[1:3]...)
	}
	if withLog {
		files = append(files, "run_solver.log")
	}
	to := filepath.Join(m.out, "history", name)
	if err := copyFiles(dir, to, files); err != nil {
		return row, "", err
	}
	return corpus.History{Name: name, Files: files, Solver: "code_saturne", Family: s.family, Label: v.label,
		Alone: v.alone,
		Limit: limit, Status: status, HasStatus: true, How: s.how + "; " + v.why}, v.why, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

package main

// The histories of a case: its long run, which shows the behaviour of the case, and runs that are stopped at a limit,
// early or by a signal.

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/corpus"
)

// maker makes histories below a folder.
type maker struct {
	out  string
	seed uint64
	log  io.Writer
}

// plan is a history to be made.
type plan struct {
	n      int     // last iteration of the run
	end    float64 // its time, where time steps adjust themselves
	limit  int     // that the judge knows
	rerun  bool    // else it is the long run
	inLog  bool    // monitored values are printed into the log
	pure   bool    // without function objects
	noTrap bool    // floating point errors are not trapped
	ending ending
	made
}

// foam makes all histories of a case.
func (m *maker) foam(s *setup) ([]corpus.History, error) {
	d := roll(m.seed, s.family+" histories", int(hash(s.name)))
	dir := filepath.Join(m.out, "case", s.name)
	if err := s.write(dir); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := m.prepare(s, dir); err != nil {
		return nil, err
	}
	every := pick(d, 1, 1, 1, 2, 5)
	trap := ending{stderr: d.chance(0.8)}
	status, err := m.run(s, dir, plan{n: s.limit, end: s.end, ending: trap}, every)
	if err != nil {
		return nil, err
	}
	long, err := readTrace(s.logName(dir), filepath.Join(dir, "postProcessing"))
	if err != nil {
		return nil, err
	}
	if long.faulty != "" {
		return nil, fmt.Errorf("faulty case: %s", long.faulty)
	}
	long.died(status)
	s.count(long)
	keep := filepath.Join(m.out, "long", s.name)
	if err := keepLong(dir, keep, s); err != nil {
		return nil, err
	}
	var rows []corpus.History
	for i, p := range s.plans(d, long) {
		name := fmt.Sprintf("%s%c", s.name, 'a'+i)
		row, why, err := m.history(s, dir, keep, name, p, long, status, every)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(m.log, "%s\t%s\t%s\n", name, row.Label, why)
		if row.Label != "" {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		fmt.Fprintf(m.log, "%s\t-\t%s: %d iterations, status %d\n", s.name, s.how, len(long.time), status)
	}
	return rows, nil
}

// prepare makes the mesh and the other inputs of a case.
func (m *maker) prepare(s *setup, dir string) error {
	commands := s.prepare
	if _, meshed := s.files["constant/polyMesh/owner"]; !meshed {
		commands = append([]string{"blockMesh"}, commands...)
	}
	for _, c := range commands {
		if text, err := m.command(dir, strings.Fields(c)...); err != nil {
			return fmt.Errorf("%s: %s: %v\n%s", s.name, c, err, text)
		}
	}
	return nil
}

// count raises the limit of a run with adjusted time steps to its actual number of steps.
func (s *setup) count(long *trace) {
	if !s.steady() {
		s.limit = max(s.limit, len(long.time))
	}
}

// plans returns the histories to make of a case.
func (s *setup) plans(d dice, long *trace) []plan {
	total := len(long.time)
	look := func(p plan) plan { // the files for the judge
		k := d.Float64()
		if s.mute {
			k = 0.32 + k*0.3 + k*k*0.2 // in [0.32, 0.82): with values
		}
		switch {
		case k < 0.32: // the log alone
			p.log = true
		case k < 0.55:
			p.log, p.tables = true, true
		case k < 0.65:
			p.tables, p.all = true, true
		case k < 0.85:
			p.log, p.tables, p.inLog, p.rerun = true, true, true, true
		default:
			p.log, p.pure, p.rerun = true, true, true
		}
		p.made.n = p.n
		return p
	}
	part := func(low, high float64) int { return int(float64(total) * d.between(low, high)) }
	interrupted := func(low, high float64) plan {
		n := part(low, high)
		p := plan{n: n, limit: s.limit, rerun: true}
		switch k := d.Float64(); {
		case k < 0.4:
			p.limit = n
		case k < 0.65:
			p.early = true
		default:
			p.killed = true
			p.ending = ending{signal: pick(d, syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM), at: n,
				bytes: d.IntN(700), block: pick(d, 0, 0, 4096)}
		}
		return look(p)
	}
	whole := look(plan{n: total, limit: s.limit})
	if long.criterion > 0 && d.chance(0.4) { // a limit nearer to the end
		whole.limit, whole.rerun = int(float64(total)*d.between(1.02, 2)), true
	}
	switch {
	case long.criterion > 0:
		list := []plan{whole}
		if d.chance(0.5) {
			list = append(list, interrupted(0.25, 0.9))
		}
		return list
	case !long.end && (long.fpe || long.fatal):
		whole.ending.stderr = d.chance(0.8)
		list := []plan{whole}
		if long.fpe && d.chance(0.6) {
			free := look(plan{n: min(total+d.IntN(150), s.limit), limit: s.limit, rerun: true, noTrap: true})
			free.limit = free.n
			list = append(list, free)
		}
		return list
	}
	list := []plan{whole}
	for range 2 {
		n := part(0.2, 0.33)
		list = append(list, look(plan{n: n, limit: n, rerun: true}))
	}
	if d.chance(0.3) {
		list = append(list, interrupted(0.15, 0.3))
	}
	return list
}

// history makes a history, from the long run's files or by a run of its own.
func (m *maker) history(s *setup, dir, keep, name string, p plan, long *trace, status,
	every int) (row corpus.History, why string, err error) {
	from := keep
	if p.rerun {
		if p.end = s.end; p.n < len(long.time) {
			p.end = long.time[p.n-1]
		}
		if status, err = m.run(s, dir, p, every); err != nil {
			return row, "", err
		}
		from = dir
	}
	evidence := long
	if p.rerun && !p.killed && !p.noTrap {
		done, err := iterations(s.logName(dir))
		if err != nil {
			return row, "", err
		}
		if s.steady() && p.limit == p.n && done < p.n && long.criterion != p.n {
			return row, "it ended before its limit", nil
		}
		p.made.n = min(done, len(long.time)) // fewer or more than planned where time steps adjust themselves
		if p.n >= len(long.time) && !p.early {
			same, err := repeats(s.logName(dir), long)
			if err != nil || !same {
				return row, "it did not end as the longer run did", err
			}
		}
	}
	if p.noTrap {
		if evidence, err = readTrace(s.logName(dir), filepath.Join(dir, "postProcessing")); err != nil {
			return row, "", err
		}
		if !evidence.fpe {
			return row, "no NaN after all", nil
		}
		p.made.n = len(evidence.time)
	}
	p.made.hidden = p.rerun && !p.ending.stderr
	v := judge(s, s.target, evidence, p.made)
	if v.label == "" {
		return row, v.why, nil
	}
	limit := p.limit
	if s.adjust > 0 { // the number of steps is unknown
		limit = 0
		if v.label == corpus.Limit {
			v.label = corpus.EndedEarly
		}
	}
	files, err := s.collect(from, filepath.Join(m.out, "history", name), p.made)
	if err != nil {
		return row, "", err
	}
	if len(files) == 0 {
		return row, "it has no tables", nil
	}
	row = corpus.History{Name: name, Files: files, Solver: s.app, Family: s.family, Label: v.label, Alone: v.alone,
		Limit: limit, Status: status, HasStatus: true, How: s.how + "; " + v.why}
	return row, v.why, nil
}

// repeats reports whether a log ends as a run did that was made before: by its closing sentence or not, at its
// criterion or not.
func repeats(log string, long *trace) (bool, error) {
	text, err := os.ReadFile(log)
	return bytes.Contains(text, []byte("\nEnd\n")) == long.end &&
		bytes.Contains(text, []byte("solution converged in ")) == (long.criterion > 0), err
}

// iterations counts the iterations of a log.
func iterations(log string) (int, error) {
	text, err := os.ReadFile(log)
	return len(begins.FindAllIndex(text, -1)), err
}

// target returns the solver's criterion of an equation, 0 without one.
func (s *setup) target(equation string) float64 {
	if s.targets != nil {
		return s.targets(equation)
	}
	text := s.files["system/fvSolution"]
	_, text, found := strings.Cut(text, "residualControl {")
	if !found {
		return 0
	}
	text, _, _ = strings.Cut(text, "}")
	var p, other float64
	var name string
	if _, err := fmt.Sscanf(text, "%s %g; %s %g;", &name, &p, new(string), &other); err != nil {
		return 0
	}
	if strings.HasPrefix(equation, "p") {
		return p
	}
	return other
}

// write lays the case out.
func (s *setup) write(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	s.files["system/controlDict"] = s.control(1, "")
	for path, text := range s.files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (s *setup) logName(dir string) string { return filepath.Join(dir, "log."+s.app) }

// run runs the solver from the start for p.n iterations.
func (m *maker) run(s *setup, dir string, p plan, every int) (status int, err error) {
	if err := os.RemoveAll(filepath.Join(dir, "postProcessing")); err != nil {
		return 0, err
	}
	end := float64(p.n) * s.step
	if s.adjust > 0 {
		end = p.end
	}
	if p.killed {
		end = float64(s.limit) * s.step
		if s.adjust > 0 {
			end = s.end
		}
	}
	functions := ""
	if !p.pure {
		functions = s.functions(p.inLog, !p.noTrap, every) // solverInfo would stop at the first NaN
	}
	if err := os.WriteFile(filepath.Join(dir, "system/controlDict"), []byte(s.control(end, functions)),
		0o644); err != nil {
		return 0, err
	}
	for _, left := range []string{"1", "100"} {
		os.RemoveAll(filepath.Join(dir, left))
	}
	return execute(dir, s.app, s.logName(dir), p.noTrap, p.ending, 100*time.Second)
}

func (m *maker) command(dir string, words ...string) ([]byte, error) {
	cmd := exec.Command("nice", append([]string{"-n", "10", "/usr/bin/" + words[0]}, words[1:]...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "WM_PROJECT_DIR=/usr/share/openfoam")
	return cmd.CombinedOutput()
}

// keepLong moves the long run's files aside.
func keepLong(dir, keep string, s *setup) error {
	if err := os.RemoveAll(keep); err != nil {
		return err
	}
	if err := os.MkdirAll(keep, 0o755); err != nil {
		return err
	}
	if err := os.Rename(s.logName(dir), s.logName(keep)); err != nil {
		return err
	}
	if len(s.watch) == 0 && s.fields == "" { // the case writes no tables
		return nil
	}
	return os.Rename(filepath.Join(dir, "postProcessing"), filepath.Join(keep, "postProcessing"))
}

// collect copies the files for the judge, and returns their paths below the history's folder.
func (s *setup) collect(from, to string, m made) ([]string, error) {
	var files []string
	if m.log {
		files = append(files, "log."+s.app)
	}
	if m.tables || m.all {
		found, err := filepath.Glob(filepath.Join(from, "postProcessing", "*", "*", "*.dat"))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			base := filepath.Base(f)
			if base == "moment.dat" || base == "solverInfo.dat" && !m.all {
				continue
			}
			if info, err := os.Stat(f); err != nil || info.Size() == 0 { // the solver died before its first value
				continue
			}
			rel, err := filepath.Rel(from, f)
			if err != nil {
				return nil, err
			}
			files = append(files, rel)
		}
	}
	return files, copyFiles(from, to, files)
}

// copyFiles copies files of a folder into a new folder.
func copyFiles(from, to string, files []string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(from, f))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, f)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, f), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func replace(text, old, with string) string { return strings.ReplaceAll(text, old, with) }

func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range []byte(s) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h >> 1
}

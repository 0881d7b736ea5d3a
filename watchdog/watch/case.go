package watch

// Which files are one run. Each log of a program in a folder is a run, with a verdict of its own; a log that continues
// an earlier one of the same program, after a restart, belongs to its run. Tables belong to the run that iterates.

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/state"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// log reports whether the file is a log of a program, which says at its end how the program ended.
func (s *source) log() bool {
	return s.preset != nil && s.preset.Closes && s.preset.File.Format == history.Regexp
}

// iterates reports whether the file has an iteration.
func (s *source) iterates() bool { return !math.IsNaN(s.first) }

// measureLength is how much of the beginning and of the end of a file is read for its first and last iteration, bytes.
const measureLength = 256 << 10

// measure reads the first and the last iteration of a file, NaN if it has none yet, and what wrote it. It reads again
// only what has changed since, and no beginning that it has read whole.
func (s *source) measure() {
	info, err := os.Stat(s.path)
	if err != nil || info.Size() == s.measured || min(info.Size(), s.measured) > measureLength {
		return
	}
	f, err := intake.Open(s.path)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // read only
	s.measured = info.Size()
	var found source
	found.first = math.NaN()
	text := make([]byte, min(s.measured, measureLength))
	read := func(offset int64, take func(at float64)) {
		n, _ := f.ReadAt(text, offset) // the rest is judged when it can be read
		parser := history.NewParser(&history.FileSpec{File: s.preset.File}, s.path, history.State{}, nil)
		each := func(x *history.Sample) {
			s.broken = s.broken || len(x.NonFinite) > 0
			if at, known := iterates(x); known {
				take(at)
			}
		}
		for line := range bytes.Lines(text[:n]) {
			if line, whole := bytes.CutSuffix(line, []byte("\n")); whole {
				parser.Read(tail.Line{Text: line}, each)
			}
		}
	}
	read(0, found.reach)
	if s.origin = s.preset.Origin(text[:min(len(text), fileformat.SniffLength)]); !s.origin.Start.IsZero() {
		s.origin.Start = s.started(f, text)
	}
	if s.measured > measureLength && found.iterates() {
		read(s.measured-measureLength, found.reach)
	}
	if found.iterates() {
		s.first, s.last, s.apart = found.first, found.last, found.apart
	}
}

// mostHeader is more than the length of the lines that name a start, bytes.
const mostHeader = 1 << 10

// started returns the last start that a log names: a solver that is started again may append to its log. It reads from
// the end on.
func (s *source) started(f io.ReaderAt, buffer []byte) time.Time {
	for end := s.measured; end > mostHeader; end -= int64(len(buffer)) - mostHeader {
		begin := max(0, end-int64(len(buffer)))
		n, _ := f.ReadAt(buffer[:end-begin], begin)
		if at := s.preset.Started(buffer[:n]); !at.IsZero() {
			return at
		}
	}
	return s.origin.Start
}

// reach records an iteration.
func (s *source) reach(at float64) {
	switch {
	case !s.iterates():
		s.first, s.last = at, at
	case at != s.last:
		s.last, s.apart = at, math.Abs(at-s.last)
	}
}

// iterates returns the place of a sample that has more than its place: a utility prints times, too.
func iterates(x *history.Sample) (at float64, is bool) {
	at, known := x.At()
	return at, known && len(x.Numbers)+len(x.NonFinite)+len(x.Arrays) > 1
}

// sortSources sorts files so that each comes after the files of its run: logs by their first iteration, then logs
// without iterations, then tables.
func sortSources(list []*source) {
	rank := func(s *source) int {
		switch {
		case s.log() && s.iterates():
			return 0
		case s.log():
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b *source) int {
		if by := cmp.Compare(rank(a), rank(b)); by != 0 || rank(a) > 0 {
			return by
		}
		return cmp.Compare(a.first, b.first)
	})
}

// sortRuns sorts the runs of each folder by the last starts that their logs name or, if one names none, by the time of
// their last change, and the folders as their files are listed. Runs of one time, as copies have, stay as sortSources
// sorts them: a tool's failure after all solvers counts.
func sortRuns(runs []*run, files []string) {
	place, undated := map[string]int{}, map[string]bool{}
	for i, path := range files {
		if _, known := place[caseFolder(path)]; !known {
			place[caseFolder(path)] = i
		}
	}
	for i, r := range runs {
		if _, known := place[r.folder]; !known {
			place[r.folder] = len(files) + i
		}
	}
	times := map[*run]struct{ start, changed time.Time }{}
	for _, r := range runs {
		at := times[r]
		for _, s := range r.sources {
			if s.log() {
				at.start = s.origin.Start // of the last log
				at.changed = slices.MaxFunc([]time.Time{at.changed, s.modified}, time.Time.Compare)
			}
		}
		times[r], undated[r.folder] = at, undated[r.folder] || r.log() != nil && at.start.IsZero()
	}
	slices.SortStableFunc(runs, func(a, b *run) int {
		by := cmp.Compare(place[a.folder], place[b.folder])
		if a.folder == b.folder && !undated[a.folder] {
			by = cmp.Or(by, times[a].start.Compare(times[b].start))
		}
		return cmp.Or(by, times[a].changed.Compare(times[b].changed))
	})
}

// join adds a file to its run, and returns all runs and this run.
func join(runs []*run, s *source, o state.Options) ([]*run, *run) {
	fresh := &run{folder: caseFolder(s.path), machine: state.New(o)}
	if r := home(siblings(runs, fresh), s); r != nil {
		r.add(s)
		return runs, r
	}
	fresh.add(s)
	fresh.settled = s.iterates()
	return fresh.adopt(append(runs, fresh)), fresh
}

// siblings returns the other runs of a run's folder.
func siblings(runs []*run, of *run) (list []*run) {
	for _, r := range runs {
		if r != of && r.folder == of.folder {
			list = append(list, r)
		}
	}
	return list
}

// add adds a file: logs come first, in their order.
func (r *run) add(s *source) {
	at := len(r.sources)
	if s.log() {
		if before := r.log(); before != nil {
			s.after, r.writer = before, writer{}
			r.machine.Continue(before.path, s.path)
		}
		for at > 0 && !r.sources[at-1].log() {
			at--
		}
	}
	r.sources = slices.Insert(r.sources, at, s)
	s.run.Store(r)
}

// adopt lets a run that iterates take the tables of its folder, which no log has, and names it: by its folder, or by
// its log if it does not iterate, or another run has that name. It returns the runs that remain.
func (r *run) adopt(runs []*run) []*run {
	log, here := r.log(), siblings(runs, r)
	if log != nil && log.iterates() {
		for _, x := range here {
			if x.log() == nil {
				x.sources = slices.DeleteFunc(x.sources, func(s *source) bool {
					own := x.grows || !s.foreign(log)
					if own {
						r.add(s)
					}
					return own
				})
				if x.name = ""; len(x.sources) > 0 {
					x.name = x.sources[0].path
					continue
				}
				runs = slices.DeleteFunc(runs, func(r *run) bool { return r == x })
			}
		}
	}
	r.name = r.folder
	if log != nil && !log.iterates() || slices.ContainsFunc(here, func(x *run) bool { return x.name == r.folder }) {
		r.name = cmp.Or(log, r.sources[0]).path
	}
	return runs
}

// likely reports whether the file was taken for a table of a run by the name of a column alone, and may be other data:
// one with values that are not finite is judged.
func (s *source) likely() bool {
	return s.preset != nil && s.preset.Likely() && !s.described && !s.named && !s.broken
}

// lately is how long ago a file that is written has changed at most.
const lately = time.Minute

// foreign reports whether a likely table is none of a log's run: it extends beyond the log's end, and is older. A log
// may lag behind its tables, also when it breaks off, and count other iterations.
func (s *source) foreign(log *source) bool {
	return s.likely() && s.last > log.last+2*log.apart && log.modified.Sub(s.modified) >= lately
}

// data reports whether a run is likely tables alone, which are finished, in or below the folder of a run with a log:
// measured values, inputs and results of others show no end of a run. It warns of them once.
func (r *run) data(runs []*run, o *Options) bool {
	grows := func(s *source) bool { return !s.finished && clock.Or(o.Clock).Now().Sub(s.modified).Abs() <= lately }
	if r.grows || slices.ContainsFunc(r.sources, func(s *source) bool { return !s.likely() || grows(s) }) {
		return false
	}
	i := slices.IndexFunc(runs, func(x *run) bool {
		below, err := filepath.Rel(x.folder, r.folder)
		log := x.log()
		return err == nil && filepath.IsLocal(below) && log != nil && log.iterates()
	})
	if i >= 0 && !r.warned {
		r.warned = true
		for _, s := range r.sources {
			o.warn(fmt.Sprintf("%s: a table that is none of the run of %s; it is judged if it is named, or grows",
				s.path, runs[i].log().path))
		}
	}
	return i >= 0
}

// tool reports whether the run's program solves nothing.
func (r *run) tool() bool {
	return r.machine.Idle() && slices.ContainsFunc(r.sources, (*source).anyProgram)
}

// scene returns a name of the runs of which the last one decides: a case is meshed, started and started again by
// programs that name the case in their logs.
func (r *run) scene() string {
	if log := r.log(); log != nil && log.origin.Case != "" {
		return r.folder + "\n" + log.origin.Case
	}
	return r.name
}

// Verdicts are the ends of runs, by the cases that they belong to.
type Verdicts map[string]bool

// Add adds the end of a run. A later solver of a case decides on it; a mesher or utility only if it fails.
func (v Verdicts) Add(l Line) {
	if was, known := v[l.scene]; l.Final && (!l.tool || !l.Usable || !known) {
		v[l.scene] = l.Usable && (was || !known || !l.tool)
	}
}

// Usable reports whether every case is usable.
func (v Verdicts) Usable() bool {
	for _, usable := range v {
		if !usable {
			return false
		}
	}
	return true
}

// anyProgram reports whether the file may be a log of a program that solves nothing.
func (s *source) anyProgram() bool { return s.preset != nil && len(s.preset.Program) > 0 }

// log returns the run's latest log; nil if it has none.
func (r *run) log() (last *source) {
	for _, s := range r.sources {
		if s.log() {
			last = s
		}
	}
	return last
}

// home returns the run of a folder to which a file belongs; nil: a new one.
func home(here []*run, s *source) *run {
	var found *run
	for _, r := range here {
		log := r.log()
		switch {
		case s.log():
			if log != nil && log.continuedBy(s) {
				found = r
			}
		case log == nil:
			if found == nil {
				found = r
			}
		case log.iterates() && !s.foreign(log) && (found == nil || found.log() == nil || log.covers(s.first)):
			found = r
		}
	}
	return found
}

// covers reports whether an iteration is one of a log.
func (s *source) covers(at float64) bool { return s.first <= at && at <= s.last+2*s.apart }

// continuedBy reports whether a log continues this one: by the same program in the same case, from within its
// iterations.
func (s *source) continuedBy(next *source) bool {
	return s != next && s.preset.Name == next.preset.Name &&
		s.origin.Program == next.origin.Program && s.origin.Case == next.origin.Case &&
		next.first > s.first && s.covers(next.first)
}

// caseFolder returns the folder of the run that a file belongs to. OpenFOAM writes tables to postProcessing/NAME/TIME
// below it, code_saturne to monitoring.
func caseFolder(path string) string {
	folder := filepath.Dir(path)
	if filepath.Base(folder) == "monitoring" && strings.HasPrefix(filepath.Base(path), "probes_") {
		return filepath.Dir(folder)
	}
	if at := strings.LastIndex("/"+filepath.ToSlash(folder)+"/", "/postProcessing/"); at >= 0 {
		return filepath.Clean(folder[:at])
	}
	return folder
}

// prefix returns the prefix for the names in a table of OpenFOAM or in code_saturne's probes: several tables of a run
// have the same columns, and a function object may write several tables, such as force.dat and moment.dat.
func prefix(path string) string {
	if name, probes := strings.CutPrefix(filepath.Base(path), "probes_"); probes && filepath.Ext(name) == ".csv" {
		return strings.TrimSuffix(name, ".csv") + "."
	}
	parts := strings.Split(filepath.ToSlash(path), "/")
	n := len(parts)
	if n <= 3 || parts[n-4] != "postProcessing" {
		return ""
	}
	file, _, _ := strings.Cut(parts[n-1], ".")
	file = strings.TrimRight(strings.TrimRight(file, "0123456789"), "_") // a rerun numbers it
	if slices.Contains([]string{"surfaceFieldValue", "volFieldValue", "coefficient", "forceCoeffs", "solverInfo",
		"residuals"}, file) {
		return parts[n-3] + "."
	}
	return parts[n-3] + "." + file + "."
}

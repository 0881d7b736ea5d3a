//go:build unix

package external

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// A number that changes while the program runs reaches the files in which it stands, by what follows from it too, and
// no others; steps that are yet to come have it.
func TestControls(t *testing.T) {
	b := newBench(t, `  - {name: second, command: [./second.sh, "{{ cfl }}"], time: 5 s}
settings:
  cfl: {default: 8, min: 0, max: 100}
values:
  half: cfl / 2
files:
  - {to: case.txt, text: "half = {{ half }}"}
  - {to: table.csv, format: csv, columns: {x: x}}
controls: [cfl]
outputs:
  given: {file: out.txt, regexp: 'given (\S+)'}
  twice: {value: 2 * cfl}
`, map[string]string{
		"first":  `while ! grep -q 'half = 1.5$' case.txt; do echo "waits $(cat case.txt)"; sleep 0.02; done`,
		"second": `echo "given $1" > out.txt`,
	})
	d := b.load()
	s := New(d)
	if err := s.SetControl("cfl", 3); !errors.Is(err,
		plugin.ErrNotRunning) {
		t.Errorf("before the run: %v", err)
	}
	p := d.Plugin()
	folder := t.TempDir()
	req := p.WithDefaults(plugin.Request{Folder: folder, Numbers: map[string]float64{"x": 1}})
	begun, said := make(chan struct{}), make(chan string, 100)
	type answer struct {
		res plugin.Result
		err error
	}
	answers := make(chan answer, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		var first sync.Once
		res, err := s.Run(ctx, req, func(e event.Event) {
			first.Do(func() { close(begun) })
			said <- e.Text
		})
		answers <- answer{res, err}
	}()
	<-begun
	table := filepath.Join(folder, "table.csv")
	before := must.Value(os.Stat(table))(t)
	must.OK(t, s.SetControl("cfl", 3))
	a := <-answers
	if a.err != nil || a.res.Class != event.Converged || a.res.Numbers["given"] != 3 || a.res.Numbers["twice"] != 6 {
		t.Errorf("%+v, %v", a.res, a.err)
	}
	if after, err := os.Stat(table); err != nil || !os.SameFile(before, after) ||
		!after.ModTime().Equal(before.ModTime()) {
		t.Errorf("a file without the number was written anew: %v", err)
	}
	close(said)
	var all []string
	for text := range said {
		all = append(all, text)
	}
	if text := strings.Join(all, "\n"); !strings.Contains(text, "cfl is 3, was 8: case.txt written anew") {
		t.Errorf("it was said %q", text)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*.next")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if err := s.SetControl("cfl", 3); !errors.Is(err,
		plugin.ErrNotRunning) {
		t.Errorf("after the run: %v", err)
	}
}

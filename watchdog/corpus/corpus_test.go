package corpus

import (
	"bytes"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

func load(t *testing.T) []History {
	t.Helper()
	return must.Value(Load())(t)
}

// sampled reports whether the files of a row are read: of one row in 25 in short tests.
func sampled(t *testing.T, row int) bool { return testenv.IsLong(t) || row%25 == 0 }

// begins is the line with which an iteration begins, as OpenFOAM's solvers write it.
var begins = regexp.MustCompile(`\n( ?Time = |Iteration: )`)

// Each row has labels of the set, which do not contradict its status, and names files that are there and agree with
// them.
func TestEveryRowStands(t *testing.T) {
	names := map[string]bool{}
	for i, h := range load(t) {
		if names[h.Name] {
			t.Errorf("%s stands twice in the table", h.Name)
		}
		names[h.Name] = true
		for _, l := range []Label{h.Label, h.Alone} {
			if !slices.Contains(Labels, l) {
				t.Errorf("%s: label %q is not of the set", h.Name, l)
			}
		}
		if h.Split != Tune && h.Split != Held {
			t.Errorf("%s: split %q", h.Name, h.Split)
		}
		if h.Solver == "" || h.Family == "" || h.How == "" {
			t.Errorf("%s: a column is empty", h.Name)
		}
		if h.HasStatus && (h.Status == 0 && h.Label == Dead || h.Status != 0 && h.Label.Usable()) {
			t.Errorf("%s: %s with exit status %d", h.Name, h.Label, h.Status)
		}
		if h.Label == Limit && h.Limit == 0 {
			t.Errorf("%s: limit, but the monitor is told none", h.Name)
		}
		for _, f := range h.Files {
			if !sampled(t, i) {
				continue
			}
			text, err := content(&h, f)
			if err != nil {
				t.Error(err)
			} else if len(text) < 20 {
				t.Errorf("%s: %s holds %d bytes", h.Name, f, len(text))
			}
			if strings.HasPrefix(f, "log.") {
				checkLog(t, &h, text)
			}
		}
	}
}

// checkLog holds a label against what the solver's log says.
func checkLog(t *testing.T, h *History, text []byte) {
	t.Helper()
	said := bytes.Contains(text, []byte("solution converged in "))
	if said && h.Label != Converged && h.Label != Unphysical {
		t.Errorf("%s: %s, but its solver said that it converged", h.Name, h.Label)
	}
	if ended := bytes.Contains(text, []byte("\nEnd\n")); ended && h.Label == Dead {
		t.Errorf("%s: dead behind its closing sentence", h.Name)
	}
	if h.Label != Limit {
		return
	}
	short := h.Alone == Complete // a run in time that was cut short
	if n := len(begins.FindAll(text, -1)); n != h.Limit && !(short && n < h.Limit) {
		t.Errorf("%s: limit %d, but %d iterations", h.Name, h.Limit, n)
	}
}

func content(h *History, file string) ([]byte, error) {
	r, err := h.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// The corpus has the size and the mixture that scores need.
func TestMixture(t *testing.T) {
	count := map[Split]map[Label]int{Tune: {}, Held: {}}
	usable, synthetic := 0, 0
	list := load(t)
	for _, h := range list {
		count[h.Split][h.Label]++
		if h.Label.Usable() {
			usable++
		}
		if h.Solver == "generator" {
			synthetic++
		}
	}
	for split, labels := range count {
		for _, l := range Labels {
			t.Logf("%s %-18s %4d", split, l, labels[l])
		}
	}
	t.Logf("%d histories, %d usable, %d from generators", len(list), usable, synthetic)
	if len(list) < 600 || usable < 300 {
		t.Errorf("%d histories, %d usable; want 600 and 300", len(list), usable)
	}
	if synthetic*3 > len(list) {
		t.Errorf("%d of %d histories are from generators; want a third at most", synthetic, len(list))
	}
	for _, l := range Labels {
		switch l {
		case Hung, Periodic, BlowingUp, StepCollapse, InnerStalled: // rare in these cases, or in none
			continue
		}
		if count[Tune][l] < 10 {
			t.Errorf("only %d histories to tune end %s", count[Tune][l], l)
		}
	}
}

// What the repository holds stays small.
func TestSize(t *testing.T) {
	total := int64(0)
	err := fs.WalkDir(data, ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		total += info.Size()
		return err
	})
	must.OK(t, err)
	t.Logf("%.1f MB", float64(total)/1e6)
	if total > 30e6 {
		t.Errorf("%.1f MB; want 30 at most", float64(total)/1e6)
	}
}

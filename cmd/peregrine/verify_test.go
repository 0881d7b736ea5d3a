package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// verifyWith runs the verb and returns its output and exit code.
func verifyWith(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	cmd := newRoot()
	var b bytes.Buffer
	cmd.SetOut(&b)
	cmd.SetErr(&b)
	cmd.SetArgs(append([]string{"verify"}, args...))
	err := cmd.ExecuteContext(t.Context())
	code, _ = cli.ExitCode(t.Context(), err)
	return b.String(), code
}

// All references are met, and the committed page is the one that the verb writes. The JSON has a row for every
// comparison, with the keys that are promised. Its values keep their bits.
func TestVerify(t *testing.T) {
	dir := filepath.Dir(testenv.Reference(t, "README.md"))
	page := filepath.Join(t.TempDir(), "page.md")
	out, code := verifyWith(t, "--reference", dir, "-o", page, "--json")
	if code != 0 {
		t.Errorf("exit code %d", code) // the page lists what failed
	}
	golden.Text(t, "help/verification/comparisons.md", programtest.Read(t, page))
	var rows []map[string]any
	must.OK(t, json.Unmarshal([]byte(out), &rows))
	now := golden.Figures{}
	for _, row := range rows {
		for _, key := range []string{"case", "quantity", "reference", "value", "difference", "limit"} {
			if row[key] == nil {
				t.Fatalf("%v has no %s", row, key)
			}
		}
		if math.Abs(row["difference"].(float64)) > row["limit"].(float64) && row["note"] == nil {
			t.Errorf("%v is beyond its limit, and the exit code was 0", row)
		}
		now.Add(fmt.Sprint(row["case"], "/", row["quantity"]), row["value"].(float64))
	}
	if len(now) < 9000 {
		t.Errorf("only %d rows have names of their own", len(now))
	}
	golden.Compare(t, filepath.Join("testdata", "stored", "verification.gz"), now)
}

// A reference that says something else is told, and so is one that is not there.
func TestVerifyFails(t *testing.T) {
	dir := filepath.Dir(testenv.Reference(t, "README.md"))
	if _, code := verifyWith(t, "--reference", filepath.Join(t.TempDir(), "nowhere")); code != 2 {
		t.Errorf("without a folder: exit code %d", code)
	}
	testenv.Long(t, "compares everything twice")
	wrong := t.TempDir()
	must.OK(t, os.CopyFS(wrong, os.DirFS(dir)))
	path := filepath.Join(wrong, "npss_verification", "inlet.csv")
	data := must.Value(os.ReadFile(path))(t)
	changed := bytes.Replace(data, []byte("7793.756533"), []byte("7795.756533"), 1)
	must.OK(t, os.Remove(path))
	must.OK(t, os.WriteFile(path, changed, 0o600))
	out, code := verifyWith(t, "--reference", wrong)
	if code != 1 || !strings.Contains(out, "FAILED NPSS inlet") ||
		!strings.Contains(out, "FAILED row 1: Fram is 34668.") || !strings.Contains(out, " 1 failed") {
		t.Errorf("a ram drag 0.026 %% off: exit code %d\n%s", code, out)
	}
	must.OK(t, os.Remove(path))
	if _, code := verifyWith(t, "--reference", wrong); code != 2 {
		t.Errorf("without inlet.csv: exit code %d", code)
	}
}

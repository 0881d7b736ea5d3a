package fileformat_test

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// What a file's columns or lines are is guessed; want are words of the description, and the values of the last row.
func TestDraft(t *testing.T) {
	for name, c := range map[string]struct{ text, want, last string }{
		"semicolons, decimal commas, logarithms": {
			"Our code\nNr;Err 1;Mass (kg/s)\n1;-1,0;2,5\n2;-2,0;3,5\n",
			"keys: - Nr log10: - Err 1 rename: Nr: iteration Err 1: residual_Err_1",
			`map[Mass:3.5 iteration:2 residual_Err_1:0.01]`,
		},
		"no header": {"0.1 5 2\n0.2 4 2\n0.3 3 2\n", "names: - column_1 - column_2 - column_3 rename: column_1: time",
			`map[column_2:3 column_3:2 time:0.3]`},
		"lines": {
			"iter     9   err =  1.0e-3 F = 2\niter    10   err =  0.9e-3 F = 3\niter    11   err =  0.8e-3 F = 4\n",
			`lines: - iter{iteration}{*}err ={residual_err}{*}F ={F}`, `map[F:4 iteration:11 residual_err:0.0008]`,
		},
		"lines that begin with a number": {
			"Solver\n  1/600  res: 1e-1 cl: 2\n  2/600  res: 2e-1 cl: 3\n 10/600  res: 3e-1 cl: 4\n",
			`lines: - "{iteration}/{valuex}{*}res:{residual}{*}cl:{cl}"`, `map[cl:4 iteration:10 residual:0.3 valuex:600]`,
		},
		"a time step and its iterations": {
			strings.Repeat("0 TS dt 0.1 time 1.\n    0 SNES Function norm 1e-1\n    1 SNES Function norm 1e-3\n", 3),
			`lines: - "{*}SNES Function norm{residual_norm}" - line: "{*}TS dt{dt}{*}time{time}" begins: true`,
			`map[dt:0.1 residual_norm:0.1 time:1]`,
		},
		"iterations and their inner ones": {
			"0 SNES Function norm 3.\n 0 KSP Residual norm 3.\n 1 KSP Residual norm 1.\n1 SNES Function norm 2.\n" +
				" 0 KSP Residual norm 2.\n 1 KSP Residual norm 1.\n2 SNES Function norm 1.\n",
			`lines: - "{*}KSP Residual norm{residual_norm}" - line: "{iteration}{*}SNES Function norm{residual_norm}" begins`,
			`map[iteration:2 residual_norm:1]`,
		},
		"norms in brackets": {
			strings.Repeat("it = 1 | L2(rho)= 1e-3 | r (abs) = 2e-3 | ||v|| = 3e-3\n", 3),
			`L2(rho)={residual_rho}{*}| r (abs) ={residual_abs}{*}| ||v|| ={residual_v}`,
			`map[iteration:1 residual_abs:0.002 residual_rho:0.001 residual_v:0.003]`,
		},
	} {
		d := fileformat.Guess([]byte(c.text))
		d.Name, d.Files = "x", "x.txt"
		text := must.Value(d.Text())(t)
		if words := strings.Join(strings.Fields(string(text)), " "); !strings.Contains(words, c.want) {
			t.Errorf("%s: got\n%s", name, text)
		}
		p := must.Value(fileformat.Parse("x.yaml", text))(t)
		if last := show(parse(&history.FileSpec{File: p.File}, c.text, false)); !strings.Contains(last, c.last) {
			t.Errorf("%s: read as\n%s", name, last)
		}
	}
	if d := fileformat.Guess([]byte("\x7fELF\x00\x01 words 1\nonly\n")); len(d.Columns)+len(d.Lines) > 0 {
		t.Errorf("%+v", d)
	}
}

// A guess of any file is a description, or nothing is guessed.
func FuzzDraft(f *testing.F) {
	f.Add([]byte("a b c\n1 2 3\n2 3 4\n"))
	f.Add([]byte("VARIABLES = \"It {\" \"x: y\"\n1 2\n2 3\n"))
	f.Add([]byte("it {1} = 3\nit {2} = 4\nit {3} = 5\n"))
	f.Fuzz(func(t *testing.T, head []byte) {
		intaketest.Bounded(t, len(head), func() {
			d := fileformat.Guess(head)
			if d.Name, d.Files = "x", "x.txt"; d.Key == "" && len(d.Lines) == 0 {
				return
			}
			must.Value(fileformat.Parse("x.yaml", must.Value(d.Text())(t)))(t)
		})
	})
}

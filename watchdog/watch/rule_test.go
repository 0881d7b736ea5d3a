package watch

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	across "github.com/peregrine-sim/peregrine/watchdog/rule/study"
)

// ruled are the built-in rules and those of a file.
func ruled(t *testing.T, text string) *Rules {
	t.Helper()
	file, err := config.ParseRules("rules.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	single, err := rule.New(rule.Shape{Functions: file.Functions}, file.Rules)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := across.New(file.Functions, file.Rules)
	if err != nil {
		t.Fatal(err)
	}
	return &Rules{single, wide}
}

const ownRules = `
functions:
  behind(x, n): x < n
rules:
  - {name: deep, when: 'residual_p < 1e-3 and behind(iteration, 550)', message: "at {iteration}"}
  - name: two_good
    when: 'count(runs, .state == "converged" and .ended) >= 2'
    message: "{count(runs, .answered)} have answers"
`

// A rule on a run and one on all runs find the same in finished files as in files that are watched, and say so in lines of
// the run's file.
func TestRules(t *testing.T) {
	folder := t.TempDir()
	var files []string
	for _, name := range []string{"a", "b"} {
		files = append(files, write(t, filepath.Join(folder, name, "log"), log(600, 0.01, "1e-4", ends)))
	}
	o := Options{Rules: ruled(t, ownRules), Clock: clock.Real}
	for _, follow := range []bool{false, true} {
		var found []string
		say := func(l Line) {
			for _, f := range l.Findings {
				found = append(found, fmt.Sprintf("%s %s: %s %d", filepath.Base(filepath.Dir(l.File)), f.Rule, f.Message, len(f.Runs)))
			}
		}
		var err error
		if follow {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err = Follow(ctx, files, o, say)
		} else {
			err = Once(files, o, say)
		}
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(found, "; ")
		for _, want := range []string{"a deep: at ", "b deep: at ", "b two_good: 2 have answers 2"} {
			if strings.Count(text, want) != 1 {
				t.Errorf("follow %v: %q, want %q once", follow, text, want)
			}
		}
		if len(found) != 3 {
			t.Errorf("follow %v: %q", follow, found)
		}
	}
}

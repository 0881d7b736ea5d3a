package script_test

import (
	"context"
	"errors"
	"testing"

	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/steering/script"
)

// nobody is a study without runs.
type nobody struct{}

func (nobody) Going(context.Context, string) ([]script.Going, error)   { return nil, nil }
func (nobody) Objects(context.Context, string) ([]steer.Listed, error) { return nil, script.ErrEnded }
func (nobody) Read(context.Context, string, []string) ([]steer.Listed, error) {
	return nil, script.ErrEnded
}
func (nobody) Command(v steer.Verb) steer.Command { return steer.Command{ID: "1", Verb: v} }
func (nobody) Keep(string, script.Order) error    { return nil }

func (nobody) Give(_ context.Context, _ string, o script.Order, report func(steer.Receipt)) error {
	report(steer.Receipt{ID: o.ID, Verb: o.Verb, State: steer.Late})
	return nil
}

func (n nobody) Rewind(ctx context.Context, run, _ string, o script.Order, report func(steer.Receipt)) error {
	return n.Give(ctx, run, o, report)
}

// BenchmarkSteps measures how long a script goes on that only its limit of steps ends: 10 million of them.
func BenchmarkSteps(b *testing.B) {
	s, err := script.Parse("b.star", "n = 0\nwhile True:\n    n += 1")
	must.OK(b, err)
	for b.Loop() {
		if err := s.Run(b.Context(), nobody{}, script.Options{Clock: clock.Real}); !errors.As(err, new(*script.LimitError)) {
			b.Fatal(err)
		}
	}
}

// FuzzScript: whatever the text is, a script is refused or ends within its limits, with an error that has a place in it.
func FuzzScript(f *testing.F) {
	for _, text := range []string{
		"set('fan-1', cfl=5)", "while True:\n    pass", "load('x', 'y')", "x = [1] * 3 + [2]\nx += x\nx *= 2", "def f(a, *b, **c):\n    return a\nf(1, *[2], **{'c': 3})",
		"wait('a', when='b', timeout=1e9)", "log('%s' % (1 * 2,))", "a[0] *= 2", "lambda: 1 * 2", "[x * y for x in range(3) for y in range(x)]", "rewind('a', 'b', {'c': 1}, d={})",
		"set('a', b=[[[[[[[[[1]]]]]]]]])", "x = []\nx.append(x)\nset('a', b=x)", "release(); runs(); sync(runs(), 'x')", "1 if 2 * 3 else 4 + 5", "step('a', n=-1, wait=False)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := script.Parse("f.star", text)
		if err == nil {
			ctx, cancel := context.WithCancel(t.Context())
			err = s.Run(ctx, nobody{}, script.Options{Clock: clock.Real, Limits: script.Limits{Steps: 10_000, Time: 1e8, Output: 1000}})
			cancel()
		}
		var placed *script.Error
		if err != nil && len(text) < script.MostText && (!errors.As(err, &placed) || len(placed.Places) == 0) {
			t.Errorf("%q: %v", text, err)
		}
	})
}

package tail_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// drain polls until there is nothing more and renders what came, one string a
// line; notes stand in angle brackets.
func drain(t testing.TB, f *tail.File) []string {
	t.Helper()
	return collect(t, f.Poll)
}

func collect(t testing.TB, poll func(func(tail.Line)) (bool, error)) []string {
	t.Helper()
	got := []string{}
	for {
		more, err := poll(func(l tail.Line) {
			s := string(l.Text)
			if l.Note != tail.Plain {
				s = "<" + l.Note.String() + ">" + s[:min(len(s), 10)]
			}
			got = append(got, s)
		})
		must.OK(t, err)
		if !more {
			return got
		}
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must.OK(t, os.WriteFile(path, []byte(text), 0o644))
}

func add(t testing.TB, path, text string) {
	t.Helper()
	f := must.Value(os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644))(t)
	defer f.Close()
	must.Value(f.WriteString(text))(t)
}

// What happens to a file between polls, and the lines that come.
func TestFaults(t *testing.T) {
	long := strings.Repeat("x", tail.MaxLine+1)
	huge := strings.Repeat("y", 3*tail.MaxLine)
	type step struct {
		name string
		do   func(t *testing.T, path string) // nil: RotateWait passes
		want []string
	}
	grow := func(text string) func(*testing.T, string) {
		return func(t *testing.T, path string) { add(t, path, text) }
	}
	anew := func(text string) func(*testing.T, string) {
		return func(t *testing.T, path string) { write(t, path, text) }
	}
	rotate := func(last, text string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			add(t, path, last)
			must.OK(t, os.Rename(path, path+".1"))
			if text != "" {
				add(t, path, text)
			}
		}
	}
	remove := func(t *testing.T, path string) {
		must.OK(t, os.Remove(path))
	}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"late creation", []step{
			{"absent", func(*testing.T, string) {}, []string{}},
			{"created", grow("a\nb\n"), []string{"a", "b"}},
		}},
		{"partial lines", []step{
			{"half", grow("1 2"), []string{}},
			{"whole", grow("3\n4"), []string{"1 23"}},
			{"more", grow("5\r\n\n"), []string{"45", ""}},
			{"same", func(*testing.T, string) {}, []string{}},
		}},
		{"truncated", []step{
			{"first", grow("a\nb\nc\n"), []string{"a", "b", "c"}},
			{"shorter", anew("d\n"), []string{"<file rewritten>", "d"}},
			{"on", grow("e\n"), []string{"e"}},
		}},
		{"truncated and longer than before", []step{
			{"first", grow("a\nb\n"), []string{"a", "b"}},
			{"longer", anew("A\nB\nC\nD\n"), []string{"<file rewritten>", "A", "B", "C", "D"}},
		}},
		{"rewritten to the same length", []step{
			{"first", grow("a\nb\n"), []string{"a", "b"}},
			{"same", func(t *testing.T, path string) {
				write(t, path, "c\nd\n")
				later(t, path)
			}, []string{"<file rewritten>", "c", "d"}},
		}},
		{"emptied", []step{
			{"first", grow("a\n"), []string{"a"}},
			{"empty", anew(""), []string{"<file rewritten>"}},
			{"on", grow("b\n"), []string{"b"}},
		}},
		{"rotated", []step{
			{"first", grow("a\n"), []string{"a"}},
			{"rotated", rotate("b\n", "c\n"), []string{"b", "<file rotated>", "c"}},
			{"on", grow("d\n"), []string{"d"}},
		}},
		{"rotated in two steps, first half a line", []step{
			{"first", grow("a\n"), []string{"a"}},
			{"gone", rotate("b\nhalf", ""), []string{"b", "<file removed>"}},
			{"new", grow("c\n"), []string{}},
			{"later", nil, []string{"<unfinished line>half", "<file rotated>", "c"}},
		}},
		{"deleted and created again", []step{
			{"first", grow("a\n"), []string{"a"}},
			{"deleted", remove, []string{"<file removed>"}},
			{"still", func(*testing.T, string) {}, []string{}},
			{"again", grow("b\n"), []string{"<file rotated>", "b"}},
		}},
		{"garbage", []step{
			{"binary", grow("a\n\x00\xff\xfe\x01\nb\n"), []string{"a", "\x00\xff\xfe\x01", "b"}},
			{"long line", grow(long + "\nc\n"), []string{"<line too long>xxxxxxxxxx", "c"}},
			{"endless line", grow(huge), []string{"<line too long>yyyyyyyyyy"}},
			{"it goes on", grow(huge), []string{}},
			{"and ends", grow("\nd\n"), []string{"d"}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "history.dat")
			at := clock.NewManual(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC))
			f := tail.Open(path, tail.Position{}, tail.Options{Clock: at})
			defer f.Close()
			for _, s := range c.steps {
				if s.do == nil {
					at.Advance(tail.RotateWait)
				} else {
					s.do(t, path)
				}
				if diff := cmp.Diff(s.want, drain(t, f)); diff != "" {
					t.Fatalf("%s: (-want +got)\n%s", s.name, diff)
				}
			}
		})
	}
}

// later moves the file's time on: the clock of a file system may be too coarse
// to tell two writes in a row apart.
func later(t *testing.T, path string) {
	t.Helper()
	info := must.Value(os.Stat(path))(t)
	at := info.ModTime().Add(1e9)
	must.OK(t, os.Chtimes(path, at, at))
}

// A position outlives the process that read so far.
func TestResume(t *testing.T) {
	for _, c := range []struct {
		name    string
		between func(t *testing.T, path string)
		want    []string
	}{
		{"grown", func(t *testing.T, path string) { add(t, path, "lf\nd\n") }, []string{"half", "d"}},
		{"rotated", func(t *testing.T, path string) {
			add(t, path, "lf\nd\n")
			must.OK(t, os.Rename(path, path+".old"))
			write(t, path, "e\n")
		}, []string{"half", "d", "<file rotated>", "e"}},
		{"replaced", func(t *testing.T, path string) {
			write(t, path+".new", "eeeee\nfffff\ng\n")
			must.OK(t, os.Rename(path+".new", path))
		}, []string{"<file rotated>", "eeeee", "fffff", "g"}},
		{"truncated", func(t *testing.T, path string) { write(t, path, "e\n") }, []string{"<file rewritten>", "e"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "history.dat")
			write(t, path, "a\nb\nc\nha")
			first := tail.Open(path, tail.Position{}, tail.Options{})
			must.Equal(t, []string{"a", "b", "c"}, drain(t, first))
			at := first.Position()
			must.OK(t, first.Close())
			c.between(t, path)
			second := tail.Open(path, at, tail.Options{})
			defer second.Close()
			if diff := cmp.Diff(c.want, drain(t, second)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestNotAFile(t *testing.T) {
	f := tail.Open(t.TempDir(), tail.Position{}, tail.Options{})
	if _, err := f.Poll(func(tail.Line) {}); err == nil || !strings.Contains(err.Error(), "want a regular file") {
		t.Errorf("got %v", err)
	}
}

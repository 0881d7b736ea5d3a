package tail_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

func opens(t *testing.T, path string, at tail.Position) (*tail.File, *clock.Manual) {
	t.Helper()
	c := clock.NewManual(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC))
	f := tail.Open(path, at, tail.Options{Clock: c})
	t.Cleanup(func() { _ = f.Close() })
	return f, c
}

func expect(t *testing.T, f *tail.File, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	must.Equal(t, want, drain(t, f))
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	must.OK(t, os.Rename(from, to))
}

// A writer goes on writing to a file that was renamed, while another one is there already.
func TestLateWrites(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprintf("restart %v", restart), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			write(t, path, "a\n")
			f, at := opens(t, path, tail.Position{})
			expect(t, f, "a")
			rename(t, path, path+".1")
			write(t, path, "")
			expect(t, f, "<file rotated>")
			add(t, path+".1", "late\n")
			if restart {
				before := f
				f, at = opens(t, path, before.Position())
			}
			expect(t, f, "late")
			at.Advance(tail.RotateWait - time.Second)
			add(t, path+".1", "later\n")
			add(t, path, "b\n")
			expect(t, f, "later", "b")
			at.Advance(tail.RotateWait)
			expect(t, f)
			if got := f.Position().Late; got != nil {
				t.Errorf("%v is still kept open", got)
			}
		})
	}
}

// All files that were rotated since the last line that was read come, in order, of whatever names; also after a
// restart.
func TestChain(t *testing.T) {
	for _, c := range []struct {
		name  string
		names [3]string // of the first, the second and the third file in the end
	}{
		{"numbers", [3]string{"log.3", "log.2", "log.1"}},
		{"many", [3]string{"log.11", "log.10", "log.9"}},
		{"dates", [3]string{"log-20261119", "log-20261120", "log-20261121"}},
		{"before the extension", [3]string{"log.3", "log.2", "log.1"}},
	} {
		for _, restart := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, restart %v", c.name, restart), func(t *testing.T) {
				folder, base := t.TempDir(), "log"
				name := func(s string) string { return filepath.Join(folder, s) }
				if c.name == "before the extension" {
					base = "log.dat"
					name = func(s string) string { return filepath.Join(folder, s+".dat") }
				}
				path := filepath.Join(folder, base)
				write(t, name("log.99"), "of long ago\n")
				write(t, filepath.Join(folder, "log.txt"), "another's\n")
				if strings.Contains(c.names[0], "-") {
					rename(t, name("log.99"), name("log-20261118"))
				}
				write(t, path, "a\n")
				f, _ := opens(t, path, tail.Position{})
				expect(t, f, "a")
				add(t, path, "b\n")
				for i, text := range []string{"c\n", "d\n", "e\n"} {
					rename(t, path, name(c.names[i]))
					write(t, path, text)
				}
				if restart {
					f, _ = opens(t, path, f.Position())
				}
				expect(t, f, "b", "<file rotated>", "c", "<file rotated>", "d", "<file rotated>", "e")
			})
		}
	}
}

// The file that was read last is gone: those that are younger still come.
func TestChainWithoutItsFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write(t, path+".1", "of long ago\n")
	early := time.Now().Add(-time.Hour)
	must.OK(t, os.Chtimes(path+".1", early, early))
	write(t, path, "a\n")
	f, _ := opens(t, path, tail.Position{})
	expect(t, f, "a")
	rename(t, path+".1", path+".2")
	must.OK(t, os.Remove(path))
	write(t, path+".1", "b\n")
	write(t, path, "c\n")
	for i, name := range []string{path + ".1", path} {
		later := time.Now().Add(time.Duration(i+1) * time.Second)
		must.OK(t, os.Chtimes(name, later, later))
	}
	second, _ := opens(t, path, f.Position())
	expect(t, second, "<file rotated>", "b", "<file rotated>", "c")
}

// A writer without O_APPEND goes on where it was when its file is truncated.
func TestTruncatedUnderAWriter(t *testing.T) {
	for _, size := range []int64{10, 100 << 10, 3 << 20} {
		path := filepath.Join(t.TempDir(), "log")
		write(t, path, strings.Repeat("123456789\n", int(size/10)))
		w := must.Value(os.OpenFile(path, os.O_WRONLY, 0))(t)
		defer w.Close()
		f, _ := opens(t, path, tail.Position{})
		drain(t, f)
		must.OK(t, w.Truncate(0))
		must.Value(w.WriteAt([]byte("on\n"), size))(t)
		expect(t, f, "<file rewritten>", "on")
		must.Value(w.WriteAt([]byte("and on\n"), size+3))(t)
		expect(t, f, "and on")
	}
}

// A writer reserves space, which reads as NUL bytes, and fills it.
func TestReserved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write(t, path, strings.Repeat("\x00", 1<<20))
	w := must.Value(os.OpenFile(path, os.O_WRONLY, 0))(t)
	defer w.Close()
	f, _ := opens(t, path, tail.Position{})
	expect(t, f)
	for i := range 3 {
		must.Value(w.WriteAt([]byte("line\n"), int64(5*i)))(t)
		later(t, path)
		expect(t, f, "line")
	}
}

// The bytes before the position are those of before: the first ones are not.
func TestRegrown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	same := strings.Repeat("the same line\n", 1000)
	write(t, path, "first\n"+same)
	f, _ := opens(t, path, tail.Position{})
	drain(t, f)
	write(t, path, "other\n"+same+"new\n")
	got := drain(t, f)
	if len(got) != 1003 || got[0] != "<file rewritten>" || got[1] != "other" {
		t.Errorf("%d lines, %q", len(got), got[:min(2, len(got))])
	}
}

func TestLineEnds(t *testing.T) {
	limit := strings.Repeat("x", tail.MaxLine)
	count := func(lines []string) []string {
		for i, l := range lines {
			if l == limit {
				lines[i] = "<limit>"
			}
		}
		return lines
	}
	for _, c := range []struct {
		name  string
		parts []string
		want  []string
	}{
		{"CR", []string{"a\rb\r\rc"}, []string{"a", "b", "", "<unfinished line>c"}},
		{"CR LF in two parts", []string{"a\r", "\nb\r", "c\n"}, []string{"a", "b", "c"}},
		{
			"many CRs", []string{strings.Repeat("0123456789\r", 100)},
			strings.Split(strings.Repeat("0123456789\r", 99)+"0123456789", "\r"),
		},
		{"mark", []string{"\xef\xbb", "\xbfa\n", "b\n"}, []string{"a", "b"}},
		{"mark, unfinished", []string{"\xef\xbb\xbfa"}, []string{"<unfinished line>a"}},
		{"UTF-16", []string{"\xff\xfea\x00\n\x00", "b\x00\n\x00"}, []string{"<file in UTF-16 is not read>"}},
		{"UTF-16, the other one", []string{"\xfe\xff\x00a\x00\n"}, []string{"<file in UTF-16 is not read>"}},
		{
			"limit", []string{limit + "\n", limit, "\r\n", limit + "\r", limit},
			[]string{"<limit>", "<limit>", "<limit>", "<unfinished line>xxxxxxxxxx"},
		},
		{"one more", []string{limit, "x\na\n"}, []string{"<line too long>xxxxxxxxxx", "a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			var got []string
			var at tail.Position
			for _, part := range c.parts { // each read by another process
				add(t, path, part)
				f, _ := opens(t, path, at)
				got = append(got, drain(t, f)...)
				at = f.Position()
			}
			f, _ := opens(t, path, at)
			got = append(got, collect(t, f.Finish)...)
			if diff := cmp.Diff(c.want, count(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// What the first version of Peregrine has stored is read on.
func TestOldPosition(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write(t, path, "a\nb\n")
	info := must.Value(os.Stat(path))(t)
	f, _ := opens(t, path, tail.Position{})
	drain(t, f)
	p := f.Position()
	var old tail.Position
	must.OK(t,
		json.Unmarshal(fmt.Appendf(nil, `{"inode":%d,"offset":%d,"length":4,"anchor":%d}`, p.Inode, info.Size(),
			p.Anchor), &old))
	add(t, path, "c\n")
	second, _ := opens(t, path, old)
	expect(t, second, "c")
	rename(t, path, path+".1")
	write(t, path, "d\n")
	third, _ := opens(t, path, old)
	expect(t, third, "c", "<file rotated>", "d")
}

// A file that may not be read for a while is read on when it may.
func TestPermissionLost(t *testing.T) {
	m := newMemory()
	n := m.create("/run/log")
	f := tail.Open("/run/log", tail.Position{}, tail.Options{System: m})
	m.add(n, "a\n")
	expect(t, f, "a")
	m.denied = true
	m.add(n, "b\n")
	if _, err := f.Poll(func(tail.Line) { t.Error("a line") }); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v", err)
	}
	m.denied = false
	expect(t, f, "b")
}

// The clock of the file system is set back: nothing is lost.
func TestClockSteps(t *testing.T) {
	m := newMemory()
	n := m.create("/run/log")
	f := tail.Open("/run/log", tail.Position{}, tail.Options{System: m})
	for i := range 10 {
		m.now = m.now.Add(-time.Hour)
		m.add(n, fmt.Sprintf("%d\n", i))
		expect(t, f, fmt.Sprint(i))
	}
}

// A line without end costs no memory: 64 MB of it, and a gigabyte in long tests.
func TestEndlessLine(t *testing.T) {
	size := int64(64 << 20)
	if testenv.IsLong(t) {
		size = 1 << 30
	}
	path := filepath.Join(t.TempDir(), "log")
	write(t, path, "a\nx")
	if err := os.Truncate(path, size); err != nil { // sparse
		testenv.NotHere(t, "no sparse files")
	}
	f, _ := opens(t, path, tail.Position{})
	expect(t, f, "a", "<line too long>x\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	add(t, path, "\nb\n")
	got := drain(t, f)
	runtime.ReadMemStats(&after)
	if len(got) == 0 || got[len(got)-1] != "b" {
		t.Errorf("got %.100q", got)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

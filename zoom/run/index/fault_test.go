package index_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
)

// writerEnv names a work folder whose index this executable opens, over and over.
const writerEnv = "PEREGRINE_INDEX_WRITER"

// writer brings an index up to date until it is killed; in a folder where nothing can be written, once.
func writer() {
	work := os.Getenv(writerEnv)
	if work == "" {
		return
	}
	from, warnings := source(work)
	for {
		x, err := index.Open(context.Background(), from)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if os.Getenv(writerEnv+"_ONCE") != "" {
			rows, err := x.Find(context.Background(), index.Query{Fields: index.Base()})
			fmt.Println(len(rows), "runs,", err, *warnings)
			os.Exit(0)
		}
		x.Close()
		_ = os.Remove(filepath.Join(work, index.FileName)) // so that there is much to write
	}
}

// trials chooses between numbers of trials of short and of long tests.
func trials(t testing.TB, short, long int) int {
	if testenv.IsLong(t) {
		return long
	}
	return short
}

func someRuns(t *testing.T, work string, n int) (want []string) {
	for i := range n {
		ended(t, work, "s", fmt.Sprintf("r%03d", i), event.Converged, float64(i))
		want = append(want, fmt.Sprintf("s/r%03d", i))
	}
	return want
}

// Whatever stands in the place of the index, the runs are found, and where a new one can be made it is.
func TestIndexIsMadeAnew(t *testing.T) {
	work := t.TempDir()
	want := someRuns(t, work, 30)
	from, warnings := source(work)
	look(t, from, want...)
	path := filepath.Join(work, index.FileName)
	good := must.Value(os.ReadFile(path))(t)
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, len(good))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	for name, content := range map[string][]byte{
		"empty": nil, "garbage": []byte("no database"), "noise": noise, "a part": good[:len(good)/2],
		"the head":              good[:100],
		"noise behind the head": slices.Concat(good[:200], noise[200:]),
		"text behind a page":    slices.Concat(good[:16384], noise[16384:]),
	} {
		for _, end := range []string{"-wal", "-shm"} {
			_ = os.Remove(path + end)
		}
		must.OK(t, os.WriteFile(path, content, 0o644))
		x := open(t, from)
		if got := names(t, x, ""); !slices.Equal(got, want) || x.InMemory() {
			t.Errorf("%s: runs %v, in memory %t", name, got, x.InMemory())
		}
		x.Close()
	}
	x := open(t, from)
	must.Value(x.DB().Exec("PRAGMA user_version = 77"))(t)
	x.Close()
	look(t, from, want...)
	x = open(t, from)
	must.Value(x.DB().Exec("DROP TABLE about"))(t)
	x.Close()
	look(t, from, want...)
	if len(*warnings) > 0 && !strings.Contains(strings.Join(*warnings, " "), "no such table") {
		t.Error(*warnings)
	}
	// It is removed while it is in use: what is known stays known, and the next one makes a new one.
	x = open(t, from)
	must.OK(t, os.Remove(path))
	if got := names(t, x, "cfl >= 0"); !slices.Equal(got, want) {
		t.Errorf("of a file without a name: %v", got)
	}
	x.Close()
	look(t, from, want...)
}

// A value that has got another type is none: the index is made anew.
func TestValueOfOtherType(t *testing.T) {
	work := t.TempDir()
	want := someRuns(t, work, 3)
	from, _ := source(work)
	for _, wrong := range []string{"wall = 'fast'", "class = x'00'", "solver = CAST(solver AS BLOB)"} {
		x := open(t, from)
		must.Value(x.DB().Exec("UPDATE run SET " + wrong))(t)
		q := index.Query{Fields: must.Value(x.Fields().Choose([]string{"wall", "class", "solver"}))(t)}
		for _, row := range must.Value(x.Find(t.Context(), q))(t) {
			_, number := row[0].(float64)
			class, text := row[1].(string)
			if !number || !text || class == "" || fmt.Sprintf("%T", row[2]) != "string" {
				t.Errorf("%s: %#v", wrong, row)
			}
		}
		x.Close()
		look(t, from, want...)
	}
}

// Random bytes of an index are changed, by a writer or by the disk, which leaves the time of the last change. No verb
// fails, and no value is wrong.
func TestDamagedBytes(t *testing.T) {
	work := t.TempDir()
	want := someRuns(t, work, 30)
	from, _ := source(work)
	look(t, from, want...)
	rows := func(x *index.Index) []index.Row {
		fields := slices.DeleteFunc(x.Fields().All(), func(f index.Field) bool { return f.Name == "age" })
		return must.Value(x.Find(t.Context(), index.Query{Fields: fields}))(t)
	}
	x := open(t, from)
	good := rows(x)
	x.Close()
	path := filepath.Join(work, index.FileName)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range trials(t, 10, 60) {
		text := must.Value(os.ReadFile(path))(t)
		info := must.Value(os.Stat(path))(t)
		for range 20 {
			text[random.IntN(len(text))] = byte(random.Uint32())
		}
		must.OK(t, os.WriteFile(path, text, 0o644))
		if i%2 == 0 {
			must.OK(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
		}
		x := open(t, from) // fails the test if it cannot be opened
		names(t, x, `wall >= 0 and class != "stalled"`)
		if diff := cmp.Diff(good, rows(x)); diff != "" {
			t.Error(diff)
		}
		x.Close()
		for _, end := range []string{"-wal", "-shm", ""} {
			_ = os.Remove(path + end)
		}
		look(t, from, want...)
	}
}

// Where no file can be made, the index is in memory, and one line says so.
func TestNoPlaceForIndex(t *testing.T) {
	for _, name := range []string{index.FileName, index.FileName + ".lock"} {
		work := t.TempDir()
		want := someRuns(t, work, 3)
		must.OK(t, os.MkdirAll(filepath.Join(work, name, "in the way"), 0o755)) // root may write where it may not
		from, warnings := source(work)
		look(t, from, want...)
		if len(*warnings) != 1 || strings.Contains((*warnings)[0], "\n") ||
			!strings.Contains((*warnings)[0], index.FileName) {
			t.Errorf("%s: warnings %q", name, *warnings)
		}
	}
}

// itself starts this executable as a writer.
func itself(work string, more ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(more, writerEnv+"="+work)...)
	return cmd
}

// A disk that is full for the index is none for its reader.
func TestFullDisk(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		testenv.NotHere(t, "no shell to limit the size of files")
	}
	work := t.TempDir()
	someRuns(t, work, 30)
	for _, blocks := range []int{0, 1, 40, 80, 100} {
		for _, end := range []string{"-wal", "-shm", ""} {
			_ = os.Remove(filepath.Join(work, index.FileName) + end)
		}
		cmd := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$0"`, blocks), os.Args[0])
		cmd.Env = append(os.Environ(), writerEnv+"="+work, writerEnv+"_ONCE=1")
		text, err := cmd.Output()
		if err != nil || !strings.HasPrefix(string(text), "30 runs, <nil> [") ||
			blocks < 2 && !strings.Contains(string(text), index.FileName) {
			t.Errorf("%d blocks: %v: %s", blocks, err, text)
		}
	}
	from, warnings := source(work)
	x := open(t, from)
	if got := names(t, x, ""); len(got) != 30 || x.InMemory() {
		t.Errorf("%d runs when there is room, warnings %v", len(got), *warnings)
	}
}

// Several processes write an index, remove it, and are killed. Whoever looks finds all runs.
func TestKilledWriters(t *testing.T) {
	work := t.TempDir()
	want := someRuns(t, work, 60)
	from, _ := source(work)
	var wg sync.WaitGroup
	defer wg.Wait()
	stop := make(chan struct{})
	defer close(stop)
	for i := range 2 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(5, uint64(i)))
			for {
				cmd := itself(work)
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-time.After(time.Duration(20+random.IntN(200)) * time.Millisecond):
				case <-stop:
				}
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for range trials(t, 5, 30) {
		look(t, from, want...)
	}
}

package cache

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

func unlike(mine, theirs []byte) bool { return !bytes.Equal(mine, theirs) }

// bundled is a cache with five entries and notes on some, and a bundle of three of them.
func bundled(t testing.TB) (c *Cache, keys []Key, bundle []byte) {
	c = must.Value(Open(t.TempDir()))(t)
	group, _ := entryOf(100)
	for i := range 5 {
		k, data := entryOf(i)
		must.OK(t, errors.Join(c.Join(group, k, data[:7]), c.Put(k, data)))
		if i%2 == 0 {
			keys = append(keys, k)
		}
	}
	var b bytes.Buffer
	m := Manifest{Made: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Host: "here", Program: "1.0"}
	must.Value(c.Export(t.Context(), &b, m, keys, func(k Key) any { return k.String() }))(t)
	return c, keys, b.Bytes()
}

// An entry that another process removes while it is exported ends that bundle, and is named, so that it can be left
// out.
func TestExportNamesTheEntryThatIsGone(t *testing.T) {
	c, keys, _ := bundled(t)
	reads := 0
	about := func(k Key) any { // after each entry was read for the manifest
		if reads++; reads == len(keys) {
			must.OK(t, c.Remove(keys[1]))
		}
		return nil
	}
	var gone *GoneError
	if _, err := c.Export(t.Context(), io.Discard, Manifest{}, keys, about); !errors.As(err, &gone) ||
		gone.Key != keys[1] {
		t.Fatalf("the error is %v", err)
	}
	done, err := c.Export(t.Context(), io.Discard, Manifest{}, []Key{keys[0], keys[2]}, about)
	if err != nil || len(done.Entries) != 2 {
		t.Errorf("without it: %d entries, %v", len(done.Entries), err)
	}
}

// An interrupt ends both within an entry; what was taken stays, with where it is from.
func TestInterruptedBundles(t *testing.T) {
	c, keys, bundle := bundled(t)
	ctx, cancel := context.WithCancel(t.Context())
	about := func(Key) any { cancel(); return nil }
	if done, err := c.Export(ctx, io.Discard, Manifest{}, keys, about); !errors.Is(err, context.Canceled) ||
		len(done.Entries) != 1 {
		t.Errorf("export: %d entries, %v", len(done.Entries), err)
	}

	there := newCache(t)
	first, data := entryOf(0)
	if err := there.Put(first, data[:1]); err != nil { // another answer, which differ is asked about
		t.Fatal(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	done, err := there.Import(ctx, bytes.NewReader(bundle), func(_, _ []byte) bool { cancel(); return true })
	if !errors.Is(err, context.Canceled) || len(done.Differ) != 1 {
		t.Fatalf("import: %+v, %v", done, err)
	}
	manifests, err := there.Imports()
	if want := min(done.New, 1); err != nil || len(manifests) != want {
		t.Errorf("%d manifests of %d new entries, %v", len(manifests), done.New, err)
	}
	if entries, err := there.List(); err != nil || len(entries) != 1+done.New {
		t.Errorf("%d entries of 1 and %d, %v", len(entries), done.New, err)
	}
	if left, err := os.ReadDir(there.tmp()); err == nil && len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What comes out of a bundle is what went in, once, with its notes and where it is from.
func TestBundle(t *testing.T) {
	_, keys, bundle := bundled(t)
	there := newCache(t)
	for round := range 2 {
		got, err := there.Import(t.Context(), bytes.NewReader(bundle), unlike)
		if want := []int{3, 0}[round]; err != nil || got.New != want || got.There != 3-want || got.Differ != nil {
			t.Fatalf("round %d: %+v, %v", round, got, err)
		}
	}
	entries, err := there.List()
	if err != nil || len(entries) != 3 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for _, i := range []int{0, 2, 4} {
		k, want := entryOf(i)
		if data, ok, err := there.Get(k); !ok || err != nil || !bytes.Equal(data, want) {
			t.Errorf("entry %d: %t, %v", i, ok, err)
		}
	}
	group, _ := entryOf(100)
	notes, err := there.Group(group)
	if err != nil || len(notes) != 3 || !slices.ContainsFunc(keys, func(k Key) bool { return k == notes[0].Key }) {
		t.Errorf("%v, %v", notes, err)
	}
	from, err := there.Imports()
	if err != nil || len(from) != 1 || from[0].Host != "here" || len(from[0].Entries) != 3 {
		t.Errorf("%+v, %v", from, err)
	}
	k, _ := entryOf(0)
	must.OK(t, there.Put(k, []byte("another answer")))
	got, err := there.Import(t.Context(), bytes.NewReader(bundle), unlike)
	if err != nil || len(got.Differ) != 1 || got.Differ[0] != k || got.There != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if data, _, _ := there.Get(k); string(data) != "another answer" {
		t.Error("the own answer was replaced")
	}
}

// A bundle that is cut off, or changed anywhere, gives whole entries or none, and an error; but where the change
// makes no difference to what it unpacks to.
func TestBundleDamaged(t *testing.T) {
	_, _, bundle := bundled(t)
	check := func(what string, at int, data []byte) {
		there := newCache(t)
		if _, err := there.Import(t.Context(), bytes.NewReader(data), unlike); err == nil &&
			!bytes.Equal(unpacked(data), unpacked(bundle)) {
			t.Errorf("%s at byte %d of %d: no error", what, at, len(bundle))
		}
		kept, err := there.Imports()
		if list, _ := there.List(); err != nil || (len(kept) > 0) != (len(list) > 0) {
			t.Errorf("%s at byte %d: %d manifests for %d entries, %v", what, at, len(kept), len(list), err)
		}
		for i := range 5 {
			k, want := entryOf(i)
			if got, ok, err := there.Get(k); err != nil || ok && !bytes.Equal(got, want) {
				t.Errorf("%s at byte %d: entry %d: %v", what, at, i, err)
			}
		}
	}
	places := 25
	if testenv.IsLong(t) {
		places = 150
	}
	for at := 0; at < len(bundle); at += 1 + len(bundle)/places {
		check("cut", at, bundle[:at])
		if at >= 10 { // of the header of gzip most says nothing
			changed := bytes.Clone(bundle)
			changed[at] ^= 0x10
			check("changed", at, changed)
		}
	}
}

// unpacked is what a bundle unpacks to, as far as it does.
func unpacked(data []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil
	}
	return text
}

// files makes a bundle by hand.
func files(t *testing.T, headers []tar.Header, contents []string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for i := range headers {
		headers[i].Size = int64(len(contents[i]))
		must.OK(t, w.WriteHeader(&headers[i]))
		must.Value(w.Write([]byte(contents[i])))(t)
	}
	must.OK(t, errors.Join(w.Close(), z.Close()))
	return b.Bytes()
}

// No name leads anywhere else.
func TestBundleNames(t *testing.T) {
	k, data := entryOf(0)
	whole := string(header(k, data)) + string(data)
	const manifest = `{"format": 1, "entries": []}`
	for _, c := range []struct {
		header  tar.Header
		content string
		says    string
	}{
		{tar.Header{Name: "entries/../../" + k.String()}, whole, "no bundle has a file"},
		{tar.Header{Name: "/entries/" + k.String()}, whole, "no bundle has a file"},
		{tar.Header{Name: "entries/x"}, whole, "no bundle has a file"},
		{tar.Header{Name: "groups/../" + k.String()}, "note", "no bundle has a file"},
		{tar.Header{Name: "entries/" + k.String(), Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, "",
			"is no file"},
		{tar.Header{Name: "entries/" + k.String()}, whole + "x", "does not match its checksum"},
		{tar.Header{Name: "groups/" + k.String() + "/" + k.String()}, strings.Repeat("x", 1<<17),
			"the most that a note"},
	} {
		dir := filepath.Join(t.TempDir(), "a", "b")
		there := openCache(t, dir)
		_, err := there.Import(t.Context(),
			bytes.NewReader(files(t, []tar.Header{{Name: "bundle.json"}, c.header}, []string{manifest, c.content})),
			unlike)
		must.Fail(t, err, c.says)
		if entries, _ := there.List(); len(entries) > 0 {
			t.Errorf("%s: %v", c.header.Name, entries)
		}
		if beside, _ := os.ReadDir(filepath.Dir(dir)); len(beside) != 1 {
			t.Errorf("%s: it wrote beside the cache: %v", c.header.Name, beside)
		}
	}
	for manifest, says := range map[string]string{"{}": "no format", `{"format": 2}`: "newer Peregrine",
		"x": "bundle.json is damaged", `{"format": 1, "entries": [{}]}`: "has 0 of the 1 answers"} {
		bundle := files(t, []tar.Header{{Name: "bundle.json"}}, []string{manifest})
		_, err := newCache(t).Import(t.Context(), bytes.NewReader(bundle), unlike)
		must.Fail(t, err, says)
	}
	bundle := files(t, []tar.Header{{Name: "other"}}, []string{"x"})
	must.Refuse(newCache(t).Import(t.Context(), bytes.NewReader(bundle), unlike))(t, "it is no bundle")
}

// Whatever a bundle is, what comes of it are whole entries.
func FuzzBundle(f *testing.F) {
	_, _, bundle := bundled(f)
	f.Add(bundle)
	f.Add(bundle[:len(bundle)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		there := must.Value(Open(t.TempDir()))(t)
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			n, _ := io.Copy(io.Discard, io.LimitReader(z, 1<<22))
			if n >= 1<<22 {
				t.Skip("a large one takes its time")
			}
		}
		intaketest.Bounded(t, len(data), func() { _, _ = there.Import(t.Context(), bytes.NewReader(data), unlike) })
		entries := must.Value(there.List())(t)
		for _, e := range entries {
			if _, ok, err := there.Get(e.Key); !ok || err != nil {
				t.Errorf("%s: %t, %v", e.Key, ok, err)
			}
		}
	})
}

// nothing is a reader of any number of zeros.
type nothing struct{}

func (nothing) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A bundle of a few kilobytes that unpacks to gigabytes is refused before they are read; one within the limits is
// imported in memory for its manifest and twice an entry, at most (32 + 2 x 24 MiB).
func TestImportNeedsLittleMemory(t *testing.T) {
	k, _ := entryOf(0)
	large := bytes.Repeat([]byte("x"), 12<<20)
	manifest := `{"format": 1, "entries": [` + strings.Repeat(`{"key": "a", "size": 1},`, 1<<18) + `{}]}`
	bomb := func(name, first string) []byte {
		var b bytes.Buffer
		z := must.Value(gzip.NewWriterLevel(&b, gzip.BestSpeed))(t)
		w := tar.NewWriter(z)
		if name != "bundle.json" {
			must.OK(t, addFile(w, "bundle.json", []byte(first), time.Time{}))
		}
		must.OK(t, w.WriteHeader(&tar.Header{Name: name, Size: 40 << 20, Mode: 0o644}))
		must.Value(io.CopyN(w, nothing{}, 40<<20))(t)
		must.OK(t, errors.Join(w.Close(), z.Close()))
		return b.Bytes()
	}
	for name, bundle := range map[string][]byte{
		"manifest": bomb("bundle.json", ""),
		"entry":    bomb("entries/"+k.String(), `{"format": 1, "entries": []}`),
		"": files(t, []tar.Header{{Name: "bundle.json"}, {Name: "entries/" + k.String()}},
			[]string{manifest, string(header(k, large)) + string(large)}),
	} {
		c := newCache(t)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		done, err := c.Import(t.Context(), bytes.NewReader(bundle), unlike)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 60e6 {
			t.Errorf("%q: %d MB were allocated", name, got/1e6)
		}
		var size *intake.SizeError
		if tooLarge := errors.As(err, &size); tooLarge != (name != "") || done.New != 1-len(name[:min(1, len(name))]) {
			t.Errorf("%q: %d new, %v", name, done.New, err)
		}
	}
}

// Importing a bundle of many small entries, as studies make them.
func BenchmarkImport(b *testing.B) {
	const entries = 20_000
	from := must.Value(Open(b.TempDir()))(b)
	keys := make([]Key, entries)
	group, _ := entryOf(1)
	for i := range keys {
		keys[i] = must.Value(NewKey(i))(b)
		must.OK(b, errors.Join(from.Join(group, keys[i], []byte("note")),
			from.PutSoon(keys[i], bytes.Repeat([]byte("x"), 4000))))
	}
	var bundle bytes.Buffer
	must.Value(from.Export(b.Context(), &bundle, Manifest{}, keys, func(Key) any { return nil }))(b)
	for b.Loop() {
		c := newCache(b)
		done := must.Value(c.Import(b.Context(), bytes.NewReader(bundle.Bytes()), unlike))(b)
		if done.New != entries {
			b.Fatal(done.New)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/import")
}

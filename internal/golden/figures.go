package golden

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// Figures are values by name, as text that reads back to the same bits.
type Figures map[string]string

// Add adds a number.
func (f Figures) Add(name string, v float64) { f[name] = numeric.Text(v) }

// longArray is the least length of an array that is stored as its hash.
const longArray = 16

// AddJSON adds every number, truth value and text of a JSON document under its path. Objects in arrays are found by
// their name, if they have one, so that order and additions do not matter. Texts for people (message, evidence,
// fidelity) may change and are left out.
func (f Figures) AddJSON(name string, data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	var v any
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.add(name, v)
	return nil
}

func (f Figures) add(name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			if key != "message" && key != "evidence" && key != "fidelity" {
				f.add(name+"/"+key, item)
			}
		}
	case []any:
		if sum, ok := hash(v); ok && len(v) >= longArray {
			f[name] = fmt.Sprintf("%d values %s", len(v), sum)
			return
		}
		for i, item := range v {
			key := strconv.Itoa(i)
			if o, ok := item.(map[string]any); ok {
				if s, ok := o["name"].(string); ok {
					key = s
				}
			}
			f.add(name+"/"+key, item)
		}
	case float64:
		f.Add(name, v)
	case bool:
		f[name] = strconv.FormatBool(v)
	case string:
		f[name] = strconv.Quote(v)
	}
}

// hash hashes an array of numbers; ok is false if it holds other values.
func hash(list []any) (sum string, ok bool) {
	h := sha256.New()
	for _, item := range list {
		v, ok := item.(float64)
		if !ok {
			return "", false
		}
		_ = binary.Write(h, binary.LittleEndian, math.Float64bits(v))
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), true
}

// Compare compares figures with a compressed file's, to the last bit. New figures are no difference; missing and
// changed ones are.
//
// Such a comparison verifies no answer: it shows that a change altered none. Bits are compared on amd64 alone, as the
// standard library's functions and the compiler's use of fused operations differ between architectures.
func Compare(t testing.TB, file string, now Figures) {
	t.Helper()
	if Update() {
		if err := write(file, now); err != nil {
			t.Fatal(err)
		}
	}
	then, err := read(file)
	if err != nil {
		t.Fatalf("%v; PEREGRINE_STORE=1 writes it", err)
	}
	if len(then) == 0 {
		t.Fatalf("%s holds nothing", file)
	}
	if runtime.GOARCH != "amd64" {
		testenv.NotHere(t, "bits are compared on amd64 only")
	}
	differ := 0
	for _, name := range slices.Sorted(maps.Keys(then)) {
		v, ok := now[name]
		if ok && v == then[name] {
			continue
		}
		if differ++; differ > 20 {
			continue
		}
		if !ok {
			t.Errorf("%s is gone; it was %s", name, then[name])
		} else {
			t.Errorf("%s is %s; it was %s", name, v, then[name])
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d figures differ from %s", differ, len(then), file)
	}
}

func write(file string, f Figures) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(z, "%s\t%s\n", name, f[name])
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

func read(file string) (Figures, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	f := Figures{}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			return nil, fmt.Errorf("%s: no value in %q", file, line)
		}
		f[name] = value
	}
	return f, nil
}

// Update reports whether golden files are written instead of compared.
func Update() bool { return os.Getenv("PEREGRINE_STORE") != "" }

// Text compares a text with a file, line by line.
func Text(t testing.TB, file, got string) {
	t.Helper()
	if Update() {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; PEREGRINE_STORE=1 writes it", err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s (- kept, + computed; PEREGRINE_STORE=1 writes it):\n%s", file, d)
	}
}

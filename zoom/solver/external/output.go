package external

// Outputs: what a program answers, read from the files that it wrote.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// output is an output of a solver, with its place.
type output struct {
	plugin.Quantity
	unit unit.Unit // unit in the file

	is *expression // of the inputs and the outputs above it; nil: it is read

	file    string // pattern of names; the newest file counts
	column  string
	regexp  *regexp.Regexp
	pointer string // of a JSON document
	take    take

	plane    *plane // its plane; nil: none
	quantity string
	average  string // averageMass or averageArea
	frame    string // frameAbsolute or frameRelative

	scatter bool // the output below it is the scatter of its mean
}

// take selects the value of a scalar.
type take struct {
	what string // takeLast, takeFirst, takeMin, takeMax or takeMean
	last int    // of a mean: of so many values; 0: of all
}

const (
	takeLast  = "last"
	takeFirst = "first"
	takeMin   = "min"
	takeMax   = "max"
	takeMean  = "mean"
)

// absent is the error of an output that no file gives.
type absent struct{ name, reason string }

func (e *absent) Error() string { return e.name + ": " + e.reason }

// answers reads the outputs of a run.
type answers struct {
	folder *runFolder
	begun  time.Time // when the run began, by the clock of the file system

	dated   map[string]bool // names of files that were older from the beginning of the run on
	printed []*printout     // of the steps

	texts  map[string][]byte
	tables map[string]*table
	fields map[*plane]*field
}

// all reads all outputs. Values that could not be read are missing from the result, and among the errors.
func (a *answers) all(outputs []output, env environment) (r plugin.Result, missing []error) {
	r.Numbers, r.Arrays = map[string]float64{}, map[string][]float64{}
	for i := range outputs {
		o := &outputs[i]
		if i > 0 && outputs[i-1].scatter && o.is == nil && o.file == "" && o.plane == nil {
			continue // set with the output above
		}
		values, err := a.values(o, env)
		if err == nil && len(values) == 0 {
			err = &absent{o.Name, "no value"}
		}
		if err != nil {
			missing = append(missing, err)
			continue
		}
		if o.Shape == plugin.Profile {
			r.Arrays[o.Name], env[o.Name] = values, values
			continue
		}
		v, scatter := o.take.of(values)
		r.Numbers[o.Name], env[o.Name] = v, v
		if o.scatter {
			r.Numbers[outputs[i+1].Name], env[outputs[i+1].Name] = scatter, scatter
		}
	}
	return r, missing
}

// of returns the value that counts, and the scatter of a mean: the standard deviation over the mean's magnitude.
func (t take) of(values []float64) (v, scatter float64) {
	switch t.what {
	case takeFirst:
		return values[0], 0
	case takeMin:
		return slices.Min(values), 0
	case takeMax:
		return slices.Max(values), 0
	case takeMean:
		if t.last > 0 && len(values) > t.last {
			values = values[len(values)-t.last:]
		}
		for _, x := range values {
			v += x / float64(len(values))
		}
		for _, x := range values {
			scatter += (x - v) * (x - v) / float64(len(values))
		}
		return v, math.Sqrt(scatter) / math.Max(math.Abs(v), math.SmallestNonzeroFloat64)
	}
	return values[len(values)-1], 0
}

// values returns the values of an output, SI, in the order of the file.
func (a *answers) values(o *output, env environment) ([]float64, error) {
	if o.plane != nil {
		f, err := a.field(o.plane, env)
		if err != nil {
			return nil, &absent{o.Name, err.Error()}
		}
		return f.of(o), nil
	}
	if o.is != nil {
		v, err := env.value(o.is)
		if err != nil {
			return nil, &absent{o.Name, err.Error()}
		}
		if x, ok := v.(float64); ok {
			return []float64{x}, nil
		}
		return v.([]float64), nil
	}
	name, err := a.newest(o.file)
	if err != nil {
		return nil, &absent{o.Name, err.Error()}
	}
	values, err := a.read(o, name)
	if err != nil {
		return nil, &absent{o.Name, name + ": " + err.Error()}
	}
	for i := range values {
		values[i] = o.unit.ToSI(values[i])
	}
	return values, nil
}

// missingFile reports that a run has written no file of a pattern.
type missingFile struct{ reason string }

func (e *missingFile) Error() string { return e.reason }

// printout returns the printout with a log; nil: no step has printed it.
func (a *answers) printout(log string) *printout {
	for _, p := range slices.Backward(a.printed) {
		if p.name == log {
			return p
		}
	}
	return nil
}

// newest returns the newest file of a pattern that this run wrote. The error is a *missingFile if it wrote none. A file
// that cannot be read, or whose date is wrong, is another error: an older file must not take its place.
func (a *answers) newest(pattern string) (string, error) {
	if a.printout(pattern) != nil {
		return pattern, nil
	}
	found, spoiled := a.folder.find(pattern)
	if len(spoiled) > 0 {
		return "", fmt.Errorf("%s is no regular file of the run folder", spoiled[0])
	}
	for i, name := range found {
		info, err := a.folder.root.Stat(name)
		switch {
		case err != nil:
			return "", err
		case !info.ModTime().Before(a.begun):
			return name, a.onlyNewest(info, found[i:])
		case !a.dated[name]:
			return "", fmt.Errorf("%s is older than the run", name)
		}
	}
	if len(found) > 0 {
		return "", &missingFile{found[0] + " is older than the run"}
	}
	return "", &missingFile{"there is no file " + pattern}
}

// onlyNewest returns an error if the second of the files, the newest first, may be as new as the first: chance would
// decide between them.
func (a *answers) onlyNewest(first os.FileInfo, files []string) error {
	if len(files) < 2 || compareNumbers(files[0], files[1]) != 0 {
		return nil
	}
	second, err := a.folder.root.Stat(files[1])
	if err != nil || !second.ModTime().Equal(first.ModTime()) {
		return nil // a file that is no more is not the newest
	}
	return fmt.Errorf("%s and %s have the same date: which is the newest?", files[0], files[1])
}

// read returns the values of an output in a file.
func (a *answers) read(o *output, name string) ([]float64, error) {
	p := a.printout(name)
	if p != nil && p.picked[o] != nil {
		return p.picked[o].read(o.regexp)
	}
	text, ok := a.texts[name]
	if !ok {
		var err error
		if p != nil {
			err = p.whole(a.folder)
		}
		if err == nil {
			text, err = a.folder.read(name)
		}
		if err != nil {
			return nil, err
		}
		if text = bytes.ReplaceAll(text, []byte("\ufeff"), nil); bytes.IndexByte(text, 0) >= 0 {
			return nil, errors.New("it has NUL bytes: a hole, or no text in UTF-8")
		}
		a.texts[name] = text
	}
	switch {
	case o.regexp != nil:
		return matches(o.regexp, text)
	case o.pointer != "":
		return pointed(text, o.pointer)
	}
	t := a.tables[name]
	if t == nil {
		var err error
		if t, err = readTable(text); err != nil {
			return nil, err
		}
		a.tables[name] = t
	}
	return t.column(o.column)
}

// group is the name of the group with the value in a regular expression; the default is the first group.
const group = "value"

// matches returns the values that a regular expression finds.
func matches(re *regexp.Regexp, text []byte) ([]float64, error) {
	s, numbers := picks(re)
	r := reading{seekers: []*seeker{s}, text: unmarked(text)}
	r.seek(true)
	return numbers.read(re)
}

// pointed returns the numbers at a pointer of a JSON document (RFC 6901).
func pointed(text []byte, pointer string) ([]float64, error) {
	var at any
	if err := json.Unmarshal(text, &at); err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	if name := repeatedKey(text); name != "" {
		return nil, fmt.Errorf("an object has the key %q twice", name)
	}
	for _, key := range strings.Split(pointer, "/")[1:] {
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		switch n := at.(type) {
		case map[string]any:
			at = n[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(n) {
				return nil, fmt.Errorf("%s: %s is no place in a list of %d", pointer, key, len(n))
			}
			at = n[i]
		default:
			at = nil
		}
		if at == nil {
			return nil, fmt.Errorf("nothing at %s", pointer)
		}
	}
	list, isList := at.([]any)
	if !isList {
		list = []any{at}
	}
	values := make([]float64, len(list))
	for i, v := range list {
		x, ok := v.(float64)
		if !ok {
			return nil, fmt.Errorf("%v at %s is no number", v, pointer)
		}
		values[i] = x
	}
	return values, nil
}

// repeatedKey returns a key that an object of a JSON document has twice; empty: none.
func repeatedKey(text []byte) string {
	type open struct {
		keys  map[string]bool // nil: of a list
		value bool            // the next token is the value of a key
	}
	var within []open
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		n := len(within)
		if key, is := token.(string); is && n > 0 && within[n-1].keys != nil && !within[n-1].value {
			if within[n-1].keys[key] {
				return key
			}
			within[n-1].keys[key], within[n-1].value = true, true
			continue
		}
		switch token {
		case json.Delim('{'):
			within = append(within, open{keys: map[string]bool{}})
			continue
		case json.Delim('['):
			within = append(within, open{})
			continue
		case json.Delim('}'), json.Delim(']'):
			within = within[:n-1]
			n--
		}
		if n > 0 {
			within[n-1].value = false
		}
	}
}

// listed joins errors to a text.
func listed(errs []error) string {
	words := convert.All(errs, func(err error) string { return err.Error() })
	return strings.Join(words, "; ")
}

package main

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// The sample of JSON on the page of outputs has the keys that results have: none else, and none is
// missing that every result has.
func TestOutputsSample(t *testing.T) {
	text := must.Value(page("outputs"))(t)
	_, text, _ = strings.Cut(text, "## JSON\n\n")
	text, _, _ = strings.Cut(text, "\n\n")
	text = regexp.MustCompile(`:([,}])`).ReplaceAllString(text, ":1$1")
	var sample, back any
	var r result.Results
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := errors.Join(json.Unmarshal([]byte(text), &sample), d.Decode(&r)); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	data, err := json.Marshal(r)
	must.OK(t, errors.Join(err, json.Unmarshal(data, &back)))
	if diff := cmp.Diff(keysOf("", sample), keysOf("", back)); diff != "" {
		t.Errorf("-the page +the program:\n%s", diff)
	}
	hpc := catalogue().Type("compressor")
	for name := range r.Cases[0].Components["hpc"].Outputs {
		if hpc.Output(name) == nil {
			t.Errorf("a compressor has no output %s", name)
		}
	}
}

// keysOf lists the paths of the keys of decoded JSON.
func keysOf(path string, v any) (list []string) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			list = append(list, path+"/"+key)
			list = append(list, keysOf(path+"/"+key, v[key])...)
		}
	case []any:
		for _, e := range v {
			list = append(list, keysOf(path+"[]", e)...)
		}
	}
	return list
}

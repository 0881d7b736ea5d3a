package recording

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// parse reads a file with the section alone.
func parse(text string) (t *Trace, err error) {
	r := document.NewReader("t.yaml", document.Form{What: "a file", Begins: "trace:", Bytes: 1 << 20, Words: 1000})
	if root := r.Tree([]byte(text)); root != nil {
		r.Group(root, "", "trace", []document.Key{r.Optional("trace", Doc, Section(&r, &t))})
	}
	return t, r.Errors()
}

// The classes of right input, one a row: every key, its least and its largest value, its forms.
func TestRightClasses(t *testing.T) {
	rows := map[string]Trace{
		`trace: {}`:                               {},
		`trace: {hosts: [local]}`:                 {Hosts: []string{"local"}},
		`trace: {hosts: [node-1, "gpu-[0-9]*"]}`:  {Hosts: []string{"node-1", "gpu-[0-9]*"}},
		`trace: {processes: [fan-n100.0-k+00]}`:   {Processes: []string{"fan-n100.0-k+00"}},
		`trace: {processes: ["fan-*", "hpc-*"]}`:  {Processes: []string{"fan-*", "hpc-*"}},
		`trace: {threads: [main, worker 0]}`:      {Setting: Setting{Threads: []string{"main", "worker 0"}}},
		`trace: {kinds: [region]}`:                {Kinds: []Kind{Region}},
		`trace: {begin: {time: 0 s}}`:             {},
		`trace: {begin: {time: 2 min}}`:           {From: Moment{Time: 2 * time.Minute}},
		`trace: {begin: {iteration: 1}}`:          {From: Moment{Iteration: 1}},
		`trace: {begin: {when: residual < 1e-3}}`: {From: Moment{When: "residual < 1e-3"}},
		`trace: {end: {time: 500 ms}}`:            {To: Moment{Time: time.Second / 2}},
		`trace: {end: {iteration: 200}}`:          {To: Moment{Iteration: 200}},
		"trace:\n  begin: {iteration: 100}\n  end:\n    when: limits.k4[2] > 0.01 and iteration > 300": {
			From: Moment{Iteration: 100}, To: Moment{When: "limits.k4[2] > 0.01 and iteration > 300"}},
		`trace: {begin: {time: 1}, end: {time: 2 s}}`: {From: Moment{Time: time.Second}, To: Moment{Time: 2 * time.Second}},
		`trace: {mode: ring, buffer: 4000}`:           {Setting: Setting{Mode: Ring, Buffer: 4000}},
		`trace: {mode: end, buffer: 10000000}`:        {Setting: Setting{Mode: AtEnd, Buffer: 1e7}},
		`trace: {mode: periodic, period: 10 s}`:       {Setting: Setting{Mode: Periodic, Period: 10 * time.Second}},
		`trace: {quota: {records: 1}}`:                {Setting: Setting{Records: 1}},
		`trace: {quota: {bytes: 8 KiB}}`:              {Setting: Setting{Bytes: LeastBytes}},
		"trace:\n  kinds: [tracing, region, send, receive, fork, join, marker]\n  quota: {records: 5, bytes: 10 MB}": {
			Kinds: Kinds(), Setting: Setting{Records: 5, Bytes: 1e7}},
	}
	must.Equal(t, 21, len(rows))
	for text, want := range rows {
		got, err := parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want.Mode == "" {
			want.Mode = Every
		}
		want.Begin, want.End = want.From.Time, want.To.Time
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("%s:\n%+v, want\n%+v", text, *got, want)
		}
	}
}

// The classes of wrong input, one a row: each is a problem at its line and column, and no other.
func TestWrongClasses(t *testing.T) {
	rows := []struct{ text, at, says string }{
		{"trace:", "1:8", "no value"},
		{"trace: everything", "1:8", "want a group"},
		{"trace: [region]", "1:8", "a list"},
		{"trace: {host: [local]}", "1:9", "did you mean hosts"},
		{"trace:\n  kinds: [region]\n  kinds: [send]", "3:3", "line 2"},

		{"trace: {hosts: local}", "1:16", "want a list of machines"},
		{"trace: {hosts: []}", "1:16", "empty list"},
		{"trace: {hosts: [local, local]}", "1:24", "listed twice"},
		{`trace: {hosts: ["node-["]}`, "1:17", "no pattern"},
		{`trace: {hosts: [""]}`, "1:17", "no value"},
		{"trace:\n  hosts:\n    - [a]", "3:7", "a list, want a text"},

		{"trace: {processes: {fan: 1}}", "1:20", "want a list of runs"},
		{"trace: {processes: []}", "1:20", "empty list"},
		{"trace: {processes: [fan-*, hpc-*, fan-*]}", "1:35", "listed twice"},
		{`trace: {processes: ['fan-\']}`, "1:21", "no pattern"},
		{"trace: {processes: [~]}", "1:21", "no value"},

		{"trace: {threads: 3}", "1:18", "want a list of threads"},
		{"trace: {threads: []}", "1:18", "empty list"},
		{`trace: {threads: ["main,worker 0"]}`, "1:19", "no comma"},
		{"trace: {threads: [main, main]}", "1:25", "listed twice"},

		{"trace: {kinds: region}", "1:16", "want a list of kinds"},
		{"trace: {kinds: []}", "1:16", "empty list"},
		{"trace: {kinds: [regions]}", "1:17", "did you mean region"},
		{"trace: {kinds: [region, send, region]}", "1:31", "listed twice"},
		{"trace: {kinds: [{name: region}]}", "1:17", "a group of keys"},

		{"trace: {begin: 5 s}", "1:16", "want one of {time: 5 s}"},
		{"trace: {begin: {}}", "1:16", "want one of {time: 5 s}"},
		{"trace: {begin: {time: 1 s, iteration: 3}}", "1:16", "want one of {time: 5 s}"},
		{"trace: {begin: {at: 5 s}}", "1:17", "unknown key"},
		{"trace: {begin: {time: -1 s}}", "1:23", "negative"},
		{"trace: {begin: {time: 5 m}}", "1:23", "want a time"},
		{"trace: {begin: {time: soon}}", "1:23", "soon"},
		{"trace: {begin: {iteration: 0}}", "1:28", "too small"},
		{"trace: {begin: {iteration: 2.5}}", "1:28", "whole number"},
		{"trace: {begin: {iteration: [1]}}", "1:28", "a list"},
		{"trace: {begin: {when: residual}}", "1:23", "not a condition"},
		{"trace: {begin: {when: residual <}}", "1:32", "unexpected token"},
		{"trace: {begin: {when: sqrt(k) > 1}}", "1:23", "unknown function"},
		{"trace: {begin: {when: k > 0 and len(k) > 1}}", "1:33", "unknown function"},

		{"trace: {end: {time: 0 s}}", "1:21", "too small"},
		{"trace:\n  begin: {time: 5 s}\n  end: {time: 5 s}", "3:8", "not after begin"},
		{"trace:\n  end: {iteration: 10}\n  begin: {iteration: 20}", "2:8", "not after begin"},

		{"trace: {mode: rings}", "1:15", "did you mean ring"},
		{"trace: {buffer: 0}", "1:17", "too small"},
		{"trace: {buffer: 1e8}", "1:17", "too large"},
		{"trace: {mode: ring, period: 1 s}", "1:29", "only mode: periodic"},
		{"trace: {mode: periodic, period: 0 s}", "1:33", "too small"},

		{"trace: {quota: 10 MB}", "1:16", "want a quota"},
		{"trace: {quota: {}}", "1:16", "no quota"},
		{"trace: {quota: {records: 0}}", "1:26", "too small"},
		{"trace: {quota: {bytes: 1 KiB}}", "1:24", "too small"},
	}
	must.Equal(t, 51, len(rows))
	for _, row := range rows {
		_, err := parse(row.text)
		text := fmt.Sprint(err)
		if !strings.HasPrefix(text, "t.yaml:"+row.at+":") || !strings.Contains(text, row.says) ||
			strings.Count(text, "t.yaml:") != 1 {
			t.Errorf("%q: want %s ... %s, got\n%s", row.text, row.at, row.says, text)
		}
	}
}

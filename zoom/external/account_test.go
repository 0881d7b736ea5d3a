//go:build unix

package external

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// Whatever changes what runs, or what it reads, changes the account; what says nothing of that does not.
func TestAccount(t *testing.T) {
	const rest = `  - {name: second, command: [./second.sh], time: 5 s, log: second.log, input: case.txt, when: cold}
outputs:
  PR: {file: out.txt, regexp: 'PR (\\S+)'}
settings:
  mesh: {default: 0.5}
values:
  twice: 2*x
files:
  - {to: case.txt, text: "x = {{ x }}"}
  - {to: from.txt, template: from.tpl}
  - {to: mesh.dat, copy: mesh.dat}
  - {to: table.csv, format: csv, columns: {x: x, two: twice}}
steer: {files: [{file: case.txt, format: assignments, reread: SIGHUP, within: 7 s, objects: {lever: {at: x}}}, {file: go.txt, reread: {touch: now}, objects: {ease: {regexp: 'a=(\\d+)'}}}]}
`
	account := func(old, new string) string {
		b := newBench(t, "", map[string]string{"first": "true", "second": "true", "third": "true"})
		text := strings.Replace(head+rest, old, new, 1)
		if old != new && text == head+rest {
			t.Fatalf("the description has no %q", old)
		}
		b.write("d.yaml", text, 0o644)
		b.write("from.tpl", "{{ x }}", 0o644)
		b.write("mesh.dat", "1 2 3", 0o644)
		b.write("other.dat", "1 2 3", 0o644)
		got := must.Value(b.load().Account())(t)
		return strings.ReplaceAll(got, b.dir, "DIR")
	}
	was := account("", "")
	for _, c := range []struct{ old, new string }{
		{"second.log", "other.log"}, {"input: case.txt", "input: from.txt"}, {"when: cold", "when: restart"}, {"./second.sh", "./third.sh"},
		{`"{{ x }}"]`, `"-{{ x }}"]`}, {"2*x", "3*x"}, {`"x = {{ x }}"`, `"x =  {{ x }}"`},
		{"to: from.txt", "to: to.txt"}, {"to: mesh.dat", "to: grid.dat"}, {"copy: mesh.dat", "copy: other.dat"},
		{"SIGHUP", "SIGUSR1"}, {"touch: now", "touch: then"}, {"lever: ", "hoist: "}, {"a=(", "b=("},
		{"format: csv", "format: json"}, {"two: twice", "two: x"}, {"two: twice", "both: twice"},
	} {
		if account(c.old, c.new) == was {
			t.Errorf("%s for %s leaves the account as it was:\n%s", c.new, c.old, was)
		}
	}
	for _, c := range []struct{ old, new string }{{"time: 5 s", "time: 6 s"}, {"within: 7 s", "within: 8 s"}, {"default: 0.5", "default: 0.6"}, {"name: tested", "name: another"}} {
		if account(c.old, c.new) != was {
			t.Errorf("%s for %s changes the account", c.new, c.old)
		}
	}
}

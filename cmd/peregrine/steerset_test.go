package main

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// A condition that no run could understand is refused before anything is kept or given.
func TestSteerConditionIsRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"((", "residual", "f(1) > 2"} {
		_, err := verb(t, "steer", "set", "mine/fan-*", "cfl=5", "--future", "--when", text, "--work", t.TempDir())
		if err == nil || !strings.HasPrefix(err.Error(), "--when: condition ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What cannot be switched is said with what can.
func TestSteerSwitches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ texts, want string }{
		{"cfl:foo=off", `cfl:foo: there is no operation "foo", want one of [sense read write actuate call]`},
		{"cfl:actuate=off orders=2", "orders=2: a command that switches an operation changes no value"},
		{"cfl=2 orders:actuate=off", "cfl=2: a command that switches an operation changes no value"},
		{"cfl:actuate=maybe", "cfl:actuate=maybe: want on or off"},
		{"cfl:actuate=off cfl:sense=off", "one command switches one operation"},
		{"cfl:actuate=off orders:actuate=off", ""},
	} {
		wishes, err := wishesOf(strings.Fields(c.texts), nil)
		if err != nil || !switches(wishes) {
			t.Errorf("%s: %v", c.texts, err)
		}
		err = switched(&steer.Command{}, wishes)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.texts, err)
		}
	}
}

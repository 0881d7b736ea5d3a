// Goal prints the results of benchmarks beside their targets and their first results:
//
//	go test -bench . ./... | go run ./internal/goal
//
// It copies its input, and writes the table of table.go at the end. It marks rows whose benchmarks were missing in the
// input. The exit status is 1 if a test failed.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

func main() {
	failed, err := show(os.Stdin, os.Stdout, clock.Real)
	if err != nil {
		fmt.Fprintln(os.Stderr, "goal:", err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

// show passes the output of benchmarks on, and writes the table behind it.
func show(from io.Reader, to io.Writer, at clock.Clock) (failed bool, err error) {
	m := &measured{}
	r := newReader(at)
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if _, err := fmt.Fprintln(to, lines.Text()); err != nil {
			return false, err
		}
		r.line(lines.Text(), m)
	}
	if err := lines.Err(); err != nil {
		return false, err
	}
	_, err = fmt.Fprint(to, "\n", m.table(rows))
	return r.failed, err
}

package slurm

// Slurm's short form of lists of nodes, such as n[1-3,7],rack[0-1]node[00-11],login.

import (
	"fmt"
	"strconv"
	"strings"
)

// mostNodes is the largest number of nodes in all lists that one command prints.
const mostNodes = 100_000

// parseNodes returns the nodes of a list, at most as many as given. "(null)" and similar texts are empty lists.
func parseNodes(text string, most int) ([]string, error) {
	switch text {
	case "", "(null)", "N/A", "n/a", "None assigned":
		return nil, nil
	}
	var nodes []string
	for _, part := range splitOutside(text) {
		names, err := expand(part, most-len(nodes))
		if err != nil {
			return nil, fmt.Errorf("%.200q: %w", text, err)
		}
		nodes = append(nodes, names...)
	}
	return nodes, nil
}

// splitOutside splits a list at the commas outside brackets.
func splitOutside(text string) (parts []string) {
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}

// expand returns the names that a pattern represents, at most as many as given.
func expand(pattern string, most int) ([]string, error) {
	head, rest, ranged := strings.Cut(pattern, "[")
	if !ranged {
		if pattern == "" || strings.Contains(pattern, "]") || most < 1 {
			return nil, fmt.Errorf("%q is no name of a node, or one too many", pattern)
		}
		return []string{pattern}, nil
	}
	inside, tail, closed := strings.Cut(rest, "]")
	if !closed {
		return nil, fmt.Errorf("a bracket is not closed in %q", pattern)
	}
	tails := []string{""}
	if tail != "" {
		var err error
		if tails, err = expand(tail, most); err != nil {
			return nil, err
		}
	}
	var names []string
	for _, span := range strings.Split(inside, ",") {
		first, last, width, err := parseSpan(span)
		if err != nil {
			return nil, err
		}
		if last-first >= most || (last-first+1)*len(tails)+len(names) > most {
			return nil, fmt.Errorf("with those before it names more than %d nodes", mostNodes)
		}
		for n := first; n <= last; n++ {
			for _, t := range tails {
				names = append(names, fmt.Sprintf("%s%0*d%s", head, width, n, t))
			}
		}
	}
	return names, nil
}

// parseSpan reads 007 or 007-012; width is how many digits a number has at least.
func parseSpan(span string) (first, last, width int, err error) {
	from, to, ranged := strings.Cut(span, "-")
	if !ranged {
		to = from
	}
	if len(from) > len("2147483647") {
		return 0, 0, 0, fmt.Errorf("%.20q is no number of a node", from)
	}
	first64, err := strconv.ParseUint(from, 10, 31)
	if err != nil {
		return 0, 0, 0, fmt.Errorf("%q is no number of a node", from)
	}
	last64, err := strconv.ParseUint(to, 10, 31)
	if err != nil || last64 < first64 {
		return 0, 0, 0, fmt.Errorf("%q is no range of nodes", span)
	}
	return int(first64), int(last64), len(from), nil
}

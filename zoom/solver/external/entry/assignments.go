package entry

// Lines of NAME = VALUE.

import (
	"regexp"
	"strings"
)

var (
	assignment = regexp.MustCompile(`^[ \t]*([^\s=:%#!;\[&][^=:%#!;]*?)[ \t]*[=:]`)
	heading    = regexp.MustCompile(`^[ \t]*\[([^\]]+)\][ \t]*$`)
)

// assignments returns the assignments of a text, as section.name below a line [section].
func assignments(text string) (all []named) {
	section := ""
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		if m := heading.FindStringSubmatch(line); m != nil {
			section = m[1] + "."
		} else if m := assignment.FindStringSubmatchIndex(line); m != nil {
			value := line[m[1]:]
			if i := strings.IndexAny(value, "%#!;"); i >= 0 { // the rest is a comment
				value = value[:i]
			}
			s := trimmed(text, Span{at + m[1], at + m[1] + len(value)})
			if s.End > s.Begin && text[s.End-1] == ',' { // of a namelist
				s = trimmed(text, Span{s.Begin, s.End - 1})
			}
			all = append(all, named{section + line[m[2]:m[3]], s})
		}
		at += len(line) + 1
	}
	return all
}

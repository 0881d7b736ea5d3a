package house

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// Bounds of what a reader sees at once.
const (
	mostColumns = 120 // of a line, a tab being four
	mostFiles   = 25  // of a package, without tests and generated files
)

// generated is the line by which go/ast.IsGenerated knows a generated file.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// manyFiles are packages with a file for each of many things of one kind, and so with more files.
var manyFiles = map[string]string{
	"components":       "a file for each component",
	"internal/process": "a file for each operating system",
}

// Lines are short and packages have few files. With -v it says how much code there is.
func TestSizes(t *testing.T) {
	testenv.Lint(t)
	lines, files, large := 0, 0, 0
	for _, f := range everyFolder(t) {
		own := 0
		for _, path := range must.Value(filepath.Glob(filepath.Join(root, filepath.FromSlash(f.path), "*.go")))(t) {
			text := must.Value(os.ReadFile(path))(t)
			if generated.Match(text) {
				continue
			}
			for _, n := range tooLong(text) {
				t.Errorf("%s/%s:%d: the line has more than %d columns, a tab being four: break it", f.path,
					filepath.Base(path), n, mostColumns)
			}
			if !strings.HasSuffix(path, "_test.go") {
				own++
				lines += bytes.Count(text, []byte("\n"))
			}
		}
		if files += own; own > mostFiles {
			large++
			if manyFiles[f.path] == "" {
				t.Errorf("%s has %d files; a package may have %d: split it, or merge files of one idea", f.path, own,
					mostFiles)
			}
		}
	}
	if !t.Failed() {
		t.Logf("%d lines in %d files without tests and generated files; %d packages of over %d files, as manyFiles "+
			"allows", lines, files, large,
			mostFiles)
	}
}

// tooLong returns the numbers of the lines that are too long. A text between backquotes may be, as it stands there as
// it is written or read, and so may a comment set off by a tab, which gofmt keeps as it is.
func tooLong(text []byte) (list []int) {
	free := map[int]bool{}
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, func(token.Position, string) {}, scanner.ScanComments)
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			break
		}
		if kind == token.STRING && literal[0] == '`' || strings.HasPrefix(literal, "//\t") ||
			strings.HasPrefix(literal, "//go:") {
			first := file.Line(at)
			for n := range strings.Count(literal, "\n") + 1 {
				free[first+n] = true
			}
		}
	}
	for n, line := range bytes.Split(text, []byte("\n")) {
		columns := utf8.RuneCount(line) + 3*bytes.Count(line, []byte("\t"))
		if columns > mostColumns && !free[n+1] {
			list = append(list, n+1)
		}
	}
	return list
}

func TestTooLong(t *testing.T) {
	long := strings.Repeat("x", mostColumns)
	text := "package p\n\n// " + long + "\nconst a = `" + long + "\n" + long + "` // " + long + "\nvar " + long +
		" = 1\n//\t" + long + "\nvar b = \"" + long[:100] + "\"\n"
	must.Equal(t, []int{3, 6}, tooLong([]byte(text)))
}

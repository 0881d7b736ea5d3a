package document

// Programs that a file names, with their arguments.

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/internal/convert"
)

// Words reads a list of words.
func (r *Reader) Words(n ast.Node, path, want string) []Word {
	var words []Word
	for i, it := range r.Items(n, path, want) {
		if w, ok := r.Word(it, Item(path, i), "a word, in quotes if it has braces"); ok {
			words = append(words, w)
		}
	}
	return words
}

// Command is a program and its arguments. A relative path of a program, and an argument that names a file beside the
// file being read, become absolute: they stay the same wherever the program runs.
func (r *Reader) Command(dst *[]string) Value {
	const want = "words: a program and its arguments, such as [python3, solver.py]"
	read := func(n ast.Node, path string) {
		words := convert.All(r.Words(n, path, want), func(w Word) string { return w.Text })
		if s, ok := n.(*ast.SequenceNode); ok && len(s.Values) == 0 {
			r.Fail(Position(n), path, "", "no program, want a list of %s", want)
		}
		for i, w := range words {
			at, err := filepath.Abs(filepath.Join(filepath.Dir(r.File), w))
			if err != nil || filepath.IsAbs(w) {
				continue
			}
			if i == 0 && strings.ContainsRune(filepath.ToSlash(w), '/') || i > 0 && isFile(at) {
				words[i] = at
			}
		}
		*dst = words
	}
	return Value{Form: "list of words", Read: read,
		Schema: func() *jsonschema.Schema { return ListOf(scalar()) }}.NotEmpty()
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

package house

import (
	"go/ast"
	"strings"
	"testing"
)

// The comment above a function or a type begins with its name, with an article before it if need be: after a change of
// names it must not speak of another.
func TestCommentsBeginWithTheName(t *testing.T) {
	for _, p := range checked(t) {
		for _, f := range p.files {
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					checkComment(t, p, d.Name, d.Doc)
				case *ast.GenDecl:
					if s, ok := d.Specs[0].(*ast.TypeSpec); ok && len(d.Specs) == 1 {
						checkComment(t, p, s.Name, d.Doc)
					}
				}
			}
		}
	}
}

func checkComment(t *testing.T, p source, name *ast.Ident, doc *ast.CommentGroup) {
	t.Helper()
	first, _, _ := strings.Cut(strings.TrimSpace(doc.Text()), " ")
	first = strings.TrimRight(strings.TrimSuffix(first, "'s"), ",:;.")
	switch first {
	case "", "A", "An", name.Name, name.Name + "s":
	default:
		t.Errorf("%s/%s: the comment on %s begins with %q: begin it with the name", p.path, p.name(name.Pos()),
			name.Name,
			first)
	}
}

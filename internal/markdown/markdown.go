// Package markdown writes Markdown as text for a terminal: paragraphs wrapped to its width, tables in columns,
// headings and code in bold. The parser is goldmark; a renderer of few kinds of text is a tenth of the size of
// general ones, which bring colours of program code, emoji and HTML.
package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Style is how Markdown is written.
type Style struct {
	Width int                              // of the text, columns; 0: lines are as long as they are
	Bold  bool                             // with escape sequences for headings and code
	Link  func(text, target string) string // writes a link; nil: its text alone
}

// indent precedes code and the items of lists.
const indent = "    "

// Render writes Markdown in a style.
func (s Style) Render(markdown string) string {
	r := renderer{Style: s, source: []byte(markdown)}
	parser := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
	r.children(parser.Parse(text.NewReader(r.source)), "")
	return r.out.String()
}

type renderer struct {
	Style
	source []byte
	out    strings.Builder
}

// children writes the blocks of a block, with an empty line between two.
func (r *renderer) children(of ast.Node, prefix string) {
	for n := of.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindHTMLBlock { // the marks of generated lists
			continue
		}
		if r.out.Len() > 0 && n.Parent().Kind() != ast.KindListItem && n.Kind() != ast.KindListItem {
			r.out.WriteByte('\n')
		}
		r.block(n, prefix)
	}
}

func (r *renderer) block(n ast.Node, prefix string) {
	switch n := n.(type) {
	case *ast.Heading:
		r.lines(r.bold(r.inline(n)), prefix)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			r.line(prefix + indent + strings.TrimRight(string(line.Value(r.source)), "\n"))
		}
	case *table.Table:
		r.table(n, prefix)
	case *ast.ListItem:
		at := r.out.Len()
		r.children(n, prefix+indent)
		item := r.out.String()
		r.out.Reset()
		r.out.WriteString(item[:at] + prefix + "  - " + strings.TrimPrefix(item[at:], prefix+indent))
	case *ast.List, *ast.Blockquote:
		r.children(n, prefix)
	default:
		r.lines(r.inline(n), prefix)
	}
}

func (r *renderer) line(text string) { r.out.WriteString(strings.TrimRight(text, " ") + "\n") }

// lines writes text, wrapped.
func (r *renderer) lines(text, prefix string) {
	for _, line := range r.wrap(text, r.Width-len(prefix)) {
		r.line(prefix + line)
	}
}

// wrap breaks text at spaces, and where a word is wider than the width, in it.
func (r *renderer) wrap(text string, width int) []string {
	if r.Width > 0 {
		text = ansi.Wrap(text, max(width, 1), "")
	}
	return strings.Split(text, "\n")
}

// bold writes each word in bold by itself, so that lines can be broken between them.
func (r *renderer) bold(text string) string {
	if !r.Bold || text == "" {
		return text
	}
	return "\x1b[1m" + strings.ReplaceAll(text, " ", "\x1b[m \x1b[1m") + "\x1b[m"
}

// inline returns the text in a block, in one line.
func (r *renderer) inline(of ast.Node) string {
	var b strings.Builder
	for n := of.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(r.source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.CodeSpan:
			b.WriteString(r.code(r.inline(n)))
		case *ast.Link:
			b.WriteString(r.link(r.inline(n), string(n.Destination)))
		case *ast.Image:
			b.WriteString(r.inline(n) + " (a picture)")
		case *ast.RawHTML:
		default:
			b.WriteString(r.inline(n))
		}
	}
	return b.String()
}

// code writes a word of a program: in bold, or in the marks of Markdown.
func (r *renderer) code(text string) string {
	if r.Bold {
		return r.bold(text)
	}
	return "`" + text + "`"
}

func (r *renderer) link(text, target string) string {
	if r.Link == nil {
		return text
	}
	return r.Link(text, target)
}

// table writes a table, whose columns share the width: those that need less than an equal share have what they need.
func (r *renderer) table(t *table.Table, prefix string) {
	const gap = "  "
	var rows [][]string
	widths := make([]int, len(t.Alignments))
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			text := r.inline(cell)
			if row.Kind() == table.KindTableHeader {
				text = r.bold(text)
			}
			widths[len(cells)] = max(widths[len(cells)], ansi.StringWidth(text))
			cells = append(cells, text)
		}
		rows = append(rows, cells)
	}
	if r.Width > 0 {
		share(widths, r.Width-len(prefix)-len(gap)*(len(widths)-1))
	}
	tall := false // a row of several lines is set off from the next
	for i, cells := range rows {
		var columns [][]string
		height := 1
		for c, cell := range cells {
			columns = append(columns, r.wrap(cell, widths[c]))
			height = max(height, len(columns[c]))
		}
		if i > 1 && (tall || height > 1) {
			r.out.WriteByte('\n')
		}
		tall = height > 1
		for k := range height {
			line := prefix
			for c, column := range columns {
				text := ""
				if k < len(column) {
					text = column[k]
				}
				pad := strings.Repeat(" ", max(0, widths[c]-ansi.StringWidth(text)))
				if t.Alignments[c] == table.AlignRight {
					line += pad + text + gap
				} else {
					line += text + pad + gap
				}
			}
			r.line(line)
		}
		if i == 0 {
			rule := make([]string, len(widths))
			for c, width := range widths {
				rule[c] = strings.Repeat("-", width)
			}
			r.line(prefix + strings.Join(rule, gap))
		}
	}
}

// share narrows the widest columns until all fit into a width.
func share(widths []int, width int) {
	narrow := make([]bool, len(widths))
	for {
		left, wide := width, 0
		for c, w := range widths {
			if narrow[c] {
				left -= w
			} else {
				wide++
			}
		}
		if wide == 0 {
			return
		}
		part := max(left/wide, 1)
		more := false
		for c, w := range widths {
			if !narrow[c] && w <= part {
				narrow[c], more = true, true
			}
		}
		if more {
			continue
		}
		for c := range widths {
			if !narrow[c] {
				widths[c] = part
			}
		}
		return
	}
}

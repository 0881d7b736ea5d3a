package web

// The page's scripts and style as texts that one file can hold.

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/regex"
)

var (
	imports = regex.Lazy(`(?m)^import \{([^}]*)\} from "\./([a-z]+)\.js";\n`)
	exports = regex.Lazy(`(?m)^export ((?:async )?(?:function|const) (\w+))`)
)

// Asset returns a file of the page, such as "style.css".
func Asset(name string) string {
	text, err := fs.ReadFile(assets, "assets/"+name)
	if err != nil {
		panic(err) // it is built in
	}
	return string(text)
}

// Script returns the modules of the page as one script: each becomes a function that returns what it exports, after
// its imports.
func Script() string {
	var b strings.Builder
	b.WriteString("\"use strict\";\n")
	added := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if added[name] {
			return
		}
		added[name] = true
		text := Asset(name + ".js")
		for _, m := range imports().FindAllStringSubmatch(text, -1) {
			add(m[2])
		}
		var names []string
		for _, m := range exports().FindAllStringSubmatch(text, -1) {
			names = append(names, m[2])
		}
		text = imports().ReplaceAllStringFunc(text, func(line string) string {
			m := imports().FindStringSubmatch(line)
			return "const {" + strings.ReplaceAll(m[1], " as ", ": ") + "} = " + m[2] + "_js;\n"
		})
		fmt.Fprintf(&b, "const %s_js = (() => {\n%sreturn { %s };\n})();\n", name,
			exports().ReplaceAllString(text, "$1"), strings.Join(names, ", "))
	}
	add("app")
	return b.String()
}

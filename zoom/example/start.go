package example

// Starts for authors of solvers: a folder of working files, to be changed step by step.

import (
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"

	eventproto "github.com/peregrine-sim/peregrine/watchdog/event/proto"
	solverproto "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

//go:embed start/description.yaml
var description string

//go:embed start/program.py
var program string

//go:embed meanline/main.go
var inGo string

//go:embed meanline.py
var inPython string

// Kinds are the kinds of start.
var Kinds = []string{"external", "go", "python"}

// File is a file of a start.
type File struct {
	Name string // its path
	Text string
	Mode os.FileMode
}

// Start returns the files of a solver of that kind and name, and its entry in a file of solvers. quick and long are the
// names of the requests for its check, empty if its description has them.
func Start(kind, name string) (files []File, quick, long, entry string) {
	named := func(text, was string) string { return strings.ReplaceAll(text, was, name) }
	add := func(file, text string, mode os.FileMode) {
		files = append(files, File{name + "/" + file, text, mode})
	}
	switch kind {
	case "external":
		add(name+".yaml", named(description, "NAME"), 0o644)
		add(name+".py", named(program, "NAME"), 0o755)
		return files, "", "", fmt.Sprintf("%s: {external: %s/%s.yaml}\n", name, name, name)
	case "go":
		add("main.go", named(strings.Replace(inGo, "Command meanline", "Command "+name, 1), `"meanline"`), 0o644)
		files[0].Text = strings.Replace(files[0].Text, "Name: "+name, fmt.Sprintf("Name: %q", name), 1)
		add("go.mod", "module "+name+"\n\ngo 1.26\n", 0o644)
		entry = fmt.Sprintf("%s:\n  command: [%s/%s]      # cd %s && go get github.com/peregrine-sim/peregrine && go "+
			"build -o %s\n", name, name, name, name, name)
	case "python":
		add(name+".py", strings.ReplaceAll(inPython, "meanline_python", name), 0o755)
		add("solver.proto", solverproto.Text, 0o644)
		add("event.proto", eventproto.Text, 0o644)
		entry = fmt.Sprintf(
			"%s:\n  command: [%s/%s.py]   # cd %s && protoc --python_out=. solver.proto event.proto\n"+
				"  environment: [GRPC_VERBOSITY=ERROR]\n", name, name, name, name)
	}
	add("quick.json", request(""), 0o644)
	add("long.json", request(`, "relaxation": 1e-6, "pause": 0.002, "max_iterations": 1e9`), 0o644)
	return files, name + "/quick.json", name + "/long.json", entry
}

// Known reports whether the kind of start exists.
func Known(kind string) bool { return slices.Contains(Kinds, kind) }

// request returns a request for the examples.
func request(more string) string {
	return `{
  "numbers": {"N": 3727.7, "gamma": 1.4, "R": 287.05, "throttle": 0.29` + more + `},
  "arrays": {"inlet_span": [0, 1], "inlet_Pt": [101325, 101325], "inlet_Tt": [288.15, 288.15], "inlet_alpha": [0, 0]}
}
`
}

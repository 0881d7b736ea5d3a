package run_test

// The rows of the table of misbehaving solvers.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// misdeeds returns all rows.
func misdeeds() []misdeed {
	return slices.Concat(sound(), markedLines(), floods(), spoiledLogs(), spoiledFiles(), fullDisks(), survivors(),
		numbers(), rebuilt(), lateEvents(), rogues(), contradictions())
}

const (
	nine    = "printf 'y\\n9\\n' >out.csv\n"
	success = "success:\n  - {regexp: ^all well}\n"
	failure = "failure:\n  - {regexp: ^no such flow, class: stalled}\n"
	signs   = outputY + success + failure
)

// Solvers that do no harm: a table that rejects everything would not show it.
func sound() []misdeed {
	return []misdeed{
		{kind: "sound", name: "answer", program: nine, classes: "converged", kept: true, brief: true},
		{kind: "sound", name: "signs", program: "echo all well\n" + nine, rest: signs, classes: "converged",
			kept: true},
		{kind: "sound", name: "failure", program: "echo no such flow\n" + nine, rest: signs, classes: "stalled",
			kept: true},
		{kind: "sound", name: "no sign", program: nine, rest: signs, classes: "not_converged", kept: true},
		{kind: "sound", name: "bad exit", program: nine + "exit 3", classes: "crashed"},
		{kind: "sound", name: "plugin", plugin: "answer", classes: "converged", kept: true, brief: true},
		{kind: "sound", name: "warm plugin", plugin: "answer", warm: true, classes: "converged", kept: true},
	}
}

// Lines of a log with more than their text. Printed in the shell by printf.
func markedLines() []misdeed {
	var rows []misdeed
	for name, line := range map[string][2]string{
		"carriage return":     {"", "\\r\\n"},
		"line of progress":    {"90 %%\\r", "\\n"},
		"progress at the end": {"90 %%\\r", "\\r"},
		"colour":              {"\\033[1;31m", "\\033[0m\\n"},
		"title":               {"\\033]0;solver\\007", "\\n"},
		"byte order mark":     {"\\357\\273\\277", "\\n"},
		"NUL":                 {"\\0", "\\n"},
		"no end":              {"", ""},
	} {
		add := func(says, sign, classes string) {
			rows = append(rows, misdeed{kind: "marked line", name: name + ", " + says, rest: outputY + sign,
				program: nine + "printf '" + line[0] + "'; sleep 0.02; printf '" + says + line[1] + "'\n",
				classes: classes, kept: true, brief: name == "line of progress"})
		}
		add("all well", "success:\n  - {regexp: ^all well$}\n", "converged")
		add("no such flow", "failure:\n  - {regexp: ^no such flow$, class: stalled}\n", "stalled")
	}
	wide := strings.Join(strings.Split("all well\\n", ""), "\\0") + "\\0"
	wide = "\\377\\376" + strings.ReplaceAll(wide, "\\\\0n", "\\n")
	return append(rows, misdeed{kind: "marked line", name: "UTF-16", rest: signs, classes: "converged", kept: true,
		program: nine + "printf '" + wide + "'\n"})
}

// text prints megabytes.
func text(megabytes int) string {
	return fmt.Sprintf("yes 'a line of the flow at which nobody looks, of sixty-four characters' | head -c %d\necho\n",
		megabytes*1_000_000)
}

// Logs beyond the limit of 64 MiB, from which the middle is cut.
func floods() []misdeed {
	var rows []misdeed
	add := func(name, program, rest, classes string) {
		rows = append(rows, misdeed{kind: "flood", name: name, program: program + nine, rest: rest, classes: classes,
			kept: true})
	}
	add("failure in the middle", text(40)+"echo no such flow\n"+text(60), outputY+failure, "stalled")
	add("success in the middle", text(40)+"echo all well\n"+text(60), outputY+success, "converged")
	add("failure at the begin", "echo no such flow\n"+text(90), outputY+failure, "stalled")
	add("success during cuts", text(70)+"echo all well\n"+text(40), outputY+success, "converged")
	add("failure during cuts", text(70)+"echo no such flow\n"+text(40), outputY+failure, "stalled")
	add("an output in the middle", text(40)+"echo y = 9\n"+text(60),
		"outputs:\n  y: {file: first.log, regexp: '^y = (\\S+)'}\n", "converged")
	add("the first output in the middle", text(40)+"echo y = 9\n"+text(60)+"echo y = 7\n",
		"outputs:\n  y: {file: first.log, regexp: '^y = (\\S+)', take: first}\n", "converged")
	add("a column of the log", "echo 1 9\n"+text(90)+"echo 2 7\n",
		"outputs:\n  y: {file: first.log, column: 2, take: min}\n", "bad_output")
	add("a line without end", "head -c 90000000 /dev/zero | tr '\\0' x\necho\necho all well\n", outputY+success,
		"converged")
	return rows
}

// Step logs that are replaced or spoiled while the program runs.
func spoiledLogs() []misdeed {
	var rows []misdeed
	for _, how := range []struct{ name, program string }{
		{"fifo", "rm first.log; mkfifo first.log"},
		{"removed", "rm first.log"},
		{"folder", "rm first.log; mkdir first.log"},
		{"device", "rm first.log; ln -s /dev/zero first.log"},
		{"truncated", ": >first.log"},
		{"emptied by another", "mv first.log old.log; : >first.log"},
		{"written over", "echo nothing at all >first.log"},
		{"hole", "truncate -s 300M first.log"},
		{"cut", "truncate -s 3 first.log"},
		{"link to another", "echo other >other.log; ln -sf other.log first.log"},
	} {
		add := func(says, rest, classes string, kept bool) {
			rows = append(rows, misdeed{kind: "log " + how.name, name: says, rest: rest, classes: classes, kept: kept,
				program: "echo " + says + "\n" + how.program + "\n" + nine, brief: how.name == "fifo"})
		}
		add("all well", signs, "converged bad_output", true)
		add("no such flow", signs, "stalled bad_output", true)
		add("y = 9", "outputs:\n  y: {file: first.log, regexp: '^y = (\\S+)'}\n", "converged bad_output", true)
	}
	return rows
}

// Files with signs or outputs that cannot be read whole.
func spoiledFiles() []misdeed {
	var rows []misdeed
	add := func(name, program, rest, classes string) {
		rows = append(rows, misdeed{kind: "file", name: name, program: program + "\n", rest: rest, classes: classes})
	}
	const bad = "failure:\n  - {file: run.txt, regexp: ^no such flow, class: stalled}\n"
	const good = "success:\n  - {file: run.txt, regexp: ^all well}\n"
	const says = "echo no such flow >run.txt; "
	for _, how := range []struct{ name, program string }{
		{"fifo", "rm run.txt; mkfifo run.txt"},
		{"link out", "mv run.txt ../run-$$.txt; ln -s ../run-$$.txt run.txt"},
		{"300 MB", "truncate -s 300M run.txt; echo no such flow >>run.txt"},
		{"device", "rm run.txt; ln -s /dev/zero run.txt"},
		{"socket", "rm run.txt; mkfifo x; ln x run.txt"},
	} {
		add("failure, "+how.name, says+how.program+"\n"+nine, outputY+bad, "bad_output stalled")
		classes := "bad_output"
		if how.name == "300 MB" {
			classes += " converged"
		}
		add("success, "+how.name, "echo all well >run.txt; "+how.program+"\n"+nine, outputY+good, classes)
	}
	const times = "outputs:\n  y: {file: 'post/*/out.csv', column: y}\n"
	const steps = "mkdir -p post/10 post/20; printf 'y\\n5\\n' >post/10/out.csv; "
	add("newest is a fifo", steps+"mkfifo post/20/out.csv", times, "bad_output")
	add("newest is empty", steps+": >post/20/out.csv", times, "bad_output")
	add("newest is a link out", steps+"echo 9 >../o-$$; ln -s ../../o-$$ post/20/out.csv", times, "bad_output")
	add("newest is of yesterday", steps+"printf 'y\\n7\\n' >post/20/out.csv; touch -d 2020-01-01 post/20/out.csv",
		times, "bad_output")
	add("none", "true", "", "bad_output")
	add("of yesterday", nine+"touch -d 2020-01-01 out.csv", "", "bad_output")
	add("300 MB", nine+"truncate -s 300M out.csv", "", "bad_output")
	for i := range rows {
		rows[i].kept = rows[i].classes != "bad_output"
	}
	return rows
}

// Disks that are full for a moment.
func fullDisks() []misdeed {
	var rows []misdeed
	full := "head -c 3000000 /dev/zero >junk\n"
	for says, classes := range map[string]string{"all well": "bad_output", "no such flow": "bad_output stalled",
		"nothing": "bad_output"} {
		rows = append(rows, misdeed{kind: "full disk", name: says, small: true, rest: signs,
			kept: classes != "bad_output", classes: "crashed " + classes,
			program: full + "echo " + says + "\nsleep 0.2\nrm junk\n" + nine})
	}
	return rows
}

// Processes that outlive the step that has started them, and change its answer. The next step waits for their end.
func survivors() []misdeed {
	var rows []misdeed
	const later = "echo $$ >pid; sleep 20; printf \"y\\n7\\n\" >out.csv"
	for _, how := range []struct{ name, program string }{
		{"child", "sh -c '" + later + "' &"},
		{"silent child", "sh -c '" + later + "' >/dev/null 2>&1 &"},
		{"no hangup", "nohup sh -c '" + later + "' >/dev/null 2>&1 &"},
		{"session", "setsid sh -c '" + later + "' >/dev/null 2>&1 &"},
		{"daemon", "(setsid sh -c 'sh -c \"$LATER\" &' >/dev/null 2>&1 &)"},
		{"deaf", "sh -c 'trap \"\" TERM HUP INT; " + later + "' &"},
		{"stopped", "sh -c '" + strings.Replace(later, "sleep", "(sleep 5; kill -CONT $$) & kill -STOP $$; sleep", 1) +
			"' &"},
		{"grandchild", "sh -c 'sh -c \"$LATER\"; true' >/dev/null 2>&1 &"},
	} {
		rows = append(rows, misdeed{kind: "survivor", name: how.name, classes: "converged bad_output", kept: true,
			rest: "  - {name: second, time: 50 s, " +
				"command: [sh, -c, 'while kill -0 $(cat pid) 2>/dev/null; do sleep 0.02; done']}\n" + outputY,
			program: "export LATER='" + later + "'\n" + how.program + "\n" +
				"while ! test -s pid; do sleep 0.01; done\n" + nine,
			brief: how.name == "daemon"})
	}
	return rows
}

// Numbers that cannot be read, or that are read wrongly.
func numbers() []misdeed {
	var rows []misdeed
	add := func(name, content, place, classes string) {
		rows = append(rows, misdeed{kind: "number", name: name, program: "printf '" + content + "' >out.csv",
			rest: "outputs:\n  y: {file: out.csv, " + place + "}\n", classes: classes, kept: classes == "converged"})
	}
	const named, first = "column: y", "column: 1"
	add("byte order mark", "\\357\\273\\277y\\n9\\n", named, "converged")
	add("byte order mark, JSON", "\\357\\273\\277{\"y\": 9}\\n", "json: /y", "converged")
	add("UTF-16", "\\377\\376y\\0\\n\\0009\\0\\n\\0", named, "bad_output")
	add("carriage returns", "y\\r\\n9\\r\\n", named, "converged")
	add("decimal comma", "y\\n9,5\\n", named, "bad_output")
	add("decimal comma, by number", "y\\n9,5\\n", first, "bad_output")
	add("decimal comma, semicolons", "x;y\\n3;9,5\\n", named, "bad_output")
	add("decimal comma, semicolons, by number", "x;y\\n3,5;9,5\\n", "column: 3", "bad_output")
	add("decimal comma, spaces, by number", "x y\\n9,5 3,5\\n", first, "bad_output")
	add("decimal comma, tabs", "9,5\\t3,5\\n", first, "bad_output")
	add("decimal comma, pattern", "y = 9,5\\n", "regexp: 'y = ([0-9]+)'", "bad_output")
	add("exponent left out by a pattern", "y = 9e-3\\n", "regexp: 'y = ([0-9]+)'", "bad_output")
	add("cut at the end", "y\\n8\\n9", named, "bad_output")
	add("cut at the end, pattern", "y = 9", "regexp: 'y = (\\S+)'", "bad_output")
	add("row cut at the end", "x y\\n3 9\\n4", first, "bad_output")
	add("row cut, terminated", "9 1\\n9 2\\n4\\n", first, "bad_output")
	add("row cut in the middle", "y x\\n9 1\\n9\\n9 3\\n", named+", take: mean", "bad_output")
	add("two columns of a name", "y y\\n9 5\\n", named, "bad_output")
	add("asterisks", "y\\n5\\n****\\n", named, "bad_output")
	add("asterisks beside numbers", "x y\\n1 5\\n2 ****\\n", named, "bad_output")
	add("-nan", "y\\n5\\n-nan\\n", named, "bad_output")
	add("nan", "y\\n5\\nnan\\n", named, "bad_output")
	add("inf", "y\\n5\\ninf\\n", named, "bad_output")
	add("NaN(ind)", "y\\n5\\n-nan(ind)\\n", named, "bad_output")
	add("1.#IND", "y\\n5\\n-1.#IND\\n", named, "bad_output")
	add("1e400", "y\\n5\\n1e400\\n", named, "bad_output")
	add("1.2-105", "y\\n5\\n1.2-105\\n", named, "bad_output")
	add("5e-324", "y\\n5e-324\\n", named, "bad_output")
	add("1.7e308", "y\\n1.7e308\\n", named, "bad_output")
	add("empty cell, by number", "x,y,z\\n3,,5\\n", "column: 2", "bad_output")
	add("hole", "y\\n5\\n\\0\\0\\0\\0\\n", named, "bad_output")
	add("letters behind", "y\\n5\\n9abc\\n", named, "bad_output")
	add("thousands, by number", "y\\n1,234.5\\n", first, "bad_output")
	add("JSON cut", "{\"y\": 9", "json: /y", "bad_output")
	add("JSON twice", "{\"y\": 9}{\"y\": 5}", "json: /y", "bad_output")
	add("JSON, a key twice", "{\"y\": 5, \"y\": 7}\\n", "json: /y", "bad_output")
	add("JSON, 1e999", "{\"y\": 1e999}\\n", "json: /y", "bad_output")
	add("JSON, a text", "{\"y\": \"9\"}\\n", "json: /y", "bad_output")
	for _, cell := range []string{`"9"`, `"9,0"`, "\\342\\210\\2229", "\\357\\274\\231", "N/A", "NULL", "-",
		"NaNQ"} {
		add("a last cell of "+cell, "y\\n5\\n"+cell+"\\n", named, "bad_output")
	}
	add("a cell without a number", "i,y\\n1,5\\n2,failed\\n", named, "bad_output")
	add("byte order mark in the middle", "y\\n5\\n\\357\\273\\2779\\n", named, "converged")
	add("two tables", "y x\\n5 1\\n\\nx y\\n1 9\\n", named, "bad_output")
	add("two tables, comments", "# y x\\n5 1\\n# x y\\n1 9\\n", named, "bad_output")
	add("the same header again", "y x\\n5 1\\ny x\\n9 1\\n", named, "converged")
	for _, word := range []string{"nan", "-inf", "*****"} {
		add("beside a pattern, "+word, "y = 5\\ny = "+word+"\\n", "regexp: 'y = ([0-9.]+)'", "bad_output")
	}
	add("beside a pattern, a sign", "y = 5\\ny = +9\\n", "regexp: 'y = ([0-9.]+)'", "converged")
	add("sign left out by a pattern", "y = -9\\n", "regexp: 'y\\D*([0-9]+)'", "bad_output")
	add("sign left out on purpose", "y = -9\\n", "regexp: 'y = -([0-9.]+)'", "converged")
	add("begin left out by a pattern", "y = 59\\n", "regexp: 'y = .*([0-9.]+)'", "bad_output")
	add("point left out by a pattern", "y = .9\\n", "regexp: 'y\\D*([0-9]+)'", "bad_output")
	add("fraction left out by a longer pattern", "y = 9.75 kg\\n", "regexp: 'y = ([0-9]+).*kg'", "bad_output")
	add("exponent without its letter", "y = 9.5-103\\n", "regexp: 'y = ([0-9.]+)'", "bad_output")
	add("thousands, pattern", `y = 9\0472500\n`, "regexp: 'y = ([0-9]+)'", "bad_output")
	add("carriage returns, pattern", "y = 9\\r\\n", "regexp: '^y = ([0-9]+)$'", "converged")
	add("lines of progress", "y = 5\\ry = 9\\n", "regexp: '^y = ([0-9]+)'", "converged")
	add("two patterns of a line", "y = 9 z = 5\\n",
		"regexp: '^y = (\\S+)'}\n  z: {file: out.csv, regexp: '^y = (\\S+)'", "converged")
	for i := range rows {
		rows[i].brief = strings.HasPrefix(rows[i].name, "-nan") || rows[i].name == "byte order mark"
	}
	return rows
}

// Programs that are changed while they run, so that their key belongs to another program.
func rebuilt() []misdeed {
	var rows []misdeed
	const data = "files:\n  - {to: case.txt, template: case.txt}\n  - {to: mesh.txt, copy: mesh.txt}\n" +
		"identity:\n  - {file: data.txt}\n" + outputY
	files := map[string]string{"case.txt": "1\n", "mesh.txt": "1\n", "data.txt": "1\n"}
	add := func(name, program string, kept bool) {
		rows = append(rows, misdeed{kind: "rebuilt", name: name, program: nine + "d=$(dirname $0)\n" + program,
			rest: data, files: files, classes: "converged", kept: kept})
	}
	add("in place", "echo '# new' >>$0", false)
	add("by another file", "cp $0 $0.new; echo '# new' >>$0.new; mv $0.new $0", false)
	add("with its old date", "cp -p $0 $0.new; sed -i 's/nine/NINE/; s/new/NEW/' $0.new; echo '#' >>$0.new; "+
		"touch -r $0 $0.new; mv $0.new $0", false)
	add("touched, as after a change and back", "touch $0", false)
	add("by another file and back", "mv $0 $0.old; cp $0.old $0; echo '# new' >>$0; mv $0.old $0", false)
	add("removed", "rm $0", false)
	for _, name := range []string{"case.txt", "mesh.txt", "data.txt", "d.yaml"} {
		add(name, "echo '# new' >>$d/"+name, false)
	}
	for _, deed := range []string{"rebuild in place", "rebuild by another file", "rebuild and back"} {
		rows = append(rows, misdeed{kind: "rebuilt", name: "plugin, " + deed, plugin: deed, classes: "converged",
			brief: deed != "rebuild by another file"})
	}
	return rows
}

// Events that arrive when the run has all but ended.
func lateEvents() []misdeed {
	const times = 8
	bad := "printf '# iteration residual\\n1 0.1\\n2 nan\\n' >history.txt\n"
	return []misdeed{
		{kind: "late event", name: "NaN in a file", watched: true, program: bad + nine, classes: "diverged", kept: true,
			times: times},
		{kind: "late event", name: "-nan in a file", watched: true, times: times, classes: "diverged", kept: true,
			program: strings.Replace(bad, "nan", "-nan", 1) + nine},
		{kind: "late event", name: "NaN behind a flood", watched: true, times: 2, classes: "diverged", kept: true,
			program: "seq 1 20000 | sed 's/$/ 0.1/; 1i # iteration residual' >history.txt\n" +
				"echo 20001 nan >>history.txt\n" + nine},
		{kind: "late event", name: "NaN of a plugin", watched: true, plugin: "late NaN", times: times,
			classes: "diverged", kept: true, brief: true},
		{kind: "late event", name: "NaN of a warm plugin", watched: true, warm: true, plugin: "late NaN", times: times,
			classes: "diverged", kept: true},
		{kind: "late event", name: "NaN in a plugin's file", watched: true, plugin: "late NaN in a file", times: times,
			classes: "diverged", kept: true},
		{kind: "late event", name: "NaN behind a flood of a plugin", watched: true, plugin: "flooded NaN", times: 2,
			classes: "diverged", kept: true},
	}
}

// Plugins that break the protocol, or end badly.
func rogues() []misdeed {
	var rows []misdeed
	add := func(classes string, kept bool, names ...string) {
		for _, name := range names {
			rows = append(rows, misdeed{kind: "plugin", name: name, plugin: name, classes: classes, kept: kept})
			if !slices.Contains([]string{"answer, then die"}, name) {
				rows = append(rows, misdeed{kind: "warm plugin", name: name, plugin: name, classes: classes, kept: kept,
					warm: true})
			}
		}
	}
	add("bad_output", false, "NaN", "infinite", "-infinite", "NaN in a profile", "no answer", "another output",
		"a profile for a number", "empty profile", "no class", "class splendid", "class lost", "class hung",
		"class not_run", "denormal", "enormous", "enormous in a profile")
	add("crashed", false, "error", "panic", "exit")
	add("crashed killed", false, "exit 0")
	add("killed", false, "die", "class killed")
	add("converged killed crashed lost", true, "answer, then die")
	add("converged", true, "prints", "leaves a child", "event behind the answer")
	return rows
}

// answer is a sound answer of a compressor.
func answer() plugin.Result {
	const pr, eff, w = 1.6, 0.9, 10.0
	tr := 1 + (math.Pow(pr, 0.4/1.4)-1)/eff
	every := func(v float64) []float64 { return []float64{v, v, v, v} }
	return plugin.Result{Class: event.Converged,
		Numbers: map[string]float64{"W": w, "PR": pr, "TR": tr, "eff": eff, "mass_error": 1e-6, "energy_error": 1e-6,
			"choked": 0},
		Arrays: map[string][]float64{"exit_r": {0.3, 0.4, 0.5, 0.6}, "exit_dW": every(w / 4),
			"exit_Pt": every(pr * 101325), "exit_Tt": every(tr * 288.15)},
	}
}

// lies are answers whose values contradict each other.
var lies = map[string]func(n map[string]float64, a map[string][]float64){
	"flow of the cells":              func(_ map[string]float64, a map[string][]float64) { a["exit_dW"][0] *= 1.2 },
	"flow of the cells is reversed":  func(_ map[string]float64, a map[string][]float64) { flip(a["exit_dW"]) },
	"no flow through the cells":      func(_ map[string]float64, a map[string][]float64) { clear(a["exit_dW"]) },
	"flow a thousand times too much": func(n map[string]float64, _ map[string][]float64) { n["W"] *= 1000 },
	"no flow":                        func(n map[string]float64, _ map[string][]float64) { n["W"] = 0 },
	"flow backwards": func(n map[string]float64, a map[string][]float64) {
		n["W"] = -10
		flip(a["exit_dW"])
	},
	"efficiency": func(n map[string]float64, _ map[string][]float64) { n["eff"] = 0.75 },
	"efficiency of a turbine": func(n map[string]float64, arrays map[string][]float64) {
		tr := 1 + (n["TR"]-1)*n["eff"]*n["eff"] // the ideal rise times eff
		for i := range arrays["exit_Tt"] {
			arrays["exit_Tt"][i] *= tr / n["TR"]
		}
		n["TR"] = tr
	},
	"efficiency in per cent": func(n map[string]float64, _ map[string][]float64) { n["eff"] = 90 },
	"efficiency above 1": func(n map[string]float64, _ map[string][]float64) {
		n["eff"], n["TR"] = 1.1, 1.1305
	},
	"temperature ratio":         func(n map[string]float64, _ map[string][]float64) { n["TR"] = 1.5 },
	"pressure ratio":            func(n map[string]float64, _ map[string][]float64) { n["PR"] = 2.5 },
	"pressure ratio of 0":       func(n map[string]float64, _ map[string][]float64) { n["PR"] = 0 },
	"pressure ratio below 0":    func(n map[string]float64, _ map[string][]float64) { n["PR"] = -1.6 },
	"temperature ratio below 0": func(n map[string]float64, _ map[string][]float64) { n["TR"] = -1.2 },
	"pressure in kPa":           func(_ map[string]float64, a map[string][]float64) { scale(a["exit_Pt"], 1e-3) },
	"temperature in degrees Celsius": func(_ map[string]float64, a map[string][]float64) {
		shift(a["exit_Tt"], -273.15)
	},
	"columns exchanged": func(_ map[string]float64, a map[string][]float64) {
		a["exit_Pt"], a["exit_Tt"] = a["exit_Tt"], a["exit_Pt"]
	},
	"a negative pressure": func(_ map[string]float64, a map[string][]float64) { a["exit_Pt"][1] *= -1 },
	"short profile":       func(_ map[string]float64, a map[string][]float64) { a["exit_Pt"] = a["exit_Pt"][:3] },
	"short flow":          func(_ map[string]float64, a map[string][]float64) { a["exit_dW"] = a["exit_dW"][:3] },
	"short radii":         func(_ map[string]float64, a map[string][]float64) { a["exit_r"] = a["exit_r"][:3] },
	"long temperatures": func(_ map[string]float64, a map[string][]float64) {
		a["exit_Tt"] = append(a["exit_Tt"], 340)
	},
}

func flip(list []float64) { scale(list, -1) }

func scale(list []float64, by float64) {
	for i := range list {
		list[i] *= by
	}
}

func shift(list []float64, by float64) {
	for i := range list {
		list[i] += by
	}
}

// contradictions are all lies, by a plugin and by the JSON document of a described program.
func contradictions() []misdeed {
	var rows []misdeed
	outputs := "outputs:\n  y: {file: out.json, json: /y}\n"
	sound := answer()
	for _, name := range slices.Sorted(maps.Keys(sound.Numbers)) {
		outputs += "  " + name + ": {file: out.json, json: /" + name + "}\n"
	}
	for _, name := range slices.Sorted(maps.Keys(sound.Arrays)) {
		outputs += "  " + name + ": {file: out.json, json: /" + name + ", shape: profile}\n"
	}
	document := func(r plugin.Result) string {
		all := map[string]any{"y": 9}
		for name, v := range r.Numbers {
			all[name] = v
		}
		for name, v := range r.Arrays {
			all[name] = v
		}
		data, _ := json.Marshal(all)
		return "cat >out.json <<'END'\n" + string(data) + "\nEND\n"
	}
	rows = append(rows, misdeed{kind: "sound", name: "document", program: document(sound), rest: outputs,
		classes: "converged", kept: true})
	for _, name := range slices.Sorted(maps.Keys(lies)) {
		r := answer()
		lies[name](r.Numbers, r.Arrays)
		rows = append(rows, misdeed{kind: "contradiction", name: "plugin, " + name, plugin: "lie: " + name,
			classes: "bad_output unphysical", brief: name == "efficiency"})
		rows = append(rows, misdeed{kind: "contradiction", name: "document, " + name, program: document(r),
			rest: outputs, classes: "bad_output unphysical"})
	}
	return rows
}

// rogue is a plugin whose deed is a text of its request.
type rogue struct{ reusable bool }

// Describe implements plugin.Solver.
func (r rogue) Describe() plugin.Description {
	d := plugin.Description{Name: "rogue", Version: "1", Fidelity: "none", Reusable: r.reusable,
		Files: []history.File{{Pattern: "history.txt", Format: "columns"}}}
	for _, name := range []string{"x", "gamma", "R"} {
		d.Inputs = append(d.Inputs, plugin.Quantity{Name: name, Shape: plugin.Scalar, Required: true})
	}
	for _, name := range []string{"inlet_Pt", "inlet_Tt"} {
		d.Inputs = append(d.Inputs, plugin.Quantity{Name: name, Shape: plugin.Profile, Required: true})
	}
	d.Inputs = append(d.Inputs, plugin.Quantity{Name: "deed", Shape: plugin.Text})
	d.Outputs = append(d.Outputs, plugin.Quantity{Name: "y", Shape: plugin.Scalar, Required: true})
	sound := answer()
	for name := range sound.Numbers {
		d.Outputs = append(d.Outputs, plugin.Quantity{Name: name, Shape: plugin.Scalar})
	}
	for name := range sound.Arrays {
		d.Outputs = append(d.Outputs, plugin.Quantity{Name: name, Shape: plugin.Profile})
	}
	return d
}

// Run implements plugin.Solver.
func (r rogue) Run(_ context.Context, req plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	a := answer()
	a.Numbers["y"] = req.Numbers["x"] * req.Numbers["x"]
	deed := req.Texts["deed"]
	if name, lies_ := strings.CutPrefix(deed, "lie: "); lies_ {
		lies[name](a.Numbers, a.Arrays)
		return a, nil
	}
	if class, of := strings.CutPrefix(deed, "class "); of {
		a.Class = event.Class(class)
		return a, nil
	}
	return do(deed, a, req.Folder, emit)
}

// do does the deed of a plugin.
func do(deed string, a plugin.Result, folder string, emit func(event.Event)) (plugin.Result, error) {
	iterate := func(n int, residual float64) {
		emit(event.Event{Kind: event.Iteration,
			Values: map[string]float64{"iteration": float64(n), "residual": residual}})
	}
	y := func(v float64) { a.Numbers["y"] = v }
	script := os.Getenv("SOLVER")
	switch deed {
	case "", "answer":
	case "NaN":
		y(math.NaN())
	case "infinite":
		y(math.Inf(1))
	case "-infinite":
		y(math.Inf(-1))
	case "denormal":
		y(5e-324)
	case "enormous":
		y(1.7e308)
	case "NaN in a profile":
		a.Arrays["exit_Pt"][2] = math.NaN()
	case "enormous in a profile":
		a.Arrays["exit_Pt"][2] = 1.7e308
	case "empty profile":
		a.Arrays["exit_Pt"] = []float64{}
	case "no answer":
		delete(a.Numbers, "y")
	case "another output":
		a.Numbers["z"] = 1
	case "a profile for a number":
		delete(a.Numbers, "y")
		a.Arrays["y"] = []float64{9}
	case "no class":
		a.Class = ""
	case "error":
		return plugin.Result{}, errors.New("no mesh")
	case "panic":
		panic("rogue")
	case "exit":
		os.Exit(3)
	case "exit 0":
		os.Exit(0)
	case "die":
		process.Suicide(syscall.SIGKILL)
	case "answer, then die":
		go process.Suicide(syscall.SIGKILL)
	case "prints":
		for range 1000 {
			fmt.Println("1|2|unix|/nowhere|grpc|")
		}
	case "leaves a child":
		return a, exec.Command("sleep", "5").Start()
	case "event behind the answer":
		go iterate(1, 0.1)
	case "late NaN":
		iterate(1, 0.1)
		iterate(2, math.NaN())
	case "late NaN in a file":
		text := []byte("# iteration residual\n1 0.1\n2 nan\n")
		return a, os.WriteFile(filepath.Join(folder, "history.txt"), text, 0o644)
	case "flooded NaN":
		for n := range 20000 {
			iterate(n, 0.1)
		}
		iterate(20000, math.NaN())
	case "rebuild in place":
		return a, rebuild(script, script)
	case "rebuild by another file":
		return a, errors.Join(rebuild(script, script+".new"), os.Rename(script+".new", script))
	case "rebuild and back":
		return a, errors.Join(os.Rename(script, script+".old"), rebuild(script+".old", script),
			os.Rename(script+".old", script))
	default:
		return a, fmt.Errorf("no deed %q", deed)
	}
	return a, nil
}

// rebuild writes a changed program.
func rebuild(from, to string) error {
	text, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, append(text, "# new\n"...), 0o755))
}

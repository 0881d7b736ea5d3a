package ssh

// The scripts for the shell of a host, on its standard input. The shell may read its script in pieces of any size. So
// the whole script is in a function: the host sends more input only after the first answer, when the shell has read all
// of the script.

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/zoom/host/batchqueue"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh/bridge"
)

// Answers of scripts, besides bridges' answers.
const (
	missing = "missing" // the program has not been brought yet
	foreign = "foreign" // SYSTEM MACHINE: the program is for other machines
	send    = "send"    // the program's bytes, compressed if that follows, and then the end of the input
	brought = "brought"
)

// compressed is the rest of the answer send of a host that has gzip.
const compressed = "gzip"

// refused is the exit status of a script that ends after its answer.
const refused = 10

// whole makes a script of lines that answer by the function say.
func whole(nonce string, lines ...string) string {
	return fmt.Sprintf("say() { printf '%%s%%s\\n' %s \"$*\"; }\nmain() {\n%s\n}\nmain\n",
		batchqueue.Quote(bridge.Mark(nonce)), strings.Join(lines, "\n"))
}

// binFolder has the programs that were sent.
const binFolder = `b=${HOME:?}/.cache/peregrine/bin`

// start returns the script that becomes a program of the host. The program that is sent for a sum must exist there; a
// program with a path is not checked.
func start(nonce, path, sum string, environment, args []string) string {
	lines := []string{"p=" + batchqueue.Quote(path)}
	if path == "" {
		lines = []string{
			binFolder, "p=$b/" + sum,
			fmt.Sprintf(
				`case "$(uname -s) $(uname -m)" in %s) ;; *) say %s "$(uname -s) $(uname -m)"; exit %d ;; esac`,
				machines(runtime.GOOS, runtime.GOARCH), foreign, refused),
			fmt.Sprintf(`[ -x "$p" ] || { say %s; exit %d; }`, missing, refused),
			`touch -c "$p"`, // it is in use
		}
	}
	for _, set := range environment {
		name, value, _ := strings.Cut(set, "=")
		lines = append(lines, name+"="+value, "export "+name)
	}
	words := []string{`exec "$p"`}
	for _, arg := range args {
		words = append(words, batchqueue.Quote(arg))
	}
	return whole(nonce, append(lines, strings.Join(words, " "))...)
}

// unused is the number of days after which an unused program is removed.
const unused = 30

// bring returns the script that takes a program of size bytes. A connection that breaks looks like the end of the
// input.
func bring(nonce, sum string, size int64) string {
	return whole(nonce,
		binFolder, "umask 077", `f=$b/.`+sum+"."+nonce,
		fmt.Sprintf(`mkdir -p "$b" || exit %d`, refused),
		`trap 'rm -f "$f"' EXIT`, `trap 'exit 1' HUP INT TERM`,
		fmt.Sprintf(`if gzip --version >/dev/null 2>&1; then say %s %s; gzip -dc >"$f" || exit 1; else say %[1]s; `+
			`cat >"$f" || exit 1; fi`, send, compressed),
		fmt.Sprintf(`[ "$(wc -c <"$f")" -eq %d ] || { echo "only $(wc -c <"$f") bytes have come" >&2; exit 1; }`, size),
		fmt.Sprintf(`chmod 700 "$f" && mv -f "$f" "$b/%s" || exit 1`, sum),
		fmt.Sprintf(`find "$b" -type f -mtime +%d -exec rm -f {} +`, unused),
		"say "+brought, "exit 0")
}

// machines returns the patterns of the output of uname -s and uname -m on machines that run programs of a system.
func machines(system, machine string) string {
	systems := map[string]string{"linux": "Linux", "darwin": "Darwin", "freebsd": "FreeBSD", "netbsd": "NetBSD",
		"openbsd": "OpenBSD"}
	names := map[string][]string{
		"amd64": {"x86_64", "amd64"}, "arm64": {"aarch64", "arm64"}, "386": {"i?86"}, "loong64": {"loongarch64"},
	}
	name, known := systems[system]
	if !known {
		return "none" // no shell prints this
	}
	var patterns []string
	for _, m := range append(slices.Clone(names[machine]), machine) {
		patterns = append(patterns, "'"+name+" '"+m)
	}
	return strings.Join(slices.Compact(patterns), " | ")
}

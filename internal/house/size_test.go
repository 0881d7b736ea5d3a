package house

import (
	"bufio"
	"bytes"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// largest is the size of the largest file that the repository may hold, bytes: a built program, a core or a solution
// that got in by accident is larger, and stays in every clone for ever.
const largest = 1 << 20

// No large file is committed.
func TestNoLargeFiles(t *testing.T) {
	list := exec.Command("git", "ls-tree", "-r", "-l", "--full-tree", "HEAD")
	out, err := list.Output()
	if err != nil {
		testenv.Missing(t, "a git checkout")
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		about, name, _ := strings.Cut(lines.Text(), "\t") // mode, type, hash and size
		words := strings.Fields(about)
		if size, err := strconv.Atoi(words[len(words)-1]); err != nil || size > largest {
			t.Errorf("%s has %s bytes; the limit is %d", name, words[len(words)-1], largest)
		}
	}
}

// facades are packages that other programs begin with, and how many files each may have: what they are made of stands
// in packages below them.
var facades = map[string]int{"executive": 15}

func TestFacadesStaySmall(t *testing.T) {
	for _, f := range everyFolder(t) {
		if most, ok := facades[f.path]; ok && f.files > most {
			t.Errorf("%s has %d files, and may have %d: move what is not for its callers into a package of its own",
				f.path, f.files, most)
		}
	}
}

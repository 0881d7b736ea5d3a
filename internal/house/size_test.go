package house

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// largest is the size of the largest file that the repository may hold, bytes: a built program, a core or a solution
// that got in by accident is larger, and stays in every clone for ever.
const largest = 1 << 20

// No large file is committed.
func TestNoLargeFiles(t *testing.T) {
	list := exec.Command("git", "ls-tree", "-r", "-l", "--full-tree", "HEAD")
	out, err := list.Output()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("no git here that lists the module's files: %v", err)
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

package atomic

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

func TestOutputWritesIntoAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	must.OK(t, syscall.Mkfifo(path, 0o600))
	read := make(chan string)
	go func() {
		data := []byte(nil)
		if f, err := os.Open(path); err == nil {
			data, _ = io.ReadAll(f)
			_ = f.Close()
		}
		read <- string(data)
	}()
	must.OK(t, Output(path, text("new")))
	if got := <-read; got != "new" {
		t.Errorf("the pipe carried %q", got)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v (%v)", info, err)
	}
}

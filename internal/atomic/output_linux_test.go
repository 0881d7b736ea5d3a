package atomic

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestOutputWritesIntoAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		data := []byte(nil)
		if f, err := os.Open(path); err == nil {
			data, _ = io.ReadAll(f)
			_ = f.Close()
		}
		read <- string(data)
	}()
	if err := Output(path, text("new")); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "new" {
		t.Errorf("the pipe carried %q", got)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v (%v)", info, err)
	}
}

package tail

import (
	"encoding/binary"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// inotify is Linux's notifier.
type inotify struct {
	file *os.File
	fd   int
	buf  [64 << 10]byte
}

func newNotifier() (notifier, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	return &inotify{file: os.NewFile(uintptr(fd), "inotify"), fd: fd}, nil
}

func (n *inotify) add(folder string) (number int, err error) {
	const changes = unix.IN_MODIFY | unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
		unix.IN_ATTRIB
	number, err = unix.InotifyAddWatch(n.fd, folder, changes|unix.IN_ONLYDIR|unix.IN_EXCL_UNLINK)
	return number, os.NewSyscallError("inotify_add_watch", err)
}

func (n *inotify) remove(number int) {
	_, _ = unix.InotifyRmWatch(n.fd, uint32(number)) // the folder may be missing
}

func (n *inotify) read(take func(change)) error {
	size, err := n.file.Read(n.buf[:])
	if err != nil {
		return err
	}
	for b := n.buf[:size]; len(b) >= unix.SizeofInotifyEvent; {
		number, mask := int(int32(binary.NativeEndian.Uint32(b))), binary.NativeEndian.Uint32(b[4:])
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
		name := strings.TrimRight(string(b[unix.SizeofInotifyEvent:end]), "\x00")
		take(change{number, name, mask&unix.IN_Q_OVERFLOW != 0, mask&unix.IN_IGNORED != 0})
		b = b[end:]
	}
	return nil
}

func (n *inotify) close() error { return n.file.Close() }

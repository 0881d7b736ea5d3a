package process

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A file system is known by its number, whatever the sign of the field that holds it.
func TestFileSystem(t *testing.T) {
	for number, want := range map[int64]string{
		unix.NFS_SUPER_MAGIC: "NFS", 0x0BD00BD0: "Lustre", 0x47504653: "GPFS",
		-0x00ACB2BE:           "CIFS", // 0xFF534D42 in 32 bits
		unix.EXT4_SUPER_MAGIC: "", unix.TMPFS_MAGIC: "",
	} {
		if got := kindOf(number); got.Name != want || got.Apart != (want != "") {
			t.Errorf("%#x is %+v, want %q", number, got, want)
		}
	}
	if got := FileSystemOf(os.DevNull + "/none"); got != (FileSystem{}) {
		t.Errorf("of a folder that is not there: %+v", got)
	}
}

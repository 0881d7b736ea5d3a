package tail

import (
	"slices"

	"golang.org/x/sys/unix"
)

// local lists the file systems that only this machine writes to. An unknown file system may be a network file system.
var local = []int64{
	unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.RAMFS_MAGIC,
	unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.REISERFS_SUPER_MAGIC, unix.MSDOS_SUPER_MAGIC,
	0x2fc12fc1, // ZFS
	0x5346544e, // NTFS
	0x3153464a, // JFS
	0xca451a4e, // bcachefs
}

// network reports whether a folder may be on a network file system.
func network(folder string) bool {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return true
	}
	return !slices.Contains(local, int64(s.Type)) // its type differs between architectures
}

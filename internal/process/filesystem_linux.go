package process

import "golang.org/x/sys/unix"

// apart are file systems of several machines or of programs, by the number that statfs(2) gives (linux/magic.h; fs.h
// of GNU coreutils).
var apart = map[int64]string{
	unix.NFS_SUPER_MAGIC:   "NFS",
	unix.SMB_SUPER_MAGIC:   "SMB",
	unix.CIFS_SUPER_MAGIC:  "CIFS",
	unix.SMB2_SUPER_MAGIC:  "SMB",
	unix.FUSE_SUPER_MAGIC:  "FUSE",
	unix.CEPH_SUPER_MAGIC:  "Ceph",
	unix.AFS_SUPER_MAGIC:   "AFS",
	unix.AFS_FS_MAGIC:      "AFS",
	unix.CODA_SUPER_MAGIC:  "Coda",
	unix.NCP_SUPER_MAGIC:   "NetWare",
	unix.OCFS2_SUPER_MAGIC: "OCFS2",
	unix.V9FS_MAGIC:        "9P",
	0x01161970:             "GFS2",
	0x0BD00BD0:             "Lustre",
	0x47504653:             "GPFS",
	0x19830326:             "BeeGFS",
	0xAAD7AAEA:             "PanFS",
	0x786F4256:             "a folder of VirtualBox",
	0xBACBACBC:             "a folder of VMware",
}

// FileSystemOf is that of a folder.
func FileSystemOf(folder string) FileSystem {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil {
		return FileSystem{}
	}
	return kindOf(int64(s.Type))
}

// kindOf is the file system of a number: 32 bits of it, whose sign differs between architectures.
func kindOf(number int64) FileSystem {
	name := apart[number&0xFFFFFFFF]
	return FileSystem{Name: name, Apart: name != ""}
}

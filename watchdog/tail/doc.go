// Package tail reads the lines that other programs append to files, each line once, whatever happens to the files.
//
// The poll decides, because change notification does not work across network file systems, where large solvers
// write. A Waker (inotify, on Linux) only makes a poll come earlier. Each poll compares the file at the path with the
// one read before:
//
//   - There is no file yet: there are no lines and no error.
//   - The path names another file: it was rotated. The old file, which is still open, is read to its end first, then
//     every rotated file that is younger, the oldest first (log.2, log.1), then the file at the path. A file that was
//     left is kept open for Options.RotateWait after its last change, for a writer that still holds it. If it ends in
//     half a line, the next file waits that long for the other half.
//   - Its first bytes, or those before the position, are not those that were read, or it is shorter: it was truncated
//     or rewritten. If a rotated file in its folder holds what was read, that is a copy (logrotate's copytruncate), and
//     is read further. Then, or if there is none, the file is read from its start.
//   - The path does not exist any more: the open file is read further.
//
// Rotated files are those in the same folder whose names are the file's with a number, a date, "old", "bak" or "prev"
// added (log.1, log-20260101, log.old; history.1.dat of history.dat). After a restart the one with the inode of the
// Position is found under any name.
//
// A file that is cut to a part of what was read counts as rewritten: nobody can know what its writer will do with the
// part that is left. Its lines come once more, after the note Rewritten. So does a file whose first 256 bytes are
// changed in place.
//
// These lines are lost, as nothing of them is left to be read, or nothing shows that they are new:
//
//   - of a file that was truncated, rewritten or deleted before it was read to its end, without a copy;
//   - of the first of two rewrites between two polls;
//   - of a file that was rewritten so that its first 256 bytes and the last 256 before the position are as before;
//     or to the same size within one tick of the file system's clock (4 ms);
//   - written between a rotator's copy and its truncation;
//   - of rotated files that were compressed, moved elsewhere or deleted before they were read;
//   - of files that were rotated before the first poll: nobody knows which of them belong to this run;
//   - on a network file system, of a file that was rotated twice before its names were visible.
//
// A line ends with LF, CR LF or CR. Only whole lines are returned, and lines longer than MaxLine are cut, so that a
// binary file does no harm. A byte order mark of UTF-8 is skipped; a file in UTF-16 is not read, and a note says so.
// NUL bytes at the start of a file are skipped: a writer without O_APPEND leaves them when its file is truncated. On
// a network file system NUL bytes may be data that are not visible yet: they are waited for, RotateWait at most.
// There a file that has become shorter must be so twice, as sizes may be stale; and after a rotation or a truncation
// the next file is read RotateWait later, as the names of others may not be visible yet.
//
// The only state is a Position, with which another process can continue. Buffers are shared by all files of a process.
package tail

// Package tail reads the lines that other programs append to files, each line once, whatever happens to the files.
//
// The poll is decisive, because change notification does not work across network file systems, where large solvers
// write. A Waker (inotify, on Linux) only makes a poll come earlier. Each poll compares the file at the path with the
// file that it reads:
//
//   - No file exists yet: the poll returns no lines and no error.
//   - The path names another file: it was rotated. The old file, which is still open, is read to its end first, then
//     every rotated file that is younger, the oldest first (log.2, log.1), then the file at the path. A file that was
//     left is kept open for Options.RotateWait after its last change, for a writer that still holds it. If it ends in
//     half a line, the next file waits that long for the other half.
//   - Its first bytes, or the bytes before the position, have changed, or it is shorter: it was truncated or rewritten.
//     If a rotated file in its folder holds the lines read so far, it is a copy (logrotate's copytruncate), and
//     reading continues in it. After the copy, or without a copy, the file is read from its start.
//   - The path does not exist any more: reading continues in the open file.
//
// Rotated files are files in the same folder whose names are the file's with a number, a date, "old", "bak" or "prev"
// added (log.1, log-20260101, log.old; history.1.dat of history.dat). After a restart the file with the inode of the
// Position is found under any name.
//
// A file that is truncated to a part of the lines read counts as rewritten: its writer may change the part that is
// left. Its lines come once more, after the note Rewritten. The same is true of a file whose first 256 bytes are
// changed in place.
//
// These lines are lost, because they do not exist any more, or cannot be recognised as new:
//
//   - of a file that was truncated, rewritten or deleted before it was read to its end, without a copy;
//   - of the first of two rewrites between two polls;
//   - of a file that was rewritten so that its first 256 bytes and the last 256 before the position are as before;
//     or to the same size within one tick of the file system's clock (4 ms);
//   - written between a rotator's copy and its truncation;
//   - of rotated files that were compressed, moved elsewhere or deleted before they were read;
//   - of files that were rotated before the first poll: they may belong to an earlier run;
//   - on a network file system, of a file that was rotated twice before its names were visible.
//
// A line ends with LF, CR LF or CR. Only whole lines are returned, and lines longer than MaxLine are cut, so that a
// binary file does no harm. A byte order mark of UTF-8 is skipped; a file in UTF-16 is not read, and a note reports it.
// NUL bytes at the start of a file are skipped: a writer without O_APPEND leaves them when its file is truncated. On a
// network file system NUL bytes may be data that are not visible yet: the poll waits for them, RotateWait at most. On
// such a file system a file counts as shorter only after two successive polls, because sizes may be stale. After a
// rotation or a truncation the next file is read RotateWait later, as the names of others may not be visible yet.
//
// The only state is a Position, with which another process can continue. Buffers are shared by all files of a process.
package tail

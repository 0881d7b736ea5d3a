// Package index keeps an index of the runs below a work folder, so that those of a hundred thousand that somebody
// wants are found at once. The run folders are the truth. The index is a SQLite database of what they hold, in
// WORK/.runs.sqlite, which follows them without being asked: who opens it brings it up to date. It reads a run that
// has ended once, and lists a study's folder only when that has changed since.
//
//	run folders --read--> Record --write--> index <--Find-- Condition, fields, order
//
// Any number of processes may use an index at a time, and each may be killed at any moment. An index that is lost,
// damaged or of another version is made anew. Where none can be had, as in a folder that is read-only or full, one is
// made in memory, and a warning says so: no verb fails because of its index.
package index

// Package index keeps an index of the runs below a work folder, so that a few among a hundred thousand are found at
// once. The run folders are the authority. The index is a SQLite database of their content, in WORK/.runs.sqlite. A
// process that opens the index brings it up to date: it reads each ended run once, and lists a study's folder only if
// that has changed.
//
//	run folders --read--> Record --write--> index <--Find-- Condition, fields, order
//
// Any number of processes may use an index at a time, and each may be killed at any moment. An index that is lost,
// damaged or of another version is made anew. If the file cannot be used, for example in a folder that is read-only or
// full, the index is made in memory and a warning is given: no verb fails because of its index.
package index

package tail

// Finding the files that a path's file was renamed or copied to, by name, inode and content.

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// rotated is a file whose name shows that it was once at the path.
type rotated struct {
	path string
	key  string // the addition to the name
	Info
}

// maxRotated bounds the rotated files that are looked at.
const maxRotated = 1000

// key returns the text that a rotator has added to a file's name.
func key(base, name string) (key string, ok bool) {
	rest, ok := strings.CutPrefix(name, base)
	if !ok || rest == "" {
		ext := filepath.Ext(base)
		stem := strings.TrimSuffix(base, ext)
		if ext == "" || stem == "" || !strings.HasPrefix(name, stem) || !strings.HasSuffix(name, ext) ||
			len(name) <= len(base) {
			return "", false
		}
		rest = name[len(stem) : len(name)-len(ext)]
	}
	if !strings.ContainsRune("._-", rune(rest[0])) {
		return "", false
	}
	key = rest[1:]
	if slices.Contains([]string{"old", "bak", "prev"}, key) {
		return key, true
	}
	digit := func(r rune) bool { return r >= '0' && r <= '9' }
	return key, strings.ContainsFunc(key, digit) && strings.Trim(key, "0123456789-_:.T") == ""
}

// rotated returns the rotated files of the path, the oldest first.
func (f *File) rotated() (list []rotated) {
	names, err := f.options.System.List(f.folder())
	if err != nil {
		return nil
	}
	for _, name := range names {
		k, ok := key(filepath.Base(f.path), name)
		if !ok || len(list) == maxRotated {
			continue
		}
		path := filepath.Join(f.folder(), name)
		if info, err := f.options.System.Info(path); err == nil {
			list = append(list, rotated{path, k, info})
		}
	}
	byAge(list)
	return list
}

// byAge sorts rotated files, the oldest first. Numbers and dates are more reliable than the times of changes: clocks
// step, and several files may be changed within the same tick.
func byAge(list []rotated) {
	const most = 4 // digits of a number; more are a date
	number := func(r rotated) bool { return len(r.key) <= most && strings.Trim(r.key, "0123456789") == "" }
	date := func(r rotated) bool { return len(r.key) > most && strings.Trim(r.key, "0123456789-_:.T") == "" }
	byNumber := func(a, b rotated) int {
		return cmp.Or(cmp.Compare(len(strings.TrimLeft(a.key, "0")), len(strings.TrimLeft(b.key, "0"))),
			cmp.Compare(a.key, b.key))
	}
	byTime := func(a, b rotated) int { return cmp.Or(a.Modified.Compare(b.Modified), -byNumber(a, b)) }
	switch {
	case !slices.ContainsFunc(list, func(r rotated) bool { return !number(r) }):
		slices.SortFunc(list, byNumber)
		if falls(list) {
			slices.Reverse(list)
		}
	case !slices.ContainsFunc(list, func(r rotated) bool { return !date(r) }):
		slices.SortFunc(list, func(a, b rotated) int { return cmp.Compare(a.key, b.key) })
	default:
		slices.SortFunc(list, byTime)
	}
}

// falls reports whether the files with high numbers are the old ones, as after logrotate. The times of changes decide
// by majority; of equals the usual is taken.
func falls(list []rotated) bool {
	n := 0
	var before *rotated
	for i := range list {
		if list[i].Size == 0 { // never written to: its time is that of its creation
			continue
		}
		if before != nil {
			n += before.Modified.Compare(list[i].Modified)
		}
		before = &list[i]
	}
	return n >= 0
}

// younger returns the oldest rotated file that is younger than the file in reading, or "".
func (f *File) younger() string {
	list := f.rotated()
	if at := slices.IndexFunc(list, func(r rotated) bool { return r.Inode != 0 && r.Inode == f.cursor.Inode }); at >=
		0 {
		list = list[at+1:]
	} else {
		since := time.Unix(0, f.cursor.Modified)
		list = slices.DeleteFunc(list, func(r rotated) bool {
			return f.cursor.Modified == 0 || !r.Modified.After(since)
		})
	}
	for _, r := range list {
		if !slices.ContainsFunc(f.cursor.Left, func(l Left) bool {
			return l.Inode == r.Inode && f.holds(r.path, Position{HeadLength: l.HeadLength, Head: l.Head})
		}) {
			return r.path
		}
	}
	return ""
}

// next returns the file after the one in reading, or "".
func (f *File) next() string {
	if name := f.younger(); name != "" {
		return name
	}
	if _, err := f.options.System.Info(f.path); err != nil {
		return ""
	}
	return f.path
}

// named returns the present name of a rotated file, or "".
func (f *File) named(inode uint64) string {
	for _, r := range f.rotated() {
		if r.Inode == inode && inode != 0 {
			return r.path
		}
	}
	return ""
}

// find returns the present name of the file of a position, or of its copy, or "".
func (f *File) find(at Position) string {
	if name := f.named(at.Inode); name != "" && f.holds(name, at) {
		return name
	}
	names, err := f.options.System.List(f.folder())
	if err != nil || at.Inode == 0 {
		return ""
	}
	for _, name := range names {
		path := filepath.Join(f.folder(), name)
		if path == f.path || at.Length+at.HeadLength == 0 {
			continue
		}
		if info, err := f.options.System.Info(path); err == nil && info.Inode == at.Inode && f.holds(path, at) {
			return path
		}
	}
	return f.copyOf(at)
}

// copyOf returns the youngest rotated file that contains the lines read before a position, or "".
func (f *File) copyOf(at Position) string {
	if at.Length+at.HeadLength == 0 {
		return ""
	}
	for _, r := range slices.Backward(f.rotated()) {
		if r.Inode != at.Inode && r.Size >= at.Offset && f.holds(r.path, at) {
			return r.path
		}
	}
	return ""
}

// holds reports whether a file contains the bytes read before a position.
func (f *File) holds(path string, at Position) bool {
	file, err := f.options.System.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // read only
	before, head := make([]byte, at.Length), make([]byte, at.HeadLength)
	n, _ := file.ReadAt(before, at.Offset-int64(at.Length)) // missing bytes differ
	m, _ := file.ReadAt(head, 0)
	return n == len(before) && m == len(head) && (n == 0 || hash(before) == at.Anchor) &&
		(m == 0 || hash(head) == at.Head)
}

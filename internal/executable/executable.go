// Package executable finds the part of a program's file that another machine needs to run it. A quarter of a Go
// program's file is for debuggers: its symbols and the tables of DWARF, behind the segments that are loaded.
package executable

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"io"
	"os"

	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Image is the part of a program's file that runs, on its own an executable file. Of files that are not ELF it is the
// whole file.
type Image struct {
	Path string // of the whole file
	Sum  string // SHA-256 of the image, in hexadecimal digits
	Size int64  // bytes
}

// Read returns the image of the program at a path.
func Read(path string) (Image, error) {
	i := Image{Path: path}
	r, err := Open(path)
	if err != nil {
		return i, err
	}
	defer func() { _ = r.Close() }() // it was only read
	h := sha256.New()
	i.Size, err = io.Copy(h, r)
	i.Sum = hex.EncodeToString(h.Sum(nil))
	return i, err
}

// Open opens the image of the program at a path.
func Open(path string) (io.ReadCloser, error) {
	f, err := intake.Open(path)
	if err != nil {
		return nil, err
	}
	head, end := loaded(f)
	if head == nil {
		return f, nil
	}
	rest := io.NewSectionReader(f, int64(len(head)), end-int64(len(head)))
	return &reader{io.MultiReader(bytes.NewReader(head), rest), f}, nil
}

type reader struct {
	io.Reader
	io.Closer
}

// Sizes of the header of an ELF file, and in it the places of the offset of the table of sections, and of the number of
// its entries, which the index of their names follows (System V gABI, chapter 4).
const (
	head32, offset32, number32 = 52, 0x20, 0x30
	head64, offset64, number64 = 64, 0x28, 0x3c
)

// loaded returns the header of an ELF file, without a table of sections, and the end of its segments; nil: it is none.
func loaded(f *os.File) (head []byte, end int64) {
	e, err := elf.NewFile(f)
	if err != nil || len(e.Progs) == 0 {
		return nil, 0
	}
	size, offset, number, width := head64, offset64, number64, 8
	if e.Class == elf.ELFCLASS32 {
		size, offset, number, width = head32, offset32, number32, 4
	}
	for _, p := range e.Progs {
		end = max(end, int64(p.Off+p.Filesz))
	}
	head = make([]byte, size)
	if _, err := f.ReadAt(head, 0); err != nil || end < int64(size) {
		return nil, 0
	}
	clear(head[offset : offset+width])
	clear(head[number : number+4])
	return head, end
}

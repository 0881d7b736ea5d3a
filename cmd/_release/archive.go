package main

// Archives with nothing of this machine in them: files in the order of their names, of root, with the date of the
// commit.

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/md5"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// file is a file of an archive.
type file struct {
	name       string
	data       []byte
	executable bool
}

func (f file) mode() int64 {
	if f.executable {
		return 0o755
	}
	return 0o644
}

// within returns files, sorted, in a folder.
func within(folder string, files []file) []file {
	var sorted []file
	for _, f := range files {
		f.name = folder + "/" + f.name
		sorted = append(sorted, f)
	}
	slices.SortFunc(sorted, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return sorted
}

// zipped is a ZIP archive of a folder.
func zipped(date time.Time, folder string, files []file) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range within(folder, files) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date.UTC()})
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

// tarball is a compressed tar archive of a folder.
func tarball(date time.Time, folder string, files []file) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	made := map[string]bool{".": true}
	for _, f := range within(folder, files) {
		for _, dir := range parents(f.name) {
			if made[dir] {
				continue
			}
			made[dir] = true
			h := &tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: date, Uname: "root",
				Gname: "root", Format: tar.FormatGNU}
			if err := t.WriteHeader(h); err != nil {
				return nil, err
			}
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.data)), Mode: f.mode(), ModTime: date,
			Uname: "root", Gname: "root", Format: tar.FormatGNU}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

// parents are the folders of a path, the outermost first.
func parents(name string) []string {
	var list []string
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		list = append(list, dir)
	}
	slices.Reverse(list)
	return list
}

// control describes the package to dpkg (Debian Policy Manual, chapter 5). A tilde sorts before the end of a version,
// so that 0.1.0~rc.1 comes before 0.1.0.
const control = `Package: peregrine
Version: %s
Architecture: %s
Maintainer: The Peregrine authors
Installed-Size: %d
Section: science
Priority: optional
Homepage: https://github.com/peregrine-sim/peregrine
Suggests: openssh-client, chromium
Description: simulation executive for gas-turbine engines
 Engines are described in YAML and solved in one dimension, steady and in time.
 Components can be zoomed to flow solvers, which run in parallel and are watched
 while they run.
`

// copyright names the licences where Debian's tools look for them.
const copyright = `Peregrine, https://github.com/peregrine-sim/peregrine

Licensed under the Apache License, Version 2.0: /usr/share/common-licenses/Apache-2.0
The licences of what is linked in are in /usr/share/doc/peregrine/THIRD-PARTY-LICENSES.gz
`

// debian is a package for dpkg: an ar archive of a version, a description and the files (deb(5)).
func (b *build) debian(files []file) ([]byte, error) {
	var placed []file
	var installed int
	var sums strings.Builder
	for _, f := range append(files, file{name: "copyright", data: []byte(copyright)}) {
		f, err := b.place(f)
		if err != nil {
			return nil, err
		}
		if f.name == "" {
			continue
		}
		placed = append(placed, f)
		installed += len(f.data)
	}
	for _, f := range within("usr", placed) {
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.data), f.name)
	}
	data, err := tarball(b.date, "usr", placed)
	if err != nil {
		return nil, err
	}
	about := fmt.Sprintf(control, strings.ReplaceAll(b.version(), "-", "~"), b.arch, (installed+1023)/1024)
	info, err := tarball(b.date, ".", []file{{name: "control", data: []byte(about)},
		{name: "md5sums", data: []byte(sums.String())}})
	if err != nil {
		return nil, err
	}
	var ar bytes.Buffer
	ar.WriteString("!<arch>\n")
	for _, f := range []file{{name: "debian-binary", data: []byte("2.0\n")}, {name: "control.tar.gz", data: info},
		{name: "data.tar.gz", data: data}} {
		fmt.Fprintf(&ar, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", f.name, b.date.Unix(), 0, 0, 0o100644, len(f.data))
		ar.Write(f.data)
		if len(f.data)%2 == 1 {
			ar.WriteByte('\n')
		}
	}
	return ar.Bytes(), nil
}

// place moves a file of the archive to where Debian has it, below usr; without a name it is left out.
func (b *build) place(f file) (file, error) {
	const doc = "share/doc/peregrine/"
	dir, base := path.Split(f.name)
	var err error
	switch {
	case f.executable:
		f.name = "bin/peregrine"
	case dir == "man/":
		f.name = "share/man/man" + path.Ext(base)[1:] + "/" + base
		f, err = compressed(f)
	case base == "peregrine.bash":
		f.name = "share/bash-completion/completions/peregrine"
	case base == "_peregrine":
		f.name = "share/zsh/vendor-completions/_peregrine"
	case base == "peregrine.fish":
		f.name = "share/fish/vendor_completions.d/peregrine.fish"
	case base == "peregrine.ps1" || base == "LICENSE":
		f.name = ""
	case base == "CHANGELOG.md":
		f.name = doc + "changelog"
		f, err = compressed(f)
	case base == "THIRD-PARTY-LICENSES":
		f.name = doc + base
		f, err = compressed(f)
	default:
		f.name = doc + f.name
	}
	return f, err
}

// compressed is a file as Debian wants documents that are long.
func compressed(f file) (file, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(f.data)
	}
	if err != nil {
		return f, err
	}
	err = z.Close()
	return file{name: f.name + ".gz", data: b.Bytes()}, err
}

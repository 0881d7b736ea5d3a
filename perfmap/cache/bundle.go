package cache

// Bundles carry entries to another machine. A bundle is a compressed tar file: first its manifest with contents and
// origin, then the entries in the form of a cache and their notes.
//
//	bundle.json           Manifest
//	entries/KEY
//	groups/GROUP/KEY

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Manifest describes the contents and the origin of a bundle.
type Manifest struct {
	Format  int            `json:"format"`
	Made    time.Time      `json:"made"`
	Host    string         `json:"host"`    // name of the machine
	Program string         `json:"program"` // version of the program that made it
	Doc     string         `json:"doc,omitempty"`
	Entries []ManifestPart `json:"entries"`
}

// ManifestPart is an entry of a bundle.
type ManifestPart struct {
	Key   string `json:"key"`
	Size  int64  `json:"size"`            // of its file
	About any    `json:"about,omitempty"` // description by the caller
}

// bundleFormat is the version of bundles that this program writes.
const bundleFormat = 1

// Limits of bundles: an import needs less than 100 MB, whatever the bundle says.
var (
	manifestLimit = intake.Limit{What: "a bundle's bundle.json", Bytes: 32 << 20} // some 100,000 entries
	partLimit     = intake.Limit{What: "an entry of a bundle", Bytes: 24 << 20}
)

// Export writes a bundle of entries with all their notes, until ctx ends. The caller fills in the manifest except
// Format and Entries; about returns the manifest's description of an entry. If an entry is missing, or has been removed
// meanwhile, the error is a [*GoneError]: the bundle can be written again without the entry.
func (c *Cache) Export(ctx context.Context, w io.Writer, m Manifest, keys []Key,
	about func(k Key) any) (Manifest, error) {
	m.Format, m.Entries = bundleFormat, []ManifestPart{}
	for _, k := range keys {
		data, err := c.whole(ctx, k)
		if err != nil {
			return m, err
		}
		m.Entries = append(m.Entries, ManifestPart{Key: k.String(), Size: int64(len(header(k, data)) + len(data)),
			About: about(k)})
	}
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	text, err := json.MarshalIndent(m, "", "  ")
	if int64(len(text)) > manifestLimit.Bytes {
		err = fmt.Errorf("%d entries are too many for one bundle: %w", len(keys),
			&intake.SizeError{Limit: manifestLimit})
	}
	if err == nil {
		err = addFile(t, "bundle.json", text, m.Made)
	}
	for _, k := range keys {
		if err == nil {
			err = c.exportEntry(ctx, t, k, m.Made)
		}
	}
	if err == nil {
		err = c.exportNotes(t, keys, m.Made)
	}
	if err != nil {
		return m, err
	}
	return m, errors.Join(t.Close(), z.Close())
}

// whole returns the data of an entry that must exist.
func (c *Cache) whole(ctx context.Context, k Key) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return c.Verify(k) // to be taken along is no use
}

func (c *Cache) exportEntry(ctx context.Context, t *tar.Writer, k Key, at time.Time) error {
	data, err := c.whole(ctx, k)
	if err != nil {
		return err
	}
	data = append(header(k, data), data...)
	if int64(len(data)) > partLimit.Bytes {
		return fmt.Errorf("entry %.12s: %w", k, &intake.SizeError{Limit: partLimit})
	}
	return addFile(t, "entries/"+k.String(), data, at)
}

func (c *Cache) exportNotes(t *tar.Writer, keys []Key, at time.Time) error {
	taken := map[Key]bool{}
	for _, k := range keys {
		taken[k] = true
	}
	groups, _ := c.names("groups")
	for _, g := range groups {
		group, err := ParseKey(g)
		if err != nil {
			continue
		}
		notes, err := c.notes(group)
		if err != nil {
			return err
		}
		for _, n := range notes {
			if !taken[n.Key] {
				continue
			}
			if err := addFile(t, "groups/"+group.String()+"/"+n.Key.String(), n.Text, at); err != nil {
				return err
			}
		}
	}
	return nil
}

func addFile(t *tar.Writer, name string, data []byte, at time.Time) error {
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(data)),
		ModTime: at.Truncate(time.Second), Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err := t.Write(data)
	return err
}

// Imported is the outcome of an import.
type Imported struct {
	Manifest Manifest // without its entries
	manifest []byte   // its text
	listed   int      // entries of the manifest
	New      int      // entries that the cache lacked
	There    int      // entries that it has, with the same answer
	Differ   []Key    // entries that it has with another answer, which it keeps
}

// Import takes the entries of a bundle into the cache, each completely or not at all, and keeps the manifest in
// DIR/imports. It ends with an error at an entry that fails its check, at a name that belongs to no bundle, and when
// ctx ends; entries taken before stay. All of them are flushed to the disk at once. The function differ reports whether
// two answers to the same question differ.
func (c *Cache) Import(ctx context.Context, r io.Reader, differ func(mine, theirs []byte) bool) (Imported, error) {
	var done Imported
	err := c.importAll(ctx, r, &done, differ)
	return done, errors.Join(err, c.keepImported(done)) // entries taken before an error are from this bundle, too
}

func (c *Cache) importAll(ctx context.Context, r io.Reader, done *Imported,
	differ func(mine, theirs []byte) bool) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("it is no bundle: %w", err)
	}
	t := tar.NewReader(z)
	for first := true; ; first = false {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF) && !first:
			if _, err := io.Copy(io.Discard, z); err != nil { // whose end has its checksum
				return broken(err)
			}
			return done.complete()
		case err != nil:
			return broken(err)
		case h.Typeflag != tar.TypeReg:
			return fmt.Errorf("%q is no file: no bundle has that", h.Name)
		case first:
			if err := done.readManifest(t, h); err != nil {
				return err
			}
		default:
			if err := c.importFile(t, h, done, differ); err != nil {
				return err
			}
		}
	}
}

// broken is the error of a bundle that cannot be read to its end.
func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the bundle is cut off: its complete answers were imported; get it again and import it again")
	}
	return fmt.Errorf("the bundle is damaged: %w", err)
}

// complete returns an error if the bundle had fewer entries than its manifest lists.
func (done *Imported) complete() error {
	if had := done.New + done.There + len(done.Differ); had < done.listed {
		return fmt.Errorf("the bundle has %d of the %d answers that its bundle.json lists: get it again and import it "+
			"again", had, done.listed)
	}
	return nil
}

// part returns the content of a file of a bundle. Nothing is read of a file that is too large.
func part(r io.Reader, h *tar.Header, limit intake.Limit) ([]byte, error) {
	if h.Size > limit.Bytes {
		return nil, fmt.Errorf("%s: %w", h.Name, &intake.SizeError{Limit: limit})
	}
	data := make([]byte, h.Size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, broken(err)
	}
	return data, nil
}

// skipped is a value of JSON that is not read.
type skipped struct{}

func (skipped) UnmarshalJSON([]byte) error { return nil }

func (done *Imported) readManifest(r io.Reader, h *tar.Header) (err error) {
	if h.Name != "bundle.json" {
		return fmt.Errorf("it is no bundle: it begins with %q, not with bundle.json", h.Name)
	}
	if done.manifest, err = part(r, h, manifestLimit); err != nil {
		return err
	}
	m := struct {
		*Manifest
		Entries []skipped `json:"entries"` // there may be many
	}{Manifest: &done.Manifest}
	if err := json.Unmarshal(done.manifest, &m); err != nil {
		return fmt.Errorf("bundle.json is damaged: %w", err)
	}
	if done.listed = len(m.Entries); m.Format < 1 {
		return errors.New("it is no bundle: its bundle.json has no format")
	}
	if m.Format > bundleFormat {
		return fmt.Errorf("the bundle has format %d and this program reads up to %d: use the newer Peregrine that "+
			"wrote it", m.Format, bundleFormat)
	}
	return nil
}

// importFile takes a file of a bundle.
func (c *Cache) importFile(r io.Reader, h *tar.Header, done *Imported, differ func(mine, theirs []byte) bool) error {
	parts := strings.Split(h.Name, "/")
	k, err := ParseKey(parts[len(parts)-1])
	switch {
	case err == nil && len(parts) == 2 && parts[0] == "entries":
		return c.importEntry(r, h, k, done, differ)
	case err == nil && len(parts) == 3 && parts[0] == "groups":
		group, err := ParseKey(parts[1])
		if err != nil {
			break
		}
		text, err := part(r, h, noteLimit)
		if err != nil {
			return err
		}
		return c.Join(group, k, text)
	}
	return fmt.Errorf("no bundle has a file %q", h.Name)
}

func (c *Cache) importEntry(r io.Reader, h *tar.Header, k Key, done *Imported,
	differ func(mine, theirs []byte) bool) error {
	raw, err := part(r, h, partLimit)
	if err != nil {
		return err
	}
	theirs, _ := content(k, raw)
	if theirs == nil {
		return fmt.Errorf("entry %.12s of the bundle does not match its checksum, or belongs to another key", k)
	}
	mine, ok, err := c.get(k, false)
	var damaged *DamagedError
	switch {
	case err != nil && !errors.As(err, &damaged):
		return err
	case !ok:
		if err := c.write(c.path(k), raw, folder.EachSynced...); err != nil {
			return err
		}
		done.New++
	case !bytes.Equal(mine, theirs) && differ(mine, theirs):
		done.Differ = append(done.Differ, k)
	default:
		done.There++
	}
	return nil
}

func (c *Cache) imports() string { return filepath.Join(c.dir, "imports") }

// keepImported stores the description of imported entries, and flushes both to the disk.
func (c *Cache) keepImported(done Imported) error {
	if done.New == 0 {
		return nil
	}
	path := filepath.Join(c.imports(), Key(sha256.Sum256(done.manifest)).String()+".json")
	if err := c.write(path, done.manifest, folder.EachSynced...); err != nil {
		return err
	}
	t, err := c.tree()
	if err != nil {
		return err
	}
	return errors.Join(t.Sync(), t.Close())
}

// Imports returns the manifests of the bundles that were taken, the oldest first.
func (c *Cache) Imports() ([]Manifest, error) {
	files, _ := c.names("imports")
	var list []Manifest
	var errs []error
	for _, f := range files {
		if filepath.Ext(f) != ".json" {
			continue
		}
		f = filepath.Join(c.imports(), f)
		data, err := c.load(f, manifestLimit)
		var m Manifest
		if err == nil {
			err = json.Unmarshal(data, &m)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f, err))
			continue
		}
		list = append(list, m)
	}
	slices.SortStableFunc(list, func(a, b Manifest) int { return a.Made.Compare(b.Made) })
	return list, errors.Join(errs...)
}

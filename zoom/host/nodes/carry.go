package nodes

// Files between this machine and a node that does not share the study's folder.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/checksum"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/folder"
	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Carry implements launch.Remote. A text of the request is a path only if the solver's description declares it so.
func (t *task) Carry(ctx context.Context, r plugin.Request, d plugin.Description) (plugin.Request, error) {
	t.mu.Lock()
	there, err := t.there, t.moveErr
	t.mu.Unlock()
	if err != nil {
		return r, err
	}
	if t.member.shared {
		return r, nil
	}
	r.Folder = there
	texts := map[string]string{}
	for name, text := range r.Texts {
		texts[name] = text
		if text == "" ||
			!slices.ContainsFunc(d.Inputs,
				func(q plugin.Quantity) bool { return q.Name == name && q.Shape == plugin.FileName }) {
			continue
		}
		sum, err := checksum.Of(text)
		if err == nil {
			texts[name], err = t.member.node.Bring(ctx, text, sum)
		}
		if err != nil {
			return r, fmt.Errorf("%s of the request cannot go to node %s: %w", name, t.member.name, err)
		}
	}
	r.Texts = texts
	t.beginMirror(there, d)
	return r, nil
}

// mirrorTime is the interval for copying the checkpoint of a run on a node that does not share its folder: if the node
// is lost, the run continues from the last copy.
const mirrorTime = 30 * time.Second

// beginMirror copies the checkpoint of a run here whenever it has changed.
func (t *task) beginMirror(there string, d plugin.Description) {
	if !d.HasSolution() {
		return
	}
	ctx, cancel := context.WithCancel(t.fleet.ctx)
	t.mu.Lock()
	here := t.here
	t.mirror = cancel
	t.mu.Unlock()
	t.fleet.spawn(func() {
		for clock.Sleep(ctx, t.fleet.clock, mirrorTime) == nil {
			files, _ := t.member.node.List(ctx, there) // a node that does not answer is lost soon
			for _, f := range files {
				if d.IsSolution(f.GetName()) {
					_ = t.fetchOne(ctx, here, there, f) // the next time, or at the end
				}
			}
		}
	})
}

// defaultMost is the default limit of the bytes of a run that are copied back.
const defaultMost = 1 << 30

// Fetch implements launch.Remote. Files that Peregrine itself needs are copied first, whatever the hosts file requires.
// A file that exists here with the same size and time is not copied again; a file that is cut off is continued.
func (t *task) Fetch(ctx context.Context, here string, d plugin.Description, failed bool) error {
	if t.member.shared {
		return nil
	}
	t.endMirror()
	there := t.folderThere()
	files, err := t.member.node.List(ctx, there)
	if err != nil {
		return err
	}
	back := t.fleet.config.Hosts.Back
	slices.SortStableFunc(files, func(a, b *pb.File) int {
		switch first := needed(a, d); {
		case first == needed(b, d):
			return 0
		case first:
			return -1
		}
		return 1
	})
	most := back.Most
	most = cmp.Or(most, defaultMost)
	var left []string
	var errs []error
	for _, f := range files {
		switch {
		case !needed(f, d) && !wantedBack(back, f.GetName(), failed):
			continue
		case !needed(f, d) && f.GetSize() > most:
			left = append(left, f.GetName())
			continue
		}
		most -= f.GetSize()
		if err := t.fetchOne(ctx, here, there, f); err != nil {
			errs = append(errs, err)
		}
	}
	if len(left) > 0 {
		errs = append(errs,
			fmt.Errorf("more than the launcher's limit (back: {most: ...}) lies in %s on %s: %q stayed there", there,
				t.member.name, left))
		return errors.Join(errs...)
	}
	if len(errs) == 0 {
		return t.member.node.Remove(ctx, there)
	}
	return errors.Join(errs...)
}

// needed reports whether Peregrine itself needs a file: the log of the solver, its result, and the solution from which
// runs start.
func needed(f *pb.File, d plugin.Description) bool {
	return f.GetName() == plugin.LogFile || f.GetName() == plugin.ResultFile || d.IsSolution(f.GetName())
}

// wantedBack reports whether a file is to be copied back.
func wantedBack(back hosts.Back, name string, failed bool) bool {
	if back.When == "never" || back.When == "failed" && !failed {
		return false
	}
	return len(back.Files) == 0 || slices.ContainsFunc(back.Files, func(pattern string) bool {
		whole, _ := path.Match(pattern, name) // the hosts file's reader has checked the pattern
		last, _ := path.Match(pattern, path.Base(name))
		return whole || last
	})
}

// fetchOne copies one file back.
func (t *task) fetchOne(ctx context.Context, here, there string, f *pb.File) error {
	name := filepath.FromSlash(f.GetName())
	if !filepath.IsLocal(name) {
		return fmt.Errorf("node %s names a file %q", t.member.name, f.GetName())
	}
	to := filepath.Join(here, name)
	modified := time.Unix(0, int64(f.GetModified()*1e9))
	if info, err := os.Stat(to); err == nil && info.Size() == f.GetSize() &&
		info.ModTime().Sub(modified).Abs() < time.Millisecond {
		return nil
	}
	t.fetching.Lock() // a mirror may be fetching
	defer t.fetching.Unlock()
	if err := folder.MakeAll(filepath.Dir(to)); err != nil {
		return err
	}
	err := atomic.Resume(to, func(part *os.File) error {
		return t.fetchRest(ctx, part, path.Join(there, f.GetName()))
	}, atomic.Mode(os.FileMode(f.GetMode())&0o777|0o600))
	if err != nil {
		return fmt.Errorf("%s did not come: %w", to, err)
	}
	return os.Chtimes(to, modified, modified)
}

// fetchRest appends the missing part of a file on the node to the file here, or copies all of it if the content here
// differs.
func (t *task) fetchRest(ctx context.Context, part *os.File, from string) error {
	for {
		h := sha256.New()
		have, err := io.Copy(h, part)
		if err != nil {
			return err
		}
		sum, err := t.member.node.Get(ctx, from, have, io.MultiWriter(part, h))
		switch {
		case err != nil:
			return err
		case sum == hex.EncodeToString(h.Sum(nil)):
			return nil
		case have == 0:
			return fmt.Errorf("%s came from %s with another content than it has there", from, t.member.name)
		}
		if err := part.Truncate(0); err != nil {
			return err
		}
		if _, err := part.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
}

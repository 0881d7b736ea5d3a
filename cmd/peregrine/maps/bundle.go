package maps

// Bundles carry answers to other machines.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/version"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

func newCacheExport() *cobra.Command {
	var which chosen
	var doc string
	cmd := &cobra.Command{
		Use: "export FILE [KEY...]", Short: "Write answers into a bundle, for another machine",
		Args: cobra.MinimumNArgs(1),
		Long: `Write answers into a bundle, a compressed tar file, for another machine: all of them, those of the
keys, or those that the flags choose. The bundle says of each where it is from, and has its
checksum.`,
		Example: `  peregrine cache export fan.tar.gz --component fan --doc "fan of the E3, 3-D"
  peregrine cache import fan.tar.gz`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, _, err := openCache(cmd)
			if err != nil {
				return err
			}
			rows, err := which.choose(cmd.Context(), c, args[1:], cli.Clock(cmd).Now())
			if err != nil {
				return err
			}
			if len(rows) == 0 {
				return errors.New("there is nothing to export: no answer in the cache is one of these")
			}
			b := &bundling{cmd: cmd, cache: c, file: args[0], named: len(args) > 1, about: map[cache.Key]cached{}}
			if err := b.take(rows); err != nil {
				return err
			}
			host, _ := os.Hostname()
			return b.write(cache.Manifest{Made: cli.Clock(cmd).Now().UTC(), Host: host,
				Program: version.Read().Short(), Doc: doc})
		},
	}
	which.add(cmd.Flags())
	cmd.Flags().StringVar(&doc, "doc", "", "description, which the bundle keeps")
	return cmd
}

// bundling is an export.
type bundling struct {
	cmd   *cobra.Command
	cache *cache.Cache
	file  string
	named bool // the answers were named by their keys
	keys  []cache.Key
	about map[cache.Key]cached
}

// take takes the readable entries. An unreadable entry is an error if the user named its key, else it is left out.
func (b *bundling) take(rows []cached) error {
	damaged := []error{errors.New("nothing is exported")}
	for _, r := range rows {
		switch {
		case r.Error == "":
			b.keys, b.about[r.key] = append(b.keys, r.key), r
		case r.gone:
			b.leaveOut(r.key, r.Error)
		default:
			damaged = append(damaged, fmt.Errorf("answer %.12s: %s", r.Key, r.Error))
		}
	}
	if len(damaged) > 1 && (b.named || len(b.keys) == 0) {
		return cli.WithCode(cli.NotConverged, errors.Join(damaged...))
	}
	for _, err := range damaged[1:] {
		cli.Warn(b.cmd, "%v; it is left out", err)
	}
	return nil
}

func (b *bundling) leaveOut(k cache.Key, why string) {
	cli.Warn(b.cmd, "answer %.12s is left out: %s", k, why)
}

// write writes the bundle. If an answer was removed meanwhile, it writes the bundle again without it, unless the output
// cannot be truncated.
func (b *bundling) write(m cache.Manifest) error {
	for {
		if len(b.keys) == 0 {
			return errors.New("there is nothing to export: the answers were removed meanwhile")
		}
		var done cache.Manifest
		err := atomic.Output(b.file, func(w io.Writer) (err error) {
			done, err = b.cache.Export(b.cmd.Context(), w, m, b.keys, func(k cache.Key) any { return b.about[k] })
			return err
		})
		var gone *cache.GoneError
		switch info, _ := os.Stat(b.file); {
		case err == nil:
			var total int64
			for _, e := range done.Entries {
				total += e.Size
			}
			fmt.Fprintf(cli.Notes(b.cmd, b.file), "%s: %s, %s\n", b.file, spell.Count(len(done.Entries), "answer"),
				cli.Bytes(total))
			return nil
		case !errors.As(err, &gone) || info != nil && !info.Mode().IsRegular() || atomic.ToStandardOutput(b.file):
			return err
		}
		b.leaveOut(gone.Key, "it was removed meanwhile")
		b.keys = slices.DeleteFunc(b.keys, func(k cache.Key) bool { return k == gone.Key })
	}
}

func newCacheImport() *cobra.Command {
	return &cobra.Command{
		Use: "import FILE...", Short: "Take the answers of bundles into the cache", Args: cobra.MinimumNArgs(1),
		Long: `Take the answers of bundles into the cache, each held against its checksum. One that is there stays. If a
bundle has another answer to the same request, that is said, and the exit code is 1: a solver does not
repeat itself, or one of the machines computes something else.`,
		RunE: func(cmd *cobra.Command, files []string) error {
			settings, err := settings.Load(cmd.Flags())
			if err != nil {
				return err
			}
			for _, file := range files { // before a cache is created in vain
				if err := intake.Look(file); err != nil {
					return importError(file, cache.Imported{}, err)
				}
			}
			c, err := executive.OpenCache(settings)
			if err != nil {
				return err
			}
			differ := 0
			for _, file := range files {
				done, err := importBundle(cmd.Context(), c, file)
				if err != nil {
					return importError(file, done, err)
				}
				m, out := done.Manifest, cmd.OutOrStdout()
				fmt.Fprintf(out, "%s: made %s\n", file, bundleOf{m.Host, m.Program, m.Made, m.Doc})
				fmt.Fprintf(out, "%d new, %d known\n", done.New, done.There)
				for _, k := range done.Differ {
					fmt.Fprintf(out, "%.12s has another answer here, which stays\n", k)
				}
				differ += len(done.Differ)
			}
			if differ > 0 {
				return cli.ErrNotDone
			}
			return nil
		},
	}
}

// importError explains why a bundle could not be imported as a whole, and how many entries were.
func importError(file string, done cache.Imported, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok && path.Path == file {
		err = path.Err
	}
	if done.New == 0 {
		return fmt.Errorf("%s: %w", file, err)
	}
	return fmt.Errorf("%s: %w (%s of it are now in the cache)", file, err, spell.Count(done.New, "answer"))
}

func importBundle(ctx context.Context, c *cache.Cache, file string) (cache.Imported, error) {
	f, err := intake.Open(file)
	if err != nil {
		return cache.Imported{}, err
	}
	defer func() { _ = f.Close() }()
	return c.Import(ctx, f, study.Differ)
}

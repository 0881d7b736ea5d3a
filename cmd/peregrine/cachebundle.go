package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/version"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

func newCacheExport(at clock.Clock) *cobra.Command {
	var which chosen
	var doc string
	cmd := &cobra.Command{
		Use: "export FILE [KEY...]", Short: "Write answers into a bundle, for another machine", Args: cobra.MinimumNArgs(1),
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
			rows, err := which.choose(c, args[1:], at.Now())
			if err != nil {
				return badInput(err)
			}
			if len(rows) == 0 {
				return badInput(fmt.Errorf("there is nothing to export: no answer in the cache is one of these"))
			}
			about := map[string]cached{}
			var keys []cache.Key
			for _, r := range rows {
				if r.Error != "" {
					fmt.Fprintf(cmd.ErrOrStderr(), "left out: %s\n", r.Error)
					continue
				}
				keys, about[string(r.key[:])] = append(keys, r.key), r
			}
			host, _ := os.Hostname()
			m := cache.Manifest{Made: at.Now().UTC(), Host: host, Program: version.Read().Short(), Doc: doc}
			err = atomic.Stream(args[0], func(w io.Writer) error {
				m, err = c.Export(w, m, keys, func(k cache.Key) any { return about[string(k[:])] })
				return err
			})
			if err != nil {
				return badInput(err)
			}
			var total int64
			for _, e := range m.Entries {
				total += e.Size
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s\n", args[0], count(len(m.Entries), "answer"), bytesText(total))
			return nil
		},
	}
	which.add(cmd.Flags())
	cmd.Flags().StringVar(&doc, "doc", "", "what it is; the bundle keeps it")
	return cmd
}

func newCacheImport() *cobra.Command {
	return &cobra.Command{
		Use: "import FILE...", Short: "Take the answers of bundles into the cache", Args: cobra.MinimumNArgs(1),
		Long: `Take the answers of bundles into the cache, each held against its checksum. One that is there stays. If a
bundle has another answer to the same request, that is said, and the exit code is 1: a solver does not
repeat itself, or one of the machines computes something else.`,
		RunE: func(cmd *cobra.Command, files []string) error {
			c, _, err := openCache(cmd)
			if err != nil {
				return err
			}
			differ := 0
			for _, file := range files {
				done, err := importBundle(c, file)
				out := cmd.OutOrStdout()
				if err != nil {
					return badInput(fmt.Errorf("%s: %w (%s of it are now in the cache)", file, err, count(done.New, "answer")))
				}
				m := done.Manifest
				fmt.Fprintf(out, "%s: made on %s, %s, by %s %s\n", file, m.Host, dateText(m.Made), m.Program, m.Doc)
				fmt.Fprintf(out, "%d new, %d that were there\n", done.New, done.There)
				for _, k := range done.Differ {
					fmt.Fprintf(out, "%.12s has another answer here, which stays\n", k)
				}
				differ += len(done.Differ)
			}
			if differ > 0 {
				return &exitError{code: exitNotConverged}
			}
			return nil
		},
	}
}

func importBundle(c *cache.Cache, file string) (cache.Imported, error) {
	f, err := intake.Open(file)
	if err != nil {
		return cache.Imported{}, err
	}
	defer func() { _ = f.Close() }()
	return c.Import(f, run.Differ)
}

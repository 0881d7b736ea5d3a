package maps

// Zoomed maps are kept as files in Peregrine's format in the folder maps/ of the cache, with the names
// COMPONENT-HASH.yaml. A user can copy a map for an engine file. Any map can be deleted, because its runs are in the
// cache.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/perfmap/format"
)

const (
	mapsFolder    = "maps"
	mapsExtension = ".yaml"
)

// keptMap is a file of the maps' folder.
type keptMap struct {
	name string // without extension
	path string
	size int64
	date time.Time
}

func keptMaps(s settings.Settings) ([]keptMap, error) {
	dir := filepath.Join(s.Cache, mapsFolder)
	var entries []os.DirEntry
	t, err := folder.Open(s.Cache)
	if err == nil {
		defer func() { _ = t.Close() }() // it has no data
		entries, err = t.ReadDir(dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var kept []keptMap
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), mapsExtension)
		if !ok || strings.HasPrefix(name, ".") { // being written
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // removed meanwhile, or no file
		}
		kept = append(kept, keptMap{name, filepath.Join(dir, e.Name()), info.Size(), info.ModTime()})
	}
	return kept, nil
}

// differs reports whether a map is not the one whose hash ends the file's name.
func (k keptMap) differs(m *perfmap.Map) bool {
	key, err := cache.NewKey(m)
	return err != nil || !strings.HasSuffix(k.name, "-"+key.String()[:12])
}

// findMap returns the kept map with a name, or the only map whose name begins with it.
func findMap(s settings.Settings, key string) (keptMap, error) {
	kept, err := keptMaps(s)
	if err != nil {
		return keptMap{}, err
	}
	var names []string
	for _, k := range kept {
		names = append(names, k.name)
	}
	name, err := cli.UniqueName("map", key, names)
	if err != nil {
		return keptMap{}, fmt.Errorf("%s: %w", filepath.Join(s.Cache, mapsFolder), err)
	}
	i := slices.IndexFunc(kept, func(k keptMap) bool { return k.name == name })
	return kept[i], nil
}

// listedMap is a row of the list.
type listedMap struct {
	Name   string       `json:"name"`
	Kind   perfmap.Kind `json:"kind,omitempty"`
	Lines  int          `json:"lines,omitempty"`
	Points int          `json:"points,omitempty"` // runs, or entries of each table where no runs made the map
	Size   int64        `json:"size"`
	Date   time.Time    `json:"date"`
	Origin string       `json:"origin,omitempty"`
	File   string       `json:"file"`
	Error  string       `json:"error,omitempty"` // why it cannot be read
}

func (k keptMap) row() listedMap {
	r := listedMap{Name: k.name, Size: k.size, Date: k.date.UTC().Truncate(time.Second), File: k.path}
	m, err := format.Read(k.path)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	r.Kind, r.Lines, r.Points = m.Kind, len(m.Nc), len(m.Alpha)*len(m.Nc)*len(m.X)
	if m.Origin != nil {
		r.Origin = m.Origin.Source
		if n := len(m.Origin.Points); n > 0 {
			r.Points = n
		}
	}
	return r
}

func newMapList() *cobra.Command {
	return cli.WithJSON("print as JSON", &cobra.Command{
		Use: "list", Short: "List the maps that zooming made", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := settings.Load(cmd.Flags())
			if err != nil {
				return err
			}
			kept, err := keptMaps(settings)
			if err != nil {
				return err
			}
			rows := []listedMap{}
			for _, k := range kept {
				rows = append(rows, k.row())
			}
			none := "no maps in " + filepath.Join(settings.Cache, mapsFolder) + "; zooming makes some"
			return cli.PrintList(cmd, rows, none, mapTable)
		},
	})
}

func mapTable(rows []listedMap) string {
	t := table.New("l", "name", "kind", "lines", "points", "size", "date", "origin")
	for _, r := range rows {
		if r.Error != "" {
			t.Row(r.Name, "-", "-", "-", cli.Bytes(r.Size), cli.Date(r.Date),
				"cannot be read: "+printable.Line(r.Error, 400))
			continue
		}
		t.Row(r.Name, string(r.Kind), strconv.Itoa(r.Lines), strconv.Itoa(r.Points), cli.Bytes(r.Size),
			cli.Date(r.Date), printable.Line(r.Origin, 400))
	}
	return t.String()
}

func newMapRm() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "rm KEY...", Short: "Remove maps that zooming made", Args: cobra.MinimumNArgs(1),
		Long: `Remove maps that zooming made. The runs behind them stay in the cache, so that
the same zoom makes the same map again without running anything.`,
		RunE: func(cmd *cobra.Command, keys []string) error {
			settings, err := settings.Load(cmd.Flags())
			if err != nil {
				return err
			}
			chosen, names, err := chosenMaps(settings, keys)
			if err != nil {
				return err
			}
			question := fmt.Sprintf("remove %s: %s", spell.Count(len(names), "map"), spell.List(names, "and"))
			if !yes {
				if sure, err := cli.Confirm(cmd, question, "nothing removed"); err != nil || !sure {
					return err
				}
			}
			t, err := folder.Open(settings.Cache)
			if err != nil {
				return err
			}
			defer func() { _ = t.Close() }() // it has no data
			for _, name := range names {
				if err := t.Remove(chosen[name].path); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "removed %s\n", name)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// chosenMaps returns the maps of keys by their names, and these in the order of the keys; all or none.
func chosenMaps(settings settings.Settings, keys []string) (chosen map[string]keptMap, names []string, err error) {
	chosen = map[string]keptMap{}
	var problems []error
	for _, key := range keys {
		k, err := findMap(settings, key)
		if err != nil {
			problems = append(problems, err)
		} else if _, twice := chosen[k.name]; !twice {
			chosen[k.name], names = k, append(names, k.name)
		}
	}
	return chosen, names, errors.Join(problems...)
}

package maps

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/perfmap/format"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

func newMap() *cobra.Command {
	cmd := cli.Group("map", "Make, list, show, plot, import, export and remove component maps",
		newMapList(), newMapShow(), newMapPlot(), newMapImport(), newMapExport(), newMapMake(), newMapRm())
	cmd.Long = `Performance maps of compressors, fans and turbines.

Where a verb takes FILE|KEY, it is a map file, or the beginning of the name of a
map that zooming made, as "peregrine map list" shows it.`
	return cmd
}

func newMapShow() *cobra.Command {
	return &cobra.Command{
		Use: "show FILE|KEY", Short: "Show a map's design point, limits, speed lines and origin",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := readMap(cmd, args[0])
			if err != nil {
				return err
			}
			if err := m.Show(cmd.OutOrStdout()); err != nil {
				return err
			}
			return showMakers(cmd.OutOrStdout(), cmd, m)
		},
	}
}

func newMapPlot() *cobra.Command {
	var out, title, results, component string
	cmd := &cobra.Command{
		Use: "plot FILE|KEY", Short: "Draw a map, with the operating points of a run", Args: cobra.ExactArgs(1),
		Long: `Draw a map: speed lines, islands of efficiency and stall line of a compressor,
flow and efficiency of a turbine, in the map's own units.

With --results the operating points of all cases are drawn too, where the cases'
results say that the component stands on its map.`,
		Example: `  peregrine run e3.yaml --json > e3.json
  peregrine map plot maps/e3-hpc.map --results e3.json --component hpc -o hpc.svg`,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := readMap(cmd, args[0])
			if err != nil {
				return err
			}
			out = cmp.Or(out, cli.Stem(args[0])+".svg")
			points, err := drawMap(m, out, title, results, cmp.Or(component, m.Name))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cli.Notes(cmd, out), "%s: %s map %q with %s\n", out, m.Kind, m.Name,
				spell.Count(points, "operating point"))
			return err
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "output", "o", "",
		"file to draw into, .svg or .png (default: the map's name with .svg, in this folder)")
	f.StringVar(&title, "title", "", "title (default: the map's name)")
	f.StringVar(&results, "results", "",
		"file of results, as peregrine run --json prints them, whose operating points are drawn")
	f.StringVar(&component, "component", "", "component of the results that is on the map (default: the map's name)")
	return cmd
}

// drawMap draws a map into a file. With results it adds the operating points of a component, and returns their number.
func drawMap(m *perfmap.Map, file, title, results, component string) (points int, err error) {
	opt := plot.Options{Title: title, Apart: true}
	if opt.Format, err = cli.PlotFormat(file); err != nil {
		return 0, err
	}
	if results != "" {
		if opt.Points, err = operatingPoints(m, results, component); err != nil {
			return 0, err
		}
	}
	var drawn bytes.Buffer
	if err := plot.Draw(&drawn, m, opt); err != nil {
		return 0, err
	}
	return len(opt.Points), cli.WriteOutput(file, drawn.Bytes())
}

// readMap reads the map of an argument FILE|KEY.
func readMap(cmd *cobra.Command, arg string) (*perfmap.Map, error) {
	if info, err := os.Stat(arg); err == nil && !info.IsDir() {
		return format.Read(arg)
	}
	settings, err := settings.Load(cmd.Flags())
	if err != nil {
		return nil, err
	}
	found, err := findMap(settings, arg)
	if err != nil {
		return nil, fmt.Errorf("there is no file %s, and in %w", arg, err)
	}
	m, err := format.Read(found.path)
	if err == nil && found.differs(m) {
		cli.Warn(cmd, "%s is not the map that was kept under this name: it was changed or damaged, or another version "+
			"of Peregrine kept it; zoom again for a new one", found.path)
	}
	return m, err
}

// showMakers lists the machines that computed a map's points, machines with most points first. It prints no text if no
// point names its answer.
func showMakers(w io.Writer, cmd *cobra.Command, m *perfmap.Map) error {
	if m.Origin == nil ||
		!slices.ContainsFunc(m.Origin.Points, func(p perfmap.OriginPoint) bool { return p.Answer != "" }) {
		return nil
	}
	count := map[string]int{}
	answers, _, err := openCache(cmd)
	for _, p := range m.Origin.Points {
		who := ""
		if err == nil {
			who = makerOf(answers, p.Answer)
		}
		who = cmp.Or(who, "a machine that is not known here: this cache has no such answer")
		count[who]++
	}
	machines := slices.SortedStableFunc(maps.Keys(count), func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	for _, who := range machines {
		if _, err := fmt.Fprintf(w, "    computed on %s: %d of %d runs\n", printable.Line(who, 400), count[who],
			len(m.Origin.Points)); err != nil {
			return err
		}
	}
	return nil
}

// makerOf returns the machine and program that made an answer; empty if the answer is missing.
func makerOf(answers *cache.Cache, key string) string {
	k, err := cache.ParseKey(key)
	if err != nil {
		return ""
	}
	data, err := answers.Peek(k)
	if err != nil {
		return ""
	}
	a, err := study.ReadAnswer(k, data)
	if err != nil {
		return ""
	}
	return a.Machine()
}

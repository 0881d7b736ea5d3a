package maps

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/format"
)

func newMapImport() *cobra.Command {
	var i importing
	cmd := &cobra.Command{
		Use: "import FILE -o OUT.map", Short: "Convert a map of another program into an editable file",
		Args: cobra.ExactArgs(1),
		Long: `Read a map of another program and write it in Peregrine's own format. Known
are ` + format.Titles(format.All()) + `.
The format is found by the content; --format says it.

Values, axes, interpolation and extrapolation are kept as they are, in the units
of the source. What had to be assumed, or has no place, is printed and kept in
the map. An engine file may also name a foreign map without importing it.`,
		Example: `  peregrine map import HPC.map -o maps/hpc.map
  peregrine map import lpc.txt --format gasturb --design Nc=1,beta=0.6 -o maps/lpc.map`,
		RunE: func(cmd *cobra.Command, args []string) error { return i.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVarP(&i.out, "output", "o", "", "file to write")
	f.StringVar(&i.as, "format", "", "format of FILE: "+format.Names(format.All())+" (default: by its content)")
	f.StringVar(&i.name, "name", "", "name of the map (default: that in FILE, or the name of FILE)")
	f.StringVar(&i.interp, "interp", "",
		"interpolation: monotone, linear, lagrange2 or lagrange3 (default: as in FILE)")
	f.StringToStringVar(&i.design, "design", nil, "design point on the map, such as Nc=1,Rline=2 (default: as in FILE)")
	panicOn(cmd.MarkFlagRequired("output"))
	return cmd
}

// importing holds the flags of an import.
type importing struct {
	out, as, name, interp string
	design                map[string]string
}

func (i *importing) run(cmd *cobra.Command, file string) error {
	m, err := readForeign(file, i.as)
	if err != nil {
		return err
	}
	if m, err = change(m, i.name, i.interp, i.design); err != nil {
		return err
	}
	if err := notItself(file, i.out); err != nil {
		return err
	}
	if err := format.Write(i.out, m); err != nil {
		return err
	}
	to := cli.Notes(cmd, i.out)
	fmt.Fprintln(to, mapSummary(i.out, m))
	if m.Origin != nil {
		for _, n := range m.Origin.Notes {
			fmt.Fprintf(to, "  note: %s\n", n)
		}
	}
	return nil
}

func newMapExport() *cobra.Command {
	var e exporting
	cmd := &cobra.Command{
		Use: "export FILE|KEY --format FORMAT -o OUT", Short: "Write a map for another program",
		Args: cobra.ExactArgs(1),
		Long: `Write a map for another program, as ` + format.Titles(format.Writers()) + `.
What the format cannot hold is printed.

Of a fan with two outlet streams, NPSS, GasTurb and GSP want a map each:
--stream core or --stream bypass picks one. Of a map with several stator
settings, GasTurb and GSP want one each: --alpha picks one.`,
		Example: `  peregrine map export maps/e3-hpc.map --format npss -o HPC.map
  peregrine map export maps/e3-fan.map --format gasturb --stream core -o fan-core.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			e.plane = cmd.Flags().Changed("alpha")
			return e.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVarP(&e.out, "output", "o", "", "file to write")
	f.StringVar(&e.as, "format", "", "format of OUT: "+format.Names(format.Writers()))
	f.StringVar(&e.stream, "stream", "", "bypass or core: one outlet stream of a fan (default: all tables)")
	f.Float64Var(&e.alpha, "alpha", 0, "one stator setting of the map (default: all)")
	panicOn(cmd.MarkFlagRequired("output"))
	panicOn(cmd.MarkFlagRequired("format"))
	return cmd
}

// exporting holds the flags of an export.
type exporting struct {
	out, as, stream string
	alpha           float64
	plane           bool // alpha alone
}

func (e *exporting) run(cmd *cobra.Command, file string) error {
	f, err := format.FindWriter(e.as)
	if err != nil {
		return fmt.Errorf("--format: %w", err)
	}
	m, err := readMap(cmd, file)
	if err != nil {
		return err
	}
	if m, err = pickStream(m, e.stream); err != nil {
		return err
	}
	if e.plane {
		if m, err = m.Plane(e.alpha); err != nil {
			return err
		}
	}
	if err := notItself(file, e.out); err != nil {
		return err
	}
	if err := format.WriteAs(e.out, m, f); err != nil {
		return err
	}
	to := cli.Notes(cmd, e.out)
	fmt.Fprintln(to, mapSummary(e.out, m))
	for _, l := range f.Loss(m) {
		fmt.Fprintf(to, "  not in it: %s\n", l)
	}
	return nil
}

func readForeign(path, as string) (*perfmap.Map, error) {
	if as == "" {
		return format.Read(path)
	}
	f, err := format.Find(as)
	if err != nil {
		return nil, fmt.Errorf("--format: %w", err)
	}
	return format.ReadAs(path, f)
}

// change returns the map with the user's values in place of the file's values.
func change(m *perfmap.Map, name, interp string, design map[string]string) (*perfmap.Map, error) {
	c := *m
	if name != "" {
		c.Name = name
	}
	if interp != "" {
		c.Interp = perfmap.Interp(interp)
	}
	for key, text := range design {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("--design: %s=%s: %q is no number", key, text, text)
		}
		switch key {
		case "alpha":
			c.Design.Alpha = v
		case "Nc":
			c.Design.Nc = v
		case m.XName:
			c.Design.X = v
		default:
			return nil, fmt.Errorf("--design: %q is no axis of the map; it has alpha, Nc and %s", key, m.XName)
		}
	}
	if len(design) > 0 && c.Origin != nil {
		o := *c.Origin
		o.Notes = slices.DeleteFunc(slices.Clone(o.Notes),
			func(n string) bool { return strings.HasPrefix(n, "the file states no design") })
		c.Origin = &o
	}
	return perfmap.New(c)
}

// pickStream returns the map of one stream of a fan, or the map itself.
func pickStream(m *perfmap.Map, stream string) (*perfmap.Map, error) {
	switch stream {
	case "":
		return m, nil
	case "bypass":
		return m.Stream("")
	}
	return m.Stream(stream)
}

// notItself returns an error if a map would be written over its own source file.
func notItself(in, out string) error {
	a, err := os.Stat(in)
	if err != nil {
		return nil // a key of the cache
	}
	if b, err := os.Stat(out); err == nil && os.SameFile(a, b) {
		return fmt.Errorf("%s is the input file; give another output", out)
	}
	return nil
}

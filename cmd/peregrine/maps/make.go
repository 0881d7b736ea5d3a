package maps

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/format"
)

func newMapMake() *cobra.Command {
	return cli.Group("make", "Make a map from a design point and a few parameters of shape", newMakeCompressor(),
		newMakeTurbine())
}

func newMakeCompressor() *cobra.Command {
	var s perfmap.CompressorShape
	var core perfmap.CoreShape
	cmd := &cobra.Command{
		Use: "compressor --name NAME --PR PR --eff EFF -o FILE", Short: "Make the map of an axial fan or compressor",
		Args: cobra.NoArgs,
		Long: `Make the map of an axial fan or compressor from its design point, where no
measured map is at hand, after the plan of Converse and Giffin, "Extended
Parametric Representation of Compressor Fans and Turbines", NASA CR-174645
(1984). Each parameter of shape has a default that suits the pressure ratio.
A component scales the map to its own design point.`,
		Example: `  peregrine map make compressor --name hpc --PR 23.1 --eff "86 %" -o maps/hpc.map
  peregrine map make compressor --name fan --PR 1.68 --eff 0.888 --PR_core 1.545 --eff_core 0.89 -o maps/fan.map`,
	}
	compressorFlags(cmd.Flags(), &s, &core)
	cmd.MarkFlagsOneRequired("eff", "effPoly")
	cmd.MarkFlagsMutuallyExclusive("eff", "effPoly")
	cmd.MarkFlagsRequiredTogether("PR_core", "eff_core")
	return making(cmd, &s.Name, func() (*perfmap.Map, error) {
		if core.PR != 0 {
			s.Core = &core
		} else if core.WorkSlope != 0 {
			return nil, fmt.Errorf("--work-slope-core is given, but no core stream: give --PR_core and --eff_core too")
		}
		return perfmap.MakeCompressor(s)
	})
}

func compressorFlags(f *pflag.FlagSet, s *perfmap.CompressorShape, core *perfmap.CoreShape) {
	none := unit.None
	for _, q := range []shapeFlag{
		{"PR", &s.PR, none, "", "design total pressure ratio, 1.02 to 60"},
		{"eff", &s.Eff, none, "", "design adiabatic efficiency, 0.3 to 0.98; or else --effPoly"},
		{"effPoly", &s.EffPoly, none, "", "design polytropic efficiency, 0.3 to 0.98"},
		{
			"Wc", &s.Wc, unit.MassFlow, "1",
			"design corrected flow; the map is in kg/s if a unit is given, else in any unit",
		},
		{
			"Nc", &s.Nc, unit.Speed, "1",
			"design speed on the map; the map is in rpm if a unit is given, else in any unit",
		},
		{
			"choke-margin", &s.ChokeMargin, none, "0.02",
			"choking flow over flow at best efficiency, minus 1, at design speed, 0.002 to 0.2",
		},
		{
			"flow-limit", &s.FlowLimit, none, "1.09",
			"flow at best efficiency far above design speed, over design flow, 1.01 to 2",
		},
		{
			"flow-fall", &s.FlowFall, none, "0.6 (fan) to 1.4 (PR > 15)",
			"how fast the flow falls with the density ratio, 0.01 to 3: 0 first stage rules, 1 last stage, above 1 " +
				"closing stators",
		},
		{
			"work-slope", &s.WorkSlope, none, "1.3 (fan) to 3 (PR > 15)",
			"fall of work per rise of flow on a speed line, both relative, 0.1 to 4",
		},
		{"peak-speed", &s.PeakSpeed, none, "0.92", "relative speed of best efficiency, 0.6 to 0.99"},
		{
			"peak-gain", &s.PeakGain, none, "0.005 (fan) to 0.01 (PR > 15)",
			"rise of polytropic efficiency from design speed to peak speed, relative, up to 0.1",
		},
		{
			"low-speed-loss", &s.LowSpeedLoss, none, "0.03 (fan) to 0.13 (PR > 15)",
			"fall of polytropic efficiency from peak speed to half speed, relative, 0.001 to 0.5",
		},
		{
			"stall-loss", &s.StallLoss, none, "0.4",
			"fall of polytropic efficiency towards stall over fall of flow, both relative, at design speed, 0.01 to 2",
		},
		{
			"choke-loss", &s.ChokeLoss, none, "0.35",
			"fall of polytropic efficiency to the last R-line, relative, 0.02 to 0.8",
		},
		{
			"PR_core", &core.PR, none, "",
			"design pressure ratio of a fan's core stream, 1.02 to 10; adds the core stream",
		},
		{"eff_core", &core.Eff, none, "", "design adiabatic efficiency of a fan's core stream, 0.3 to 0.98"},
		{
			"work-slope-core", &core.WorkSlope, none, "that of the fan",
			"as --work-slope, of the core stream; smaller where the hub is more highly loaded",
		},
	} {
		q.add(f)
	}
	cli.AddFlag(f, &percentValue{at: &s.StallMargin}, "stall-margin", "20", "SMN at the design point, percent, 1 to 60")
	cli.AddFlag(f, &listValue{at: &s.Speeds}, "speeds", "0.3 to 1.1",
		`relative speeds of the lines, rising, such as "0.5,0.8,100 %,1.05"; 1 is added if it is missing`)
}

// shapeFlag is a quantity whose value 0 means its default.
type shapeFlag struct {
	name string
	at   *float64
	dim  unit.Dimension
	def  string
	doc  string
}

func (q shapeFlag) add(f *pflag.FlagSet) {
	cli.AddFlag(f, &cli.Quantity{At: q.at, Dim: q.dim}, q.name, q.def, q.doc)
}

func newMakeTurbine() *cobra.Command {
	var s perfmap.TurbineShape
	cmd := &cobra.Command{
		Use: "turbine --name NAME --PR PR --eff EFF -o FILE", Short: "Make the map of an axial turbine",
		Args: cobra.NoArgs,
		Long: `Make the map of an axial turbine from its design point, where no measured map
is at hand: flow by Stodola's ellipse, efficiency by the parabola in blade speed
over jet speed. A component scales the map to its own design point.`,
		Example: `  peregrine map make turbine --name lpt --PR 5.5 --eff "92.5 %" --stages 5 -o maps/lpt.map`,
	}
	turbineFlags(cmd.Flags(), &s)
	panicOn(cmd.MarkFlagRequired("eff"))
	return making(cmd, &s.Name, func() (*perfmap.Map, error) { return perfmap.MakeTurbine(s) })
}

func turbineFlags(f *pflag.FlagSet, s *perfmap.TurbineShape) {
	none := unit.None
	for _, q := range []shapeFlag{
		{"PR", &s.PR, none, "", "design total pressure ratio, inlet over exit, 1.1 to 40"},
		{"eff", &s.Eff, none, "", "design adiabatic efficiency, 0.3 to 0.98"},
		{"Wp", &s.Wp, none, "1", "design flow parameter W sqrt(Tt)/Pt, in any unit"},
		{"Nc", &s.Nc, none, "1", "design speed parameter N/sqrt(Tt) on the map, in any unit"},
		{"stages", &s.Stages, none, "2", "number of stages, 1 to 20"},
		{
			"choke", &s.Choke, none, "2 + 3.6/stages",
			"exponent of the flow's ellipse, 0.5 to 12: larger chokes at a lower pressure ratio",
		},
		{"speed-ratio", &s.SpeedRatio, none, "0.95", "design U/C0 over that of best efficiency, 0.5 to 1.2"},
		{"gamma", &s.Gamma, none, "1.3", "ratio of specific heats of the gas, 1.1 to 1.7"},
	} {
		q.add(f)
	}
	cli.AddFlag(f, &cli.Quantity{At: &s.SpeedEffect, None: true}, "speed-effect", "0.05",
		"relative fall of flow per relative rise of speed, up to 0.5; 0: none")
	cli.AddFlag(f, &cli.Quantity{At: &s.JetLoss, None: true}, "jet-loss", "0.05",
		"loss of efficiency with the square of C0's deviation from design, relative, up to 0.5; 0: none")
	cli.AddFlag(f, &listValue{at: &s.Speeds}, "speeds", "0.3 to 1.2",
		`relative speeds of the lines, rising, such as "0.5,0.8,100 %,1.1"; 1 is added if it is missing`)
}

// making adds to a command the parts that all makers share: name, output file, and writing.
func making(cmd *cobra.Command, name *string, make func() (*perfmap.Map, error)) *cobra.Command {
	var out string
	var force bool
	f := cmd.Flags()
	f.SortFlags = false // as declared: design point first, then shape
	f.StringVar(name, "name", "", "name of the map, such as the component's (default: the file's name)")
	f.StringVarP(&out, "output", "o", "", "file to write")
	f.BoolVar(&force, "force", false, "overwrite an existing file")
	panicOn(cmd.MarkFlagRequired("PR"))
	panicOn(cmd.MarkFlagRequired("output"))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if info, err := os.Stat(out); !force && err == nil && (info.Mode().IsRegular() || info.IsDir()) {
			return fmt.Errorf("%s already exists; give --force to overwrite it, or another --output", out)
		}
		if *name == "" {
			*name = cli.Stem(out)
			if atomic.ToStandardOutput(out) {
				*name = "map"
			}
		}
		m, err := make()
		if err == nil {
			err = format.Write(out, m)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(cli.Notes(cmd, out), mapSummary(out, m))
		return err
	}
	return cmd
}

// mapSummary describes a map in one line.
func mapSummary(path string, m *perfmap.Map) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s map %q, %s of %d points; design Nc %.6g", path, m.Kind, m.Name,
		spell.Count(len(m.Nc), "line"), len(m.X), m.Design.Nc)
	if m.Kind == perfmap.Turbine {
		fmt.Fprintf(&b, ", PR %.6g", m.Design.X)
	}
	for _, t := range m.Tables {
		v, _ := m.Value(t.Name, m.Design)
		fmt.Fprintf(&b, ", %s %.6g", t.Name, v.V)
	}
	if smn, _, ok := m.StallMargins(m.Design.Alpha, m.Design.Nc, m.Design.X); ok {
		fmt.Fprintf(&b, ", SMN %.1f %%", smn)
	}
	return b.String()
}

// panicOn panics on an error that only a wrong name in this program can cause.
func panicOn(err error) {
	if err != nil {
		panic(err)
	}
}

// percentValue is a number of percent, with the sign or without.
type percentValue struct {
	at   *float64
	text string
}

func (v *percentValue) String() string { return v.text }
func (v *percentValue) Type() string   { return "percent" }

func (v *percentValue) Set(text string) error {
	bare, _ := strings.CutSuffix(strings.TrimSpace(text), "%")
	q := cli.Quantity{At: v.at}
	if err := q.Set(bare); err != nil {
		return err
	}
	v.text = text
	return nil
}

// listValue is a list of numbers, separated by commas.
type listValue struct {
	at   *[]float64
	text string
}

func (v *listValue) String() string { return v.text }
func (v *listValue) Type() string   { return "numbers" }

func (v *listValue) Set(text string) error {
	var list []float64
	for i, item := range strings.Split(text, ",") {
		x, err := unit.Parse(item, unit.None)
		if err != nil {
			return err
		}
		if i > 0 && x <= list[i-1] {
			return fmt.Errorf("%s does not rise above %g", strings.TrimSpace(item), list[i-1])
		}
		list = append(list, x)
	}
	*v.at, v.text = list, text
	return nil
}

package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/field"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/picture"
)

// The verb blade shows and draws blade rows and the computed flow through them.

func newBlade() *cobra.Command {
	cmd := cli.Group("blade", "Show and draw blade rows and the flow through them", newBladeShow(), newBladePlot(),
		newBladeFlow(), newBladeExport())
	cmd.Long = `Blade rows and the flow through them.

GEOMETRY is a file of section tables, as zooming takes it, or of points on both
sides of the blades (YAML); any other file is read as stream surfaces in NASA's
layout, in the unit that --unit names.`
	return cmd
}

// rowFlags select the blade rows of a geometry file and the fineness of their meshes.
type rowFlags struct {
	unit   string
	refine float64
	name   string
}

func (r *rowFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.unit, "unit", "m", "unit of length of a file of stream surfaces")
	f.Float64Var(&r.refine, "refine", 1,
		"number of cells in each direction, relative to the default mesh of 80 x 24 x 24")
	f.StringVar(&r.name, "row", "", "the blade row, where the file has several (default: all)")
}

// meshedRow is a blade row with its mesh.
type meshedRow struct {
	body    *blade.Body
	field   *field.Field
	quality bladerow.Quality
}

func (r *rowFlags) load(path string) ([]meshedRow, error) {
	length, err := unit.Parse("1 "+r.unit, unit.Length)
	if err != nil {
		return nil, fmt.Errorf("--unit: %w", err)
	}
	if !(r.refine >= 0.2 && r.refine <= 8) {
		return nil, fmt.Errorf("--refine is %g; want 0.2 to 8", r.refine)
	}
	bodies, err := blade.LoadBodies(path, length)
	if err != nil {
		return nil, err
	}
	var out []meshedRow
	var names []string
	mesh, _ := mesh.Mesh{}.Refined(r.refine)
	for _, b := range bodies {
		names = append(names, b.Name)
		if r.name != "" && b.Name != r.name {
			continue
		}
		f, q, err := bladerow.Lay(b, mesh)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, meshedRow{b, f, q})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no blade row %q; it has %s", path, r.name, strings.Join(names, ", "))
	}
	return out, nil
}

func newBladeShow() *cobra.Command {
	var rows rowFlags
	cmd := &cobra.Command{
		Use: "show GEOMETRY", Short: "Show a blade row's sections and the quality of its mesh",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := rows.load(args[0])
			if err != nil {
				return err
			}
			for i, m := range list {
				if i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				if err := showBlade(cmd.OutOrStdout(), m); err != nil {
					return err
				}
			}
			return nil
		},
	}
	rows.add(cmd)
	return cmd
}

func showBlade(w io.Writer, m meshedRow) error {
	const degree = math.Pi / 180
	b := m.body
	fmt.Fprintf(w, "%s: %d blades, %d sections", b.Name, b.Blades, len(b.Sections))
	if b.TipGap > 0 {
		fmt.Fprintf(w, ", tip gap %.4g mm", 1000*b.TipGap)
	}
	if b.Source != "" {
		fmt.Fprintf(w, " (%s)", b.Source)
	}
	fmt.Fprintln(w)
	t := table.Indented("r", "span, %", "radius LE, mm", "TE, mm", "chord, mm", "stagger, deg", "camber line LE, deg",
		"TE, deg", "t/c, %", "solidity")
	for _, span := range []float64{0, 0.1, 0.3, 0.5, 0.7, 0.9, 1} {
		s, err := b.Measure(span)
		if err != nil {
			return err
		}
		row := []string{fmt.Sprintf("%.0f", 100*span)}
		for _, x := range []float64{1000 * s.R1, 1000 * s.R2, 1000 * s.Chord, s.Stagger / degree, s.Kappa1 / degree,
			s.Kappa2 / degree, 100 * s.Thickness} {
			row = append(row, fmt.Sprintf("%.2f", x))
		}
		t.Row(append(row, fmt.Sprintf("%.3f", s.Solidity))...)
	}
	fmt.Fprint(w, t)
	q := m.quality
	_, err := fmt.Fprintf(w,
		"mesh: %d x %d x %d cells, smallest %.3g mm3, greatest skew %.1f deg, aspect ratio %.4g, growth %.3g\n",
		m.field.NI, m.field.NJ, m.field.NK, q.MinVolume*1e9, q.MaxSkew/degree, q.MaxAspect, q.MaxGrowth)
	return err
}

// drawnSpans are the fractions of the span at which sections are drawn.
var drawnSpans = []float64{0.1, 0.5, 0.9}

func newBladePlot() *cobra.Command {
	var rows rowFlags
	var out string
	cmd := &cobra.Command{
		Use: "plot GEOMETRY", Short: "Draw a blade row's sections, its flow path and its mesh",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := rows.load(args[0])
			if err == nil && len(list) > 1 {
				err = fmt.Errorf("%s has %d blade rows; choose one with --row", args[0], len(list))
			}
			if err != nil {
				return err
			}
			out = cmp.Or(out, cli.Stem(args[0])+".svg")
			format, err := cli.PlotFormat(out)
			if err != nil {
				return err
			}
			m := list[0]
			return writeFigure(cli.Notes(cmd, out), out, picture.Shape(m.body, m.field, m.quality, drawnSpans), format)
		},
	}
	rows.add(cmd)
	cmd.Flags().StringVarP(&out, "output", "o", "",
		"file to draw into, .svg or .png (default: the geometry's name with .svg, in this folder)")
	return cmd
}

// writeFigure writes a figure and prints its path.
func writeFigure(w io.Writer, path string, fig *picture.Figure, format string) error {
	var b bytes.Buffer
	if err := fig.Write(&b, format); err != nil {
		return err
	}
	if err := cli.WriteOutput(path, b.Bytes()); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, path)
	return err
}

func newBladeFlow() *cobra.Command {
	var out, format string
	var spans []float64
	var surveys []string
	cmd := &cobra.Command{
		Use: "flow FOLDER...", Short: "Draw the flow that a three-dimensional run computed",
		Args: cobra.MinimumNArgs(1),
		Long: `Draw the flow in the folder of a run of the solver bladerow: Mach number from
blade to blade, averages over the pitch in the meridional plane, pressure and
isentropic Mach number on the blade, and the flow over the span at the exit.

A survey that is drawn over the latter is a table with a line of names such as
"# span Pt[Pa] Tt[K] alpha[deg] eff", span as a fraction of the height; exit.dat
of another run is one.`,
		Example: `  peregrine blade flow runs/20260101-120000-17/fan-n100.0-k+00 -o pictures --format png`,
		RunE: func(cmd *cobra.Command, folders []string) error {
			if format != "svg" && format != "png" {
				return fmt.Errorf("--format is %q; want svg or png", format)
			}
			for _, s := range spans {
				if !(s > 0 && s < 100) {
					return fmt.Errorf("--spans: %g %%; want more than 0 and less than 100", s)
				}
			}
			over, err := readSurveys(surveys)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(out, 0o755); err != nil {
				return err
			}
			for _, folder := range folders {
				fields, err := field.ReadFields(folder)
				if err != nil {
					return err
				}
				stem := out + string(filepath.Separator)
				if len(folders) > 1 { // the pictures of several runs must differ
					stem += filepath.Base(filepath.Clean(folder)) + "-"
				}
				for n, f := range fields {
					row := stem
					if len(fields) > 1 {
						row += fmt.Sprintf("row%d-", n+1)
					}
					if err := drawFlow(cmd.OutOrStdout(), f, over, row, format, spans); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", ".", "folder to draw into")
	cmd.Flags().StringVar(&format, "format", "svg", "svg or png")
	cmd.Flags().StringArrayVar(&surveys, "survey", nil,
		"table of measurements behind the row, to draw over the span; may be repeated")
	cmd.Flags().Float64SliceVar(&spans, "spans", []float64{10, 50, 90}, "where to cut the blades, % of the span")
	return cmd
}

// readSurveys reads tables of measured profiles.
func readSurveys(paths []string) (list []*bladerow.Profile, err error) {
	for _, path := range paths {
		data, err := intake.Read(path, blade.Limit)
		if err != nil {
			return nil, err
		}
		p, err := bladerow.ReadProfile(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// drawFlow draws into the files whose paths begin with stem.
func drawFlow(w io.Writer, f *field.Field, over []*bladerow.Profile, stem, format string, percent []float64) error {
	var spans []float64
	for _, s := range percent {
		spans = append(spans, s/100)
	}
	for _, p := range []struct {
		name string
		fig  *picture.Figure
	}{
		{"mach", picture.BladeToBlade(f, spans)}, {"meridional", picture.Meridional(f)},
		{"surface", picture.Surface(f, spans)}, {"span", picture.Spanwise(f, over...)},
	} {
		if err := writeFigure(w, stem+p.name+"."+format, p.fig, format); err != nil {
			return err
		}
	}
	return nil
}

func newBladeExport() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: "export FOLDER", Short: "Write a three-dimensional run's flow for ParaView and as PLOT3D functions",
		Args: cobra.ExactArgs(1),
		Long: `Write the flow in the folder of a run of the solver bladerow as a VTK structured
grid (flow.vts, one file a row), and as a PLOT3D function file (flow.f, its names in flow.nam)
for the grid in the folder, grid.xyz.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			fields, err := field.ReadFields(args[0])
			if err != nil {
				return err
			}
			if out == "" {
				out = args[0]
			}
			if err := os.MkdirAll(out, 0o755); err != nil {
				return err
			}
			list := field.Quantities()
			type file struct {
				name  string
				write func(io.Writer) error
			}
			files := []file{
				{"flow.f", func(w io.Writer) error { return field.WriteFunctions(w, fields, list) }},
				{"flow.nam", func(w io.Writer) error { return field.WriteFunctionNames(w, list) }},
			}
			for n, f := range fields {
				name := "flow.vts"
				if len(fields) > 1 {
					name = fmt.Sprintf("flow-row%d.vts", n+1)
				}
				files = append(files, file{name, func(w io.Writer) error { return f.WriteVTK(w, list) }})
			}
			for _, file := range files {
				var b bytes.Buffer
				if err := file.write(&b); err != nil {
					return err
				}
				path := filepath.Join(out, file.name)
				if err := atomic.WriteFile(path, b.Bytes()); err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), path)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "folder to write into (default: the run's)")
	return cmd
}

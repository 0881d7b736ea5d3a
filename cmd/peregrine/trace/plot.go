package trace

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/picture"
	"github.com/peregrine-sim/peregrine/watchdog/trace/sound"
)

func newPlot() *cobra.Command {
	var by, file string
	var arranged Arrangement
	o := picture.Options{}
	cmd := &cobra.Command{
		Use: "plot FILE|DIR|STUDY -o FILE", Short: "Draw the processes of a trace and their messages",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if !slices.Contains(picture.Views(), o.View) {
				return fmt.Errorf("--view %s: the views are %s", o.View, strings.Join(picture.Views(), ", "))
			}
			if !(o.Length > 0) || math.IsInf(o.Length, 0) {
				return fmt.Errorf("--length %v: a time above 0 s", o.Length)
			}
			if !slices.Contains(groupings, by) {
				return fmt.Errorf("--by %s: rows are by %s", by, strings.Join(groupings, ", "))
			}
			if o.Format, err = cli.PlotFormat(file); err != nil {
				return err
			}
			l, err := load(cmd, args[0])
			if err != nil {
				return err
			}
			s := group(l.records, by)
			if err := arranged.Apply(s, &o); err != nil {
				return err
			}
			return atomic.Output(file, func(w io.Writer) error { return picture.Draw(w, s, o) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.View, "view", "spacetime", "`view`: "+strings.Join(picture.Views(), ", "))
	f.StringVar(&by, "by", "process", "`what` has a row: "+strings.Join(groupings, ", "))
	arranged.Add(f)
	f.Float64Var(&o.Length, "length", 20, "`length` of an animation, s; times are in proportion")
	f.StringVarP(&file, "output", "o", "", "`file` to write, .svg or .png")
	if err := cmd.MarkFlagRequired("output"); err != nil {
		panic(err) // an unknown flag
	}
	return cmd
}

func newSound() *cobra.Command {
	var length float64
	cmd := &cobra.Command{
		Use:   "sound send|sendmix|sendnum FILE|DIR|STUDY",
		Short: "Write the messages of a trace as a sound, .au, to standard output",
		Long: `Write the messages of a trace as a sound, .au, to standard output: send sounds the tone of the latest
sender, sendmix the tones of all that have a message under way, sendnum a tone that is higher for more messages.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := load(cmd, args[1])
			if err != nil {
				return err
			}
			return atomic.Output("-", func(w io.Writer) error { // a console would escape what is no text
				return sound.Write(w, trace.Analyse(l.records, nil), sound.Mode(args[0]), length)
			})
		},
	}
	cmd.Flags().Float64Var(&length, "length", 10, "`length` of the sound, s; times are in proportion")
	return cmd
}

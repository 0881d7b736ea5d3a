package predict

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/zoom/predict"
)

// swept is a study on many clusters.
type swept struct {
	Over   []string        `json:"over"` // keys of the cluster
	Shapes []predict.Shape `json:"shapes"`
}

func newSweep() *cobra.Command {
	var opt options
	var over []string
	cmd := cli.WithJSON("print as JSON, SI units", &cobra.Command{
		Use: "sweep ENGINE.yaml|GRAPH.yaml --on CLUSTER.yaml --over KEY=VALUE,VALUE", Args: cobra.ExactArgs(1),
		Short: "Predict a study on clusters of many shapes, and mark those that no other beats in time and cost",
		Long: `Predict a study on all combinations of values of a cluster's keys, such as nodes=1,2,4, cores=8,16,
memory, licences.cfd, network.bandwidth and blocks.time.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := sweep(cmd, args[0], over, &opt)
			if err != nil {
				return err
			}
			return cli.PrintValue(cmd, s, sweptText)
		},
	})
	opt.flags(cmd)
	cmd.Flags().StringArrayVar(&over, "over", nil,
		"`key` of the cluster and its values, as in nodes=1,2,4; may be repeated")
	if err := cmd.MarkFlagRequired("over"); err != nil {
		panic(err) // an unknown flag
	}
	return cmd
}

func sweep(cmd *cobra.Command, file string, over []string, opt *options) (*swept, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	var axes []predict.Axis
	out := &swept{}
	for _, text := range over {
		a, err := predict.ParseAxis(text)
		if err != nil {
			return nil, fmt.Errorf("--over %w", err)
		}
		axes, out.Over = append(axes, a), append(out.Over, a.Key)
	}
	data, wrongCluster := intake.Read(opt.cluster, predict.ClusterLimit())
	on, wrongStudy := loadStudy(cmd, file, opt)
	if wrongStudy == nil {
		_, wrongStudy = on(nil)
	}
	err := errors.Join(wrongStudy, wrongCluster)
	if err == nil {
		out.Shapes, err = predict.Sweep(cmd.Context(), opt.cluster, data, axes, on,
			predict.Options{Samples: opt.samples, Seed: opt.seed})
	}
	return out, err
}

// sweptText is a table of the shapes, first the shapes that no other beats, then by time.
func sweptText(s *swept) string {
	rows := table.New(strings.Repeat("r", len(s.Over)+4)+"l", append(slices.Clone(s.Over), "10 %", "50 %", "90 %",
		"core hours", "")...)
	rank := func(x predict.Shape) int {
		switch {
		case x.Best:
			return 0
		case x.Why == "":
			return 1
		}
		return 2
	}
	list := slices.Clone(s.Shapes)
	slices.SortStableFunc(list, func(a, b predict.Shape) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Makespan.P50, b.Makespan.P50))
	})
	for _, x := range list {
		m, note := x.Makespan, x.Why
		if x.Best {
			note = "no other beats it"
		}
		if x.Why != "" {
			rows.Row(append(slices.Clone(x.Values), "", "", "", "", note)...)
			continue
		}
		rows.Row(append(slices.Clone(x.Values), cli.Took(m.P10), cli.Took(m.P50), cli.Took(m.P90),
			fmt.Sprintf("%.4g", x.Lent), note)...)
	}
	text := rows.String()
	said := map[string]bool{}
	for _, x := range list {
		for _, a := range x.Assumptions {
			if !said[a] {
				said[a] = true
				text += fmt.Sprintf("assumed: %s\n", a)
			}
		}
	}
	return text
}

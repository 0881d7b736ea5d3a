package runs

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/settings"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/spell"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

func newRunsGC() *cobra.Command {
	age := cli.Age(7 * 24 * time.Hour)
	var all, dry bool
	var where string
	cmd := &cobra.Command{
		Use: "gc", Short: "Remove the folders of runs that ended long ago", Args: cobra.NoArgs,
		Long: `Remove the folders of runs that ended long ago, and the sockets of processes that
were killed. Runs that go on stay, those from whose checkpoints or solutions they do, those of peregrine studies
keep, and those that ended in the last hour in studies that go on. So do the logs of studies, which peregrine studies
gc removes, and answers, which are in the cache.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := settings.Load(cmd.Flags())
			if err != nil {
				return err
			}
			keep, err := keptBy(cmd, where)
			if err != nil {
				return err
			}
			keep = keptToo(settings.Work, keep)
			runs, err := record.ListRuns(cmd.Context(), settings.Work, cli.Launchers)
			if err != nil {
				return err
			}
			before := cli.Clock(cmd).Now()
			if !all {
				before = before.Add(-time.Duration(age))
			}
			old := study.Old(runs, before, keep)
			sizes := sizesOf(old)
			if !dry {
				if old, err = study.Collect(cmd.Context(), settings.Work, cli.Launchers, before, keep); err != nil {
					return err
				}
				local.Sweep()
			}
			var total int64
			for _, r := range old {
				total += sizes[r.Folder]
				fmt.Fprintf(cmd.OutOrStdout(), "%s/%s\n", r.Study, r.Name)
			}
			verb := "removed"
			if dry {
				verb = "would remove"
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%s %s of %d, %s\n", verb, spell.Count(len(old), "run"), len(runs),
				cli.Bytes(total))
			return nil
		},
	}
	f := cmd.Flags()
	f.Var(&age, "older-than", `how long ago a run must have ended, such as "7d", "12 h" or "30 min"`)
	f.BoolVar(&all, "all", false, "remove all runs that have ended")
	f.Var(cli.NonEmpty(&where, "condition"), "where",
		"remove only the runs for which this condition holds; see peregrine help runs")
	f.BoolVar(&dry, "dry-run", false, "only list the runs that would be removed")
	cmd.MarkFlagsMutuallyExclusive("older-than", "all")
	return cmd
}

// keptBy returns a function that reports whether a run is kept because it does not match a condition.
func keptBy(cmd *cobra.Command, where string) (func(record.Run) bool, error) {
	if where == "" {
		return func(record.Run) bool { return false }, nil
	}
	x, _, err := Open(cmd)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	chosen, err := chosenRuns(cmd.Context(), x, where, "")
	return func(r record.Run) bool { return !chosen[r.Study+"/"+r.Name] }, err
}

// keptToo also reports the runs that are marked to be kept. Notes that cannot be read keep all runs of their study.
func keptToo(work string, keep func(record.Run) bool) func(record.Run) bool {
	studies := map[string]func(run string) bool{}
	return func(r record.Run) bool {
		kept := studies[r.Study]
		if kept == nil {
			marks, err := studylog.ReadMarks(filepath.Join(work, r.Study), time.Time{})
			kept = func(run string) bool { return err != nil || marks.Kept(run) }
			studies[r.Study] = kept
		}
		return kept(r.Name) || keep(r)
	}
}

// sizesOf are the sizes of runs by folder.
func sizesOf(runs []record.Run) map[string]int64 {
	sizes := map[string]int64{}
	for _, r := range runs {
		_, sizes[r.Folder] = private.Content(r.Folder)
	}
	return sizes
}

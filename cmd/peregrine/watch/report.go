package watch

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/runs"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report/dossier"
	"github.com/peregrine-sim/peregrine/executive/view/document"
	"github.com/peregrine-sim/peregrine/executive/view/web"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/chromium"
	"github.com/peregrine-sim/peregrine/internal/version"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/watchdog/watch"
)

// reportFlags are the flags of `peregrine report`.
type reportFlags struct {
	out, units string
	pdf        bool
	measured   []string
	judging    judgingFlags
}

func newReport() *cobra.Command {
	var flags reportFlags
	cmd := &cobra.Command{
		Use: "report DIR|STUDY", Short: "Write an HTML page about a study or about a solver's files",
		Args: cobra.MinimumNArgs(1),
		Long: `Write an HTML page about a study or about a solver's files that needs nothing else.

STUDY is a study below --work, or the beginning of its name. DIR is a study's folder, or one with the files
of any solver that peregrine watch knows, such as an OpenFOAM case, or many; files may be named as well.`,
		Example: `  peregrine report e3-20261122-1
  peregrine report case/ --limit 2000 -o case.html --pdf`,
		RunE: func(cmd *cobra.Command, args []string) error { return writeReport(cmd, args, &flags) },
	}
	f := cmd.Flags()
	f.StringVarP(&flags.out, "out", "o", "", "the file (default: the name of the study or the folder, with .html)")
	f.BoolVar(&flags.pdf, "pdf", false, "write the page as PDF, too, by Chromium")
	f.StringVar(&flags.units, "units", "si", "units of an engine's results: si or imperial")
	addMeasured(f, &flags.measured)
	flags.judging.add(f)
	return cmd
}

func writeReport(cmd *cobra.Command, args []string, flags *reportFlags) error {
	sys, err := unit.ParseSystem(flags.units)
	if err != nil {
		return err
	}
	o, err := flags.judging.options()
	if err != nil {
		return err
	}
	o.Clock = cli.Clock(cmd)
	var printer string
	if flags.pdf { // before the work
		if atomic.ToStandardOutput(flags.out) {
			return errors.New("--pdf writes a file beside the page: -o needs the name of a file, not standard output")
		}
		if printer, err = chromium.Find(); err != nil {
			return err
		}
	}
	shown := document.Options{Units: sys, Version: version.Read().Short()}
	laid, err := readMeasured(flags.measured)
	if err != nil {
		return err
	}
	d, name, err := gather(cmd, args, o, sys, laid)
	if err != nil {
		return err
	}
	p := document.Draw(d, shown)
	out := flags.out
	out = cmp.Or(out, name+".html")
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		out = filepath.Join(out, name+".html")
	}
	if err := atomic.Output(out, p.Write); err != nil {
		return err
	}
	fmt.Fprintln(cli.Notes(cmd, out), out)
	if printer == "" {
		return nil
	}
	pdf := strings.TrimSuffix(out, filepath.Ext(out)) + ".pdf"
	if err := chromium.Print(cmd.Context(), printer, out, pdf, chromium.Limit); err != nil {
		return cli.WithCode(cli.Fault, err)
	}
	cmd.Println(pdf)
	return nil
}

// gather gathers the facts of a study or of files, and names it.
func gather(cmd *cobra.Command, args []string, o watch.Options, sys unit.System,
	laid []*web.Measured) (d *dossier.Dossier, name string, err error) {
	if len(args) == 1 {
		folder, err := runs.StudyFolder(cmd, args[0])
		if err != nil {
			return nil, "", err
		}
		if folder != "" {
			if err := event.CheckFormat(filepath.Join(folder, studylog.FileName)); err != nil {
				return nil, "", err
			}
			d, err = dossier.OfStudy(cmd.Context(), folder, o, sys, laid...)
			return d, filepath.Base(folder), err
		}
	}
	d, err = dossier.OfFiles(args, o)
	if _, ok := errors.AsType[*watch.UnknownError](err); ok {
		err = fmt.Errorf("%w; `peregrine watch --list-formats` lists the files that are known, --format describes "+
			"others, and `peregrine studies list` lists the studies", err)
	}
	abs, absErr := filepath.Abs(args[0])
	if absErr != nil {
		return nil, "", absErr
	}
	return d, filepath.Base(abs), err
}

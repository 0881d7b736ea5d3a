package watch

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
	"github.com/peregrine-sim/peregrine/watchdog/notify"
	"github.com/peregrine-sim/peregrine/watchdog/state"
	"github.com/peregrine-sim/peregrine/watchdog/watch"
)

// watchFlags are the flags of `peregrine watch`.
type watchFlags struct {
	json, once bool
	stay       bool
	names      bool // of 0.1.0: the verb values has them now
	plain      bool
	judging    judgingFlags
	rules      string
	act        bool
	compiled   rules.Rules // of the rules' file
	list       bool
	silence    time.Duration
	seen       bool
}

// judgingFlags are the flags with facts on runs that their files do not show.
type judgingFlags struct {
	limit   float64
	status  string
	targets []string
	formats []string
}

func (j *judgingFlags) add(f *pflag.FlagSet) {
	f.Float64Var(&j.limit, "limit", 0, "iterations, or time, to which the runs were to go")
	f.StringVar(&j.status, "exit-status", "",
		"exit status of the runs' processes; with a signal 128 and its number, or its name")
	f.StringArrayVar(&j.targets, "target", nil,
		"residual at which an equation has converged, as in p=1e-4; may be repeated")
	f.StringArrayVar(&j.formats, "format", nil,
		"a description of files, in YAML, or the name of a built-in one; may be repeated")
}

func newWatch() *cobra.Command {
	var flags watchFlags
	cmd := &cobra.Command{
		Use: "watch DIR|FILE...|STUDY", Short: "Judge solver runs by their files: converging, stalled, diverged",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case flags.list:
				return cobra.MaximumNArgs(1)(cmd, args)
			case flags.seen || cmd.Flags().Changed("silence"):
				return cobra.NoArgs(cmd, args)
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case flags.list:
				return listFormats(cmd, args)
			case flags.seen || cmd.Flags().Changed("silence"):
				return flags.quieten(cmd)
			}
			o, err := flags.judging.options()
			if err != nil {
				return err
			}
			o.Leave = !flags.stay
			if flags.rules != "" {
				given, _, err := rulesFor(cmd, "", flags.rules, flags.act)
				if err != nil {
					return err
				}
				flags.compiled = given
				o.Rules = &watch.Rules{Single: given.Single, Study: given.Study, Map: rules.OnMap}
			}
			study, err := namedStudy(cmd, args)
			if err != nil {
				return err
			}
			if err := flags.mayAct(study); err != nil {
				return err
			}
			o.Act = flags.act
			return (&watching{cmd: cmd, clock: cli.Clock(cmd), flags: &flags, options: o, study: study, files: args,
				usable: true, ends: watch.Verdicts{}}).run()
		},
	}
	f := cmd.Flags()
	f.BoolVar(&flags.json, "json", false,
		"print a JSON object a line: each change of state, and the final judgement of each file")
	cli.PlainFlag(f, &flags.plain)
	f.BoolVar(&flags.once, "once", false, "the files are finished: judge them and end")
	f.BoolVar(&flags.stay, "stay", false, "go on watching a folder when all of its runs have ended: others may come")
	f.BoolVar(&flags.names, "names", false, "list the values of each file as well; see the verb values")
	f.Lookup("names").Hidden = true
	f.DurationVar(&flags.silence, "silence", 0,
		"let all watches send no messages by the channels of the settings for this time, such as 8h; 0 ends it")
	f.BoolVar(&flags.seen, "seen", false, "what the channels of the settings have sent is seen: repeat it no more")
	flags.judging.add(f)
	rulesFlag(cmd, &flags.rules)
	f.BoolVar(&flags.act, "act", false,
		"let the rules of the file act on the runs: stop them, and set what their format allows")
	f.BoolVar(&flags.list, "list-formats", false,
		"list the formats with built-in descriptions; with a NAME print its description")
	cmd.AddCommand(newValues(), newNew())
	return cmd
}

// mayAct returns why rules cannot act.
func (f *watchFlags) mayAct(study string) error {
	switch {
	case !f.act:
		return nil
	case f.rules == "" || f.rules == builtinRules:
		return errors.New("--act lets the rules of a file act: name it, as in --rules my-rules.yaml")
	case f.once:
		return errors.New("--once reads finished files, and --act acts on runs that go on; give one of them")
	case study != "":
		return errors.New("--act acts on runs that others started; the rules of a study are in its engine file: see " +
			"peregrine run --act and peregrine steer rule")
	}
	return nil
}

// actions says which actions of rules are not taken.
func (w *watching) actions() {
	if w.flags.rules == "" || w.flags.once || w.study != "" {
		return
	}
	for _, r := range w.flags.compiled.List() {
		verb, _, _ := strings.Cut(r.Action, " ")
		switch {
		case r.Builtin || verb == "":
		case !watch.CanAct(verb):
			w.options.Warn(fmt.Sprintf("rule %s: watch does not take the action %s; it stops runs and sets values",
				r.Name, verb))
		case !w.flags.act:
			w.options.Warn(fmt.Sprintf("rule %s: watch takes the action %s only with --act", r.Name, verb))
		}
	}
}

// quieten silences the channels of all watches, or ends their repetitions.
func (f *watchFlags) quieten(cmd *cobra.Command) error {
	at, err := settings.Load(cmd.Flags())
	now := cli.Clock(cmd).Now()
	if err == nil && f.seen {
		err = notify.Seen(at.Unsent, now)
	}
	if err == nil && cmd.Flags().Changed("silence") {
		err = notify.Silence(at.Unsent, now.Add(f.silence))
	}
	return err
}

// listFormats lists the built-in formats, or shows one format.
func listFormats(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		t := table.New("l")
		for _, p := range fileformat.List() {
			t.Row(p.Name, p.Doc)
		}
		cmd.Print(t)
		return nil
	}
	text := fileformat.Text(args[0])
	if text == nil {
		return unknownFormat(args[0])
	}
	cmd.Print(string(text))
	return nil
}

func unknownFormat(name string) error {
	var names []string
	for _, p := range fileformat.List() {
		names = append(names, p.Name)
	}
	return fmt.Errorf("there is no format %q%s", name, spell.Hint(name, names))
}

// readFormats reads descriptions: files, or names of built-in ones.
func readFormats(names []string) (list []fileformat.Preset, err error) {
	for _, name := range names {
		var p *fileformat.Preset
		switch text := fileformat.Text(name); {
		case text != nil:
			p, err = fileformat.Parse(name, text)
		case filepath.Ext(name) == "" && !strings.ContainsRune(filepath.ToSlash(name), '/'):
			return nil, unknownFormat(name)
		default:
			p, err = fileformat.Load(name)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, *p)
	}
	return list, nil
}

// options returns the options for judging the runs.
func (j *judgingFlags) options() (o watch.Options, err error) {
	o.Limit = j.limit
	if j.limit < 0 {
		return o, fmt.Errorf("--limit %g: want a number of iterations, or a time", j.limit)
	}
	if j.status != "" {
		n, err := state.ParseStatus(j.status)
		if err != nil {
			return o, fmt.Errorf("--exit-status: %w", err)
		}
		o.Ending.Known, o.Ending.Status = true, n
	}
	for _, text := range j.targets {
		name, number, _ := strings.Cut(text, "=")
		x, err := strconv.ParseFloat(number, 64)
		if err != nil || x <= 0 {
			return o, fmt.Errorf("--target %s: want NAME=RESIDUAL, as in p=1e-4", text)
		}
		if o.Targets == nil {
			o.Targets = map[string]float64{}
		}
		o.Targets[name] = x
	}
	o.Formats, err = readFormats(j.formats)
	return o, err
}

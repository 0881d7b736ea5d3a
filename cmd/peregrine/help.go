package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/markdown"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/internal/terminal"
)

// Help pages are files, so that they can also be read in the repository. Their lists are generated from the code;
// TestHelpLists checks that they agree with it.

//go:embed help/*.md
var pages embed.FS

// topics are the names of the pages, in the reading order for a new user.
var topics = []string{
	"first-engine", "first-zoom", "first-watch",
	"engine-file", "recipes", "components", "outputs", "maps", "sweeps", "transients",
	"zoom", "zoom-reference", "methods", "faults", "geometry",
	"solvers", "external", "external-reference", "plugins",
	"rules", "rules-reference", "watch", "watch-reference", "watch-accuracy", "trace", "report", "view",
	"runs", "steer", "steer-reference", "hosts", "hosts-reference", "predict",
	"cache", "settings", "files", "exit-codes", "words", "library",
}

// page returns the text of a topic in Markdown, without the marks of generated lists.
func page(topic string) (string, error) {
	data, err := pages.ReadFile("help/" + topic + ".md")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "<!--") { // marks of generated lists
			b.WriteString(line)
		}
	}
	return b.String(), nil
}

// about returns the first sentence of a page, without Markdown marks.
func about(topic string) string {
	text, _ := page(topic) // a missing page has no sentence; TestTopics finds it
	_, text, _ = strings.Cut(text, "\n\n")
	text, _, _ = strings.Cut(text, "\n\n")
	text = strings.ReplaceAll(markdown.Style{}.Render(text), "`", "")
	sentence, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(strings.TrimSpace(sentence), ".")
}

// widest is the most columns that a page takes: longer lines are hard to read.
const widest = 100

// forTerminal writes a page for a terminal of so many columns.
func forTerminal(text string, columns int) string {
	style := markdown.Style{Width: min(columns, widest), Bold: true, Link: func(text, target string) string {
		topic, isTopic := strings.CutSuffix(target, ".md")
		switch command := "peregrine help " + topic; {
		case !isTopic:
			return text + " (" + target + ")"
		case text == topic:
			return command
		default:
			return text + " (" + command + ")"
		}
	}}
	return style.Render(text)
}

// show prints a page: as it is on a pipe; for a terminal's width and through the user's pager on a terminal.
func show(cmd *cobra.Command, text string) {
	out, ok := cmd.OutOrStdout().(*cli.Console)
	if !ok || !out.IsTerminal() {
		cmd.Print(text)
		return
	}
	text = forTerminal(text, terminal.Columns(out.File))
	pager, given := os.LookupEnv("PAGER")
	if !given {
		pager = "less"
	}
	// Ctrl-C belongs to the pager; without a pager the page is printed.
	if process.Page(context.WithoutCancel(cmd.Context()), strings.Fields(pager), text, out.File) != nil {
		out.Command(text)
	}
}

// newHelp makes the verb that shows the help of verbs and the pages.
func newHelp() *cobra.Command {
	var word string
	cmd := &cobra.Command{
		Use: "help [VERB|TOPIC]", Short: "Show help on a verb or a topic",
		Long: `Show help on a verb, on a topic, or with "flags" on the flags that every verb takes. On a terminal a
topic is shown by the program of the environment variable PAGER, or by less.`,
		Example: `  peregrine help zoom
  peregrine help --search surge`,
		ValidArgs: append(slices.Clone(topics), "flags"),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if word != "" {
				return search(cmd, word, args)
			}
			if len(args) == 0 {
				return root.Help()
			}
			if slices.Equal(args, []string{"flags"}) {
				cmd.Print(globalFlags(root))
				return nil
			}
			verb, rest, err := root.Find(args)
			isVerb := err == nil && verb != root && len(rest) == 0
			isTopic := len(args) == 1 && slices.Contains(topics, args[0])
			if isVerb {
				if err := verb.Help(); err != nil {
					return err
				}
			}
			if isTopic {
				text, err := page(args[0])
				if err != nil {
					return err
				}
				if isVerb { // zoom is both
					cmd.Println()
				}
				show(cmd, text)
			}
			if isVerb || isTopic {
				return nil
			}
			return fmt.Errorf("there is no verb or topic %q%s", strings.Join(args, " "),
				spell.Hint(args[0], helpWords(root)))
		},
	}
	cmd.Flags().StringVar(&word, "search", "", "list the pages and lines that contain this text")
	return cmd
}

// search lists the lines that contain a text, in either case of letters, of all pages or of the named ones.
func search(cmd *cobra.Command, word string, among []string) error {
	const before, most = 30, 90 // characters of a line
	t := table.New("lrl", "page", "line", "text")
	found := false
	for _, topic := range topics {
		if len(among) > 0 && !slices.Contains(among, topic) {
			continue
		}
		text, err := page(topic)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(text, "\n") {
			at := strings.Index(strings.ToLower(line), strings.ToLower(word))
			if at < 0 {
				continue
			}
			found = true
			from := len([]rune(strings.ToLower(line)[:at])) - before
			shown := []rune(line)
			if from > 0 {
				shown = append([]rune("..."), shown[from:]...)
			}
			if len(shown) > most {
				shown = append(shown[:most-3], []rune("...")...)
			}
			t.Row(topic, fmt.Sprint(i+1), strings.TrimSpace(string(shown)))
		}
	}
	if !found {
		return fmt.Errorf("no page contains %q", word)
	}
	cmd.Print(t)
	return nil
}

// helpWords are the verbs and topics.
func helpWords(root *cobra.Command) []string {
	words := append(slices.Clone(topics), "flags")
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			words = append(words, c.Name())
		}
	}
	return words
}

// verbs are the verbs in the order of their use. The other verbs follow in one line.
var verbs = []string{
	"example", "run", "check", "sweep", "sensitivity", "zoom", "map", "blade", "studies", "runs", "watch", "steer",
	"report", "rule", "plugin", "hosts", "cache", "verify",
}

// listVerbs lists the verbs, one a line, so that the whole output fits a small terminal.
func listVerbs(root *cobra.Command) string {
	t := table.Indented("l")
	var others []string
	byName := map[string]*cobra.Command{}
	for _, c := range root.Commands() {
		byName[c.Name()] = c
		if c.IsAvailableCommand() && !slices.Contains(verbs, c.Name()) {
			others = append(others, c.Name())
		}
	}
	for _, name := range verbs {
		t.Row(name, byName[name].Short)
	}
	t.Row("and", strings.Join(others, ", "))
	return root.Short + "\n\n" + t.String()
}

// kinds are the kinds of a page (https://diataxis.fr), each with its heading. The first line of a page names its kind.
var kinds = []struct{ name, heading string }{
	{"tutorial", "Tutorials"}, {"how-to", "How to"}, {"reference", "Reference"}, {"explanation", "Background"},
}

// listTopics lists the topics by kind, in lines for a small terminal.
func listTopics() string {
	const column, width = 22, 80
	var b strings.Builder
	for _, kind := range kinds {
		fmt.Fprintf(&b, "\n%s (peregrine help TOPIC):\n", kind.heading)
		for _, topic := range topics {
			data, _ := pages.ReadFile("help/" + topic + ".md") // TestTopics finds a missing page
			if !strings.HasPrefix(string(data), "<!-- "+kind.name+" -->") {
				continue
			}
			text := ansi.Wordwrap(about(topic), width-column, "")
			fmt.Fprintf(&b, "  %-*s%s\n", column-2, topic,
				strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", column)))
		}
	}
	return b.String()
}

// globalFlags lists the flags that every verb takes.
func globalFlags(root *cobra.Command) string {
	return "Flags of every verb:\n" + root.PersistentFlags().FlagUsagesWrapped(80)
}

// addHelp gives the program its help.
func addHelp(root *cobra.Command) {
	root.SetHelpCommand(newHelp())
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		cmd.Print(listVerbs(root) + "\nMore: peregrine help VERB; peregrine help, with topics; peregrine help flags\n")
		return nil
	}
	usual := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd != root {
			usual(cmd, args)
			return
		}
		cmd.Print(listVerbs(root) + listTopics() + "\n" + globalFlags(root))
	})
}

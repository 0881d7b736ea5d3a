package main

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
)

// Help pages are files, so that they can be read in the repository too. Their lists are
// generated from the code; TestHelpLists checks that they agree with it.

//go:embed help/*.md
var pages embed.FS

// topics are the names of the pages, in the order in which a new user reads them.
var topics = []string{
	"first-engine", "first-zoom", "first-watch",
	"engine-file", "recipes", "components", "outputs", "maps", "sweeps", "transients",
	"zoom", "zoom-reference", "methods", "faults", "geometry",
	"solvers", "external", "external-reference", "plugins",
	"rules", "rules-reference", "watch", "watch-reference", "watch-accuracy", "report",
	"runs", "steer", "steer-reference", "hosts", "hosts-reference",
	"cache", "settings", "files", "exit-codes", "library",
}

// page returns the text of a topic, as a terminal shows it.
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
	text = strings.NewReplacer("\n", " ", "`", "").Replace(text)
	sentence, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(strings.TrimSpace(sentence), ".")
}

// newHelp makes the verb that shows the help of verbs and the pages.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use: "help [VERB|TOPIC]", Short: "Show help on a verb or a topic",
		ValidArgs: topics,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if len(args) == 0 {
				return root.Help()
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
				cmd.Print(text)
			}
			if isVerb || isTopic {
				return nil
			}
			return fmt.Errorf("there is no verb or topic %q%s", strings.Join(args, " "),
				spell.Hint(args[0], helpWords(root)))
		},
	}
}

// helpWords are the verbs and topics.
func helpWords(root *cobra.Command) []string {
	words := slices.Clone(topics)
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			words = append(words, c.Name())
		}
	}
	return words
}

// listTopics writes the list of topics behind the verbs in the program's help.
func listTopics(w io.Writer) {
	fmt.Fprintln(w, "\nTopics, with `peregrine help TOPIC`:")
	t := table.Indented("l")
	for _, topic := range topics {
		t.Row(topic, about(topic))
	}
	fmt.Fprint(w, t)
}

// addHelp gives the program its help.
func addHelp(root *cobra.Command) {
	root.SetHelpCommand(newHelp())
	usual := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		usual(cmd, args)
		if cmd == root {
			listTopics(cmd.OutOrStdout())
		}
	})
}

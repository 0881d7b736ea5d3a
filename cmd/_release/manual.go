package main

// Manual pages: in section 1 one for each verb, made of what its --help prints; in section 7 the help pages.

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

// link matches a link from one help page to another.
var link = regexp.MustCompile(`\[[^\]]+\]\(([\w-]+)\.md\)`)

// manual returns all pages.
func manual(host *build, folder string) ([]file, error) {
	pages, err := verbs(host, nil)
	if err != nil {
		return nil, err
	}
	topics, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil {
		return nil, err
	}
	for _, path := range topics {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var text strings.Builder
		for line := range strings.Lines(string(data)) {
			if !strings.HasPrefix(line, "<!--") { // a mark of a generated list
				text.WriteString(line)
			}
		}
		title, body, _ := strings.Cut(link.ReplaceAllString(text.String(), "peregrine-$1(7)"), "\n")
		name := "peregrine-" + strings.TrimSuffix(filepath.Base(path), ".md")
		about := strings.ToLower(strings.TrimPrefix(title, "# ")) + " of Peregrine"
		pages = append(pages, page(host, name, 7, about, "# DESCRIPTION\n"+body))
	}
	return pages, nil
}

// sections are the headings of a manual page by those of --help.
var sections = map[string]string{"Usage:": "SYNOPSIS", "Examples:": "EXAMPLES", "Available Commands:": "COMMANDS",
	"Flags:": "OPTIONS", "Flags of every verb:": "OPTIONS", "Global Flags:": "SETTINGS", "Aliases:": "ALIASES"}

// verbs returns the page of a verb and the pages of the verbs below it.
func verbs(host *build, words []string) ([]file, error) {
	text, err := output(".", nil, host.program, append(words[:len(words):len(words)], "--help")...)
	if err != nil {
		return nil, err
	}
	about, rest, _ := strings.Cut(string(text), "\n")
	parts, heading, below := map[string]string{}, "DESCRIPTION", []string(nil)
	if len(words) == 0 { // its help begins with the most used verbs; completion knows all
		heading = "COMMANDS"
		list, err := output(".", nil, host.program, "__complete", "")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(list)) {
			if word, _, isVerb := strings.Cut(line, "\t"); isVerb {
				below = append(below, word)
			}
		}
	}
	for line := range strings.Lines(rest) {
		switch title := sections[strings.TrimRight(line, "\n")]; {
		case title != "":
			heading = title
		case strings.HasPrefix(line, "Use \"") || strings.Contains(line, "(peregrine help TOPIC)"):
			heading = "" // the rest is in the pages of section 7
		case strings.HasPrefix(line, "  "): // stays as it is
			parts[heading] += "  " + line
			if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); heading == "COMMANDS" && len(words) > 0 {
				below = append(below, word)
			}
		default:
			parts[heading] += line
		}
	}
	var body strings.Builder
	for _, heading := range []string{"SYNOPSIS", "ALIASES", "DESCRIPTION", "COMMANDS", "OPTIONS", "SETTINGS",
		"EXAMPLES"} {
		if strings.TrimSpace(parts[heading]) != "" {
			fmt.Fprintf(&body, "# %s\n\n%s\n", heading, parts[heading])
		}
	}
	name := strings.Join(append([]string{"peregrine"}, words...), "-")
	pages := []file{page(host, name, 1, strings.TrimSuffix(about, "."), body.String())}
	for _, word := range below {
		if len(words) == 0 && (word == "help" || word == "completion") {
			continue
		}
		more, err := verbs(host, append(words[:len(words):len(words)], word))
		if err != nil {
			return nil, err
		}
		pages = append(pages, more...)
	}
	return pages, nil
}

// page is a page of which the body is Markdown.
func page(host *build, name string, section int, about, body string) file {
	text := fmt.Sprintf("%% %q %q %q %q %q\n# NAME\n%s - %s\n\n%s\n# SEE ALSO\nperegrine(1), "+
		"peregrine-engine-file(7)\n",
		strings.ToUpper(name), fmt.Sprint(section), host.date.Format("2006-01-02"), "Peregrine "+host.version(),
		"Peregrine", name, about, body)
	return file{name: fmt.Sprintf("man/%s.%d", name, section), data: md2man.Render([]byte(text))}
}

package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// Bounds of the pages that are written by hand.
const (
	mostWords     = 40000 // of all pages together
	mostHowTo     = 1200  // of a how-to page
	mostTutorial  = 700
	leastReadable = 45 // Flesch reading ease of the README, tutorials and how-to pages
)

// comparisons is the name of the page that is generated as a whole.
const comparisons = "comparisons.md"

// pageKinds are the kinds of a help page (https://diataxis.fr). The first line of a page names its kind.
var pageKinds = map[string]bool{"tutorial": true, "how-to": true, "reference": true, "explanation": true}

var (
	generatedPart = regexp.MustCompile(`(?s)<!-- list: .*?<!-- end -->`)
	fenced        = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	kindLine      = regexp.MustCompile(`^<!-- ([a-z-]+) -->\n`)
)

// Pages are of one kind, short, and readable. With -v it prints a table of them.
func TestPages(t *testing.T) {
	testenv.Lint(t)
	files := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "ARCHITECTURE.md", "SECURITY.md",
		"VERIFICATION.md", "CODE_OF_CONDUCT.md"}
	for _, pattern := range []string{"cmd/peregrine/help/*.md", "cmd/peregrine/help/verification/*.md"} {
		for _, path := range must.Value(filepath.Glob(filepath.Join(root, pattern)))(t) {
			if file := must.Value(filepath.Rel(root, path))(t); filepath.Base(file) != comparisons {
				files = append(files, file)
			}
		}
	}
	sum := 0
	for _, file := range files {
		text := string(must.Value(os.ReadFile(filepath.Join(root, file)))(t))
		text = generatedPart.ReplaceAllString(text, "")
		kind := ""
		if m := kindLine.FindStringSubmatch(text); m != nil {
			kind, text = m[1], text[len(m[0]):]
		}
		if filepath.Base(filepath.Dir(file)) == "help" && !pageKinds[kind] {
			t.Errorf("%s: its first line is to name its kind, <!-- how-to -->; it names %q", file, kind)
		}
		words, ease := countWords(text), readingEase(text)
		sum += words
		t.Logf("%-45s %-12s %6d words, reading ease %3.0f", file, kind, words, ease)
		most := map[string]int{"how-to": mostHowTo, "tutorial": mostTutorial}[kind]
		if most > 0 && words > most {
			t.Errorf("%s has %d words; a %s may have %d", file, words, kind, most)
		}
		if (most > 0 || file == "README.md") && ease < leastReadable {
			t.Errorf("%s: reading ease %.0f is below %d: shorten its sentences", file, ease, leastReadable)
		}
	}
	t.Logf("%d words", sum)
	if sum > mostWords {
		t.Errorf("the pages have %d words; want at most %d", sum, mostWords)
	}
}

// countWords counts the fields of a text that have a letter: bars and numbers of tables are no words.
func countWords(text string) (n int) {
	for _, f := range strings.Fields(text) {
		if letters.MatchString(f) {
			n++
		}
	}
	return n
}

var (
	inlineCode  = regexp.MustCompile("`[^`]*`")
	markup      = regexp.MustCompile(`(?m)!?\[([^\]]*)\]\([^)]*\)`)
	sentenceEnd = regexp.MustCompile(`[.?!](?:\s|$)`)
	letters     = regexp.MustCompile(`[A-Za-z]+`)
	vowels      = regexp.MustCompile(`[aeiouy]+`)
)

// readingEase is the Flesch reading ease of the prose of a page, without its code and tables:
//
//	206.835 - 1.015 words/sentences - 84.6 syllables/words
//
// (R. Flesch, A new readability yardstick, J. Applied Psychology 32, 1948, p. 221). Above 60 is plain English, below 30
// that of scientific journals. An item of a list and a heading count as sentences; code in a line counts as one
// word of two syllables.
func readingEase(text string) float64 {
	text = fenced.ReplaceAllString(text, "")
	sentences, words, syllables := 0, 0, 0
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		switch trimmed := strings.TrimSpace(paragraph); {
		case trimmed == "", trimmed[0] == '|', trimmed[0] == '<', strings.HasPrefix(paragraph, "    "):
			continue
		}
		for item := range strings.SplitSeq(paragraph, "\n- ") {
			item = markup.ReplaceAllString(inlineCode.ReplaceAllString(item, "coding"), "$1")
			list := letters.FindAllString(item, -1)
			if len(list) == 0 {
				continue
			}
			ends := len(sentenceEnd.FindAllString(item, -1))
			sentences += max(1, ends)
			words += len(list)
			for _, w := range list {
				syllables += syllablesOf(strings.ToLower(w))
			}
		}
	}
	if words == 0 {
		return 100
	}
	return 206.835 - 1.015*float64(words)/float64(sentences) - 84.6*float64(syllables)/float64(words)
}

// syllablesOf estimates the syllables of a word: its groups of vowels, without a silent e at its end.
func syllablesOf(word string) int {
	n := len(vowels.FindAllString(word, -1))
	if strings.HasSuffix(word, "e") && !strings.HasSuffix(word, "le") || strings.HasSuffix(word, "es") ||
		strings.HasSuffix(word, "ed") && !strings.HasSuffix(word, "ted") && !strings.HasSuffix(word, "ded") {
		n--
	}
	return max(1, n)
}

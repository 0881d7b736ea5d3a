// Package spell finds the known word nearest to a misspelt one, so that an error about a key, a name or a unit can
// suggest it.
package spell

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Nearest returns the word of known that is closest to word by edit distance, the first of them on a tie, or "" if none
// is close enough to be meant. Words that differ only in case are at distance 0: units and symbols of the field are
// distinguished by case, so this slip is the most frequent.
//
// Close enough is one edit for words of two or three letters, two for words of up to six, three beyond.
func Nearest(word string, known iter.Seq[string]) string {
	lower := strings.ToLower(word)
	limit := 3
	switch n := utf8.RuneCountInString(word); {
	case n <= 1:
		limit = 0
	case n <= 3:
		limit = 1
	case n <= 6:
		limit = 2
	}
	best := ""
	length := utf8.RuneCountInString(lower)
	for k := range known {
		if n := utf8.RuneCountInString(k); n > length+limit || n < length-limit {
			continue // as far away at least as their lengths differ
		}
		d := Distance(lower, strings.ToLower(k))
		// A replacement that shares no letter with the word is a coincidence.
		if d <= limit && d < max(len([]rune(word)), len([]rune(k))) {
			best, limit = k, d-1
		}
	}
	return best
}

// part returns the known word, none of given, that begins word, or ends it after _ or -, or the reverse: eff for
// efficiency, W for frac_W, offtake for power_offtake. Of several that begin or end word it returns the longest, of
// several that word begins or ends none. A beginning has three letters or more, or capitals before a small letter or _,
// as PR of PRdes. No word is meant by its opposite, such as not_converged.
func part(word string, known, given []string) (found string) {
	const several = "?"
	longer := ""
	for _, k := range known {
		switch {
		case slices.Contains(given, k):
		case isPart(k, word) && len(k) > len(found):
			found = k
		case utf8.RuneCountInString(word) < 3 || !isPart(word, k):
		case longer == "":
			longer = k
		default:
			longer = several
		}
	}
	return cmp.Or(found, strings.TrimSuffix(longer, several))
}

// isPart reports whether a short word begins or ends a longer one.
func isPart(short, long string) bool {
	n := len(short)
	if n == 0 || n >= len(long) {
		return false
	}
	before := strings.ToLower(long[:len(long)-n])
	if strings.EqualFold(short, long[len(long)-n:]) && strings.ContainsAny(before[len(before)-1:], "_-") {
		return !slices.Contains([]string{"not", "non"}, before[:len(before)-1]) &&
			(n >= 3 || short == long[len(long)-n:])
	}
	capitals := n == 2 && short == strings.ToUpper(short) && (long[n] == '_' || unicode.IsLower(rune(long[n])))
	return strings.EqualFold(short, long[:n]) && utf8.RuneCountInString(short) >= 3 || short == long[:n] && capitals
}

// Distance returns the optimal string alignment distance of two words: the number of insertions, deletions,
// substitutions and swaps of neighbours that turn one word into the other, with no letter edited twice.
//
// Source: Navarro, A guided tour to approximate string matching, ACM Computing Surveys 33(1), 2001, section 2 (with the
// transposition of Damerau, 1964).
func Distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	two, one := make([]int, len(t)+1), make([]int, len(t)+1)
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(s); i++ {
		two, one, row = one, row, two
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
		}
	}
	return row[len(t)]
}

// List writes words as prose: "a", "a or b", "a, b or c".
func List(words []string, last string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// Count writes a number with its noun: "1 map", "3 maps".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Hint returns ", did you mean X?" for the nearest known word, else for the one, but for those given already, of which
// the word is a part or that is a part of it. With none near it returns ", want a, b or c", of a dozen words the
// most similar.
func Hint(word string, known []string, given ...string) string {
	if near := cmp.Or(Nearest(word, slices.Values(known)), part(word, known, given)); near != "" {
		return ", did you mean " + near + "?"
	}
	const most = 12
	switch {
	case len(known) == 0:
		return ""
	case len(known) > most:
		unlike := func(k string) float64 { // the share of letters that differ
			return float64(Distance(strings.ToLower(word), strings.ToLower(k))) / float64(max(len(word), len(k), 1))
		}
		similar := slices.SortedStableFunc(slices.Values(known),
			func(a, b string) int { return cmp.Compare(unlike(a), unlike(b)) })
		return ", want one of " + strings.Join(similar[:most], ", ") + " ..."
	}
	return ", want " + List(known, "or")
}

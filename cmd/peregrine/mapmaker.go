package main

// Which machines computed a map: its points name their answers, and the cache says who made each.

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// showMakers writes the machines behind a map's points, those of most points first; nothing where no point names its
// answer.
func showMakers(w io.Writer, cmd *cobra.Command, m *perfmap.Map) error {
	if m.Origin == nil ||
		!slices.ContainsFunc(m.Origin.Points, func(p perfmap.OriginPoint) bool { return p.Answer != "" }) {
		return nil
	}
	count := map[string]int{}
	answers, _, err := openCache(cmd)
	for _, p := range m.Origin.Points {
		who := ""
		if err == nil {
			who = makerOf(answers, p.Answer)
		}
		if who == "" {
			who = "a machine that is not known here: this cache has no such answer"
		}
		count[who]++
	}
	machines := slices.SortedStableFunc(maps.Keys(count), func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	for _, who := range machines {
		if _, err := fmt.Fprintf(w, "    computed on %s: %d of %d runs\n", printable.Line(who, 400), count[who], len(m.Origin.Points)); err != nil {
			return err
		}
	}
	return nil
}

// makerOf says who made an answer; empty: it is not there.
func makerOf(answers *cache.Cache, key string) string {
	k, err := cache.ParseKey(key)
	if err != nil {
		return ""
	}
	data, err := answers.Peek(k)
	if err != nil {
		return ""
	}
	a, err := run.ReadAnswer(k, data)
	if err != nil {
		return ""
	}
	return a.Machine()
}

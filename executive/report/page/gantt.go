package page

// The time chart of a study: the host and the times of each run.

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"time"
)

// Times shows when runs went on.
type Times struct {
	Picture template.HTML
	Note    string
	Rows    []Fact
}

// bar is a run, or an attempt at a run, in time.
type bar struct {
	name, host, tone, text string
	from, to               time.Time
}

// mostBars is how many bars are drawn.
const mostBars = 3000

// newTimes draws bars, with a lane for each bar that overlaps others on its host.
func newTimes(bars []bar, end time.Time) *Times {
	bars = slices.DeleteFunc(slices.Clone(bars), func(b bar) bool { return b.from.IsZero() || b.to.Before(b.from) })
	if len(bars) == 0 {
		return nil
	}
	slices.SortStableFunc(bars, func(a, b bar) int {
		return cmp.Or(a.from.Compare(b.from), cmp.Compare(a.name, b.name))
	})
	t := &Times{}
	begin := bars[0].from
	var busy time.Duration
	for _, b := range bars {
		end = later(end, b.to)
		busy += b.to.Sub(b.from)
	}
	total := end.Sub(begin)
	if len(bars) > mostBars {
		t.Note = fmt.Sprintf("The first %d of %s are drawn.", mostBars, counted(len(bars), "run"))
		bars = bars[:mostBars]
	}
	lanes := laneOf(bars)
	t.Picture = drawLanes(bars, lanes, begin, total)
	t.Rows = []Fact{{Name: "first run began", Text: date(begin)}, {Name: "last run ended", Text: date(end)},
		{Name: "from first to last", Text: span(total)},
		{Name: "sum over all runs", Text: span(busy)}}
	if total > 0 {
		t.Rows = append(t.Rows,
			Fact{Name: "runs at a time, on average", Text: fmt.Sprintf("%.1f", busy.Seconds()/total.Seconds())})
	}
	return t
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// lane holds bars of a host that do not overlap.
type lane struct {
	host  string
	until time.Time
}

// laneOf gives each bar the first lane of its host that is free, and returns their numbers.
func laneOf(bars []bar) (at []int) {
	hosts := []string{}
	for _, b := range bars {
		if !slices.Contains(hosts, b.host) {
			hosts = append(hosts, b.host)
		}
	}
	slices.Sort(hosts)
	at = make([]int, len(bars))
	next := 0
	for _, host := range hosts {
		var lanes []lane
		for i, b := range bars {
			if b.host != host {
				continue
			}
			k := slices.IndexFunc(lanes, func(l lane) bool { return !b.from.Before(l.until) })
			if k < 0 {
				k = len(lanes)
				lanes = append(lanes, lane{host: host})
			}
			lanes[k].until = b.to
			at[i] = next + k
		}
		next += len(lanes)
	}
	return at
}

// drawLanes draws the strip.
func drawLanes(bars []bar, lanes []int, begin time.Time, total time.Duration) template.HTML {
	const width, left, top = 900.0, 90.0, 6.0
	rows := slices.Max(lanes) + 1
	high := 20.0
	if rows > 16 {
		high = max(4, 320/float64(rows))
	}
	bottom := top + high*float64(rows)
	d := newDrawing(width, bottom+24, "runs over time")
	unitName, per := "s", 1.0
	switch {
	case total > 4*time.Hour:
		unitName, per = "h", 3600
	case total > 4*time.Minute:
		unitName, per = "min", 60
	}
	x := scale{0, max(total.Seconds(), 1e-3) / per, left, width - 34}
	hosts := map[string][2]float64{}
	for i, b := range bars {
		y := top + high*float64(lanes[i])
		from, to := x.at(b.from.Sub(begin).Seconds()/per), x.at(b.to.Sub(begin).Seconds()/per)
		title := ""
		if len(bars) <= 600 {
			title = b.text
		}
		d.rect("bar "+b.tone, from, y+high*0.12, max(to-from, 0.7), high*0.76, min(2, high/6), title)
		h, known := hosts[b.host]
		if !known {
			h = [2]float64{y, y + high}
		}
		hosts[b.host] = [2]float64{min(h[0], y), max(h[1], y+high)}
	}
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		y := hosts[host]
		d.line("a", left-6, y[0]+1, left-6, y[1]-1)
		d.text("t", "end", left-12, (y[0]+y[1])/2+3.5, clipped(host, 14))
	}
	d.axis(x, bottom+2)
	d.text("t", "start", width-22, bottom+16, unitName)
	return d.picture("wide")
}

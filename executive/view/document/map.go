package document

// Maps as the house draws them, made a part of the page.

import (
	"fmt"
	"html/template"

	"github.com/peregrine-sim/peregrine/executive/report"
)

// mapsOf draws the maps that a study has kept, and returns the problems of maps that it cannot draw.
func mapsOf(k *report.Kept) (list []Figure, problems []string) {
	const most = 24
	for i := range k.Charts {
		c := &k.Charts[i]
		if i == most {
			problems = append(problems, fmt.Sprintf("%d of %d maps are drawn", most, len(k.Charts)))
			break
		}
		picture, err := c.Picture()
		if err != nil {
			problems = append(problems, fmt.Sprintf("the map of %s cannot be drawn: %v", c.Component, err))
			continue
		}
		f := Figure{Name: k.NameOf(c), Title: c.Component, Note: c.Way(k),
			Picture: template.HTML(picture)} //nolint:gosec // perfmap/plot escapes texts
		switch {
		case c.Zoomed:
			f.Note = "as zooming made it, with the runs behind it and the operating points of the cases"
		case f.Note == "":
			f.Note = "with the operating points of the cases"
		}
		list = append(list, f)
	}
	return list, problems
}

package document

// Maps as the house draws them, made a part of the page.

import (
	"cmp"
	"html/template"
	"slices"

	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/report/dossier"
)

// maps draws the maps of the results, and those that the study has kept since in their place. It reports problems of
// maps that cannot be drawn.
func (p *Page) maps(d *dossier.Dossier) {
	const most = 24
	k, later := cmp.Or(d.Results, &report.Kept{}), len(d.Charts)
	charts := slices.Clone(d.Charts)
	for i := range k.Charts {
		if c := k.Charts[i]; !slices.ContainsFunc(d.Charts,
			func(o report.KeptChart) bool { return o.Component == k.NameOf(&c) }) {
			charts = append(charts, c)
		}
	}
	for i := range charts {
		c := &charts[i]
		if i == most {
			p.problem("%d of %d maps are drawn", most, len(charts))
			break
		}
		picture, err := c.Picture()
		if err != nil {
			p.problem("the map of %s cannot be drawn: %v", c.Component, err)
			continue
		}
		f := Figure{Name: k.NameOf(c), Title: c.Component, Note: c.Way(k),
			Picture: template.HTML(picture)} //nolint:gosec // perfmap/plot escapes texts
		switch {
		case i < later:
			f.Name, f.Note = c.Component, "as zooming has made it so far, with the runs behind it"
		case c.Zoomed:
			f.Note = "as zooming made it, with the runs behind it and the operating points of the cases"
		case f.Note == "":
			f.Note = "with the operating points of the cases"
		}
		p.Maps = append(p.Maps, f)
	}
}

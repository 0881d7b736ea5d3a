package graph

import (
	"bytes"
	"fmt"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/format"
)

// tableLimit is the size limit of a file such as a propeller's tables.
var tableLimit = intake.Limit{What: "a table", Bytes: 16 << 20}

// setMaps gives components the maps and tables named in the engine file. Components without a map get a generic map
// after the design point is solved; see makeMissingMaps.
func (m *Model) setMaps() error {
	for i := range m.Engine.Components {
		c := &m.Engine.Components[i]
		d := m.Index[c.Name].Declaration
		for _, slot := range d.Maps {
			if err := m.setFile(c, slot.Name, func(path string) error { return m.setMap(c, &slot, path) }); err != nil {
				return err
			}
		}
		for _, slot := range d.Files {
			if err := m.setFile(c, slot.Name,
				func(path string) error { return m.setTable(c, &slot, path) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// setFile calls set with the file that a parameter names; without a name it does nothing. It adds the parameter's place
// in the engine file to an error.
func (m *Model) setFile(c *config.Component, param string, set func(path string) error) error {
	v, ok := c.Values[param]
	if !ok || v.Text == "" {
		return nil
	}
	if err := set(m.Engine.Path(v.Text)); err != nil {
		return fmt.Errorf("%s:%v: %s: %w", m.Engine.File, v.Pos, c.Name, err)
	}
	return nil
}

func (m *Model) setMap(c *config.Component, slot *components.MapSlot, path string) error {
	v, err := m.lib.once("map "+path, func() (any, error) { return format.Read(path) })
	if err != nil {
		return err
	}
	pm := v.(*perfmap.Map)
	if pm.Kind != slot.Kind {
		return fmt.Errorf("it is a %s, but its map %q is of a %s", c.Type.Name, pm.Name, pm.Kind)
	}
	return slot.User.SetMap(pm, false)
}

func (m *Model) setTable(c *config.Component, slot *components.FileSlot, path string) error {
	v, err := m.lib.once(c.Type.Name+" "+slot.Name+" "+path, func() (any, error) {
		data, err := intake.Read(path, tableLimit)
		if err != nil {
			return nil, err
		}
		return slot.Read(bytes.NewReader(data))
	})
	if err != nil {
		return fmt.Errorf("%s %s: %w", slot.Name, path, err)
	}
	slot.Set(v)
	return nil
}

// MakeMissingMaps makes generic maps for components without a map. The model must be at its design point, from which
// they are made.
func (m *Model) MakeMissingMaps() error {
	for _, p := range m.Parts {
		u, ok := p.Component.(components.MapUser)
		if !ok {
			continue
		}
		if pm, _, _ := u.Map(); pm != nil {
			continue
		}
		pm, err := u.MakeMap(p.Name)
		if err != nil {
			return fmt.Errorf("%s: no map is given, and its design point fits no generic map: %w; change the "+
				"design's targets, or give a map", p.Name, err)
		}
		if err := u.SetMap(pm, false); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// Maps returns the map and its scalars of every component with a map.
func (m *Model) Maps() map[string]result.ScaledMap {
	out := map[string]result.ScaledMap{}
	for _, p := range m.Parts {
		if u, ok := p.Component.(components.MapUser); ok {
			if pm, sc, absolute := u.Map(); pm != nil {
				if absolute {
					sc = perfmap.Unscaled
				}
				out[p.Name] = result.ScaledMap{Map: pm, Scale: sc}
			}
		}
	}
	return out
}

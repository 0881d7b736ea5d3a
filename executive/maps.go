package executive

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// mapLibrary holds the maps that an engine file names, read once and shared by
// all models of the engine.
type mapLibrary struct{ byPath map[string]*perfmap.Map }

func loadMaps(cfg *config.Engine) (*mapLibrary, error) {
	lib := &mapLibrary{byPath: map[string]*perfmap.Map{}}
	for _, c := range cfg.Components {
		v, ok := c.Values["map"]
		if !ok || v.Text == "" {
			continue
		}
		path := cfg.Path(v.Text)
		if lib.byPath[path] != nil {
			continue
		}
		pm, err := perfmap.Read(path)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %s: %w", cfg.File, v.Pos, c.Name, err)
		}
		lib.byPath[path] = pm
	}
	return lib, nil
}

// setMaps gives components the maps that the file names. The others get one
// made from their design point when that is known.
func (m *Model) setMaps() error {
	for i := range m.cfg.Components {
		c := &m.cfg.Components[i]
		v, ok := c.Values["map"]
		if !ok || v.Text == "" {
			continue
		}
		u, ok := m.index[c.Name].comp.(components.MapUser)
		if !ok {
			continue
		}
		pm := m.lib.byPath[m.cfg.Path(v.Text)]
		if err := suits(c, pm); err != nil {
			return fmt.Errorf("%s:%v: %w", m.cfg.File, v.Pos, err)
		}
		if err := u.SetMap(pm, false); err != nil {
			return fmt.Errorf("%s:%v: %s: %w", m.cfg.File, v.Pos, c.Name, err)
		}
	}
	return nil
}

func suits(c *config.Component, pm *perfmap.Map) error {
	want := perfmap.Compressor
	if c.Type.Name == "turbine" {
		want = perfmap.Turbine
	}
	if pm.Kind != want {
		return fmt.Errorf("%s is a %s, but its map %q is that of a %s", c.Name, c.Type.Name, pm.Name, pm.Kind)
	}
	return nil
}

// makeMissingMaps makes generic maps for components without one, from the
// design point that the model is at.
func (m *Model) makeMissingMaps() error {
	for _, p := range m.parts {
		u, ok := p.comp.(components.MapUser)
		if !ok {
			continue
		}
		if pm, _, _ := u.Map(); pm != nil {
			continue
		}
		pm, err := u.MakeMap(p.name)
		if err != nil {
			return fmt.Errorf("%s: no map is given, and none can be made from its design point: %w", p.name, err)
		}
		if err := u.SetMap(pm, false); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

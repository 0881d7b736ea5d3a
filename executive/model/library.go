package model

// Files and gas properties that several models of one engine share are read once.

import (
	"sync"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config"
)

// maker makes the component of a checked file entry.
type maker func(*config.Component) (components.Component, *components.Declaration, error)

// mapLibrary holds what all models of an engine share: its gas, what makes its components, and
// the maps and tables that its file names, each read once.
type mapLibrary struct {
	gas   gas.Model
	parts maker
	mu    sync.Mutex
	have  map[string]any
}

// once returns what a file holds; read is called the first time.
func (l *mapLibrary) once(key string, read func() (any, error)) (any, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v, ok := l.have[key]; ok {
		return v, nil
	}
	v, err := read()
	if err == nil {
		l.have[key] = v
	}
	return v, err
}

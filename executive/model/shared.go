package model

// The models of one engine share its gas properties and the files that it names; each file
// is read once.

import (
	"sync"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config"
)

// componentMaker makes the component of an entry in the engine file. The entry was checked
// before.
type componentMaker func(*config.Component) (components.Component, *components.Declaration, error)

// sharedData is what all models of an engine share: its gas, the function that makes its
// components, and the maps, tables and rules that were read. Several goroutines may use it.
type sharedData struct {
	gas           gas.Model
	makeComponent componentMaker
	mu            sync.Mutex
	read          map[string]any
}

// once returns the data under a key. The first call for the key reads it.
func (l *sharedData) once(key string, read func() (any, error)) (any, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v, ok := l.read[key]; ok {
		return v, nil
	}
	v, err := read()
	if err == nil {
		l.read[key] = v
	}
	return v, err
}

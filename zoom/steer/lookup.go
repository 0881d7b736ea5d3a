package steer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Lookup returns the object of a list that a name refers to. A place inside an object, such as limits.k4[2], is
// described as an object of its own, with the number, the effect and the operations of the whole. The error is an
// [*UnknownError], or names the missing part.
func Lookup(list []Listed, name string) (Listed, error) {
	named := make(map[string]*object, len(list))
	for _, l := range list {
		named[l.Name] = &object{Object: l.Object, shown: l.Value}
	}
	o, at := find(name, func(name string) *object { return named[name] })
	if o == nil {
		return Listed{}, &UnknownError{name, spell.Nearest(name, maps.Keys(named))}
	}
	part := Listed{o.Object, o.shown}
	if at == whole {
		return part, nil
	}
	v, err := at.of(o.shown)
	if err != nil {
		return Listed{}, fmt.Errorf("%s: %w", name, err)
	}
	part.Name, part.Value, part.Setting = name, v, ""
	if i := slices.IndexFunc(o.Fields, func(p Part) bool { return p.Name == at.field }); i >= 0 {
		p := o.Fields[i]
		part.Type, part.Unit, part.Min, part.Max, part.Fields = p.Type, p.Unit, p.Min, p.Max, nil
	}
	if at.index >= 0 {
		part.Type, part.Shape = Float, nil
	}
	return part, nil
}

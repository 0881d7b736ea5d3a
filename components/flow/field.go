package flow

import "github.com/peregrine-sim/peregrine/config/quantity"

// Field is a quantity of a station and how it is read.
type Field struct {
	quantity.Quantity
	Of     func(*Station) float64 // SI
	Static bool                   // known only with an area
}

// Fields are all quantities of a station, in the order of tables.
var Fields = []Field{
	{quantity.W, func(s *Station) float64 { return s.W }, false},
	{quantity.Pt, func(s *Station) float64 { return s.P }, false},
	{quantity.Tt, func(s *Station) float64 { return s.T }, false},
	{quantity.Ht, func(s *Station) float64 { return s.H }, false},
	{quantity.FAR, func(s *Station) float64 { return s.Comp.FAR }, false},
	{quantity.WAR, func(s *Station) float64 { return s.Comp.WAR }, false},
	{quantity.Wc, (*Station).Wc, false},
	{quantity.Ps, func(s *Station) float64 { return s.Ps }, true},
	{quantity.Ts, func(s *Station) float64 { return s.Ts }, true},
	{quantity.MN, func(s *Station) float64 { return s.MN }, true},
	{quantity.A, func(s *Station) float64 { return s.A }, true},
	{quantity.V, func(s *Station) float64 { return s.V }, true},
}

// FieldOf returns the field of that name, or nil.
func FieldOf(name string) *Field {
	for i := range Fields {
		if Fields[i].Name == name {
			return &Fields[i]
		}
	}
	return nil
}

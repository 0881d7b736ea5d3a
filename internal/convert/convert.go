// Package convert makes lists of lists.
package convert

// All returns the results of a function for all elements of a list, in their order; nil for no elements.
func All[From, To any](list []From, of func(From) To) (all []To) {
	for _, x := range list {
		all = append(all, of(x))
	}
	return all
}

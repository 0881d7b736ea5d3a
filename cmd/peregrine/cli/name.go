package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/spell"
)

// UniqueName returns the name equal to key or, without such a name, the only name that begins with it.
func UniqueName(what, key string, names []string) (string, error) {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if slices.Contains(names, key) {
		return key, nil
	}
	var found []string
	for _, n := range names {
		if key != "" && strings.HasPrefix(n, key) {
			found = append(found, n)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &NoNameError{what, key, names}
	}
	const most = 6
	if n := len(found); n > most {
		found = append(found[:most:most], spell.Count(n-most, "other"))
	}
	return "", fmt.Errorf("%q is the beginning of several names: %s", key, spell.List(found, "and"))
}

// NoNameError reports an unknown name or beginning of a name.
type NoNameError struct {
	what, key string
	names     []string
}

func (e *NoNameError) Error() string {
	return fmt.Sprintf("there is no %s %q%s", e.what, e.key, spell.Hint(e.key, e.names))
}

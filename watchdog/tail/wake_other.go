//go:build !linux

package tail

import "errors"

// newNotifier finds none: kqueue, for one, needs a descriptor for each file.
func newNotifier() (notifier, error) { return nil, errors.ErrUnsupported }

//go:build !linux

package tail

import "errors"

// newNotifier returns no notifier: kqueue, for example, needs a descriptor for each file.
func newNotifier() (notifier, error) { return nil, errors.ErrUnsupported }

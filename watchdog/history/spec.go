package history

// The file to read: a description of files, for a run.

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// FileSpec is a File of a run: its folder, and how often it is read.
type FileSpec struct {
	Study    string        `json:"study,omitempty"`
	Run      string        `json:"run,omitempty"`
	Folder   string        `json:"folder,omitempty"`   // run folder, absolute
	Interval time.Duration `json:"interval,omitempty"` // between polls; default DefaultInterval
	File
}

// DefaultInterval is the time between polls: short against an iteration of
// any flow solver, long against the microseconds that a poll costs.
const DefaultInterval = 100 * time.Millisecond

// A SpecError reports a fault in a FileSpec.
type SpecError struct{ Path, Reason string }

func (e *SpecError) Error() string {
	return fmt.Sprintf("description of the file %q: %s", e.Path, e.Reason)
}

// Check returns all faults of the description, as joined *SpecErrors.
func (s *FileSpec) Check() error {
	faults := s.faults()
	if s.Folder != "" && !filepath.IsAbs(s.Folder) {
		faults = append(faults, fmt.Sprintf("run folder %q is not absolute", s.Folder))
	}
	if s.Interval < 0 {
		faults = append(faults, fmt.Sprintf("interval %v is negative", s.Interval))
	}
	var errs []error
	for _, reason := range faults {
		errs = append(errs, &SpecError{s.Pattern, reason})
	}
	return errors.Join(errs...)
}

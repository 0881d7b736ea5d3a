// Package reference finds the published results that engines are checked
// against. They are not part of the project: PEREGRINE_REFERENCE names their
// folder, by default shared/reference beside the checkout.
package reference

import (
	"fmt"
	"os"
	"path/filepath"
)

// Dir returns the folder of the reference data.
func Dir() (string, error) {
	if dir := os.Getenv("PEREGRINE_REFERENCE"); dir != "" {
		if _, err := os.Stat(dir); err != nil {
			return "", fmt.Errorf("PEREGRINE_REFERENCE: %w", err)
		}
		return dir, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			beside := filepath.Join(dir, "..", "shared", "reference")
			if _, err := os.Stat(beside); err != nil {
				return "", fmt.Errorf("no reference data: set PEREGRINE_REFERENCE to their folder: %w", err)
			}
			return beside, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no reference data: set PEREGRINE_REFERENCE to their folder")
		}
		dir = up
	}
}

package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/atomic"
)

// WriteOutput writes a file that the user named.
func WriteOutput(path string, data []byte) error {
	return atomic.Output(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Notes returns the output for notes on written files: not standard output if the file is that.
func Notes(cmd *cobra.Command, file string) io.Writer {
	if atomic.ToStandardOutput(file) {
		return cmd.ErrOrStderr()
	}
	return cmd.OutOrStdout()
}

// PlotFormat returns the format for the extension of a file's name. Standard output is .svg.
func PlotFormat(path string) (string, error) {
	if atomic.ToStandardOutput(path) {
		return "svg", nil
	}
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg", ".png":
		return ext[1:], nil
	default:
		return "", fmt.Errorf("%s: a plot is drawn as .svg or .png", path)
	}
}

// Stem is the name of a file without folder and extension.
func Stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

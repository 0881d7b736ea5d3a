package main

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// writeOutput writes a file that the user named.
func writeOutput(path string, data []byte) error {
	return atomic.Output(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// notes is where a command says what it wrote into a file: not on standard output if that is the file.
func notes(cmd *cobra.Command, file string) io.Writer {
	if atomic.ToStandardOutput(file) {
		return cmd.ErrOrStderr()
	}
	return cmd.OutOrStdout()
}

// outFlag declares the flag of the folder that results go into.
func outFlag(f *pflag.FlagSet, at *string, what string) {
	var kinds []string
	for _, format := range report.Formats() {
		kinds = append(kinds, format.Extension())
	}
	f.StringVar(at, "out", "", "write "+what+" into this folder, as "+spell.List(kinds, "and")+
		"; peregrine help files lists them")
}

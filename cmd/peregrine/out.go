package main

import (
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// outFlag declares the flag of the folder that results go into.
func outFlag(f *pflag.FlagSet, at *string, what string) {
	var kinds []string
	for _, format := range report.Formats() {
		kinds = append(kinds, format.Extension())
	}
	f.StringVar(at, "out", "", "write "+what+" into this folder, as "+spell.List(kinds, "and")+"; peregrine help files lists them")
}

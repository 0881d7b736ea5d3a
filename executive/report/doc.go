// Package report writes results, histories and sweeps: tables for people, JSON, CSV,
// Parquet, SVG, PNG and maps.
//
// A file format is a [Format], in a file of its own, and a line in formats.go; `--out` then
// writes it, and the help page of outputs lists its files.
package report

// Package report writes results, histories and sweeps: tables for people, JSON, CSV,
// Parquet, SVG, PNG and maps.
//
// A new file format is a type that implements [Format], in a file of its name, and a line in
// formats.go. Then `--out` writes it, and the help page of outputs lists its files.
package report

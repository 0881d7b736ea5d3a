// Package report writes results, histories and sweeps: tables for people, JSON, CSV,
// Parquet, SVG and PNG.
package report

// Package result has the results of an engine: cases with stations, components, shafts and
// performance, histories of transients, and warnings. Numbers are in SI units, speeds in
// rpm. The package computes nothing.
package result

// Package result holds what a run of an engine gives: cases with stations, components,
// shafts and performance, histories of transients, and warnings. Numbers are in SI units,
// speeds in rpm. It computes nothing.
package result

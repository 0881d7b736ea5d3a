// Package model turns an engine file into equations and solves them. It wires components
// into a dataflow graph, assembles their unknowns and residuals into one square system,
// and solves that system at the design point, off design and in time.
//
//	config.Engine -> Model (graph, one order of evaluation)
//	                   |
//	                   +-> system of one mode: unknowns and residuals of all parts and balances
//	                   |     Design, OffDesign: package newton; a walk in steps where one step is too long
//	                   +-> dynamics: states and their rates by package ode; all else is solved at each instant
//
// A Session is an engine at its design point. It solves each case from there, on a copy
// of the model.
package model

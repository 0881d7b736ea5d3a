// Package model makes equations of an engine file and solves them. It wires components
// into a dataflow graph, assembles their unknowns and residuals into one square system,
// and solves that at design, off design and in time.
//
//	config.Engine -> Model (graph, one order of evaluation)
//	                   |
//	                   +-> system of a mode: unknowns and residuals of all parts and balances
//	                   |     Design, OffDesign: package newton, and a walk where one step is too far
//	                   +-> dynamics: states and their rates, the rest solved at each instant: package ode
//
// A Session is an engine at its design point, from which cases are solved, each on its own
// copy of the model.
package model

// Package session solves the cases of an engine. A Session is an engine at its design point; it solves each case, an
// operating point (package steady) or a transient (package transient), from there on a copy of the model, so that the
// order and the number of cases do not change a result.
package session

// Package executive runs engines: it solves the cases of an engine file, zooms components by flow solvers, and checks
// runs and results against rules. Other Go programs import this package; the program peregrine uses it, too.
//
// # Solve
//
// [config.Load] reads and checks an engine file against a catalogue of components. [Run] solves cases of it by name
// and returns [result.Results]: stations, components, shafts and performance of each case, in SI units, speeds in rpm.
// A case that did not converge has Converged false and a Message; this is not an error. Package report writes results
// as tables and files. See the first Example.
//
// # Sweep
//
// A [session.Session] is an engine solved at its design point. [sweep.Solve] solves a case of it over a grid from the
// engine file, on all cores; the number of workers does not change a result. See the Example sweep.
//
// # In time
//
// A case with a duration is a transient: its result has a History, the time and the recorded outputs. [Run] and the
// methods of Session solve it like any other case. See the Example transient.
//
// # Zoom
//
// [Studies] starts flow solvers as processes, watches them, and keeps their answers in a cache. With Studies as
// [Options].Zoomer, Run replaces the maps of the zoomed components. The main function of such a program begins with
// [Serve]: its executable also runs as solver and as watchdog. See the Example of [NewStudies].
//
// # Follow
//
// A study records events: the start, an iteration or the end of a run, a map, a case solved on it, a warning of a rule.
// The observer of Studies.Log gets each event when it is recorded; the study's folder keeps them. See the Example
// follow. Package watch judges the files of any solver without an engine.
//
// # Stable
//
// The functions called by the five Examples of this package, and [Serve], keep their names, parameters and meaning in
// all versions 0.x, and so do the fields that the Examples read. Fields and methods may be added to types: name the
// fields of composite literals. Every other exported name of this module may change with a minor version. Results equal
// the program's, and are as stable.
//
// # Rooms
//
// The packages below this one are graph (an engine's equations), steady and transient (their solution), session, sweep,
// zoomsolve, rules, result, report, view (progress of a study, from its log), verify (published results), newton and
// ode.
package executive

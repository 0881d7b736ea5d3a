// Package perfmap holds performance maps of compressors, fans and turbines:
// their values, derivatives, limits and scaling, and how maps are made. Files of
// maps are in package format, pictures in plot, and the cache of expensive
// answers in cache.
//
// # A map
//
// A [Map] gives named values over stator setting alpha, relative corrected
// speed Nc and a third axis X:
//
//	compressor   Wc, PR, eff (a fan may add PR_core, eff_core)  over (alpha, Nc, Rline or beta)
//	turbine      Wp, eff                                        over (alpha, Nc, PR)
//
// [New] checks and prepares a map; [Map.At] looks up all tables at once, with
// exact derivatives, without allocation. A map never extrapolates in silence:
// every lookup returns an [Edge] with the bounds that it passed.
//
// [Interp] sets the interpolation between the points of a map, [Extrap] the
// continuation outside. Both are smooth by default, as solvers need: monotone
// cubics inside, the slope of the edge outside. The other methods are those of
// NPSS and pyCycle; maps read from their files use them. Idle, windmilling and standstill are
// far outside: there [Map.Beyond] and [Map.Driven] continue a map by similarity, with
// the work of a compressor in place of its efficiency.
//
// # Where maps come from
//
//   - a file: package format reads Peregrine's own and those of other programs
//   - a design point and a few shape parameters: [MakeCompressor], [MakeTurbine]
//   - speed lines that a flow solver ran: [FromLines]
//
// # Units
//
// A map keeps the units of its source; reading a file converts nothing. Maps
// that this package makes have Nc = 1 at the design speed, flows in the unit of
// the given design flow, efficiencies as fractions. [Scale] joins
// a map to the design point of the component that uses it, so that the units
// of the map cancel.
package perfmap

// Package web serves the page of a study to browsers: a snapshot of its state, then each change, and commands to its
// runs if the user allows them.
//
// A [Feed] follows the events of a study. It keeps the state as small pieces (a run, a case, a map, a host, a warning,
// a command), each with the sequence number of its last change. A client that has seen number n gets the pieces that
// changed later: after a break it misses none, and a slow client gets fewer and larger changes.
//
// A [Server] answers:
//
//	GET  /                  the page, without data
//	POST /api/session       exchanges the token for a cookie
//	GET  /api/snapshot      the state as JSON; with ?at=TIME as it was at that moment;
//	                        with &to= at the next or the previous event from there, or the next one of a kind
//	GET  /api/live?since=N  a WebSocket with the changes after number N; with all after one of an earlier server
//	GET  /api/history       curves of a run
//	GET  /api/trace         the processes at a time of the trace: ?at=SECONDS, and ?to= as above
//	GET  /api/trace/picture a picture of the trace, as SVG
//	GET  /api/map           the picture of a map, ?name=NAME or an earlier one, ?picture=PICTURE, as SVG
//	GET  /api/arrays        arrays of a run over its iterations
//	GET  /api/objects       the objects of a run that can be read and changed (with control)
//	GET  /api/where         the runs of a condition, ?condition=CONDITION
//	POST /api/steer         a command; its receipt (with control)
//	POST /api/note          a note, a tag or a keep mark (with control)
//	GET  /metrics           numbers of the study as OpenMetrics text
//
// All but the page's own files need the token, as "Authorization: Bearer TOKEN" or by the cookie.
package web

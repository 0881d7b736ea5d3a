// Package watchdog watches solvers' files while they run.
//
// One watchdog process on each host follows the files of all runs and streams their contents as events. It is a
// separate process because a network file system can block a reader for minutes, which must not stop the executive.
// Process is the host's side, Serve the watchdog's.
//
// The packages below can be used without the process: watch judges runs by their files, in one call; tail reads lines,
// history converts them to events, event stores events, state judges the state of a run, and rule judges it by rules.
//
// # Life of the process
//
// The host starts it (hashicorp/go-plugin, gRPC on a Unix socket, mTLS) and opens a stream, which carries all events.
// The stream is the lease: when it breaks, because the host closed it or died, the process ends within ShutdownTime; if
// no stream is opened, within ConnectTime. If the process dies, the host starts another process and passes it the file
// positions after the last events, so that no event is lost or repeated.
package watchdog

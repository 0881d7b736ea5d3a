// Package watchdog watches solvers' files while they run.
//
// One watchdog process a host follows the files of all runs and streams what
// they tell. It is a process of its own because a network file system can block
// whoever reads from it for minutes, which must not be the executive. Process is
// the host's side, Serve the other one.
//
// The packages below it can be used without the process: tail reads lines,
// history makes events of them, event keeps them, rule judges them.
//
// # Life of the process
//
// The host starts it (hashicorp/go-plugin, gRPC on a Unix socket, mTLS) and
// opens one stream, on which everything comes. The stream is the lease: when it
// breaks, because the host closed it or died, the process ends within
// ShutdownTime; when no stream comes at all, within ConnectTime. When the process
// dies instead, the host starts another one and hands it the positions to which
// the events had come, so that none is lost and none comes twice.
package watchdog

// Package client connects to runs in progress, from any process of the user. It finds runs by address, lists and reads
// their objects, and gives them commands.
//
// Any number of clients may exist at once, each for any time. A client talks directly to the solvers' processes, over
// their private sockets and with the study's certificates. So the process that started them need not live, and the
// client needs no server. The events of each run record all that was done, independently of the client.
//
// Commands for runs that have not begun are kept in the study's folder, see [record.Pending].
package client

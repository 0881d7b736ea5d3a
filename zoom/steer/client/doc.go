// Package client reaches into runs that go on, from any process of the user: it finds them by address, shows what may
// be seen and changed in them, and gives them commands.
//
// A client comes and goes, and any number of them may be there at once. It talks to the solvers' processes
// themselves, over their private sockets and with the study's certificates, so that it does not matter whether the
// process that started them still lives. Nothing listens for it. What was done stands in the events of each run, and
// does not depend on the client.
//
// What is meant for runs that have not begun is kept in the study's folder, see [record.Pending].
package client

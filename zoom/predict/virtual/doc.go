// Package virtual simulates a parallel machine: processors with clocks, and messages between them over a network. It
// has no wall clock, goroutine or random number: a program has the same times and the same trace on any machine.
//
// A message of n bytes that is sent at t leaves its sender at
//
//	T_SF = t + T_SOH(n)
//
// reaches its receiver at T_ARR = T_SF + T_transport, and is received from max(T_ARR, receiver's clock) for T_ROH(n).
// Sender and receiver are in overhead for T_SOH and T_ROH; a receiver that waits for a message is idle.
package virtual

// Package bmf evaluates programs of the Bird-Meertens formalism and predicts their time on a virtual parallel machine.
//
// A program is a function of one value. Its operations on lists have a serial form (B_Map, B_Reduce ...), which runs on
// one processor, and a parallel form (P_Map, P_Reduce ...), whose list has its elements on several processors: P_Split
// scatters it. Values do not depend on time: the evaluation records the steps of each processor, which package virtual
// then simulates.
package bmf

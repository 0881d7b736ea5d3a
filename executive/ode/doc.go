// Package ode integrates systems of ordinary differential equations in time:
//
//	y' = f(t, y)
//
// Six methods share one interface, [Stepper]. It advances by one step at a time and never past a limit, so that a
// simulation can interleave it with controllers that have periods of their own:
//
//	modified-euler   Heun's method, order 2(1)
//	rk4              the classical Runge-Kutta method, order 4(3)
//	dormand-prince   Dormand and Prince's Runge-Kutta pair, order 5(4)
//	adams            Adams-Bashforth-Moulton, order 1 to 13, variable step
//	gear             backward differentiation, order 1 to 5, variable step
//	rosenbrock       RODAS, order 4(3), stiffly accurate
//
// The first four are explicit; gear and rosenbrock are for stiff problems. Every method controls its step by an
// estimate of the local error or, if [Settings.Step] is set, keeps it constant. Every method has dense output over its
// last step, on which [Driver] locates events. Every method's whole state can be saved and restored; it then continues
// identically to the last bit.
//
// Time runs forward: to integrate backward, substitute -t. This package starts no goroutine; a Stepper is for one
// goroutine at a time. After its first step a Stepper does not allocate.
//
// Sources, cited in the files by these names:
//
//   - Hairer I: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I,
//     Nonstiff Problems, 2nd ed., Springer 1993.
//   - Hairer II: Hairer and Wanner, Solving Ordinary Differential Equations II, Stiff
//     and Differential-Algebraic Problems, 2nd ed., Springer 1996.
//   - Shampine and Gordon, Computer Solution of Ordinary Differential Equations, Freeman 1975.
//   - Shampine and Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18, 1997.
//   - Brenan, Campbell and Petzold, Numerical Solution of Initial-Value Problems in
//     Differential-Algebraic Equations, SIAM 1996 (the code DASSL).
package ode

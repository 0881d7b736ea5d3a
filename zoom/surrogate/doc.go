// Package surrogate models a component by the answers of its runs, with a standard deviation.
//
// A model is a Gaussian process for each output (C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine
// Learning, MIT Press 2006): values at two points x and x' of the coordinates have the covariance
//
//	c(x, x') = s0^2 + sum_d s_d^2 (x_d - o_d)(x'_d - o_d) + s^2 k(r),  r^2 = sum_d ((x_d - x'_d)/l_d)^2
//
// The first two terms are a level and slopes about an origin o, with standard deviations s0 and s_d. The third term is
// the bend, with amplitude s and lengths l_d. With answers y_i, each with a noise of standard deviation n_i, and the
// prior mean m(x), the model is
//
//	y(x) = m(x) + c(x)' (C + N)^-1 (y - m),   deviation^2 = c(x, x) - c(x)' (C + N)^-1 c(x)
//
// Amplitude and lengths are chosen to predict every answer best from the others (leave-one-out; S. Sundararajan, S. S.
// Keerthi, Predictive approaches for choosing hyperparameters in Gaussian processes, Neural Computation 13, 2001),
// weighed against their priors. The deviation includes the spread of models whose amplitudes and lengths predict the
// answers nearly as well.
//
// The answers may be modelled as additions to a base, such as a model of a cheaper solver, in several ways: each output
// has the trend that predicts its answers best, and a trend with a base only where the answers support it.
//
// The bends are of a Matern function of order 5/2. With the squared exponential, which is smoother, errors are alike,
// but the stated deviations are too small.
//
// A model depends on its answers alone: they are sorted by their keys, no step is random or depends on the time or on
// the number of workers.
package surrogate

// Package numeric holds small numerical tools that several packages share: places on an axis, the monotone cubic,
// bisection. It does not depend on engines.
package numeric

// Package numeric holds the small numerical tools that several packages share:
// places on an axis, the monotone cubic, bisection. Nothing here knows of engines.
package numeric

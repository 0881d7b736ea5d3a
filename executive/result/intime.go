package result

// InTime reports the extensions of a zoomed map during a transient.
type InTime struct {
	Leaving  string      `json:"leaving"`            // the user's choice: "extend" or "extrapolate"
	Extended []Extension `json:"extended,omitempty"` // extensions for which the transient waited
	GaveUp   []GaveUp    `json:"gave_up,omitempty"`  // sides on which the map is extrapolated
}

// Extension is an extension of a map, for which the transient waited.
type Extension struct {
	T      float64 `json:"t"`      // time in the transient, s
	Side   string  `json:"side"`   // side of the extension, such as "Nc above"
	Runs   int     `json:"runs"`   // runs made for it
	Cached int     `json:"cached"` // answers taken from the cache
	Failed int     `json:"failed"` // runs without an answer
}

// GaveUp is from when on, and why, a map was extrapolated on a side.
type GaveUp struct {
	T      float64 `json:"t"`    // time in the transient from which on, s
	Side   string  `json:"side"` // side of the map, such as "Nc above"
	Reason string  `json:"why"`  // why the map could not be extended
}

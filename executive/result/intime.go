package result

// InTime reports the extensions of a zoomed map during a transient.
type InTime struct {
	Leaving  string      `json:"leaving"`            // the user's choice: "extend" or "extrapolate"
	Extended []Extension `json:"extended,omitempty"` // the transient waited for each
	// GaveUp lists the sides on which the map could not be extended and is extrapolated.
	GaveUp []GaveUp `json:"gave_up,omitempty"`
}

// Extension is an extension of a map, for which the transient waited.
type Extension struct {
	T      float64 `json:"t"`    // s
	Side   string  `json:"side"` // side of the extension, such as "Nc above"
	Runs   int     `json:"runs"`
	Cached int     `json:"cached"`
	Failed int     `json:"failed"`
}

// GaveUp is from when on, and why, a map was extrapolated on a side.
type GaveUp struct {
	T      float64 `json:"t"` // s
	Side   string  `json:"side"`
	Reason string  `json:"why"`
}

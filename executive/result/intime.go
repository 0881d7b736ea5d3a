package result

// InTime tells what a transient did where it left a zoomed map.
type InTime struct {
	Leaving  string      `json:"leaving"`            // the user's choice: "extend" or "extrapolate"
	Extended []Extension `json:"extended,omitempty"` // where the transient waited
	// GaveUp says since when and why the map is extrapolated all the same, though it was to be extended.
	GaveUp []GaveUp `json:"gave_up,omitempty"`
}

// Extension is a stop of a transient while a map was extended.
type Extension struct {
	T      float64 `json:"t"`    // s
	Side   string  `json:"side"` // on which the map ended, such as "Nc above"
	Runs   int     `json:"runs"`
	Cached int     `json:"cached"`
	Failed int     `json:"failed"`
}

// GaveUp tells from when on a map was extrapolated on a side.
type GaveUp struct {
	T    float64 `json:"t"` // s
	Side string  `json:"side"`
	Why  string  `json:"why"`
}

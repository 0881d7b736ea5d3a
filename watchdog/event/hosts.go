package event

// Events on the machines of runs.

// Block is a block of nodes. Its owner may be a batch system.
type Block struct {
	ID     string  `json:"id"`
	Phase  string  `json:"phase,omitempty"`  // waiting, running, stuck or ended
	Reason string  `json:"reason,omitempty"` // in the words of the owner
	Waited float64 `json:"waited,omitempty"` // from its request on, s
}

// Account is a study's use of a launcher's nodes.
type Account struct {
	By    string  `json:"by"` // who counted: sacct, or relays
	Nodes []Usage `json:"nodes"`
}

// Usage is the study's use of a node, or of a block whose nodes are accounted for together. Unknown values are 0.
type Usage struct {
	Node  string  `json:"node,omitempty"`
	Block string  `json:"block,omitempty"`
	Runs  int     `json:"runs"`
	Lost  int     `json:"lost,omitempty"` // how often the node was given up
	Cores float64 `json:"core_hours"`     // of the runs: cores that they held, times the time
	// of the block: its cores, times the time, whether or not runs used them
	Held   float64 `json:"held_hours"`
	Waited float64 `json:"waited"` // of the block in the queue, s
}

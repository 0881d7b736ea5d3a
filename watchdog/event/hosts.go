package event

// What events say of machines that runs go to.

// Block is a block of nodes, which something else owns: a batch system, or nobody.
type Block struct {
	ID     string  `json:"id"`
	Phase  string  `json:"phase,omitempty"`  // waiting, running, stuck or ended
	Reason string  `json:"reason,omitempty"` // in the words of what owns it
	Waited float64 `json:"waited,omitempty"` // from its request on, s
}

// Account is what a study has used of a launcher's nodes.
type Account struct {
	By    string  `json:"by"` // who counted: sacct, or relays
	Nodes []Usage `json:"nodes"`
}

// Usage is what it has used of one node, or of a block whose nodes are accounted for together. What is not known is 0.
type Usage struct {
	Node  string  `json:"node,omitempty"`
	Block string  `json:"block,omitempty"`
	Runs  int     `json:"runs"`
	Lost  int     `json:"lost,omitempty"` // times that it was given up
	Cores float64 `json:"core_hours"`     // of the runs: cores that they held, times the time
	// of the block: cores that it had, times the time, whether or not runs used them
	Held   float64 `json:"held_hours"`
	Waited float64 `json:"waited"` // of the block in the queue, s
}

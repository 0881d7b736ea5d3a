package trace

// Region is a region that a process is in.
type Region struct {
	Name  string
	Begin float64 // s
	From  string  // Receiving: the sender; empty: not known
	Type  int64   // Receiving: of the message; below 0: any
	For   string  // Queued: a value of WaitsFor; empty: not known
}

// Regions are the regions that a process is in, the innermost last.
type Regions []Region

// Pass enters or leaves a region as a record says. It returns the region that is left.
func (g *Regions) Pass(r *Record) (left Region, changed bool) {
	switch r.Kind {
	case Enter:
		awaited, _ := r.Values[WaitsFor].(string)
		*g = append(*g, Region{r.Name, r.Time, r.From, r.Type, awaited})
		return left, true
	case Send:
		*g = append(*g, Region{Name: Sending, Begin: r.Time})
		return left, true
	case Leave:
		return g.leave(r.Name)
	case Receive:
		if r.Values[CalledAt] == nil { // else the process did not wait
			return g.leave(Receiving)
		}
	}
	return left, false
}

// leave ends the innermost region of a name, and those within it that were not left.
func (g *Regions) leave(name string) (Region, bool) {
	for i := len(*g) - 1; i >= 0; i-- {
		if left := (*g)[i]; left.Name == name {
			*g = (*g)[:i]
			return left, true
		}
	}
	return Region{}, false
}

// Activity is the state of a process in its regions: Busy in its own, whatever they are within.
func (g Regions) Activity() Activity {
	for i := len(g) - 1; i >= 0; i-- {
		if a, known := activityIn[g[i].Name]; known {
			return a
		}
	}
	return Busy
}

// activityIn are the states of the regions that are not the program's own.
var activityIn = map[string]Activity{
	Queued: Waiting, Sending: Overhead, Receiving: Overhead, Idle: Waiting, Barrier: Waiting, Recording: Perturbed,
}

// Innermost is the innermost region; the zero Region: the process is outside of all.
func (g Regions) Innermost() Region {
	if len(g) == 0 {
		return Region{}
	}
	return g[len(g)-1]
}

// Takes reports whether a receive may be that of a send to its process.
func (r *Region) Takes(send *Record) bool {
	return (r.From == "" || r.From == send.From) && (r.Type < 0 || r.Type == send.Type)
}

// Pairing pairs sends with receives, in their order if they have no count.
type Pairing struct{ open [2]map[messageKey][]int }

// messageKey identifies the messages that may pair.
type messageKey struct {
	from, to string
	typ      int64
	count    int64 // 0: any, in order
}

// NewPairing returns a pairing of no records.
func NewPairing() *Pairing { return &Pairing{[2]map[messageKey][]int{{}, {}}} }

// Pair takes record i, and returns the place of its other end if that came before.
func (p *Pairing) Pair(i int, r *Record) (other int, paired bool) {
	if r.Kind != Send && r.Kind != Receive || r.Count < 0 {
		return 0, false
	}
	mine, others := p.open[0], p.open[1]
	if r.Kind == Receive {
		mine, others = others, mine
	}
	k := messageKey{r.From, r.To, r.Type, r.Count}
	waiting := others[k]
	switch len(waiting) {
	case 0:
		mine[k] = append(mine[k], i)
		return 0, false
	case 1:
		delete(others, k)
	default:
		others[k] = waiting[1:]
	}
	return waiting[0], true
}

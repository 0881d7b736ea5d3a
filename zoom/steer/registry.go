package steer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Predicate is a compiled condition. get returns a number by the name of an object.
type Predicate func(get func(name string) (float64, bool)) (bool, error)

// Registry holds the objects and commands of one run. Any goroutine may call its methods, except Obey.
type Registry struct {
	// Compile compiles a condition; nil: the registry takes no conditions. Set it before the first Submit.
	Compile func(condition string) (Predicate, error)
	// Record is called with each final receipt, before its command's own report: for the log of the run. It does not
	// get reads by a probe, and at most 1000 refusals: they change nothing, and their number is not limited. It may be
	// nil. Set it before the first Submit.
	Record func(event.Receipt)
	// Judge is called by the solver's thread at each safe point after an iteration, when the earlier commands have been
	// applied. It reads the objects by [Registry.Number], and its commands are applied at the same safe point. A
	// registry with a judge is always armed. It may be nil. Set it before the first safe point.
	Judge func(iteration int64)
	// Halt stops and resumes a solver in another process, which a blocked Obey does not stop. It may be nil. The thread
	// that calls Obey calls it. It returns the iteration at which the solver is then. Set it before the first Obey.
	Halt func(still bool) (iteration int64)

	clock  clock.Clock
	life   context.Context // ends with Close
	end    context.CancelFunc
	armed  atomic.Bool // Obey has something to do
	poking sync.Mutex  // held while objects are written by a probe

	mu       sync.Mutex
	change   *sync.Cond // wakes Obey
	objects  map[int64]*object
	names    map[string]*object
	last     int64
	version  int64
	mirrors  map[*func(Update)]bool
	taken    taken
	queue    []*pending
	beside   []*pending // commands in progress beside the solver: functions, and changes to be confirmed
	unsure   bool       // a change is unconfirmed: the next change waits
	refused  int        // commands
	hold     hold
	still    bool           // Halt has made the solver stand still
	attended bool           // it belongs to no solver
	wanted   map[int64]bool // objects that mirrors want to be read at the next safe point
	unseen   bool           // mirrors want all objects to be read
	begun    bool           // the solver has come to a safe point
	started  chan struct{}  // closed at the first safe point
	closed   bool
	stop     bool
	at       int64 // iterations at the last safe point
	judged   int64 // iterations at the last call of Judge
}

type object struct {
	Object
	Binding
	able    []Operation // with which it was registered
	steered bool        // a command has changed it
	shown   Value       // when it was last read
}

// New returns an empty registry.
func New(at clock.Clock) *Registry {
	r := &Registry{clock: at, objects: map[int64]*object{}, names: map[string]*object{}, wanted: map[int64]bool{},
		mirrors: map[*func(Update)]bool{}, taken: taken{all: map[string]*pending{}}, started: make(chan struct{})}
	r.life, r.end = context.WithCancel(context.Background())
	r.change = sync.NewCond(&r.mu)
	r.armed.Store(true) // for the first safe point
	return r
}

var objectName = regex.Lazy(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)

// Add registers an object and returns its number. It panics if the description is invalid or the name is taken: both
// are mistakes of the programmer. Call it from the solver's thread: the object's value is read.
func (r *Registry) Add(o Object, b Binding) int64 {
	if !objectName().MatchString(o.Name) {
		panic(fmt.Sprintf("steer: name %q: want letters, digits and _, with dots between its parts", o.Name))
	}
	b = b.guarded()
	entry := &object{Object: o, Binding: b}
	if b.Get != nil {
		entry.shown = b.Get().Clone()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.names[o.Name] != nil {
		panic(fmt.Sprintf("steer: %q is registered", o.Name))
	}
	r.last++
	entry.Number = r.last
	entry.able, entry.Operations = slices.Clone(o.Operations), slices.Clone(o.Operations)
	r.objects[entry.Number], r.names[o.Name] = entry, entry
	r.tell(entry, false)
	return entry.Number
}

// Replace registers an object in place of the object with the same name, if any: a solver that takes over from another
// in the same run registers its own objects. The new object keeps the number, the changes made by commands, the waiting
// commands, and the operations that were switched off.
func (r *Registry) Replace(o Object, b Binding) int64 {
	r.mu.Lock()
	old := r.names[o.Name]
	if old == nil {
		r.mu.Unlock()
		return r.Add(o, b)
	}
	defer r.mu.Unlock()
	b = b.guarded()
	o.Number, o.Operations = old.Number, old.Operations
	old.Object, old.Binding = o, b
	if old.steered && b.Set != nil {
		_ = b.Set(old.shown.Clone()) // the old object accepted it
	}
	if b.Get != nil {
		old.shown = b.Get().Clone()
	}
	r.tell(old, false)
	return old.Number
}

// Remove unregisters an object. Commands for it are refused from now on.
func (r *Registry) Remove(number int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o := r.objects[number]; o != nil {
		delete(r.objects, number)
		delete(r.names, o.Name)
		r.tell(o, true)
	}
}

// Listed is an object with its value: the present value if it may be probed, otherwise the value last read.
type Listed struct {
	Object
	Value Value `json:"value,omitzero"`
}

// List returns all objects by their numbers.
func (r *Registry) List() []Listed {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Listed, 0, len(r.objects))
	for _, number := range slices.Sorted(maps.Keys(r.objects)) {
		list = append(list, r.objects[number].listed())
	}
	return list
}

// listed returns the object as a mirror has it. The caller holds the registry's lock.
func (o *object) listed() Listed {
	l := Listed{o.Object, o.shown.Clone()}
	l.Operations = slices.Clone(o.Operations)
	if o.Allows(Read) {
		l.Value = o.Get().Clone()
	}
	return l
}

// Update is a change of the registry that mirrors take over.
type Update struct {
	Version int64    `json:"version"` // counts updates from 1
	Objects []Listed `json:"objects,omitempty"`
	Gone    []int64  `json:"gone,omitempty"` // numbers of objects that were removed
	// changes that a follower did not get because later ones replaced them; total
	Lost int64 `json:"lost,omitempty"`
}

// Mirror calls update with all objects, then with each change, in order, until end is called. Objects that can be read
// only at a safe point are read at the next. update must not block: it is called under the registry's lock.
func (r *Registry) Mirror(update func(Update)) (end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := Update{Version: r.version}
	for _, number := range slices.Sorted(maps.Keys(r.objects)) {
		all.Objects = append(all.Objects, r.objects[number].listed())
	}
	update(all)
	key := &update
	r.mirrors[key] = true
	r.unseen = true
	r.armed.Store(true)
	r.change.Broadcast()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.mirrors, key)
	}
}

// looks reports whether objects are to be read for the mirrors. The caller holds the lock.
func (r *Registry) looks() bool { return r.unseen || len(r.wanted) > 0 }

// look looks at the objects for the mirrors. The caller holds the lock, and is the solver's thread.
func (r *Registry) look() {
	for _, number := range slices.Sorted(maps.Keys(r.objects)) {
		o := r.objects[number]
		if o.Get != nil && o.Allows(Sense) && !o.Allows(Read) && (r.unseen || r.wanted[number]) {
			r.glance(o)
		}
	}
	r.unseen = false
	clear(r.wanted)
}

// glance passes on the value of a changed object. The caller holds the lock.
func (r *Registry) glance(o *object) {
	if v := o.Get(); !v.Equal(o.shown) {
		o.shown = v.Clone()
		r.tell(o, false)
	}
}

// tell passes the state of an object to the mirrors. The caller holds the lock.
func (r *Registry) tell(o *object, gone bool) {
	r.version++
	if len(r.mirrors) == 0 {
		return
	}
	u := Update{Version: r.version}
	if gone {
		u.Gone = []int64{o.Number}
	} else {
		u.Objects = []Listed{o.listed()}
	}
	for m := range r.mirrors {
		(*m)(u)
	}
}

// Begun returns when the solver has come to its first safe point and so has registered its objects, or the run is
// over, or ctx ends.
func (r *Registry) Begun(ctx context.Context) {
	select {
	case <-r.started:
	case <-r.life.Done():
	case <-ctx.Done():
	}
}

// Armed reports whether [Registry.Obey] has work. It costs one atomic load; a nil registry is never armed.
func (r *Registry) Armed() bool { return r != nil && r.armed.Load() }

// pending is a command that was taken and is not complete.
type pending struct {
	Command
	when    Predicate
	reports []func(event.Receipt) // to each client that gave it
	last    event.Receipt
	ended   bool // last is the last
	quiet   bool // it is not recorded
	left    bool // the client has left: the command holds no run
	given   bool // the run began with it
	targets []target
	early   bool    // it came before the solver's first safe point, and its objects are yet to be found
	failed  error   // of its condition, or of its objects
	before  []Value // of an applied Set: the old values of its objects
}

// hold is the set of holders of a run, and its steps.
type hold struct {
	holders []holder
	steps   int64 // iterations that a held run may make; 0: none
	until   int64 // at whose end it is held again
}

type holder struct {
	command string // its ID
	name    string // of a sync point; empty: a pause
}

// taken records the commands that a run has taken. A client that lost its connection gives its command again, with the
// same ID, and gets its fate: so no command is applied twice.
type taken struct {
	all    map[string]*pending // by ID; nil: an old command
	recent []string            // IDs of the entries that are not nil, the oldest first
}

// target is one object of a command.
type target struct {
	*object
	place place
}

package rule

// What is known of a rule in a run.

// none is the index of no condition.
const none = -1

// state is what is known of a rule in a run.
type state struct {
	holds  int   // the condition that held last; none: none
	err    error // why it could not be judged
	held   int   // how often in a row
	before int   // held, before the event
	judged int   // number of the event of which that is
	fired  bool
	stale  bool  // it was not judged while something that it names may have changed
	stands bool  // it has fired and has held since
	times  int   // it has fired
	event  int   // at which it fired
	at     place // where that was
}

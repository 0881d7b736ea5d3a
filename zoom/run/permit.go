package run

import "time"

// permit is what a job may have for one attempt.
type permit struct {
	slot     string        // of the launcher's machines; empty: it has this one alone
	waited   time.Duration // for the slot
	cores    int           // of it
	giveBack func()
}

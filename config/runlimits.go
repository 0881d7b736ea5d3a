package config

// What runs of a zoom may use.

// RunLimits bounds runs; what is zero has its default.
type RunLimits struct {
	Start      float64 // s until a solver answers that was started; default 30 s
	NoProgress float64 // s in which neither the solver nor its files report anything; default 5 min
	Processes  int     // at a time, with all that the solver starts; default none
	Disk       int64   // bytes of a run's folder; default none
	StudyDisk  int64   // bytes of the study's folder; default none
	Log        int64   // bytes of what a run prints; default the setting log-limit
	Reply      int64   // bytes of a reply of the solver; default what its description allows
}

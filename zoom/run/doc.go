// Package run has the types of a run of a flow solver; the packages below it make such runs. A solver is a plugin: a
// separate process that speaks the protocol of package plugin. Each run is one request to one process, in its own
// folder. It is watched, stopped if necessary, and classified.
//
// The road of a request, from a point missing in a map to its answer:
//
//	Job        a request, with the point's name and place                      run/job.go
//	 |
//	 v
//	Task       the job on its way; the layers add its key and its start        attempt/task.go
//	 |
//	 v
//	pool       queues tasks, by the scheduler and the study's settings         pool/batch.go, queue.go
//	 |         follows a failure with the policy's next request                pool/pool.go, run/policy.go
//	 v
//	study      answers a job without a run, if possible                        study/evaluate.go
//	 |           from the steered run or branch that replaces it               study/steered.go
//	 |           from the cache, by the key of the request                     study/key.go, stored.go
//	 |           from the cache, by a request within the tolerance             study/tolerance.go
//	 |         locks the key, so that only one process makes the run           study/evaluate.go
//	 |         finds the solutions from which the run starts                   study/start.go
//	 |         makes one run in fifty twice                                    study/verify.go
//	 v
//	permit     waits for a licence, a core, a machine                          pool/permit.go
//	 |         makes attempts, and repeats one that failed from outside        pool/retry.go
//	 v
//	attempt    makes the run's folder                                          attempt/make.go
//	 |         starts a process by its launcher, or takes an idle one          attempt/process.go, warm.go
//	 |         sends the request, waits, stops the process                     attempt/execute.go
//	 |         takes events of solver and files, passes them on                attempt/stream.go, watch.go
//	 |         classifies the end                                              attempt/verdict.go
//	 v
//	Outcome    class, result, and the policy's next request                    run/outcome.go
//
// Each layer of a study has one of two types: a source (answers without a run) or a layer around an Evaluator (task in,
// outcome out). A study keeps an outcome under its key, so that no request is run twice.
//
// Beside the road: package record reads and writes the files of run folders, for any process; package branch starts
// runs at checkpoints of other runs; package live holds the settings that commands may change while a study is under
// way; package schedule decides, without a clock, which job runs next; package index finds runs of all studies.
package run

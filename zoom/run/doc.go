// Package run has the words of a run of a flow solver, and the packages below it make such runs. A solver is a plugin:
// a separate process that speaks the protocol of package plugin. Each run is one request to one process, in a folder of
// its own. It is watched, stopped if necessary, and classified.
//
// The road of a request, from a point that a map lacks to its answer:
//
//	Job        a request, with the point's name and place                      run/job.go
//	 |
//	 v
//	Task       the job on its way; its layers add its key and its start        attempt/task.go
//	 |
//	 v
//	pool       queues tasks, as the scheduler and the study's settings say     pool/batch.go, queue.go
//	 |         the policy's next request follows a failure                     pool/pool.go, run/policy.go
//	 v
//	study      answers a job without a run, if it can                          study/evaluate.go
//	 |           answer of a steered run or branch that stands in for it       study/steered.go
//	 |           cache entry under the key of the request                      study/key.go, stored.go
//	 |           cache entry of a request within the tolerance                 study/tolerance.go
//	 |         locks the key, so that one process makes the run                study/evaluate.go
//	 |         finds the solutions from which the run starts                   study/start.go
//	 |         has one run in fifty made twice                                 study/verify.go
//	 v
//	permit     waits for a licence, a core, a machine                          pool/permit.go
//	 |         makes attempts: again after what no request is to blame for     pool/retry.go
//	 v
//	attempt    makes the run's folder                                          attempt/make.go
//	 |         starts a process by its launcher, or takes one that waits       attempt/process.go, warm.go
//	 |         sends the request, waits, stops the process                     attempt/execute.go
//	 |         takes events of solver and files, passes them on                attempt/stream.go, watch.go
//	 |         classifies the end                                              attempt/verdict.go
//	 v
//	Outcome    class, result, and what the policy has follow                   run/outcome.go
//
// The layers of a study have one type each: a source (answers without a run) or a layer around an Evaluator (task in,
// outcome out). A study keeps an outcome under its key, so that no request is run twice.
//
// Beside the road: package record reads and writes the files of run folders, for any process; package branch has runs
// begin at checkpoints of others; package live holds the settings that commands may change while a study is under way;
// package schedule decides, without a clock, what runs next; package index finds runs of all studies.
package run

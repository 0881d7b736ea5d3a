package run

import "context"

// Evaluate returns an outcome for each job, in the same order, from the cache or
// from a run; Outcome.Cached says which. Errors are those of Pool.Run and of the cache's
// folder.
func (s *Study) Evaluate(ctx context.Context, jobs []Job) ([]Outcome, error) {
	jobs = s.Pool.plan(jobs)
	for i := range jobs {
		jobs[i].nearby = TakesNeighbour(&s.Description)
	}
	out, err := s.evaluateAll(ctx, jobs)
	s.standIn(jobs, out)
	for err == nil {
		late, at := s.besideNearest(out)
		if len(late) == 0 {
			break
		}
		var more []Outcome
		more, err = s.evaluateAll(ctx, late)
		s.standIn(late, more)
		for k, i := range at {
			if more[k].Class != NotRun {
				out[i] = more[k]
			}
		}
	}
	return out, err
}

package slurm

// The resources used by blocks, from the site's accounts. sacct queries the site's database, which is slow and shared
// by all users: it is called once, at the end.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/process"
)

// Account is the use of one block, all its starts together.
type Account struct {
	ID           string
	State        string        // of Slurm, such as COMPLETED
	Nodes        []string      // of its last start
	Waited       time.Duration // in the queue, also once more
	Begun, Ended time.Time     // its first start and its last end; zero: not yet
	CoreTime     time.Duration // cores times the time for which it held them
	Restarts     int
}

// ErrNoAccounts is the error for a site without accounts of jobs.
var ErrNoAccounts = errors.New("the site keeps no accounts of jobs")

// Accounts queries once the use of some blocks, and returns the accounts of blocks known to the site, sorted by ID.
func (p *Provider) Accounts(ctx context.Context, ids []string) ([]Account, error) {
	var jobs []string
	for _, id := range ids {
		if !blockID().MatchString(id) {
			return nil, fmt.Errorf("slurm: %q is no block's ID, want JOB_INDEX", id)
		}
		job, _, _ := strings.Cut(id, "_") // all its elements: shorter than each of a thousand
		jobs = append(jobs, job)
	}
	if len(jobs) == 0 {
		return nil, nil
	}
	slices.Sort(jobs)
	out, err := p.caller.Ask(ctx, "", "sacct", "--noheader", "--parsable2", "--allocations", "--duplicates",
		"--format="+strings.Join(accountColumns, ","), "--jobs="+strings.Join(slices.Compact(jobs), ","))
	var answer *process.AnswerError
	if errors.As(err, &answer) && strings.Contains(answer.Printed, "accounting storage is disabled") {
		return nil, fmt.Errorf("slurm: %w (%s)", ErrNoAccounts, answer.Printed)
	}
	if err != nil {
		return nil, fmt.Errorf("slurm: %w", err)
	}
	all, err := parseAccounts(out)
	if err != nil {
		return nil, fmt.Errorf("slurm: %w", err)
	}
	return slices.DeleteFunc(all, func(a Account) bool { return !slices.Contains(ids, a.ID) }), nil
}

// accountColumns are the fields of each start of a job in the output of sacct, in the order of parseStart.
var accountColumns = []string{"JobID", "State", "Submit", "Start", "End", "CPUTimeRAW", "NodeList"}

// start is one start of a block.
type start struct {
	Account
	submitted time.Time
}

// parseAccounts returns the blocks among the jobs in the output of sacct.
func parseAccounts(text string) ([]Account, error) {
	var starts []start
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fields := strings.Split(line, "|")
		if line == "" || !blockID().MatchString(fields[0]) { // waiting elements share one line, JOB_[1-4]
			continue
		}
		s, err := parseStart(fields)
		if err != nil {
			return nil, fmt.Errorf("sacct printed %.200q: %w", line, err)
		}
		starts = append(starts, s)
	}
	slices.SortStableFunc(starts, func(a, b start) int {
		if c := strings.Compare(a.ID, b.ID); c != 0 {
			return c
		}
		return a.submitted.Compare(b.submitted)
	})
	var accounts []Account
	for _, s := range starts {
		if n := len(accounts); n > 0 && accounts[n-1].ID == s.ID {
			accounts[n-1].add(s.Account)
		} else {
			accounts = append(accounts, s.Account)
		}
	}
	return accounts, nil
}

func parseStart(fields []string) (start, error) {
	if len(fields) != len(accountColumns) {
		return start{}, fmt.Errorf("%d fields, want %d", len(fields), len(accountColumns))
	}
	state, _, _ := strings.Cut(fields[1], " ") // "CANCELLED by 1000"
	s := start{
		submitted: parseTime(fields[2]), Account: Account{ID: fields[0], State: state, Begun: parseTime(fields[3]),
			Ended: parseTime(fields[4])},
	}
	seconds, err := strconv.ParseInt(fields[5], 10, 64)
	if err != nil || seconds < 0 || seconds > int64(1<<62)/int64(time.Second) {
		return start{}, fmt.Errorf("%q core seconds, want a number", fields[5])
	}
	s.CoreTime = time.Duration(seconds) * time.Second
	if s.Begun.After(s.submitted) && !s.submitted.IsZero() {
		s.Waited = s.Begun.Sub(s.submitted)
	}
	s.Nodes, err = parseNodes(fields[6], mostNodes)
	return s, err
}

// add adds a later start of the same block.
func (a *Account) add(later Account) {
	a.State, a.Ended = later.State, later.Ended
	a.Waited += later.Waited
	a.CoreTime += later.CoreTime
	a.Restarts++
	if later.Nodes != nil {
		a.Nodes = later.Nodes
	}
	if a.Begun.IsZero() {
		a.Begun = later.Begun
	}
}

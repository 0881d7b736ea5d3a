package slurm

// The output of squeue, in a format of this package. Its JSON differs in each version, and its columns cut long texts.

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// Characters that no name contains separate fields and jobs: names of jobs may contain all others, including ends of
// lines.
const (
	fieldEnd = "\x1f"
	jobEnd   = "\x1e"
)

// columns are the fields of a job in the output of squeue, in the order of parseJob.
var columns = []string{"JobArrayID", "State", "Reason", "RestartCnt", "StartTime", "EndTime", "NodeList", "Name"}

// queueFormat returns squeue's format for the columns: each in its full length, with an end.
func queueFormat() string {
	return strings.Join(columns, ":"+fieldEnd+",") + ":" + jobEnd
}

// job is squeue's report on a block.
type job struct {
	id, state, reason string
	restarts          int
	start, end        time.Time // zero: unknown. The start of a waiting job is Slurm's estimate
	nodes             []string
}

// alone matches jobs that are no elements of an array, and so no blocks, with any name.
var alone = regexp.MustCompile(`^[0-9]+(\+[0-9]+)?$`)

// parseQueue returns the blocks among the jobs in the output of squeue, by study.
func parseQueue(text string) (map[string][]provider.State, error) {
	studies, nodesLeft := map[string][]provider.State{}, mostNodes
	entries := strings.Split(text, jobEnd)
	if rest := strings.TrimSpace(entries[len(entries)-1]); rest != "" {
		return nil, fmt.Errorf("squeue printed %.200q, want %d fields of each job", rest, len(columns))
	}
	for _, entry := range entries[:len(entries)-1] {
		fields := strings.Split(strings.TrimLeft(entry, "\n"), fieldEnd)
		if len(fields) != len(columns) {
			return nil, fmt.Errorf("squeue printed %.200q, want %d fields of each job", entry, len(columns))
		}
		study, ours := strings.CutPrefix(strings.TrimSpace(fields[len(fields)-1]), prefix)
		if !ours || alone.MatchString(strings.TrimSpace(fields[0])) {
			continue
		}
		j, err := parseJob(fields, nodesLeft)
		if err != nil {
			return nil, err
		}
		nodesLeft -= len(j.nodes)
		studies[study] = append(studies[study], j.describe())
	}
	return studies, nil
}

func parseJob(fields []string, mostNodes int) (job, error) {
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	j := job{id: fields[0], state: fields[1], reason: fields[2], start: parseTime(fields[4]), end: parseTime(fields[5])}
	if !blockID.MatchString(j.id) {
		return job{}, fmt.Errorf("squeue printed job %.200q, want JOB_INDEX", fields[0])
	}
	if j.state == "" {
		return job{}, fmt.Errorf("squeue printed no state of job %s", j.id)
	}
	var err error
	if j.restarts, err = strconv.Atoi(fields[3]); err != nil || j.restarts < 0 {
		return job{}, fmt.Errorf("squeue printed %.200q restarts of job %s, want a number", fields[3], j.id)
	}
	if strings.EqualFold(j.reason, "none") || j.reason == "(null)" {
		j.reason = ""
	}
	if j.nodes, err = parseNodes(fields[6], mostNodes); err != nil {
		return job{}, fmt.Errorf("squeue: nodes of job %s: %w", j.id, err)
	}
	return j, nil
}

// parseTime reads a Unix time, as squeue prints it with SLURM_TIME_FORMAT, or squeue's own format. Any other text is an
// unknown time.
func parseTime(text string) time.Time {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds > 0 {
		return time.Unix(seconds, 0)
	}
	if t, err := time.ParseInLocation("2006-01-02T15:04:05", text, time.Local); err == nil {
		return t
	}
	return time.Time{}
}

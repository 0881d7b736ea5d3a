package predict

// The waits of blocks of nodes as a batch system estimates them now.

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/host/slurm"
	"github.com/peregrine-sim/peregrine/zoom/predict"
)

// mostQuestions is how many blocks the batch systems are asked about: all users share them.
const mostQuestions = 20

// question is a block, or several as one, whose begin is asked for.
type question struct {
	launcher     string
	nodes, cores int
	memory       int64 // B
	time         time.Duration
}

// queue has the answers of batch systems, each of which is asked once.
type queue struct {
	cmd     *cobra.Command
	answers map[question]answer
}

type answer struct {
	wait float64 // s
	err  error
}

// estimate fills in the waits of a cluster's blocks by its launcher: of the first one, and of all together; between
// these the blocks begin evenly. If Slurm gives no time it adds the reason to the graph's assumptions: all wait as the
// first one, or, without a time of this, as earlier blocks. It fails if the launcher has no Slurm, or the context ends.
func (q *queue) estimate(g *predict.Graph, c *predict.Cluster) error {
	b := c.Blocks
	if b == nil || b.Launcher == "" {
		return nil
	}
	l, err := slurmLauncher(q.cmd, b.Launcher)
	if err != nil {
		return err
	}
	nodes, _ := c.Size()
	of := question{launcher: l.Name, time: cli.Seconds(b.Time)} // Slurm takes nodes that are alike
	for _, group := range c.Groups {
		of.cores, of.memory = max(of.cores, group.Cores), max(of.memory, group.Memory)
	}
	var ends [2]answer
	for i, n := range [...]int{b.Nodes, nodes} {
		of.nodes = n
		ends[i] = q.ask(l, of)
		if ctx := q.cmd.Context(); ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := ends[i].err; err != nil {
			g.Assumptions = append(g.Assumptions, fmt.Sprintf("launcher %s gives no time at which %d of its nodes "+
				"would be free: %v", l.Name, n, err))
			if i == 0 {
				return nil
			}
		}
	}
	waits := make([]float64, nodes/b.Nodes)
	first, last := ends[0].wait, max(ends[0].wait, ends[1].wait)
	for i := range waits {
		waits[i] = first + (last-first)*float64(i)/float64(max(1, len(waits)-1))
	}
	c.Blocks = &predict.Blocks{Nodes: b.Nodes, Time: b.Time, Waits: [][]float64{waits}}
	g.Assumptions = append(g.Assumptions, fmt.Sprintf("blocks wait as launcher %s estimates now, and as long when "+
		"they are submitted again: the first %s, all together %s", l.Name, cli.Took(first), cli.Took(last)))
	return nil
}

// ask asks Slurm, if it was not asked before.
func (q *queue) ask(l *hosts.Launcher, of question) answer {
	a, known := q.answers[of]
	switch {
	case known:
		return a
	case len(q.answers) == mostQuestions:
		return answer{err: fmt.Errorf("it was asked %d times already", mostQuestions)}
	case q.answers == nil:
		q.answers = map[question]answer{}
	}
	at := cli.Clock(q.cmd)
	p := slurm.New(l, at)
	defer func() { _ = p.Close() }()
	begin, err := p.Begin(q.cmd.Context(), provider.Request{Nodes: of.nodes, Cores: of.cores, Memory: of.memory,
		Time: of.time, Licences: l.Licences})
	a = answer{max(0, begin.Sub(at.Now()).Seconds()), err}
	q.answers[of] = a
	return a
}

// slurmLauncher returns a launcher of the hosts file that is of Slurm.
func slurmLauncher(cmd *cobra.Command, name string) (*hosts.Launcher, error) {
	s, err := settings.Load(cmd.Flags())
	if err != nil {
		return nil, err
	}
	all, err := cli.LoadHosts(s)
	if err != nil {
		return nil, err
	}
	l, err := hosts.Find(all, s.Hosts, name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("blocks.queue.launcher: %w", err)
	case l.Provider != hosts.Slurm:
		return nil, fmt.Errorf("blocks.queue.launcher: %q has provider %s; only slurm estimates a wait", name,
			l.Provider)
	}
	return l, nil
}

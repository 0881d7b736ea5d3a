package watch

// The effects of a dashboard's keys on runs and their study, through the client of the verbs of `peregrine steer`.

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive/view/dashboard"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
	"github.com/peregrine-sim/peregrine/zoom/steer/script"
)

// keys handles the keys of one dashboard.
type keys struct {
	helm script.Helm
	say  func(string) // may be called when shown is closed

	ctx   context.Context
	end   context.CancelFunc
	shown chan struct{}
	work  sync.WaitGroup
	room  chan struct{} // for commands that are under way
}

// mostKeys is how many commands are under way at a time.
const mostKeys = 8

func newKeys(ctx context.Context, helm script.Helm) *keys {
	k := &keys{helm: helm, shown: make(chan struct{}), room: make(chan struct{}, mostKeys)}
	k.ctx, k.end = context.WithCancel(ctx)
	return k
}

// studyHelm is the way to the runs of a study below a work folder; empty: that of the settings.
func studyHelm(cmd *cobra.Command, work, study string) script.Helm {
	if work == "" {
		settings, err := settings.Load(cmd.Flags())
		if err != nil { // reported by the command itself
			return nil
		}
		work = settings.Work
	}
	return script.Study{Name: study, Client: cli.Steering(cmd, work, "a key of peregrine "+cmd.Name())}
}

// act starts the action of a key, and shows its result later.
func (k *keys) act(a dashboard.Action) {
	k.work.Go(func() {
		text := fmt.Sprintf("%s: %d commands are under way; try again when some were done", a.Verb, mostKeys)
		select {
		case k.room <- struct{}{}:
			text = k.do(a)
			<-k.room
		default:
		}
		select {
		case <-k.shown:
			k.say(text)
		case <-k.ctx.Done():
		}
	})
}

// close ends actions under way. It may be called on nil.
func (k *keys) close() {
	if k != nil {
		k.end()
		k.work.Wait()
	}
}

// do performs an action and returns its result as text.
func (k *keys) do(a dashboard.Action) string {
	var o client.Order
	var err error
	to := a.Run
	switch a.Verb {
	case dashboard.Hold, dashboard.Workers:
		to = record.StudyAddress
		o, err = k.ofStudy(a)
	default: // as its verb is named
		o.Command = k.helm.Command(steer.Verb(a.Verb))
		if o.Name = a.Name; a.Verb == dashboard.Step {
			o.Steps = 1
		}
	}
	var last event.Receipt
	if err == nil {
		err = k.helm.Give(k.ctx, to, o, func(x event.Receipt) { last = x })
	}
	switch {
	case errors.Is(err, client.ErrEnded):
		return fmt.Sprintf("%s: no process works on the study any more", a.Verb)
	case err != nil:
		return printable.Line(err.Error(), 300)
	}
	return cli.NewReceipt("", to, last).Text()
}

// ofStudy returns the command for an object of the study. The new value depends on its present value.
func (k *keys) ofStudy(a dashboard.Action) (o client.Order, err error) {
	o.Command = k.helm.Command(steer.Set)
	now, err := k.helm.Read(k.ctx, record.StudyAddress, []string{string(a.Verb)})
	if err != nil {
		return o, err
	}
	v := now[0].Value
	w := client.Wish{Object: string(a.Verb), Expect: v.String()}
	if w.Value = fmt.Sprint(!v.Bool); a.Verb == dashboard.Workers {
		w.Value = fmt.Sprint(int(v.Number) + a.By)
	}
	o.Wishes = []client.Wish{w}
	return o, nil
}

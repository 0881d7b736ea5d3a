package ssh_test

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/relay"
	"github.com/peregrine-sim/peregrine/zoom/run/provider"
	"github.com/peregrine-sim/peregrine/zoom/run/ssh/sshtest"
)

// BenchmarkBlock is a block on a host of this machine from Submit until its relay has answered, and from the relay's dismissal until the block
// has ended (metric end-s/op). The program has been brought before; ssh, sshd and the login shell are the larger part.
func BenchmarkBlock(b *testing.B) {
	s := sshtest.Start(b, 1)
	p := open(b, launcher(s), clock.Real)
	defer func() { _ = p.Close() }()
	r, come := relayRequest(b)
	var host relay.Exchange
	block := func() (begun, ended float64) {
		from := clock.Real.Now()
		ids := must.Value(p.Submit(b.Context(), r, 1))(b)
		n := meet(b, &host, come)
		begun = clock.Since(clock.Real, from).Seconds()
		from = clock.Real.Now()
		n.Dismiss(b.Context())
		await(b, p, ids[0], provider.Ended)
		return begun, clock.Since(clock.Real, from).Seconds()
	}
	block()
	var begun, ended float64
	for b.Loop() {
		x, y := block()
		begun, ended = begun+x, ended+y
	}
	b.ReportMetric(begun/float64(b.N), "begin-s/op")
	b.ReportMetric(ended/float64(b.N), "end-s/op")
}

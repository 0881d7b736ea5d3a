package plugin

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
	"google.golang.org/protobuf/proto"
)

// Whatever a plugin replies, it is a description, an event or a result that is checked.
func FuzzReply(f *testing.F) {
	d := Description{
		Name: "s", Version: "1", Fidelity: "f", Files: []history.File{{}},
		Inputs:  []Quantity{{Name: "x", Shape: Scalar}},
		Outputs: []Quantity{{Name: "y", Shape: Scalar}, {Name: "z", Shape: Profile}},
	}
	r := Result{Class: "converged", Numbers: map[string]float64{"y": 1}, Arrays: map[string][]float64{"z": {1, 2}}}
	for _, m := range []proto.Message{encodeDescription(d), &pb.RunReply{Reply: &pb.RunReply_Outcome{Outcome: encodeResult(r)}}} {
		data, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		intaketest.Bounded(t, len(data), func() {
			var of pb.Description
			if proto.Unmarshal(data, &of) == nil {
				got := decodeDescription(&of)
				_ = got.Check()
				_ = got.CheckResult(r)
				_ = got.CheckRequest(Request{Numbers: map[string]float64{"x": 1}})
			}
			var reply pb.RunReply
			if proto.Unmarshal(data, &reply) == nil {
				if o := reply.GetOutcome(); o != nil {
					_ = d.CheckResult(decodeResult(o))
				}
				if e := reply.GetEvent(); e != nil {
					decodeEvent(e, Request{})
				}
			}
		})
	})
}

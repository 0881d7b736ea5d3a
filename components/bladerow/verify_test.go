package bladerow

import (
	"context"
	"os"
	"testing"
)

// TestRotor67Points runs NASA Rotor 67 at several exit pressures and prints what it
// finds beside the measurement (NASA TP-2879): minutes, so only where PEREGRINE_VERIFY
// is "coarse" (46,080 cells) or "fine" (304,128). It asserts what holds of any
// converged run, and the choking flow, which needs no tip gap.
func TestRotor67Points(t *testing.T) {
	c := Case{Body: rotor67(t), Gas: air, N: 16043, Inlet: Inlet{Pt: []float64{101325}, Tt: []float64{288.15}}}
	c.Settings.Workers = 2
	switch os.Getenv("PEREGRINE_VERIFY") {
	case "coarse":
	case "fine":
		c.Settings.Mesh = Mesh{Upstream: 40, Blade: 72, Downstream: 32, Pitch: 48, Span: 44, Wall: 0.005, Edge: 0.006}
	default:
		t.Skip("PEREGRINE_VERIFY is neither coarse nor fine")
	}
	t.Log("measured: choking 34.96 kg/s; PR 1.642, eff 0.929 at 0.9889 of it; PR 1.728, eff 0.900 at 0.9241")
	var from *Solution
	choking := 0.0
	for _, ps := range []float64{105e3, 115e3, 120e3, 123e3, 125e3} {
		c.Exit.Ps = ps
		s := solver(t, c)
		if from != nil {
			if err := s.StartFrom(from); err != nil {
				t.Fatal(err)
			}
		}
		r, err := s.Run(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		choking = max(choking, r.W)
		t.Logf("Ps %.0f Pa: %s after %d iterations: W %.3f kg/s (%.4f of choking), PR %.4f, eff %.4f; mass error %.1e, energy error %.1e",
			ps, r.Status, r.Iterations, r.W, r.W/choking, r.PR, r.Eff, r.MassError, r.EnergyError)
		if r.Status != Converged {
			break
		}
		if r.MassError > 1e-3 || r.MassError < -1e-3 || r.EnergyError > 5e-3 || r.EnergyError < -5e-3 {
			t.Errorf("mass error %.2g, energy error %.2g", r.MassError, r.EnergyError)
		}
		from = s.Solution()
	}
	if choking < 0.985*34.96 || choking > 1.015*34.96 {
		t.Errorf("choking flow %.3f kg/s; measured 34.96", choking)
	}
}

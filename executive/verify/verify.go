// Package verify runs engines and elements whose results others have published
// and compares: pyCycle's engines, an NPSS engine, NPSS's elements, CEA's gas.
//
// The references are facts kept outside of the project (see package
// config/reference); what is here is how each was set up, and how close Peregrine must
// come.
package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Row is one comparison.
type Row struct {
	Case       string  `json:"case"`
	Quantity   string  `json:"quantity"`
	Reference  float64 `json:"reference"`
	Value      float64 `json:"value"`
	Difference float64 `json:"difference"` // relative, unless Absolute
	Limit      float64 `json:"limit"`      // of |Difference|
	Absolute   bool    `json:"absolute,omitempty"`
	// Note explains a difference beyond the limit that the reference's own defect
	// causes; the row then does not count as failed.
	Note string `json:"note,omitempty"`
}

// Failed reports a difference beyond the limit that nothing explains.
func (r Row) Failed() bool {
	return r.Note == "" && !(math.Abs(r.Difference) <= r.Limit)
}

// Section is a group of comparisons of one kind.
type Section struct {
	Name   string
	Source string // of the reference
	Claim  string // what is compared, and within what
	Rows   []Row
}

// Check is a section to be made from the reference folder.
type Check struct {
	Name string
	Run  func(ctx context.Context, dir string) (Section, error)
}

// Checks lists all of them, in the order of the page.
var Checks = []Check{
	{"pyCycle turbojet", turbojet},
	{"pyCycle HBTF", hbtf},
	{"pyCycle afterburning turbojet", afterburner},
	{"NPSS JT9D", jt9d},
	{"gas table", gasTable},
	{"NPSS ambient", elementFile{"ambient.csv", "Pt, Ps, Tt, Ts within 1e-4", compareAmbient}.check},
	{"NPSS static states", elementFile{"NPSS_Static_CEA_Data.csv", "every property within 1e-4, s within 1e-3", compareStatics}.check},
	{"NPSS flow starts", elementFile{"flowstart.csv", "every property within 1e-4, s within 1e-3", compareStatics}.check},
	{"NPSS inlet", elementFile{"inlet.csv", "every property and Fram within 1e-4, s within 1e-3", compareInlet}.check},
	{"NPSS duct", elementFile{"duct.csv", "every property within 1e-4, s within 1e-3", compareDuct}.check},
	{"NPSS splitter", elementFile{"splitter.csv", "every property within 1e-4, s within 1e-3", compareSplitter}.check},
	{"NPSS compressor", elementFile{"compressor.csv", "every property, power and polytropic efficiency within 1e-4, s within 1e-3", compareCompressor}.check},
	{"NPSS compressor on a map", elementFile{"compressorOD1.csv", "every property, map value, scalar and stall margin within 1e-4, s within 1e-3", compareCompressorMap}.check},
	{"NPSS turbine", elementFile{"turbine.csv", "every property, power and polytropic efficiency within 1e-4, s within 1e-3", compareTurbine}.check},
	{"NPSS turbine on a map", elementFile{"turbineOD1.csv", "every property, map value and scalar within 1e-4, s within 1e-3; the JP-7 burner's exit within 5e-4", compareTurbineMap}.check},
	{"NPSS burner", elementFile{"combustorJP7.csv", "every property within 5e-4, s within 1e-3", compareBurner}.check},
	{"NPSS nozzle, convergent, as in engines", elementFile{"nozzle.csv", "every property, areas and thrust within 1e-4, s within 1e-3", nozzleOf("convergent", true)}.check},
	{"NPSS nozzle, convergent by Cv", elementFile{"nozzleCV.csv", "every property, areas and thrust within 1e-4, s within 1e-3", nozzleOf("convergent", false)}.check},
	{"NPSS nozzle, convergent by Cfg", elementFile{"nozzleCV__Cfg.csv", "every property, areas and thrust within 1e-4, s within 1e-3", nozzleOf("convergent", true)}.check},
	{"NPSS nozzle, sonic-throat by Cv", elementFile{"nozzleCD.csv", "every property, areas and thrust within 1e-4, s within 1e-3", nozzleOf("sonic-throat", false)}.check},
	{"NPSS nozzle, sonic-throat by Cfg", elementFile{"nozzleCD__Cfg.csv", "every property, areas and thrust within 1e-4, s within 1e-3", nozzleOf("sonic-throat", true)}.check},
	{"NPSS nozzle, convergent-divergent by Cv", elementFile{"nozzleCD_CV.csv", "every property, areas and thrust within 1e-4, s within 1e-3", nozzleOf("convergent-divergent", false)}.check},
	{"NPSS nozzle, convergent-divergent by Cfg", elementFile{"nozzleCD_CV__Cfg.csv", "every property, areas and thrust within 1e-4, s within 1e-3", nozzleOf("convergent-divergent", true)}.check},
	{"NPSS shaft", elementFile{"shaft.csv", "powers and torques within 1e-4", compareShaft}.check},
	{"pyCycle mixer", mixer},
}

// Run makes all sections. An engine that cannot be compared at all is an error
// that names it; the other sections are there all the same.
func Run(ctx context.Context, dir string) ([]Section, error) {
	var out []Section
	var errs []error
	for _, c := range Checks {
		s, err := c.Run(ctx, dir)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.Name, err))
			continue
		}
		s.Name = c.Name
		out = append(out, s)
	}
	return out, errors.Join(errs...)
}

// table gathers rows.
type table struct{ rows []Row }

// relative adds a comparison by ratio.
func (t *table) relative(name, quantity string, reference, value, limit float64) {
	d := value - reference
	if reference != 0 {
		d = value/reference - 1
	}
	t.rows = append(t.rows, Row{Case: name, Quantity: quantity, Reference: reference, Value: value, Difference: d, Limit: limit})
}

package verify

// The comparisons that `peregrine verify` makes, in the order of its page.

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// Checks lists all of them, in the order of the page.
var Checks = slices.Concat([]Check{
	{"pyCycle turbojet", turbojet},
	{"pyCycle HBTF", hbtf},
	{"pyCycle afterburning turbojet", afterburner},
	{"NPSS JT9D", jt9d},
	{"gas table", gasTable},
}, elementChecks, []Check{{"pyCycle mixer", mixer}})

// Run makes all sections. The error names the comparisons that could not be made; the result
// has the other sections.
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

// elementChecks are the comparisons with NPSS's files of elements.
var elementChecks = []Check{
	{"NPSS ambient", elementFile{"ambient.csv", "Pt, Ps, Tt and Ts within 1e-4", compareAmbient}.check},
	{"NPSS static states", elementFile{"NPSS_Static_CEA_Data.csv", everyProperty, compareStatics}.check},
	{"NPSS flow start", elementFile{"flowstart.csv", everyProperty, compareStatics}.check},
	{"NPSS inlet", elementFile{"inlet.csv", everyProperty + "; ram drag within 1e-4", compareInlet}.check},
	{"NPSS duct", elementFile{"duct.csv", everyProperty, compareDuct}.check},
	{"NPSS splitter", elementFile{"splitter.csv", everyProperty, compareSplitter}.check},
	{
		"NPSS compressor",
		elementFile{"compressor.csv", everyProperty + "; power and polytropic efficiency within 1e-4",
			compareCompressor}.check,
	},
	{
		"NPSS compressor on its map",
		elementFile{"compressorOD1.csv", everyProperty + "; map values, scalars and stall margins within 1e-4",
			compareCompressorMap}.check,
	},
	{"NPSS burner", elementFile{"combustorJP7.csv", "every property within 5e-4, s within 1e-3", compareBurner}.check},
	{
		"NPSS turbine", elementFile{"turbine.csv", everyProperty + "; power and polytropic efficiency within 1e-4",
			compareTurbine}.check,
	},
	{
		"NPSS turbine on its map",
		elementFile{
			"turbineOD1.csv",
			everyProperty + "; map values and scalars within 1e-4; the exit of the JP-7 burner ahead within 5e-4",
			compareTurbineMap,
		}.check,
	},
	{"NPSS nozzle", elementFile{"nozzle.csv", nozzleClaim, nozzleOf("convergent", true)}.check},
	{"NPSS nozzle, CV, by Cv", elementFile{"nozzleCV.csv", nozzleClaim, nozzleOf("convergent", false)}.check},
	{"NPSS nozzle, CV, by Cfg", elementFile{"nozzleCV__Cfg.csv", nozzleClaim, nozzleOf("convergent", true)}.check},
	{"NPSS nozzle, CD, by Cv", elementFile{"nozzleCD.csv", nozzleClaim, nozzleOf("sonic-throat", false)}.check},
	{"NPSS nozzle, CD, by Cfg", elementFile{"nozzleCD__Cfg.csv", nozzleClaim, nozzleOf("sonic-throat", true)}.check},
	{
		"NPSS nozzle, CD_CV, by Cv",
		elementFile{"nozzleCD_CV.csv", nozzleClaim, nozzleOf("convergent-divergent", false)}.check,
	},
	{
		"NPSS nozzle, CD_CV, by Cfg",
		elementFile{"nozzleCD_CV__Cfg.csv", nozzleClaim, nozzleOf("convergent-divergent", true)}.check,
	},
	{"NPSS shaft", elementFile{"shaft.csv", "powers and torques within 1e-4", compareShaft}.check},
}

// elementFile is a file of NPSS's results of one element, evaluated by itself.
type elementFile struct {
	file  string
	claim string
	// compare adds a file's comparisons.
	compare func(b *bench, rows []map[string]float64) error
}

// check is the file's comparison as a section.
func (e elementFile) check(_ context.Context, dir string) (Section, error) {
	rows, err := readCSV(filepath.Join(dir, "npss_verification", e.file))
	if err != nil {
		return Section{}, err
	}
	b, err := newBench(dir)
	if err != nil {
		return Section{}, err
	}
	if err := e.compare(b, rows); err != nil {
		return Section{}, err
	}
	return Section{Source: "NPSS, in the tests of pyCycle 65faca6: " + e.file, Claim: e.claim, Rows: b.rows}, nil
}

package throughflow

import "testing"

// A mesh with half the cells each way fits every number of rows, at every number of meshes of the start that it has
// room for.
func TestRefined(t *testing.T) {
	for rows := range 5 {
		whole := Settings{}.withDefaults(rows)
		for _, f := range []float64{0.25, 0.4, 0.5, 0.77, 1, 1.3, 2, 8} {
			s := Settings{}.Refined(rows, f)
			if err := s.CheckMesh(rows); err != nil {
				t.Errorf("%g of %d rows: %v", f, rows, err)
			}
			if z, r := float64(s.NZ)/(f*float64(whole.NZ)), float64(s.NR)/(f*float64(whole.NR)); min(z, r) < 0.8 ||
				max(z, r) > 1.25 {
				t.Errorf("%g times %d x %d cells of %d rows are %d x %d", f, whole.NZ, whole.NR, rows, s.NZ, s.NR)
			}
		}
	}
	if s := (Settings{}).Refined(1, 0.5); s.NZ != 40 || s.NR != 12 || s.Levels != 2 {
		t.Errorf("half of 80 x 24 cells on 3 meshes are %d x %d on %d", s.NZ, s.NR, s.Levels)
	}
	if s := (Settings{}).Refined(1, 1); s != (Settings{}).withDefaults(1) {
		t.Errorf("all cells are %+v", s)
	}
}

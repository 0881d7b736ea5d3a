package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/peregrine-sim/peregrine/perfmap/plot"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// History is a transient's outputs over time, SI units, speeds in rpm. A step of an input has two points at one time,
// before and after.
type History struct {
	Columns []config.Quantity // outputs, with paths as in `until`
	T       []float64         // s; never decreases
	Values  [][]float64       // by column; NaN where an output has no value
	Panels  []config.Panel    // the plots; nil: each column
	// Places are the operating points on the maps, by component, one for each entry of T.
	Places map[string][]plot.Mark
	// Outside lists the components that left their maps.
	Outside map[string]*Outside
}

// Outside is the time span in which a component worked outside its map, on extrapolated values.
type Outside struct {
	From   float64 `json:"from"` // first and last point of the history outside, s
	To     float64 `json:"to"`
	Bounds string  `json:"bounds"` // that were passed, such as "X above"
}

// Column returns the values of an output, nil for an unknown path. The path of a shaft's output may lack "shafts.".
func (h *History) Column(path string) []float64 {
	if i := h.Index(path); i >= 0 {
		return h.Values[i]
	}
	return nil
}

// Index returns the index of a column, -1 for an unknown path; paths as in Column.
func (h *History) Index(path string) int {
	return slices.IndexFunc(h.Columns, func(q config.Quantity) bool {
		return q.Path == path || q.Path == "shafts."+path
	})
}

// MarshalJSON implements json.Marshaler: {"t": [...], path: [...]}, in the order of
// the columns, null where an output has no value.
func (h *History) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`{"t":`)
	writeColumn(&b, h.T)
	for i, q := range h.Columns {
		name, err := json.Marshal(q.Path)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, ",%s:", name)
		writeColumn(&b, h.Values[i])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func writeColumn(b *bytes.Buffer, values []float64) {
	b.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		if !numeric.Finite(v) {
			b.WriteString("null")
			continue
		}
		b.Write(strconv.AppendFloat(b.AvailableBuffer(), v, 'g', -1, 64))
	}
	b.WriteByte(']')
}

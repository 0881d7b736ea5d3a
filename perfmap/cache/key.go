package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Key names a cache entry by the content that its answer depends on.
type Key [sha256.Size]byte

// NewKey returns the SHA-256 of a canonical encoding of parts, a value that encoding/json can write: JSON without white
// space, object members sorted by name, numbers in their shortest form (so 1, 1.0 and 1e0 are the same, and so are 0
// and -0). The caller rounds numbers if necessary. NaN, infinity and other values that JSON lacks are an error.
func NewKey(parts any) (Key, error) {
	raw, err := json.Marshal(parts)
	if err != nil {
		return Key{}, fmt.Errorf("cache key: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return Key{}, fmt.Errorf("cache key: %w", err)
	}
	canonical, err := json.Marshal(canonicalNumbers(tree)) // sorts members
	if err != nil {
		return Key{}, fmt.Errorf("cache key: %w", err)
	}
	return sha256.Sum256(canonical), nil
}

func canonicalNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = canonicalNumbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = canonicalNumbers(v[i])
		}
	case json.Number:
		return canonicalNumber(v)
	}
	return v
}

// canonicalNumber shortens a number that a float64 holds exactly as written. It does not change a whole number too
// large for a float64.
func canonicalNumber(n json.Number) json.Number {
	f, err := n.Float64()
	if err != nil {
		return n
	}
	if i, err := n.Int64(); err == nil && math.Abs(f) >= 1<<53 {
		return json.Number(strconv.FormatInt(i, 10))
	}
	return json.Number(numeric.Text(f + 0))
}

// String returns the key in hexadecimal, as [ParseKey] reads it.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// ParseKey reads the text of [Key.String].
func ParseKey(s string) (k Key, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(k) {
		return Key{}, fmt.Errorf("%q is no cache key of %d hexadecimal digits", s, 2*len(k))
	}
	return Key(b), nil
}

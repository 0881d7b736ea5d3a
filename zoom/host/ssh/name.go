package ssh

// Names of blocks. The ID is the host, a hyphen and a name, which is the block's folder on its node. The name has 16
// letters and digits: six are the mark of the study, so that another process finds its blocks, four that of the host,
// because two names of ssh may refer to one machine, and six are random.

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/regex"
)

const markLength, hostLength, drawnLength = 6, 4, 6

var (
	nameShape = regex.Lazy(fmt.Sprintf(`^[a-z2-7]{%d}$`, markLength+hostLength+drawnLength))
	letters   = base32.StdEncoding.WithPadding(base32.NoPadding)
)

func short(data []byte, length int) string {
	return strings.ToLower(letters.EncodeToString(data))[:length]
}

func hashed(text string, length int) string {
	sum := sha256.Sum256([]byte(text))
	return short(sum[:], length)
}

func studyMark(study string) string { return hashed(study, markLength) }
func hostMark(host string) string   { return hashed(host, hostLength) }

// newName is the name of another block.
func newName(study, host string) string {
	drawn := make([]byte, drawnLength)
	_, _ = rand.Read(drawn) // never fails
	return host + "-" + studyMark(study) + hostMark(host) + short(drawn, drawnLength)
}

// cutID returns the parts of an ID.
func cutID(id string) (host, name string, ok bool) {
	i := strings.LastIndexByte(id, '-')
	if i < 0 || !nameShape().MatchString(id[i+1:]) {
		return "", "", false
	}
	return id[:i], id[i+1:], true
}

package command

// Names of blocks: every engine accepts them as names of jobs. PBS has 15 characters in its list; Kubernetes allows
// neither capital letters nor signs.

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"regexp"
	"strings"
)

const markLength, drawnLength = 6, 8 // of the study, 30 bits; of the block, 40

var (
	nameShape = regexp.MustCompile(`^p[a-z2-7]{14}$`)
	letters   = base32.StdEncoding.WithPadding(base32.NoPadding)
)

// mark is the abbreviation of a study in the names of its blocks.
func mark(study string) string {
	sum := sha256.Sum256([]byte(study))
	return strings.ToLower(letters.EncodeToString(sum[:]))[:markLength]
}

// newName is the name of another block of a study.
func newName(study string) string {
	drawn := make([]byte, drawnLength)
	_, _ = rand.Read(drawn) // never fails
	return "p" + mark(study) + strings.ToLower(letters.EncodeToString(drawn))[:drawnLength]
}

// studyOf is the mark in a name.
func studyOf(name string) string { return name[1 : 1+markLength] }

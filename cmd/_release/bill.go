package main

// The bill of materials: SPDX 2.3 as JSON (https://spdx.github.io/spdx-spec/v2.3/), made of what the go command wrote
// into the program.

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

type document struct {
	ID            string         `json:"SPDXID"`
	Version       string         `json:"spdxVersion"`
	Creation      creation       `json:"creationInfo"`
	Name          string         `json:"name"`
	DataLicence   string         `json:"dataLicense"`
	Namespace     string         `json:"documentNamespace"`
	Describes     []string       `json:"documentDescribes"`
	Packages      []component    `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type component struct {
	ID         string      `json:"SPDXID"`
	Name       string      `json:"name"`
	Version    string      `json:"versionInfo"`
	File       string      `json:"packageFileName,omitempty"`
	Download   string      `json:"downloadLocation"`
	Analyzed   bool        `json:"filesAnalyzed"`
	Checksums  []checksum  `json:"checksums,omitempty"`
	Source     string      `json:"sourceInfo,omitempty"`
	Concluded  string      `json:"licenseConcluded"`
	Declared   string      `json:"licenseDeclared"`
	Copyright  string      `json:"copyrightText"`
	References []reference `json:"externalRefs"`
}

type checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Kind string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

const unknown = "NOASSERTION"

// unfit matches what an SPDXID may not have.
var unfit = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// bill is the bill of materials of a program with its content.
func (b *build) bill(program []byte) ([]byte, error) {
	sum := fmt.Sprintf("%x", sha256.Sum256(program))
	const self = "SPDXRef-Peregrine"
	d := document{ID: "SPDXRef-DOCUMENT", Version: "SPDX-2.3", DataLicence: "CC0-1.0", Name: b.name(),
		Creation:  creation{b.date.UTC().Format(time.RFC3339), []string{"Tool: peregrine-release"}},
		Namespace: "https://github.com/peregrine-sim/peregrine/spdx/" + b.name() + "-" + sum[:16],
		Describes: []string{self},
		Packages: []component{{ID: self, Name: b.info.Main.Path, Version: b.info.Main.Version, File: b.name(),
			Download: "https://github.com/peregrine-sim/peregrine", Checksums: []checksum{{"SHA256", sum}},
			Concluded: "Apache-2.0", Declared: "Apache-2.0", Copyright: unknown,
			References: purl(b.info.Main.Path, b.info.Main.Version)}},
		Relationships: []relationship{{"SPDXRef-DOCUMENT", "DESCRIBES", self}}}
	for _, m := range b.modules {
		c := component{ID: "SPDXRef-" + unfit.ReplaceAllString(m.path+"-"+m.version, "-"), Name: m.path,
			Version: m.version, Download: unknown, Concluded: m.identifier, Declared: m.identifier, Copyright: unknown,
			References: purl(m.path, m.version)}
		if m.sum != "" {
			c.Source = "checksum of go.sum: " + m.sum
		}
		d.Packages = append(d.Packages, c)
		d.Relationships = append(d.Relationships, relationship{self, "STATIC_LINK", c.ID})
	}
	text, err := json.MarshalIndent(d, "", "  ")
	return append(text, '\n'), err
}

// purl names a module as https://github.com/package-url/purl-spec has it.
func purl(path, version string) []reference {
	locator := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return []reference{{"PACKAGE-MANAGER", "purl", locator}}
}

package format

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/convert"
)

// formats are all formats, in the order in which [Parse] tries them.
var formats = []Format{
	native{},
	jsonFile{},
	npss{},
	gasTurb{},
	csv{},
}

// All returns the known formats, in the order in which [Parse] tries them.
func All() []Format { return append([]Format(nil), formats...) }

// Writers returns the formats that maps can be written in.
func Writers() (list []Writer) {
	for _, f := range formats {
		if w, ok := f.(Writer); ok {
			list = append(list, w)
		}
	}
	return list
}

// Find returns the format of that name. The error of an unknown name lists all names.
func Find(name string) (Format, error) { return find(formats, name) }

// FindWriter is [Find] for a format to write.
func FindWriter(name string) (Writer, error) {
	if f, err := Find(name); err == nil {
		if _, ok := f.(Writer); !ok {
			return nil, fmt.Errorf("maps cannot be written as %s, only read; formats to write are %s", f.Title(),
				Names(Writers()))
		}
	}
	return find(Writers(), name)
}

func find[F Format](list []F, name string) (found F, err error) {
	for _, f := range list {
		if f.Name() == name {
			return f, nil
		}
	}
	return found, fmt.Errorf("no map format is called %q; there are %s", name, Names(list))
}

// Names lists the names of formats, for people.
func Names[F Format](list []F) string { return join(list, F.Name) }

// Titles lists the titles of formats, for people.
func Titles[F Format](list []F) string { return join(list, F.Title) }

func join[F Format](list []F, of func(F) string) string {
	parts := convert.All(list, of)
	return strings.Join(parts, ", ")
}

package external

// Reading a description as a whole, and its identity while its files may change.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Load reads a description, with the templates that it names. If the file is readable, the error is a
// [*document.Errors] with all faults.
func Load(path string) (*Description, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	data, err := intake.Read(path, form.Limit())
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads the text of a description. Messages contain the absolute path of its file. The error is a
// [*document.Errors] with all faults.
func Parse(file string, data []byte) (*Description, error) {
	d := &Description{File: file, text: data}
	r := &reader{Reader: document.NewReader(file, form), d: d, names: scope{}}
	if root := r.Tree(data); root != nil {
		r.description(root)
	}
	err := r.Errors()
	if len(r.elsewhere) > 0 {
		all := &document.Errors{}
		errors.As(err, &all)
		err = &document.Errors{Problems: append(all.Problems, r.elsewhere...)}
	}
	if err != nil {
		return nil, err
	}
	p := d.Plugin()
	if err := p.Check(); err != nil { // faults of several values together
		return nil, &document.Problem{File: file, Pos: document.Pos{Line: 1, Column: 1}, Message: err.Error(),
			Cause: err}
	}
	return d, nil
}

// description reads a whole description, first the parts that others need.
func (r *reader) description(root ast.Node) {
	d := r.d
	r.read(r.descriptionGroup(), root, "")
	if len(d.solution) > 0 {
		d.inputs = append(d.inputs, plugin.Quantity{Name: plugin.InNeighbour, Shape: plugin.FileName,
			Doc: "solution of a near request, from which the run starts"})
	}
	d.fidelity = cmp.Or(d.fidelity, "described solver")
}

func (r *reader) descriptionGroup() Group {
	d := r.d
	name := document.Rule{Shape: nameShape(), Fault: "want letters, digits and _, first a letter"}
	return Group{"a description", "name: and steps:", []document.Key{
		r.Required("name", "of the solver: letters, digits and _", r.Shaped(&d.name, "a name", name).Called("name")),
		r.Required("version", "of the description or the program; results and cache keys contain it",
			r.Text(&d.version, "a version such as 1.0")),
		r.Optional("doc", "what it is", r.Text(new(string), "what it is")),
		r.Optional("fidelity", "a phrase such as \"meanline, correlations for loss\"; shown in results",
			r.Text(&d.fidelity, "a phrase such as meanline")),
		r.Required("inputs", "values from the zoom; see `peregrine help solvers`", r.quantities(&d.inputs, false)),
		r.Optional("settings", "values that a zoom can set with `settings:`", r.quantities(&d.settings, true)),
		r.Optional("values", "numbers and lists that follow from inputs, settings and the values above", r.values()),
		r.Optional("files", "files in the run folder before the first step", r.files()),
		r.Required("steps", "the commands, one after the other; the first that fails is the last", r.steps()),
		r.Optional("env", "variables for the commands, besides PATH, HOME, USER, TMPDIR, TZ, LANG and LC_*",
			r.Texts(&d.environment, "variables such as [OMP_NUM_THREADS=1]", "NAME=value",
				document.Rule{Shape: variable(), Fault: "want NAME=value"}).Called("list of NAME=value")),
		r.Optional("watch", "files with the progress of a run", r.watch()),
		r.Optional("planes", "where the flow is averaged, for outputs", r.planes()),
		r.Required("outputs", "answers of the program", r.outputs()),
		r.Optional("success", "lines that show an answer, at any exit status; at least one of them is required",
			r.signs(&d.success, false)),
		r.Optional("failure",
			"lines that show that the run has no answer, at any exit status; the first match of the list counts",
			r.signs(&d.failure, true)),
		r.Optional("controls",
			"numbers among settings and inputs that may be changed during a run: their files are written again, and "+
				"the program must read them again",
			r.controls()),
		r.Optional("steer", "values that can be read and changed while the program runs; see `peregrine help steer`",
			r.steering()),
		r.Optional("solution", "files from which another run can start, with `restart` in `when`", r.solution()),
		r.Optional("clean", "files and folders that are removed after a good run", r.clean()),
		r.Optional("identity",
			"further parts of the solver's version; this description, its files and the programs of the steps "+
				"are always parts",
			r.identity()),
		r.Optional("try", "a request to try it with, for `peregrine plugin check`; a text may be {file: PATH}",
			r.try(&d.sample)),
		r.Optional("long", "different values for a request that takes minutes, to check that the solver stops",
			r.try(&d.long)),
	}}
}

// Groups returns all groups of keys, the description itself first.
func Groups() []Group {
	r := &reader{d: &Description{}}
	o := new(output)
	return []Group{
		r.descriptionGroup(), r.quantityGroup(new(quantity)), r.valueGroup(new(value), new(meaning)),
		r.fileGroup(new(placed)),
		r.stepGroup(new(step)), r.outputGroup(new(draftOutput)), r.planeGroup(new(plane)), r.sourceGroup(o, ""),
		r.signGroup(new(sign), true), r.steeringGroup(new(helm)), r.steeredGroup(new(steered)),
		r.objectGroup(new(lever), new(steer.Effect)),
		r.markGroup(new(mark)), r.witnessGroup(new(witness)), r.keptGroup(new(kept)),
	}
}

// Schema returns the JSON Schema (draft 2020-12) of a description. It accepts every description that [Parse] accepts;
// only Parse checks the meaning of names, units, expressions and files.
func Schema() *jsonschema.Schema {
	s := Groups()[0].schema()
	s.Description = "How a program is run as a flow solver."
	return document.Titled("Peregrine description of a solver", s)
}

// Identity returns Code, and a function for [launch.Program.Watch]. A file that was written and has its old content
// again counts as written: the program may have read the content between. The functions look at inodes, sizes and
// times of all files, and at their content only where these differ.
func (d *Description) Identity(ctx context.Context) (code string, watch func() (changed func() error), err error) {
	known := d.stamps() // first: a change during the hash is seen then
	if code, err = d.Code(ctx); err != nil {
		return "", nil, err
	}
	var mu sync.Mutex
	return code, func() func() error {
		mu.Lock()
		defer mu.Unlock()
		began := d.stamps()
		if began != known {
			if err := d.holds(code); err != nil {
				return func() error { return err }
			}
			known = began
		}
		return func() error {
			if d.stamps() == began {
				return nil
			}
			return cmp.Or(d.holds(code), fmt.Errorf("%s, a file that it names or a program of its steps was written "+
				"during the run", d.File))
		}
	}, nil
}

// holds returns an error if the description and its files have another Code by now.
func (d *Description) holds(code string) error {
	now, err := Load(d.File)
	if err != nil {
		return err
	}
	again, err := now.Code(context.Background()) // its commands have a limit
	if err == nil && again != code {
		err = fmt.Errorf("%s, a file that it names or a program of its steps has changed", d.File)
	}
	return err
}

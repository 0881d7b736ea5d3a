package plugin

// Between the kit's types and those of the protocol, both ways.

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	eventproto "github.com/peregrine-sim/peregrine/watchdog/event/proto"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

var shapes = map[Shape]pb.Shape{Scalar: pb.Shape_SCALAR, Profile: pb.Shape_PROFILE, Text: pb.Shape_TEXT, FileName: pb.Shape_FILE}

var verbs = map[Verb]pb.Command_Verb{
	Pause: pb.Command_PAUSE, Resume: pb.Command_RESUME, Stop: pb.Command_STOP,
	Checkpoint: pb.Command_CHECKPOINT, Set: pb.Command_SET,
}

// inverse returns the key of a value, or the zero key if there is none: a
// shape or verb of a later version of the protocol, which the checks refuse.
func inverse[K, V comparable](m map[K]V, value V) K {
	for k, v := range m {
		if v == value {
			return k
		}
	}
	var none K
	return none
}

func describe(d Description) *pb.Description {
	return &pb.Description{
		Name: d.Name, Version: d.Version, Fidelity: d.Fidelity,
		Inputs: quantities(d.Inputs), Outputs: quantities(d.Outputs), Settings: quantities(d.Settings),
		Controls: d.Controls, Files: files(d.Files), Pauses: d.Pauses, Checkpoints: d.Checkpoints,
	}
}

func quantities(list []Quantity) []*pb.Quantity {
	out := make([]*pb.Quantity, 0, len(list))
	for _, q := range list {
		out = append(out, &pb.Quantity{
			Name: q.Name, Unit: q.Unit, Dim: string(q.Dim), Shape: shapes[q.Shape],
			Required: q.Required, Default: q.Default, Min: q.Min, Max: q.Max, Doc: q.Doc,
		})
	}
	return out
}

func files(list []File) []*pb.File {
	out := make([]*pb.File, 0, len(list))
	for _, f := range list {
		file := &pb.File{
			Pattern: f.Pattern, Format: f.Format, Columns: f.Columns, Key: f.Key,
			Rename: f.Rename, Scale: f.Scale, Doc: f.Doc,
		}
		for _, l := range f.Patterns {
			file.Patterns = append(file.Patterns, &pb.Pattern{Regexp: l.Regexp, Begins: l.Begins, Kind: string(l.Kind)})
		}
		out = append(out, file)
	}
	return out
}

func description(d *pb.Description) Description {
	return Description{
		Name: d.GetName(), Version: d.GetVersion(), Fidelity: d.GetFidelity(),
		Inputs: quantityList(d.GetInputs()), Outputs: quantityList(d.GetOutputs()), Settings: quantityList(d.GetSettings()),
		Controls: d.GetControls(), Files: fileList(d.GetFiles()), Pauses: d.GetPauses(), Checkpoints: d.GetCheckpoints(),
	}
}

func quantityList(list []*pb.Quantity) []Quantity {
	var out []Quantity
	for _, q := range list {
		out = append(out, Quantity{
			Name: q.GetName(), Unit: q.GetUnit(), Dim: unit.Dimension(q.GetDim()), Shape: inverse(shapes, q.GetShape()),
			Required: q.GetRequired(), Default: q.Default, Min: q.Min, Max: q.Max, Doc: q.GetDoc(),
		})
	}
	return out
}

func fileList(list []*pb.File) []File {
	var out []File
	for _, f := range list {
		file := File{
			Pattern: f.GetPattern(), Format: f.GetFormat(), Columns: f.GetColumns(), Key: f.GetKey(),
			Rename: f.GetRename(), Scale: f.GetScale(), Doc: f.GetDoc(),
		}
		for _, l := range f.GetPatterns() {
			file.Patterns = append(file.Patterns, Pattern{Regexp: l.GetRegexp(), Begins: l.GetBegins(), Kind: event.Kind(l.GetKind())})
		}
		out = append(out, file)
	}
	return out
}

// numbers returns the values under names that a message can hold.
func numbers(m map[string]float64) map[string]float64 {
	for name := range m {
		if !utf8.ValidString(name) {
			out := make(map[string]float64, len(m))
			for name, v := range m {
				out[valid(name)] = v
			}
			return out
		}
	}
	return m
}

// valid makes a solver's text fit for a message, which must be UTF-8: file
// names and texts from Fortran need not be.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func runRequest(r Request) *pb.RunRequest {
	return &pb.RunRequest{
		Study: r.Study, Run: r.Run, Folder: r.Folder,
		Values: &pb.Values{Numbers: r.Numbers, Arrays: event.Arrays(r.Arrays), Texts: r.Texts},
	}
}

func request(r *pb.RunRequest) Request {
	return Request{
		Study: r.GetStudy(), Run: r.GetRun(), Folder: r.GetFolder(),
		Numbers: r.GetValues().GetNumbers(), Arrays: event.FromArrays(r.GetValues().GetArrays()), Texts: r.GetValues().GetTexts(),
	}
}

func outcome(r Result) *pb.Outcome {
	return &pb.Outcome{
		Class: valid(string(r.Class)), Message: valid(r.Message),
		Values: &pb.Values{Numbers: numbers(r.Numbers), Arrays: event.Arrays(r.Arrays)},
	}
}

func result(o *pb.Outcome) Result {
	return Result{
		Class: event.Class(o.GetClass()), Message: o.GetMessage(),
		Numbers: o.GetValues().GetNumbers(), Arrays: event.FromArrays(o.GetValues().GetArrays()),
	}
}

// received makes an event of what a plugin sent. What is not finite leaves
// Values for NonFinite here, on the host's side, whatever the plugin's language.
func received(e *eventproto.Event, r Request) event.Event {
	out := event.Decode(e)
	out.Study, out.Run, out.Source = r.Study, r.Run, event.Plugin
	finite, bad := Result{Numbers: out.Values, Arrays: out.Arrays}.Finite()
	out.Values, out.Arrays, out.NonFinite = finite.Numbers, finite.Arrays, append(out.NonFinite, bad...)
	if !slices.Contains(pluginKinds, out.Kind) {
		out.Kind = event.Message
	}
	return out
}

// pluginKinds are what a plugin may tell. How the run as a whole ended is the
// host's to tell, so that rules and readers hear it once.
var pluginKinds = []event.Kind{event.Started, event.Iteration, event.Message, event.Profile, event.Warning}

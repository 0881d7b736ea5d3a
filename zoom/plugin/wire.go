package plugin

// Conversion between this package's types and the messages of the protocol.

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	eventproto "github.com/peregrine-sim/peregrine/watchdog/event/proto"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

var shapes = map[Shape]pb.Shape{Scalar: pb.Shape_SCALAR, Profile: pb.Shape_PROFILE, Text: pb.Shape_TEXT,
	FileName: pb.Shape_FILE}

// keyOf returns the key of a value, or the zero key for a shape of a later version of the protocol, which the checks
// refuse.
func keyOf[K, V comparable](m map[K]V, value V) K {
	for k, v := range m {
		if v == value {
			return k
		}
	}
	var zero K
	return zero
}

func encodeDescription(d Description) *pb.Description {
	return &pb.Description{
		Name: d.Name, Version: d.Version, Fidelity: d.Fidelity,
		Inputs: encodeQuantities(d.Inputs), Outputs: encodeQuantities(d.Outputs),
		Settings: encodeQuantities(d.Settings),
		Controls: d.Controls, Files: encodeFiles(d.Files), Pauses: d.Pauses, Checkpoints: d.Checkpoints,
		WholeState: d.WholeState, Reusable: d.Reusable, Steers: d.Steers, Judges: d.Judges,
		Sensors: encodeSensors(d.Sensors),
	}
}

func encodeQuantities(list []Quantity) []*pb.Quantity {
	out := make([]*pb.Quantity, 0, len(list))
	for _, q := range list {
		out = append(out, &pb.Quantity{
			Name: q.Name, Unit: q.Unit, Dim: string(q.Dim), Shape: shapes[q.Shape],
			Required: q.Required, Default: q.Default, Min: q.Min, Max: q.Max, Doc: q.Doc, Coarse: q.Coarse,
			InPlaceOf: q.InPlaceOf, Words: q.Words,
		})
	}
	return out
}

func encodeFiles(list []history.File) []*pb.File {
	out := make([]*pb.File, 0, len(list))
	for _, f := range list {
		file := &pb.File{
			Pattern: f.Pattern, Format: string(f.Format), Columns: f.Columns, Key: f.Key,
			Rename: f.Rename, Scale: f.Scale, Doc: f.Doc,
			Keys: f.Keys, Boxed: f.Boxed, Prose: f.Prose, Unnamed: f.Unnamed, Drop: f.Drop, Units: f.Units,
			Guess: f.Guess, Log10: f.Log10, Prefix: f.Prefix,
		}
		for name, width := range f.Widths {
			if file.Widths == nil {
				file.Widths = map[string]int32{}
			}
			file.Widths[name] = int32(min(max(width, 0), history.MaxWidth))
		}
		for _, l := range f.Patterns {
			file.Patterns = append(file.Patterns, &pb.Pattern{Regexp: l.Regexp, Line: l.Line, Begins: l.Begins,
				Ends: l.Ends, Kind: string(l.Kind), Status: l.Status, Next: l.Next})
		}
		out = append(out, file)
	}
	return out
}

func decodeDescription(d *pb.Description) Description {
	return Description{
		Name: d.GetName(), Version: d.GetVersion(), Fidelity: d.GetFidelity(),
		Inputs: decodeQuantities(d.GetInputs()), Outputs: decodeQuantities(d.GetOutputs()),
		Settings: decodeQuantities(d.GetSettings()),
		Controls: d.GetControls(), Files: decodeFiles(d.GetFiles()), Pauses: d.GetPauses(),
		Checkpoints: d.GetCheckpoints(), WholeState: d.GetWholeState(), Reusable: d.GetReusable(),
		Steers: d.GetSteers(), Judges: d.GetJudges(), Sensors: decodeSensors(d.GetSensors()),
	}
}

func decodeQuantities(list []*pb.Quantity) []Quantity {
	var out []Quantity
	for _, q := range list {
		out = append(out, Quantity{
			Name: q.GetName(), Unit: q.GetUnit(), Dim: unit.Dimension(q.GetDim()), Shape: keyOf(shapes, q.GetShape()),
			Required: q.GetRequired(), Default: q.Default, Min: q.Min, Max: q.Max, Doc: q.GetDoc(), Coarse: q.Coarse,
			InPlaceOf: q.GetInPlaceOf(), Words: q.GetWords(),
		})
	}
	return out
}

func decodeFiles(list []*pb.File) []history.File {
	var out []history.File
	for _, f := range list {
		file := history.File{
			Pattern: f.GetPattern(), Format: history.Format(f.GetFormat()), Columns: f.GetColumns(), Key: f.GetKey(),
			Rename: f.GetRename(), Scale: f.GetScale(), Doc: f.GetDoc(),
			Keys: f.GetKeys(), Boxed: f.GetBoxed(), Prose: f.GetProse(), Unnamed: f.GetUnnamed(), Drop: f.GetDrop(),
			Units: f.GetUnits(), Guess: f.GetGuess(), Log10: f.GetLog10(), Prefix: f.GetPrefix(),
		}
		for name, width := range f.GetWidths() {
			if file.Widths == nil {
				file.Widths = map[string]int{}
			}
			file.Widths[name] = int(width)
		}
		for _, l := range f.GetPatterns() {
			file.Patterns = append(file.Patterns,
				history.Pattern{Regexp: l.GetRegexp(), Line: l.GetLine(), Begins: l.GetBegins(), Ends: l.GetEnds(),
					Kind: event.Kind(l.GetKind()), Status: l.GetStatus(), Next: l.GetNext()})
		}
		out = append(out, file)
	}
	return out
}

// numbers returns the values with names that are valid in a message.
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

// valid replaces bytes that are not UTF-8, which a message cannot hold. File names and texts of Fortran programs may
// contain such bytes.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func encodeRequest(r Request) *pb.RunRequest {
	m := &pb.RunRequest{
		Study: r.Study, Run: r.Run, Folder: r.Folder, Rules: valid(r.Rules),
		Values: &pb.Values{Numbers: r.Numbers, Arrays: event.Arrays(r.Arrays), Texts: r.Texts},
	}
	for _, c := range r.Commands {
		m.Commands = append(m.Commands, encodeCommand(c))
	}
	return m
}

func decodeRequest(r *pb.RunRequest) Request {
	request := Request{
		Study: r.GetStudy(), Run: r.GetRun(), Folder: r.GetFolder(), Rules: r.GetRules(),
		Numbers: r.GetValues().GetNumbers(), Arrays: event.FromArrays(r.GetValues().GetArrays()),
		Texts: r.GetValues().GetTexts(),
	}
	for _, c := range r.GetCommands() {
		command, _ := decodeCommand(c)
		request.Commands = append(request.Commands, command)
	}
	return request
}

func encodeResult(r Result) *pb.Outcome {
	return &pb.Outcome{
		Class: valid(string(r.Class)), Message: valid(r.Message),
		Values: &pb.Values{Numbers: numbers(r.Numbers), Arrays: event.Arrays(r.Arrays)}, MachineFault: r.MachineFault,
	}
}

func decodeResult(o *pb.Outcome) Result {
	return Result{
		Class: event.Class(o.GetClass()), Message: o.GetMessage(),
		Numbers: o.GetValues().GetNumbers(), Arrays: event.FromArrays(o.GetValues().GetArrays()),
		MachineFault: o.GetMachineFault(),
	}
}

// decodeEvent returns the event that a plugin sent. It moves values that are not finite to NonFinite, so that plugins
// in other languages need not.
func decodeEvent(e *eventproto.Event, r Request) event.Event {
	out := event.Decode(e)
	out.Study, out.Run, out.Source = r.Study, r.Run, event.Plugin
	finite, bad := Result{Numbers: out.Values, Arrays: out.Arrays}.Finite()
	out.Values, out.Arrays, out.NonFinite = finite.Numbers, finite.Arrays, append(out.NonFinite, bad...)
	if !slices.Contains(pluginKinds, out.Kind) {
		out.Kind = event.Message
	}
	return out
}

// pluginKinds are the kinds of event that a plugin may send. Only the host reports the result and the end of a run, so
// that rules and readers get each once. Findings are of rules that the run judges itself.
var pluginKinds = []event.Kind{event.Started, event.Iteration, event.Message, event.Profile, event.Warning,
	event.Command, event.Sensed, event.Finding, event.Would}

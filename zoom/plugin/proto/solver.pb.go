// The protocol between Peregrine (the host) and a flow solver (the plugin).
//
// HOW A PLUGIN IS STARTED
//
// The host starts the plugin's command with these environment variables:
//
//   PEREGRINE_SOLVER              "c1d4a7e2-solver": proof that a host started it
//   PLUGIN_PROTOCOL_VERSIONS      versions of this protocol that the host speaks, such as "2"
//   PLUGIN_UNIX_SOCKET_DIR        folder in which to make the socket
//   PEREGRINE_PLUGIN_CERTIFICATE  PEM file: the plugin's certificate
//   PEREGRINE_PLUGIN_KEY          PEM file: its private key (P-256)
//   PEREGRINE_PLUGIN_AUTHORITY    PEM file: the certificate that signed the host's
//
// The plugin serves gRPC over TLS on a unix socket in that folder (a short
// name: the whole path must stay below 108 bytes), demands a client
// certificate signed by the authority, and then prints ONE line on its
// standard output, and nothing before it:
//
//   1|2|unix|/path/of/the/socket|grpc|
//
// (core protocol of go-plugin | version of this protocol | network | address |
// "grpc" | empty.) Whatever it prints on standard error goes to the file
// solver.log of the run folder. After the line, standard output is read no
// more than a pipe's worth; print to standard error.
//
// Besides the service below, the plugin should serve
// plugin.GRPCController/Shutdown (an empty message in and out), on which it
// removes its socket and ends its process; a plugin that does not is ended by
// a signal after the host's patience. go-plugin's other services (health, broker,
// stdio) are not needed.
//
// zoom/example/meanline.py is a complete plugin in Python. What costs time to find out: with Python's gRPC a
// cancelled generator is not resumed, so the end of a lease must be noticed by
// context.add_callback, not by code after the yield.
//
// HOW A RUN GOES
//
//   host                                   plugin
//   Lease -------------------------------> held open for the life of the host
//   Describe ----------------------------> Description
//   (checks the request against it)
//   Run ---------------------------------> Event, Event, ..., Outcome, end of stream
//   Steer (stop, pause, set ...) --------> Receipt, Receipt, end of stream; while Run goes on
//   Objects -----------------------------> what may be seen and set; while Run goes on, of a solver that steers
//   Shutdown ----------------------------> the process ends
//
// HOW A RUN IS COMMANDED
//
// Steer takes one command and answers with receipts. Both are JSON texts. Of a command:
//
//   id         unique in the study: a command whose ID came before is not done again, and its caller gets the receipts of the first one
//   verb       stop, pause, resume, checkpoint, get, set, write, call, switch, step, sync, release
//   now        stop: do not wait for a safe point, but end as if the call of Run were cancelled, and send what is there
//   changes    get, set, write, call, switch: the objects, all or none; each has
//                object   its name, with the place inside it: limits.k4[2]
//                number   of the object that is meant; absent: whichever has the name now
//                value    set, write: the new one; call: the argument; switch: true or false
//                expect   set, write: refused unless the object has this value
//                seen     the value that the sender saw; for the record
//   operation  switch: which one to allow or forbid
//   name       checkpoint (none: the solution from which the host has a run go on), sync, release
//   steps      step
//   at         not before the end of so many iterations; absent: the next safe point
//   when       a condition on objects, such as "residual < 1e-3"
//   until      expires if it was not applied by so many iterations
//   holds      what pause, sync or step hold ends when this call breaks; so the stream goes on until it is released
//   by, from, time   who sends it, from which host and program, when (RFC 3339)
//
// Of a receipt: id, verb, name, operation, steps, by and from as the command has them, and
//
//   state      accepted, armed; and final: applied, refused, rolled_back, overtaken, expired, late, unconfirmed
//   reason     why, unless it was applied
//   iteration  at whose end it was done; 0: before the first, or not yet
//   effects    what became of its objects; each has object, number, effect (numerics, answer or monitor), old, new (also what was read or
//              returned), seen, argument (of a function) and setting (of the request, whose value the whole object is)
//   file       that a checkpoint wrote, relative to the run folder
//   held       pause, resume, step, sync, release: something holds the run afterwards
//   rule       of the run's own rules (RunRequest.rules), the one that gave the command
//   time       RFC 3339
//
// Values are numbers, "NaN" and the like, true, texts, arrays of numbers, or objects of such.
//
// Every solver obeys `stop`. What else it cannot do it refuses, with a reason that says what would do. A command that is applied is done, one
// that is refused has changed nothing. A solver whose description says `steers` shows objects: its CFL number, a limit, a residual; `set` and `get`
// of its objects it must know, as their operations say. It carries a command out between two iterations, in the order in which commands came, and
// reports it three times: in the stream of the call, in an event of kind "command" of the run, and in what Objects sends. A command may come
// before the first iteration, in RunRequest.commands among others; it is carried out before that, as at iteration 0.
//
// WHAT VERSION 2 CHANGED
//
// Control is no more: its commands are those of Steer, which every solver serves. Commands and receipts are JSON texts in place of messages.
//
// One process does one run at a time. One whose description says `reusable` may be
// sent Run again after the stream has ended, as often as the host likes; others do one run in
// their lives. SIGINT must be ignored (the host stops its plugins itself, in order); SIGTERM may end the
// process at once.
//
// All numbers are SI; rotational speeds are rpm. NaN and infinities may be
// sent: they are reported as such, and a Result that holds one is not used.

// Code generated by protoc-gen-go. DO NOT EDIT.
// versions:
// 	protoc-gen-go v1.36.12
// 	protoc        v3.21.12
// source: solver.proto

package proto

import (
	proto "github.com/peregrine-sim/peregrine/watchdog/event/proto"
	protoreflect "google.golang.org/protobuf/reflect/protoreflect"
	protoimpl "google.golang.org/protobuf/runtime/protoimpl"
	reflect "reflect"
	sync "sync"
	unsafe "unsafe"
)

const (
	// Verify that this generated code is sufficiently up-to-date.
	_ = protoimpl.EnforceVersion(20 - protoimpl.MinVersion)
	// Verify that runtime/protoimpl is sufficiently up-to-date.
	_ = protoimpl.EnforceVersion(protoimpl.MaxVersion - 20)
)

// Symbols defined in public import of event.proto.

type Event = proto.Event
type SensorRecord = proto.SensorRecord
type Array = proto.Array

type Shape int32

const (
	Shape_SHAPE_UNSPECIFIED Shape = 0
	Shape_SCALAR            Shape = 1 // in Values.numbers
	Shape_PROFILE           Shape = 2 // in Values.arrays: one entry per station from hub to casing, or row-major
	Shape_TEXT              Shape = 3 // in Values.texts
	Shape_FILE              Shape = 4 // in Values.texts: an absolute path, or one relative to the run folder
)

// Enum value maps for Shape.
var (
	Shape_name = map[int32]string{
		0: "SHAPE_UNSPECIFIED",
		1: "SCALAR",
		2: "PROFILE",
		3: "TEXT",
		4: "FILE",
	}
	Shape_value = map[string]int32{
		"SHAPE_UNSPECIFIED": 0,
		"SCALAR":            1,
		"PROFILE":           2,
		"TEXT":              3,
		"FILE":              4,
	}
)

func (x Shape) Enum() *Shape {
	p := new(Shape)
	*p = x
	return p
}

func (x Shape) String() string {
	return protoimpl.X.EnumStringOf(x.Descriptor(), protoreflect.EnumNumber(x))
}

func (Shape) Descriptor() protoreflect.EnumDescriptor {
	return file_solver_proto_enumTypes[0].Descriptor()
}

func (Shape) Type() protoreflect.EnumType {
	return &file_solver_proto_enumTypes[0]
}

func (x Shape) Number() protoreflect.EnumNumber {
	return protoreflect.EnumNumber(x)
}

// Deprecated: Use Shape.Descriptor instead.
func (Shape) EnumDescriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{0}
}

type DescribeRequest struct {
	state         protoimpl.MessageState `protogen:"open.v1"`
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *DescribeRequest) Reset() {
	*x = DescribeRequest{}
	mi := &file_solver_proto_msgTypes[0]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *DescribeRequest) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*DescribeRequest) ProtoMessage() {}

func (x *DescribeRequest) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[0]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use DescribeRequest.ProtoReflect.Descriptor instead.
func (*DescribeRequest) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{0}
}

type Description struct {
	state       protoimpl.MessageState `protogen:"open.v1"`
	Name        string                 `protobuf:"bytes,1,opt,name=name,proto3" json:"name,omitempty"`                 // as in the engine file's `solver:`, such as "throughflow"
	Version     string                 `protobuf:"bytes,2,opt,name=version,proto3" json:"version,omitempty"`           // of the solver; another version may give another answer
	Fidelity    string                 `protobuf:"bytes,3,opt,name=fidelity,proto3" json:"fidelity,omitempty"`         // one phrase for people, such as "axisymmetric Euler, blade forces"
	Inputs      []*Quantity            `protobuf:"bytes,4,rep,name=inputs,proto3" json:"inputs,omitempty"`             // boundary conditions and geometry of a run
	Outputs     []*Quantity            `protobuf:"bytes,5,rep,name=outputs,proto3" json:"outputs,omitempty"`           // what its result holds
	Settings    []*Quantity            `protobuf:"bytes,6,rep,name=settings,proto3" json:"settings,omitempty"`         // how it solves: mesh, CFL, iteration limit; inputs of their own group
	Controls    []string               `protobuf:"bytes,7,rep,name=controls,proto3" json:"controls,omitempty"`         // names of inputs or settings that `set` may change during a run, by objects that have them as name or setting
	Files       []*File                `protobuf:"bytes,8,rep,name=files,proto3" json:"files,omitempty"`               // what it writes into the run folder, and how to read it
	Pauses      bool                   `protobuf:"varint,9,opt,name=pauses,proto3" json:"pauses,omitempty"`            // pause and resume work
	Checkpoints bool                   `protobuf:"varint,10,opt,name=checkpoints,proto3" json:"checkpoints,omitempty"` // checkpoint works
	// A solution file holds the whole state: a run that goes on from it gives the answer of one
	// that was never cut, to the last bit. Without it a killed run begins anew.
	WholeState bool `protobuf:"varint,11,opt,name=whole_state,json=wholeState,proto3" json:"whole_state,omitempty"`
	// The process takes run after run, in any order, with the answers of fresh processes, to the last bit, whatever
	// became of the runs before. With each run but the first it points its standard error (and output) at solver.log in the run folder, to
	// which it appends.
	Reusable bool `protobuf:"varint,12,opt,name=reusable,proto3" json:"reusable,omitempty"`
	// Objects works, and the commands of Steer that read or change objects.
	Steers bool `protobuf:"varint,13,opt,name=steers,proto3" json:"steers,omitempty"`
	// Sensors that a run has, each as a JSON object: name, doc, kind (tracing), fields (name, unit), every. They are switched
	// by the objects sensors.NAME.on and sensors.NAME.every; what they find are events of kind sensed.
	Sensors []string `protobuf:"bytes,14,rep,name=sensors,proto3" json:"sensors,omitempty"`
	// RunRequest.rules are judged.
	Judges        bool `protobuf:"varint,15,opt,name=judges,proto3" json:"judges,omitempty"`
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *Description) Reset() {
	*x = Description{}
	mi := &file_solver_proto_msgTypes[1]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *Description) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*Description) ProtoMessage() {}

func (x *Description) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[1]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use Description.ProtoReflect.Descriptor instead.
func (*Description) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{1}
}

func (x *Description) GetName() string {
	if x != nil {
		return x.Name
	}
	return ""
}

func (x *Description) GetVersion() string {
	if x != nil {
		return x.Version
	}
	return ""
}

func (x *Description) GetFidelity() string {
	if x != nil {
		return x.Fidelity
	}
	return ""
}

func (x *Description) GetInputs() []*Quantity {
	if x != nil {
		return x.Inputs
	}
	return nil
}

func (x *Description) GetOutputs() []*Quantity {
	if x != nil {
		return x.Outputs
	}
	return nil
}

func (x *Description) GetSettings() []*Quantity {
	if x != nil {
		return x.Settings
	}
	return nil
}

func (x *Description) GetControls() []string {
	if x != nil {
		return x.Controls
	}
	return nil
}

func (x *Description) GetFiles() []*File {
	if x != nil {
		return x.Files
	}
	return nil
}

func (x *Description) GetPauses() bool {
	if x != nil {
		return x.Pauses
	}
	return false
}

func (x *Description) GetCheckpoints() bool {
	if x != nil {
		return x.Checkpoints
	}
	return false
}

func (x *Description) GetWholeState() bool {
	if x != nil {
		return x.WholeState
	}
	return false
}

func (x *Description) GetReusable() bool {
	if x != nil {
		return x.Reusable
	}
	return false
}

func (x *Description) GetSteers() bool {
	if x != nil {
		return x.Steers
	}
	return false
}

func (x *Description) GetSensors() []string {
	if x != nil {
		return x.Sensors
	}
	return nil
}

func (x *Description) GetJudges() bool {
	if x != nil {
		return x.Judges
	}
	return false
}

// Quantity is one named value of a request or a result.
type Quantity struct {
	state    protoimpl.MessageState `protogen:"open.v1"`
	Name     string                 `protobuf:"bytes,1,opt,name=name,proto3" json:"name,omitempty"`
	Unit     string                 `protobuf:"bytes,2,opt,name=unit,proto3" json:"unit,omitempty"` // symbol, for people, such as "Pa"; the value is in the SI unit of its dimension
	Dim      string                 `protobuf:"bytes,3,opt,name=dim,proto3" json:"dim,omitempty"`   // dimension, such as "pressure"; empty: a pure number. Speeds ("rotational speed") are rpm
	Shape    Shape                  `protobuf:"varint,4,opt,name=shape,proto3,enum=peregrine.solver.v2.Shape" json:"shape,omitempty"`
	Required bool                   `protobuf:"varint,5,opt,name=required,proto3" json:"required,omitempty"`
	// The default of a scalar that is not required and was not given.
	Default *float64 `protobuf:"fixed64,6,opt,name=default,proto3,oneof" json:"default,omitempty"`
	// Bounds, inclusive, of a scalar and of each entry of a profile.
	Min *float64 `protobuf:"fixed64,7,opt,name=min,proto3,oneof" json:"min,omitempty"`
	Max *float64 `protobuf:"fixed64,8,opt,name=max,proto3,oneof" json:"max,omitempty"`
	Doc string   `protobuf:"bytes,9,opt,name=doc,proto3" json:"doc,omitempty"` // one sentence
	// Of an input: the name of another one that a request with this one does not have, as "throttle" where "exit_W" is
	// given. It counts as given then, if it is required; a request has one of the two.
	InPlaceOf string `protobuf:"bytes,10,opt,name=in_place_of,json=inPlaceOf,proto3" json:"in_place_of,omitempty"`
	// On the solver's coarse mesh a setting is so many times what it is otherwise; such a setting has a default. A solver
	// without any has no coarse mesh.
	Coarse *float64 `protobuf:"fixed64,11,opt,name=coarse,proto3,oneof" json:"coarse,omitempty"`
	// Of a text: what it may be. The first word is the value of a request without one. Empty: any text.
	Words         []string `protobuf:"bytes,12,rep,name=words,proto3" json:"words,omitempty"`
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *Quantity) Reset() {
	*x = Quantity{}
	mi := &file_solver_proto_msgTypes[2]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *Quantity) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*Quantity) ProtoMessage() {}

func (x *Quantity) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[2]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use Quantity.ProtoReflect.Descriptor instead.
func (*Quantity) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{2}
}

func (x *Quantity) GetName() string {
	if x != nil {
		return x.Name
	}
	return ""
}

func (x *Quantity) GetUnit() string {
	if x != nil {
		return x.Unit
	}
	return ""
}

func (x *Quantity) GetDim() string {
	if x != nil {
		return x.Dim
	}
	return ""
}

func (x *Quantity) GetShape() Shape {
	if x != nil {
		return x.Shape
	}
	return Shape_SHAPE_UNSPECIFIED
}

func (x *Quantity) GetRequired() bool {
	if x != nil {
		return x.Required
	}
	return false
}

func (x *Quantity) GetDefault() float64 {
	if x != nil && x.Default != nil {
		return *x.Default
	}
	return 0
}

func (x *Quantity) GetMin() float64 {
	if x != nil && x.Min != nil {
		return *x.Min
	}
	return 0
}

func (x *Quantity) GetMax() float64 {
	if x != nil && x.Max != nil {
		return *x.Max
	}
	return 0
}

func (x *Quantity) GetDoc() string {
	if x != nil {
		return x.Doc
	}
	return ""
}

func (x *Quantity) GetInPlaceOf() string {
	if x != nil {
		return x.InPlaceOf
	}
	return ""
}

func (x *Quantity) GetCoarse() float64 {
	if x != nil && x.Coarse != nil {
		return *x.Coarse
	}
	return 0
}

func (x *Quantity) GetWords() []string {
	if x != nil {
		return x.Words
	}
	return nil
}

// File describes a file that the solver writes, so that a watchdog can follow
// it while the run goes on. Lines that hold no numbers are passed over.
type File struct {
	state    protoimpl.MessageState `protogen:"open.v1"`
	Pattern  string                 `protobuf:"bytes,1,opt,name=pattern,proto3" json:"pattern,omitempty"`                                                                         // relative to the run folder, with * and ?
	Format   string                 `protobuf:"bytes,2,opt,name=format,proto3" json:"format,omitempty"`                                                                           // "columns", "json" (an object a line), "regexp", or one that nobody watches, such as "plot3d"
	Columns  []string               `protobuf:"bytes,3,rep,name=columns,proto3" json:"columns,omitempty"`                                                                         // columns: names by position, if the file has no header line
	Key      string                 `protobuf:"bytes,4,opt,name=key,proto3" json:"key,omitempty"`                                                                                 // columns: the name by which a header line is known; empty: "iteration"
	Patterns []*Pattern             `protobuf:"bytes,5,rep,name=patterns,proto3" json:"patterns,omitempty"`                                                                       // tried in order, the first match counts; columns: of lines that are none of the table
	Rename   map[string]string      `protobuf:"bytes,6,rep,name=rename,proto3" json:"rename,omitempty" protobuf_key:"bytes,1,opt,name=key" protobuf_val:"bytes,2,opt,name=value"` // the file's names to Peregrine's, such as "MFR_in": "W_in"
	Scale    map[string]float64     `protobuf:"bytes,7,rep,name=scale,proto3" json:"scale,omitempty" protobuf_key:"bytes,1,opt,name=key" protobuf_val:"fixed64,2,opt,name=value"` // factor that brings a value to SI, by Peregrine's name
	Doc      string                 `protobuf:"bytes,8,opt,name=doc,proto3" json:"doc,omitempty"`
	// Of columns:
	Keys          []string         `protobuf:"bytes,9,rep,name=keys,proto3" json:"keys,omitempty"`                                                                                 // instead of key: a header has one of them
	Boxed         bool             `protobuf:"varint,10,opt,name=boxed,proto3" json:"boxed,omitempty"`                                                                             // between bars, as in | 1 | -3.2 |; other lines are passed over
	Prose         bool             `protobuf:"varint,11,opt,name=prose,proto3" json:"prose,omitempty"`                                                                             // lines that are no rows are no fault
	Widths        map[string]int32 `protobuf:"bytes,12,rep,name=widths,proto3" json:"widths,omitempty" protobuf_key:"bytes,1,opt,name=key" protobuf_val:"varint,2,opt,name=value"` // names in the header that stand over several columns
	Unnamed       bool             `protobuf:"varint,13,opt,name=unnamed,proto3" json:"unnamed,omitempty"`                                                                         // where the header has the key alone, the others are value_0, value_1 ...
	Drop          []string         `protobuf:"bytes,14,rep,name=drop,proto3" json:"drop,omitempty"`                                                                                // these columns are not used
	Units         bool             `protobuf:"varint,15,opt,name=units,proto3" json:"units,omitempty"`                                                                             // names end in their SI units, as in W_in[kg/s]
	Guess         bool             `protobuf:"varint,16,opt,name=guess,proto3" json:"guess,omitempty"`                                                                             // those that are residuals by their customary names get the names residual_X
	Log10         []string         `protobuf:"bytes,17,rep,name=log10,proto3" json:"log10,omitempty"`                                                                              // these columns are logarithms to base 10; a star is any text
	Prefix        string           `protobuf:"bytes,18,opt,name=prefix,proto3" json:"prefix,omitempty"`                                                                            // any format: precedes the names of values, where several files have the same names
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *File) Reset() {
	*x = File{}
	mi := &file_solver_proto_msgTypes[3]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *File) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*File) ProtoMessage() {}

func (x *File) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[3]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use File.ProtoReflect.Descriptor instead.
func (*File) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{3}
}

func (x *File) GetPattern() string {
	if x != nil {
		return x.Pattern
	}
	return ""
}

func (x *File) GetFormat() string {
	if x != nil {
		return x.Format
	}
	return ""
}

func (x *File) GetColumns() []string {
	if x != nil {
		return x.Columns
	}
	return nil
}

func (x *File) GetKey() string {
	if x != nil {
		return x.Key
	}
	return ""
}

func (x *File) GetPatterns() []*Pattern {
	if x != nil {
		return x.Patterns
	}
	return nil
}

func (x *File) GetRename() map[string]string {
	if x != nil {
		return x.Rename
	}
	return nil
}

func (x *File) GetScale() map[string]float64 {
	if x != nil {
		return x.Scale
	}
	return nil
}

func (x *File) GetDoc() string {
	if x != nil {
		return x.Doc
	}
	return ""
}

func (x *File) GetKeys() []string {
	if x != nil {
		return x.Keys
	}
	return nil
}

func (x *File) GetBoxed() bool {
	if x != nil {
		return x.Boxed
	}
	return false
}

func (x *File) GetProse() bool {
	if x != nil {
		return x.Prose
	}
	return false
}

func (x *File) GetWidths() map[string]int32 {
	if x != nil {
		return x.Widths
	}
	return nil
}

func (x *File) GetUnnamed() bool {
	if x != nil {
		return x.Unnamed
	}
	return false
}

func (x *File) GetDrop() []string {
	if x != nil {
		return x.Drop
	}
	return nil
}

func (x *File) GetUnits() bool {
	if x != nil {
		return x.Units
	}
	return false
}

func (x *File) GetGuess() bool {
	if x != nil {
		return x.Guess
	}
	return false
}

func (x *File) GetLog10() []string {
	if x != nil {
		return x.Log10
	}
	return nil
}

func (x *File) GetPrefix() string {
	if x != nil {
		return x.Prefix
	}
	return ""
}

// Pattern is an RE2 expression whose named groups are values, or a line with names in braces.
type Pattern struct {
	state         protoimpl.MessageState `protogen:"open.v1"`
	Regexp        string                 `protobuf:"bytes,1,opt,name=regexp,proto3" json:"regexp,omitempty"`
	Begins        bool                   `protobuf:"varint,2,opt,name=begins,proto3" json:"begins,omitempty"` // the line opens an iteration, whose values may come on several lines
	Kind          string                 `protobuf:"bytes,3,opt,name=kind,proto3" json:"kind,omitempty"`      // kind of the event; empty: "iteration"
	Line          string                 `protobuf:"bytes,4,opt,name=line,proto3" json:"line,omitempty"`      // instead of regexp: "Time = {iteration}", "{*}Solving for {key}, Initial residual = {residual},"; see `peregrine help watch`
	Status        string                 `protobuf:"bytes,5,opt,name=status,proto3" json:"status,omitempty"`  // of kind "status": converged, ended, failed, diverged, non_finite, limit or stopped
	Ends          bool                   `protobuf:"varint,6,opt,name=ends,proto3" json:"ends,omitempty"`     // the line completes an iteration that another began, which is judged at once
	Next          bool                   `protobuf:"varint,7,opt,name=next,proto3" json:"next,omitempty"`     // the next line with a letter continues the text of the event, in a second event
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *Pattern) Reset() {
	*x = Pattern{}
	mi := &file_solver_proto_msgTypes[4]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *Pattern) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*Pattern) ProtoMessage() {}

func (x *Pattern) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[4]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use Pattern.ProtoReflect.Descriptor instead.
func (*Pattern) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{4}
}

func (x *Pattern) GetRegexp() string {
	if x != nil {
		return x.Regexp
	}
	return ""
}

func (x *Pattern) GetBegins() bool {
	if x != nil {
		return x.Begins
	}
	return false
}

func (x *Pattern) GetKind() string {
	if x != nil {
		return x.Kind
	}
	return ""
}

func (x *Pattern) GetLine() string {
	if x != nil {
		return x.Line
	}
	return ""
}

func (x *Pattern) GetStatus() string {
	if x != nil {
		return x.Status
	}
	return ""
}

func (x *Pattern) GetEnds() bool {
	if x != nil {
		return x.Ends
	}
	return false
}

func (x *Pattern) GetNext() bool {
	if x != nil {
		return x.Next
	}
	return false
}

// Values are named values by shape. JSON (request.json, result.json) has the same names.
type Values struct {
	state         protoimpl.MessageState  `protogen:"open.v1"`
	Numbers       map[string]float64      `protobuf:"bytes,1,rep,name=numbers,proto3" json:"numbers,omitempty" protobuf_key:"bytes,1,opt,name=key" protobuf_val:"fixed64,2,opt,name=value"`
	Arrays        map[string]*proto.Array `protobuf:"bytes,2,rep,name=arrays,proto3" json:"arrays,omitempty" protobuf_key:"bytes,1,opt,name=key" protobuf_val:"bytes,2,opt,name=value"`
	Texts         map[string]string       `protobuf:"bytes,3,rep,name=texts,proto3" json:"texts,omitempty" protobuf_key:"bytes,1,opt,name=key" protobuf_val:"bytes,2,opt,name=value"`
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *Values) Reset() {
	*x = Values{}
	mi := &file_solver_proto_msgTypes[5]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *Values) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*Values) ProtoMessage() {}

func (x *Values) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[5]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use Values.ProtoReflect.Descriptor instead.
func (*Values) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{5}
}

func (x *Values) GetNumbers() map[string]float64 {
	if x != nil {
		return x.Numbers
	}
	return nil
}

func (x *Values) GetArrays() map[string]*proto.Array {
	if x != nil {
		return x.Arrays
	}
	return nil
}

func (x *Values) GetTexts() map[string]string {
	if x != nil {
		return x.Texts
	}
	return nil
}

type RunRequest struct {
	state  protoimpl.MessageState `protogen:"open.v1"`
	Study  string                 `protobuf:"bytes,1,opt,name=study,proto3" json:"study,omitempty"`
	Run    string                 `protobuf:"bytes,2,opt,name=run,proto3" json:"run,omitempty"`
	Folder string                 `protobuf:"bytes,3,opt,name=folder,proto3" json:"folder,omitempty"` // absolute path of the run folder, which exists; the solver writes there and nowhere else
	Values *Values                `protobuf:"bytes,4,opt,name=values,proto3" json:"values,omitempty"`
	// Commands that were given before the run began, of a solver that steers. They may name objects that it will have by its first
	// safe point, which is before the first iteration.
	Commands []string `protobuf:"bytes,7,rep,name=commands,proto3" json:"commands,omitempty"` // JSON texts, as of SteerRequest
	// Rules that the run judges itself, after each iteration: the text of a file of rules (see `peregrine help rules`), which is YAML. A
	// solver that does says so by a message of the name rules_aboard, before its first iteration. Their names are those of its objects; what they
	// want is done at the same safe point, and the `rule` of its receipt names the rule.
	Rules string `protobuf:"bytes,6,opt,name=rules,proto3" json:"rules,omitempty"`
	// The run goes on already, for a host that is gone: the reply has its events after number `seen`, and its outcome. Other fields
	// but `run` do not count. For a run that does not go on: FAILED_PRECONDITION.
	Attach        bool  `protobuf:"varint,8,opt,name=attach,proto3" json:"attach,omitempty"`
	Seen          int64 `protobuf:"varint,9,opt,name=seen,proto3" json:"seen,omitempty"`
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *RunRequest) Reset() {
	*x = RunRequest{}
	mi := &file_solver_proto_msgTypes[6]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *RunRequest) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*RunRequest) ProtoMessage() {}

func (x *RunRequest) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[6]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use RunRequest.ProtoReflect.Descriptor instead.
func (*RunRequest) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{6}
}

func (x *RunRequest) GetStudy() string {
	if x != nil {
		return x.Study
	}
	return ""
}

func (x *RunRequest) GetRun() string {
	if x != nil {
		return x.Run
	}
	return ""
}

func (x *RunRequest) GetFolder() string {
	if x != nil {
		return x.Folder
	}
	return ""
}

func (x *RunRequest) GetValues() *Values {
	if x != nil {
		return x.Values
	}
	return nil
}

func (x *RunRequest) GetCommands() []string {
	if x != nil {
		return x.Commands
	}
	return nil
}

func (x *RunRequest) GetRules() string {
	if x != nil {
		return x.Rules
	}
	return ""
}

func (x *RunRequest) GetAttach() bool {
	if x != nil {
		return x.Attach
	}
	return false
}

func (x *RunRequest) GetSeen() int64 {
	if x != nil {
		return x.Seen
	}
	return 0
}

type RunReply struct {
	state protoimpl.MessageState `protogen:"open.v1"`
	// Types that are valid to be assigned to Reply:
	//
	//	*RunReply_Event
	//	*RunReply_Outcome
	Reply         isRunReply_Reply `protobuf_oneof:"reply"`
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *RunReply) Reset() {
	*x = RunReply{}
	mi := &file_solver_proto_msgTypes[7]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *RunReply) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*RunReply) ProtoMessage() {}

func (x *RunReply) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[7]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use RunReply.ProtoReflect.Descriptor instead.
func (*RunReply) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{7}
}

func (x *RunReply) GetReply() isRunReply_Reply {
	if x != nil {
		return x.Reply
	}
	return nil
}

func (x *RunReply) GetEvent() *proto.Event {
	if x != nil {
		if x, ok := x.Reply.(*RunReply_Event); ok {
			return x.Event
		}
	}
	return nil
}

func (x *RunReply) GetOutcome() *Outcome {
	if x != nil {
		if x, ok := x.Reply.(*RunReply_Outcome); ok {
			return x.Outcome
		}
	}
	return nil
}

type isRunReply_Reply interface {
	isRunReply_Reply()
}

type RunReply_Event struct {
	Event *proto.Event `protobuf:"bytes,1,opt,name=event,proto3,oneof"` // the host adds study and run
}

type RunReply_Outcome struct {
	Outcome *Outcome `protobuf:"bytes,2,opt,name=outcome,proto3,oneof"`
}

func (*RunReply_Event) isRunReply_Reply() {}

func (*RunReply_Outcome) isRunReply_Reply() {}

// Outcome is how a run ended.
type Outcome struct {
	state protoimpl.MessageState `protogen:"open.v1"`
	// One of converged, not_converged, diverged, unphysical, stalled; crashed if the
	// solver could not even begin; killed if it was stopped on request.
	Class   string  `protobuf:"bytes,1,opt,name=class,proto3" json:"class,omitempty"`
	Message string  `protobuf:"bytes,2,opt,name=message,proto3" json:"message,omitempty"` // why, for people
	Values  *Values `protobuf:"bytes,3,opt,name=values,proto3" json:"values,omitempty"`   // what the Description's outputs promise; may be empty unless converged
	// The run failed for the machine's sake, as for a full disk: others would, too. The study ends, and the run is
	// not tried once more.
	MachineFault  bool `protobuf:"varint,4,opt,name=machine_fault,json=machineFault,proto3" json:"machine_fault,omitempty"`
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *Outcome) Reset() {
	*x = Outcome{}
	mi := &file_solver_proto_msgTypes[8]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *Outcome) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*Outcome) ProtoMessage() {}

func (x *Outcome) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[8]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use Outcome.ProtoReflect.Descriptor instead.
func (*Outcome) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{8}
}

func (x *Outcome) GetClass() string {
	if x != nil {
		return x.Class
	}
	return ""
}

func (x *Outcome) GetMessage() string {
	if x != nil {
		return x.Message
	}
	return ""
}

func (x *Outcome) GetValues() *Values {
	if x != nil {
		return x.Values
	}
	return nil
}

func (x *Outcome) GetMachineFault() bool {
	if x != nil {
		return x.MachineFault
	}
	return false
}

type ObjectsRequest struct {
	state         protoimpl.MessageState `protogen:"open.v1"`
	Run           string                 `protobuf:"bytes,1,opt,name=run,proto3" json:"run,omitempty"`                                         // empty: whichever goes on
	EverySeconds  float64                `protobuf:"fixed64,2,opt,name=every_seconds,json=everySeconds,proto3" json:"every_seconds,omitempty"` // so often the values are looked at, at the run's next safe point; 0: as others do
	Watch         []string               `protobuf:"bytes,3,rep,name=watch,proto3" json:"watch,omitempty"`                                     // with every_seconds: only those of these objects; empty: of all
	Brief         bool                   `protobuf:"varint,4,opt,name=brief,proto3" json:"brief,omitempty"`                                    // objects that this call has had, and of which only a number is another, may come as changed
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *ObjectsRequest) Reset() {
	*x = ObjectsRequest{}
	mi := &file_solver_proto_msgTypes[9]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *ObjectsRequest) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*ObjectsRequest) ProtoMessage() {}

func (x *ObjectsRequest) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[9]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use ObjectsRequest.ProtoReflect.Descriptor instead.
func (*ObjectsRequest) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{9}
}

func (x *ObjectsRequest) GetRun() string {
	if x != nil {
		return x.Run
	}
	return ""
}

func (x *ObjectsRequest) GetEverySeconds() float64 {
	if x != nil {
		return x.EverySeconds
	}
	return 0
}

func (x *ObjectsRequest) GetWatch() []string {
	if x != nil {
		return x.Watch
	}
	return nil
}

func (x *ObjectsRequest) GetBrief() bool {
	if x != nil {
		return x.Brief
	}
	return false
}

type ObjectsUpdate struct {
	state         protoimpl.MessageState `protogen:"open.v1"`
	Version       int64                  `protobuf:"varint,1,opt,name=version,proto3" json:"version,omitempty"`        // counts the changes of the run's objects
	Objects       []*Object              `protobuf:"bytes,2,rep,name=objects,proto3" json:"objects,omitempty"`         // that are new or have changed
	Gone          []int64                `protobuf:"varint,3,rep,packed,name=gone,proto3" json:"gone,omitempty"`       // numbers of objects that are there no more
	Lost          int64                  `protobuf:"varint,4,opt,name=lost,proto3" json:"lost,omitempty"`              // changes that this call was not told of, since later ones made them void; in all
	More          bool                   `protobuf:"varint,5,opt,name=more,proto3" json:"more,omitempty"`              // the next message belongs to the same change
	Changed       []int64                `protobuf:"varint,6,rep,packed,name=changed,proto3" json:"changed,omitempty"` // brief: numbers of objects of which this call has all but the value
	To            []float64              `protobuf:"fixed64,7,rep,packed,name=to,proto3" json:"to,omitempty"`          // brief: the value of each
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *ObjectsUpdate) Reset() {
	*x = ObjectsUpdate{}
	mi := &file_solver_proto_msgTypes[10]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *ObjectsUpdate) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*ObjectsUpdate) ProtoMessage() {}

func (x *ObjectsUpdate) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[10]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use ObjectsUpdate.ProtoReflect.Descriptor instead.
func (*ObjectsUpdate) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{10}
}

func (x *ObjectsUpdate) GetVersion() int64 {
	if x != nil {
		return x.Version
	}
	return 0
}

func (x *ObjectsUpdate) GetObjects() []*Object {
	if x != nil {
		return x.Objects
	}
	return nil
}

func (x *ObjectsUpdate) GetGone() []int64 {
	if x != nil {
		return x.Gone
	}
	return nil
}

func (x *ObjectsUpdate) GetLost() int64 {
	if x != nil {
		return x.Lost
	}
	return 0
}

func (x *ObjectsUpdate) GetMore() bool {
	if x != nil {
		return x.More
	}
	return false
}

func (x *ObjectsUpdate) GetChanged() []int64 {
	if x != nil {
		return x.Changed
	}
	return nil
}

func (x *ObjectsUpdate) GetTo() []float64 {
	if x != nil {
		return x.To
	}
	return nil
}

// Object is something of a solver that may be seen or changed.
type Object struct {
	state         protoimpl.MessageState `protogen:"open.v1"`
	Number        int64                  `protobuf:"varint,1,opt,name=number,proto3" json:"number,omitempty"`      // never used again
	Name          string                 `protobuf:"bytes,2,opt,name=name,proto3" json:"name,omitempty"`           // letters, digits and _, in parts with dots between
	Type          string                 `protobuf:"bytes,3,opt,name=type,proto3" json:"type,omitempty"`           // bool, int, float, text, array (of floats) or struct; of a function that of its argument, empty: it has none
	Shape         []int32                `protobuf:"varint,4,rep,packed,name=shape,proto3" json:"shape,omitempty"` // of an array
	Fields        []*Part                `protobuf:"bytes,5,rep,name=fields,proto3" json:"fields,omitempty"`       // of a struct
	Unit          string                 `protobuf:"bytes,6,opt,name=unit,proto3" json:"unit,omitempty"`           // symbol; values are in SI, speeds in rpm
	Doc           string                 `protobuf:"bytes,7,opt,name=doc,proto3" json:"doc,omitempty"`             // one sentence
	Min           *float64               `protobuf:"fixed64,8,opt,name=min,proto3,oneof" json:"min,omitempty"`     // bounds, inclusive, of a number and of each entry of an array
	Max           *float64               `protobuf:"fixed64,9,opt,name=max,proto3,oneof" json:"max,omitempty"`
	Effect        string                 `protobuf:"bytes,10,opt,name=effect,proto3" json:"effect,omitempty"`         // of a change: numerics (the way to the answer), answer (what is computed) or monitor
	Operations    []string               `protobuf:"bytes,11,rep,name=operations,proto3" json:"operations,omitempty"` // sense, read, write, actuate, call
	Setting       string                 `protobuf:"bytes,12,opt,name=setting,proto3" json:"setting,omitempty"`       // whose value it has when the run begins: a setting or an input; empty: none
	Value         string                 `protobuf:"bytes,13,opt,name=value,proto3" json:"value,omitempty"`           // JSON, as it was when somebody last looked; empty: nobody knows
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *Object) Reset() {
	*x = Object{}
	mi := &file_solver_proto_msgTypes[11]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *Object) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*Object) ProtoMessage() {}

func (x *Object) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[11]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use Object.ProtoReflect.Descriptor instead.
func (*Object) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{11}
}

func (x *Object) GetNumber() int64 {
	if x != nil {
		return x.Number
	}
	return 0
}

func (x *Object) GetName() string {
	if x != nil {
		return x.Name
	}
	return ""
}

func (x *Object) GetType() string {
	if x != nil {
		return x.Type
	}
	return ""
}

func (x *Object) GetShape() []int32 {
	if x != nil {
		return x.Shape
	}
	return nil
}

func (x *Object) GetFields() []*Part {
	if x != nil {
		return x.Fields
	}
	return nil
}

func (x *Object) GetUnit() string {
	if x != nil {
		return x.Unit
	}
	return ""
}

func (x *Object) GetDoc() string {
	if x != nil {
		return x.Doc
	}
	return ""
}

func (x *Object) GetMin() float64 {
	if x != nil && x.Min != nil {
		return *x.Min
	}
	return 0
}

func (x *Object) GetMax() float64 {
	if x != nil && x.Max != nil {
		return *x.Max
	}
	return 0
}

func (x *Object) GetEffect() string {
	if x != nil {
		return x.Effect
	}
	return ""
}

func (x *Object) GetOperations() []string {
	if x != nil {
		return x.Operations
	}
	return nil
}

func (x *Object) GetSetting() string {
	if x != nil {
		return x.Setting
	}
	return ""
}

func (x *Object) GetValue() string {
	if x != nil {
		return x.Value
	}
	return ""
}

// Part is a field of a struct.
type Part struct {
	state         protoimpl.MessageState `protogen:"open.v1"`
	Name          string                 `protobuf:"bytes,1,opt,name=name,proto3" json:"name,omitempty"`
	Type          string                 `protobuf:"bytes,2,opt,name=type,proto3" json:"type,omitempty"`
	Unit          string                 `protobuf:"bytes,3,opt,name=unit,proto3" json:"unit,omitempty"`
	Min           *float64               `protobuf:"fixed64,4,opt,name=min,proto3,oneof" json:"min,omitempty"`
	Max           *float64               `protobuf:"fixed64,5,opt,name=max,proto3,oneof" json:"max,omitempty"`
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *Part) Reset() {
	*x = Part{}
	mi := &file_solver_proto_msgTypes[12]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *Part) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*Part) ProtoMessage() {}

func (x *Part) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[12]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use Part.ProtoReflect.Descriptor instead.
func (*Part) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{12}
}

func (x *Part) GetName() string {
	if x != nil {
		return x.Name
	}
	return ""
}

func (x *Part) GetType() string {
	if x != nil {
		return x.Type
	}
	return ""
}

func (x *Part) GetUnit() string {
	if x != nil {
		return x.Unit
	}
	return ""
}

func (x *Part) GetMin() float64 {
	if x != nil && x.Min != nil {
		return *x.Min
	}
	return 0
}

func (x *Part) GetMax() float64 {
	if x != nil && x.Max != nil {
		return *x.Max
	}
	return 0
}

type SteerRequest struct {
	state         protoimpl.MessageState `protogen:"open.v1"`
	Run           string                 `protobuf:"bytes,1,opt,name=run,proto3" json:"run,omitempty"`         // that the command is for; empty: whichever goes on
	Command       string                 `protobuf:"bytes,2,opt,name=command,proto3" json:"command,omitempty"` // JSON
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *SteerRequest) Reset() {
	*x = SteerRequest{}
	mi := &file_solver_proto_msgTypes[13]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *SteerRequest) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*SteerRequest) ProtoMessage() {}

func (x *SteerRequest) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[13]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use SteerRequest.ProtoReflect.Descriptor instead.
func (*SteerRequest) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{13}
}

func (x *SteerRequest) GetRun() string {
	if x != nil {
		return x.Run
	}
	return ""
}

func (x *SteerRequest) GetCommand() string {
	if x != nil {
		return x.Command
	}
	return ""
}

type SteerReply struct {
	state         protoimpl.MessageState `protogen:"open.v1"`
	Receipt       string                 `protobuf:"bytes,1,opt,name=receipt,proto3" json:"receipt,omitempty"` // JSON
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *SteerReply) Reset() {
	*x = SteerReply{}
	mi := &file_solver_proto_msgTypes[14]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *SteerReply) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*SteerReply) ProtoMessage() {}

func (x *SteerReply) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[14]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use SteerReply.ProtoReflect.Descriptor instead.
func (*SteerReply) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{14}
}

func (x *SteerReply) GetReceipt() string {
	if x != nil {
		return x.Receipt
	}
	return ""
}

type LeaseRequest struct {
	state         protoimpl.MessageState `protogen:"open.v1"`
	Finish        bool                   `protobuf:"varint,1,opt,name=finish,proto3" json:"finish,omitempty"`
	GraceSeconds  float64                `protobuf:"fixed64,2,opt,name=grace_seconds,json=graceSeconds,proto3" json:"grace_seconds,omitempty"` // 0: 10 s
	WaitSeconds   float64                `protobuf:"fixed64,3,opt,name=wait_seconds,json=waitSeconds,proto3" json:"wait_seconds,omitempty"`
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *LeaseRequest) Reset() {
	*x = LeaseRequest{}
	mi := &file_solver_proto_msgTypes[15]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *LeaseRequest) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*LeaseRequest) ProtoMessage() {}

func (x *LeaseRequest) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[15]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use LeaseRequest.ProtoReflect.Descriptor instead.
func (*LeaseRequest) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{15}
}

func (x *LeaseRequest) GetFinish() bool {
	if x != nil {
		return x.Finish
	}
	return false
}

func (x *LeaseRequest) GetGraceSeconds() float64 {
	if x != nil {
		return x.GraceSeconds
	}
	return 0
}

func (x *LeaseRequest) GetWaitSeconds() float64 {
	if x != nil {
		return x.WaitSeconds
	}
	return 0
}

type LeaseReply struct {
	state         protoimpl.MessageState `protogen:"open.v1"`
	Pid           int64                  `protobuf:"varint,1,opt,name=pid,proto3" json:"pid,omitempty"`
	unknownFields protoimpl.UnknownFields
	sizeCache     protoimpl.SizeCache
}

func (x *LeaseReply) Reset() {
	*x = LeaseReply{}
	mi := &file_solver_proto_msgTypes[16]
	ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
	ms.StoreMessageInfo(mi)
}

func (x *LeaseReply) String() string {
	return protoimpl.X.MessageStringOf(x)
}

func (*LeaseReply) ProtoMessage() {}

func (x *LeaseReply) ProtoReflect() protoreflect.Message {
	mi := &file_solver_proto_msgTypes[16]
	if x != nil {
		ms := protoimpl.X.MessageStateOf(protoimpl.Pointer(x))
		if ms.LoadMessageInfo() == nil {
			ms.StoreMessageInfo(mi)
		}
		return ms
	}
	return mi.MessageOf(x)
}

// Deprecated: Use LeaseReply.ProtoReflect.Descriptor instead.
func (*LeaseReply) Descriptor() ([]byte, []int) {
	return file_solver_proto_rawDescGZIP(), []int{16}
}

func (x *LeaseReply) GetPid() int64 {
	if x != nil {
		return x.Pid
	}
	return 0
}

var File_solver_proto protoreflect.FileDescriptor

const file_solver_proto_rawDesc = "" +
	"\n" +
	"\fsolver.proto\x12\x13peregrine.solver.v2\x1a\vevent.proto\"\x11\n" +
	"\x0fDescribeRequest\"\x90\x04\n" +
	"\vDescription\x12\x12\n" +
	"\x04name\x18\x01 \x01(\tR\x04name\x12\x18\n" +
	"\aversion\x18\x02 \x01(\tR\aversion\x12\x1a\n" +
	"\bfidelity\x18\x03 \x01(\tR\bfidelity\x125\n" +
	"\x06inputs\x18\x04 \x03(\v2\x1d.peregrine.solver.v2.QuantityR\x06inputs\x127\n" +
	"\aoutputs\x18\x05 \x03(\v2\x1d.peregrine.solver.v2.QuantityR\aoutputs\x129\n" +
	"\bsettings\x18\x06 \x03(\v2\x1d.peregrine.solver.v2.QuantityR\bsettings\x12\x1a\n" +
	"\bcontrols\x18\a \x03(\tR\bcontrols\x12/\n" +
	"\x05files\x18\b \x03(\v2\x19.peregrine.solver.v2.FileR\x05files\x12\x16\n" +
	"\x06pauses\x18\t \x01(\bR\x06pauses\x12 \n" +
	"\vcheckpoints\x18\n" +
	" \x01(\bR\vcheckpoints\x12\x1f\n" +
	"\vwhole_state\x18\v \x01(\bR\n" +
	"wholeState\x12\x1a\n" +
	"\breusable\x18\f \x01(\bR\breusable\x12\x16\n" +
	"\x06steers\x18\r \x01(\bR\x06steers\x12\x18\n" +
	"\asensors\x18\x0e \x03(\tR\asensors\x12\x16\n" +
	"\x06judges\x18\x0f \x01(\bR\x06judges\"\xeb\x02\n" +
	"\bQuantity\x12\x12\n" +
	"\x04name\x18\x01 \x01(\tR\x04name\x12\x12\n" +
	"\x04unit\x18\x02 \x01(\tR\x04unit\x12\x10\n" +
	"\x03dim\x18\x03 \x01(\tR\x03dim\x120\n" +
	"\x05shape\x18\x04 \x01(\x0e2\x1a.peregrine.solver.v2.ShapeR\x05shape\x12\x1a\n" +
	"\brequired\x18\x05 \x01(\bR\brequired\x12\x1d\n" +
	"\adefault\x18\x06 \x01(\x01H\x00R\adefault\x88\x01\x01\x12\x15\n" +
	"\x03min\x18\a \x01(\x01H\x01R\x03min\x88\x01\x01\x12\x15\n" +
	"\x03max\x18\b \x01(\x01H\x02R\x03max\x88\x01\x01\x12\x10\n" +
	"\x03doc\x18\t \x01(\tR\x03doc\x12\x1e\n" +
	"\vin_place_of\x18\n" +
	" \x01(\tR\tinPlaceOf\x12\x1b\n" +
	"\x06coarse\x18\v \x01(\x01H\x03R\x06coarse\x88\x01\x01\x12\x14\n" +
	"\x05words\x18\f \x03(\tR\x05wordsB\n" +
	"\n" +
	"\b_defaultB\x06\n" +
	"\x04_minB\x06\n" +
	"\x04_maxB\t\n" +
	"\a_coarse\"\xe2\x05\n" +
	"\x04File\x12\x18\n" +
	"\apattern\x18\x01 \x01(\tR\apattern\x12\x16\n" +
	"\x06format\x18\x02 \x01(\tR\x06format\x12\x18\n" +
	"\acolumns\x18\x03 \x03(\tR\acolumns\x12\x10\n" +
	"\x03key\x18\x04 \x01(\tR\x03key\x128\n" +
	"\bpatterns\x18\x05 \x03(\v2\x1c.peregrine.solver.v2.PatternR\bpatterns\x12=\n" +
	"\x06rename\x18\x06 \x03(\v2%.peregrine.solver.v2.File.RenameEntryR\x06rename\x12:\n" +
	"\x05scale\x18\a \x03(\v2$.peregrine.solver.v2.File.ScaleEntryR\x05scale\x12\x10\n" +
	"\x03doc\x18\b \x01(\tR\x03doc\x12\x12\n" +
	"\x04keys\x18\t \x03(\tR\x04keys\x12\x14\n" +
	"\x05boxed\x18\n" +
	" \x01(\bR\x05boxed\x12\x14\n" +
	"\x05prose\x18\v \x01(\bR\x05prose\x12=\n" +
	"\x06widths\x18\f \x03(\v2%.peregrine.solver.v2.File.WidthsEntryR\x06widths\x12\x18\n" +
	"\aunnamed\x18\r \x01(\bR\aunnamed\x12\x12\n" +
	"\x04drop\x18\x0e \x03(\tR\x04drop\x12\x14\n" +
	"\x05units\x18\x0f \x01(\bR\x05units\x12\x14\n" +
	"\x05guess\x18\x10 \x01(\bR\x05guess\x12\x14\n" +
	"\x05log10\x18\x11 \x03(\tR\x05log10\x12\x16\n" +
	"\x06prefix\x18\x12 \x01(\tR\x06prefix\x1a9\n" +
	"\vRenameEntry\x12\x10\n" +
	"\x03key\x18\x01 \x01(\tR\x03key\x12\x14\n" +
	"\x05value\x18\x02 \x01(\tR\x05value:\x028\x01\x1a8\n" +
	"\n" +
	"ScaleEntry\x12\x10\n" +
	"\x03key\x18\x01 \x01(\tR\x03key\x12\x14\n" +
	"\x05value\x18\x02 \x01(\x01R\x05value:\x028\x01\x1a9\n" +
	"\vWidthsEntry\x12\x10\n" +
	"\x03key\x18\x01 \x01(\tR\x03key\x12\x14\n" +
	"\x05value\x18\x02 \x01(\x05R\x05value:\x028\x01\"\xa1\x01\n" +
	"\aPattern\x12\x16\n" +
	"\x06regexp\x18\x01 \x01(\tR\x06regexp\x12\x16\n" +
	"\x06begins\x18\x02 \x01(\bR\x06begins\x12\x12\n" +
	"\x04kind\x18\x03 \x01(\tR\x04kind\x12\x12\n" +
	"\x04line\x18\x04 \x01(\tR\x04line\x12\x16\n" +
	"\x06status\x18\x05 \x01(\tR\x06status\x12\x12\n" +
	"\x04ends\x18\x06 \x01(\bR\x04ends\x12\x12\n" +
	"\x04next\x18\a \x01(\bR\x04next\"\x97\x03\n" +
	"\x06Values\x12B\n" +
	"\anumbers\x18\x01 \x03(\v2(.peregrine.solver.v2.Values.NumbersEntryR\anumbers\x12?\n" +
	"\x06arrays\x18\x02 \x03(\v2'.peregrine.solver.v2.Values.ArraysEntryR\x06arrays\x12<\n" +
	"\x05texts\x18\x03 \x03(\v2&.peregrine.solver.v2.Values.TextsEntryR\x05texts\x1a:\n" +
	"\fNumbersEntry\x12\x10\n" +
	"\x03key\x18\x01 \x01(\tR\x03key\x12\x14\n" +
	"\x05value\x18\x02 \x01(\x01R\x05value:\x028\x01\x1aT\n" +
	"\vArraysEntry\x12\x10\n" +
	"\x03key\x18\x01 \x01(\tR\x03key\x12/\n" +
	"\x05value\x18\x02 \x01(\v2\x19.peregrine.event.v1.ArrayR\x05value:\x028\x01\x1a8\n" +
	"\n" +
	"TextsEntry\x12\x10\n" +
	"\x03key\x18\x01 \x01(\tR\x03key\x12\x14\n" +
	"\x05value\x18\x02 \x01(\tR\x05value:\x028\x01\"\xe5\x01\n" +
	"\n" +
	"RunRequest\x12\x14\n" +
	"\x05study\x18\x01 \x01(\tR\x05study\x12\x10\n" +
	"\x03run\x18\x02 \x01(\tR\x03run\x12\x16\n" +
	"\x06folder\x18\x03 \x01(\tR\x06folder\x123\n" +
	"\x06values\x18\x04 \x01(\v2\x1b.peregrine.solver.v2.ValuesR\x06values\x12\x1a\n" +
	"\bcommands\x18\a \x03(\tR\bcommands\x12\x14\n" +
	"\x05rules\x18\x06 \x01(\tR\x05rules\x12\x16\n" +
	"\x06attach\x18\b \x01(\bR\x06attach\x12\x12\n" +
	"\x04seen\x18\t \x01(\x03R\x04seenJ\x04\b\x05\x10\x06\"\x80\x01\n" +
	"\bRunReply\x121\n" +
	"\x05event\x18\x01 \x01(\v2\x19.peregrine.event.v1.EventH\x00R\x05event\x128\n" +
	"\aoutcome\x18\x02 \x01(\v2\x1c.peregrine.solver.v2.OutcomeH\x00R\aoutcomeB\a\n" +
	"\x05reply\"\x93\x01\n" +
	"\aOutcome\x12\x14\n" +
	"\x05class\x18\x01 \x01(\tR\x05class\x12\x18\n" +
	"\amessage\x18\x02 \x01(\tR\amessage\x123\n" +
	"\x06values\x18\x03 \x01(\v2\x1b.peregrine.solver.v2.ValuesR\x06values\x12#\n" +
	"\rmachine_fault\x18\x04 \x01(\bR\fmachineFault\"s\n" +
	"\x0eObjectsRequest\x12\x10\n" +
	"\x03run\x18\x01 \x01(\tR\x03run\x12#\n" +
	"\revery_seconds\x18\x02 \x01(\x01R\feverySeconds\x12\x14\n" +
	"\x05watch\x18\x03 \x03(\tR\x05watch\x12\x14\n" +
	"\x05brief\x18\x04 \x01(\bR\x05brief\"\xc6\x01\n" +
	"\rObjectsUpdate\x12\x18\n" +
	"\aversion\x18\x01 \x01(\x03R\aversion\x125\n" +
	"\aobjects\x18\x02 \x03(\v2\x1b.peregrine.solver.v2.ObjectR\aobjects\x12\x12\n" +
	"\x04gone\x18\x03 \x03(\x03R\x04gone\x12\x12\n" +
	"\x04lost\x18\x04 \x01(\x03R\x04lost\x12\x12\n" +
	"\x04more\x18\x05 \x01(\bR\x04more\x12\x18\n" +
	"\achanged\x18\x06 \x03(\x03R\achanged\x12\x0e\n" +
	"\x02to\x18\a \x03(\x01R\x02to\"\xdd\x02\n" +
	"\x06Object\x12\x16\n" +
	"\x06number\x18\x01 \x01(\x03R\x06number\x12\x12\n" +
	"\x04name\x18\x02 \x01(\tR\x04name\x12\x12\n" +
	"\x04type\x18\x03 \x01(\tR\x04type\x12\x14\n" +
	"\x05shape\x18\x04 \x03(\x05R\x05shape\x121\n" +
	"\x06fields\x18\x05 \x03(\v2\x19.peregrine.solver.v2.PartR\x06fields\x12\x12\n" +
	"\x04unit\x18\x06 \x01(\tR\x04unit\x12\x10\n" +
	"\x03doc\x18\a \x01(\tR\x03doc\x12\x15\n" +
	"\x03min\x18\b \x01(\x01H\x00R\x03min\x88\x01\x01\x12\x15\n" +
	"\x03max\x18\t \x01(\x01H\x01R\x03max\x88\x01\x01\x12\x16\n" +
	"\x06effect\x18\n" +
	" \x01(\tR\x06effect\x12\x1e\n" +
	"\n" +
	"operations\x18\v \x03(\tR\n" +
	"operations\x12\x18\n" +
	"\asetting\x18\f \x01(\tR\asetting\x12\x14\n" +
	"\x05value\x18\r \x01(\tR\x05valueB\x06\n" +
	"\x04_minB\x06\n" +
	"\x04_max\"\x80\x01\n" +
	"\x04Part\x12\x12\n" +
	"\x04name\x18\x01 \x01(\tR\x04name\x12\x12\n" +
	"\x04type\x18\x02 \x01(\tR\x04type\x12\x12\n" +
	"\x04unit\x18\x03 \x01(\tR\x04unit\x12\x15\n" +
	"\x03min\x18\x04 \x01(\x01H\x00R\x03min\x88\x01\x01\x12\x15\n" +
	"\x03max\x18\x05 \x01(\x01H\x01R\x03max\x88\x01\x01B\x06\n" +
	"\x04_minB\x06\n" +
	"\x04_max\":\n" +
	"\fSteerRequest\x12\x10\n" +
	"\x03run\x18\x01 \x01(\tR\x03run\x12\x18\n" +
	"\acommand\x18\x02 \x01(\tR\acommand\"&\n" +
	"\n" +
	"SteerReply\x12\x18\n" +
	"\areceipt\x18\x01 \x01(\tR\areceipt\"n\n" +
	"\fLeaseRequest\x12\x16\n" +
	"\x06finish\x18\x01 \x01(\bR\x06finish\x12#\n" +
	"\rgrace_seconds\x18\x02 \x01(\x01R\fgraceSeconds\x12!\n" +
	"\fwait_seconds\x18\x03 \x01(\x01R\vwaitSeconds\"\x1e\n" +
	"\n" +
	"LeaseReply\x12\x10\n" +
	"\x03pid\x18\x01 \x01(\x03R\x03pid*K\n" +
	"\x05Shape\x12\x15\n" +
	"\x11SHAPE_UNSPECIFIED\x10\x00\x12\n" +
	"\n" +
	"\x06SCALAR\x10\x01\x12\v\n" +
	"\aPROFILE\x10\x02\x12\b\n" +
	"\x04TEXT\x10\x03\x12\b\n" +
	"\x04FILE\x10\x042\x99\x03\n" +
	"\x06Solver\x12R\n" +
	"\bDescribe\x12$.peregrine.solver.v2.DescribeRequest\x1a .peregrine.solver.v2.Description\x12G\n" +
	"\x03Run\x12\x1f.peregrine.solver.v2.RunRequest\x1a\x1d.peregrine.solver.v2.RunReply0\x01\x12M\n" +
	"\x05Lease\x12!.peregrine.solver.v2.LeaseRequest\x1a\x1f.peregrine.solver.v2.LeaseReply0\x01\x12T\n" +
	"\aObjects\x12#.peregrine.solver.v2.ObjectsRequest\x1a\".peregrine.solver.v2.ObjectsUpdate0\x01\x12M\n" +
	"\x05Steer\x12!.peregrine.solver.v2.SteerRequest\x1a\x1f.peregrine.solver.v2.SteerReply0\x01B6Z4github.com/peregrine-sim/peregrine/zoom/plugin/protoP\x00b\x06proto3"

var (
	file_solver_proto_rawDescOnce sync.Once
	file_solver_proto_rawDescData []byte
)

func file_solver_proto_rawDescGZIP() []byte {
	file_solver_proto_rawDescOnce.Do(func() {
		file_solver_proto_rawDescData = protoimpl.X.CompressGZIP(unsafe.Slice(unsafe.StringData(file_solver_proto_rawDesc), len(file_solver_proto_rawDesc)))
	})
	return file_solver_proto_rawDescData
}

var file_solver_proto_enumTypes = make([]protoimpl.EnumInfo, 1)
var file_solver_proto_msgTypes = make([]protoimpl.MessageInfo, 23)
var file_solver_proto_goTypes = []any{
	(Shape)(0),              // 0: peregrine.solver.v2.Shape
	(*DescribeRequest)(nil), // 1: peregrine.solver.v2.DescribeRequest
	(*Description)(nil),     // 2: peregrine.solver.v2.Description
	(*Quantity)(nil),        // 3: peregrine.solver.v2.Quantity
	(*File)(nil),            // 4: peregrine.solver.v2.File
	(*Pattern)(nil),         // 5: peregrine.solver.v2.Pattern
	(*Values)(nil),          // 6: peregrine.solver.v2.Values
	(*RunRequest)(nil),      // 7: peregrine.solver.v2.RunRequest
	(*RunReply)(nil),        // 8: peregrine.solver.v2.RunReply
	(*Outcome)(nil),         // 9: peregrine.solver.v2.Outcome
	(*ObjectsRequest)(nil),  // 10: peregrine.solver.v2.ObjectsRequest
	(*ObjectsUpdate)(nil),   // 11: peregrine.solver.v2.ObjectsUpdate
	(*Object)(nil),          // 12: peregrine.solver.v2.Object
	(*Part)(nil),            // 13: peregrine.solver.v2.Part
	(*SteerRequest)(nil),    // 14: peregrine.solver.v2.SteerRequest
	(*SteerReply)(nil),      // 15: peregrine.solver.v2.SteerReply
	(*LeaseRequest)(nil),    // 16: peregrine.solver.v2.LeaseRequest
	(*LeaseReply)(nil),      // 17: peregrine.solver.v2.LeaseReply
	nil,                     // 18: peregrine.solver.v2.File.RenameEntry
	nil,                     // 19: peregrine.solver.v2.File.ScaleEntry
	nil,                     // 20: peregrine.solver.v2.File.WidthsEntry
	nil,                     // 21: peregrine.solver.v2.Values.NumbersEntry
	nil,                     // 22: peregrine.solver.v2.Values.ArraysEntry
	nil,                     // 23: peregrine.solver.v2.Values.TextsEntry
	(*proto.Event)(nil),     // 24: peregrine.event.v1.Event
	(*proto.Array)(nil),     // 25: peregrine.event.v1.Array
}
var file_solver_proto_depIdxs = []int32{
	3,  // 0: peregrine.solver.v2.Description.inputs:type_name -> peregrine.solver.v2.Quantity
	3,  // 1: peregrine.solver.v2.Description.outputs:type_name -> peregrine.solver.v2.Quantity
	3,  // 2: peregrine.solver.v2.Description.settings:type_name -> peregrine.solver.v2.Quantity
	4,  // 3: peregrine.solver.v2.Description.files:type_name -> peregrine.solver.v2.File
	0,  // 4: peregrine.solver.v2.Quantity.shape:type_name -> peregrine.solver.v2.Shape
	5,  // 5: peregrine.solver.v2.File.patterns:type_name -> peregrine.solver.v2.Pattern
	18, // 6: peregrine.solver.v2.File.rename:type_name -> peregrine.solver.v2.File.RenameEntry
	19, // 7: peregrine.solver.v2.File.scale:type_name -> peregrine.solver.v2.File.ScaleEntry
	20, // 8: peregrine.solver.v2.File.widths:type_name -> peregrine.solver.v2.File.WidthsEntry
	21, // 9: peregrine.solver.v2.Values.numbers:type_name -> peregrine.solver.v2.Values.NumbersEntry
	22, // 10: peregrine.solver.v2.Values.arrays:type_name -> peregrine.solver.v2.Values.ArraysEntry
	23, // 11: peregrine.solver.v2.Values.texts:type_name -> peregrine.solver.v2.Values.TextsEntry
	6,  // 12: peregrine.solver.v2.RunRequest.values:type_name -> peregrine.solver.v2.Values
	24, // 13: peregrine.solver.v2.RunReply.event:type_name -> peregrine.event.v1.Event
	9,  // 14: peregrine.solver.v2.RunReply.outcome:type_name -> peregrine.solver.v2.Outcome
	6,  // 15: peregrine.solver.v2.Outcome.values:type_name -> peregrine.solver.v2.Values
	12, // 16: peregrine.solver.v2.ObjectsUpdate.objects:type_name -> peregrine.solver.v2.Object
	13, // 17: peregrine.solver.v2.Object.fields:type_name -> peregrine.solver.v2.Part
	25, // 18: peregrine.solver.v2.Values.ArraysEntry.value:type_name -> peregrine.event.v1.Array
	1,  // 19: peregrine.solver.v2.Solver.Describe:input_type -> peregrine.solver.v2.DescribeRequest
	7,  // 20: peregrine.solver.v2.Solver.Run:input_type -> peregrine.solver.v2.RunRequest
	16, // 21: peregrine.solver.v2.Solver.Lease:input_type -> peregrine.solver.v2.LeaseRequest
	10, // 22: peregrine.solver.v2.Solver.Objects:input_type -> peregrine.solver.v2.ObjectsRequest
	14, // 23: peregrine.solver.v2.Solver.Steer:input_type -> peregrine.solver.v2.SteerRequest
	2,  // 24: peregrine.solver.v2.Solver.Describe:output_type -> peregrine.solver.v2.Description
	8,  // 25: peregrine.solver.v2.Solver.Run:output_type -> peregrine.solver.v2.RunReply
	17, // 26: peregrine.solver.v2.Solver.Lease:output_type -> peregrine.solver.v2.LeaseReply
	11, // 27: peregrine.solver.v2.Solver.Objects:output_type -> peregrine.solver.v2.ObjectsUpdate
	15, // 28: peregrine.solver.v2.Solver.Steer:output_type -> peregrine.solver.v2.SteerReply
	24, // [24:29] is the sub-list for method output_type
	19, // [19:24] is the sub-list for method input_type
	19, // [19:19] is the sub-list for extension type_name
	19, // [19:19] is the sub-list for extension extendee
	0,  // [0:19] is the sub-list for field type_name
}

func init() { file_solver_proto_init() }
func file_solver_proto_init() {
	if File_solver_proto != nil {
		return
	}
	file_solver_proto_msgTypes[2].OneofWrappers = []any{}
	file_solver_proto_msgTypes[7].OneofWrappers = []any{
		(*RunReply_Event)(nil),
		(*RunReply_Outcome)(nil),
	}
	file_solver_proto_msgTypes[11].OneofWrappers = []any{}
	file_solver_proto_msgTypes[12].OneofWrappers = []any{}
	type x struct{}
	out := protoimpl.TypeBuilder{
		File: protoimpl.DescBuilder{
			GoPackagePath: reflect.TypeOf(x{}).PkgPath(),
			RawDescriptor: unsafe.Slice(unsafe.StringData(file_solver_proto_rawDesc), len(file_solver_proto_rawDesc)),
			NumEnums:      1,
			NumMessages:   23,
			NumExtensions: 0,
			NumServices:   1,
		},
		GoTypes:           file_solver_proto_goTypes,
		DependencyIndexes: file_solver_proto_depIdxs,
		EnumInfos:         file_solver_proto_enumTypes,
		MessageInfos:      file_solver_proto_msgTypes,
	}.Build()
	File_solver_proto = out.File
	file_solver_proto_goTypes = nil
	file_solver_proto_depIdxs = nil
}

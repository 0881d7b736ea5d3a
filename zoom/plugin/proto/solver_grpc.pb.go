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

// Code generated by protoc-gen-go-grpc. DO NOT EDIT.
// versions:
// - protoc-gen-go-grpc v1.6.2
// - protoc             v3.21.12
// source: solver.proto

package proto

import (
	context "context"
	grpc "google.golang.org/grpc"
	codes "google.golang.org/grpc/codes"
	status "google.golang.org/grpc/status"
)

// This is a compile-time assertion to ensure that this generated file
// is compatible with the grpc package it is being compiled against.
// Requires gRPC-Go v1.64.0 or later.
const _ = grpc.SupportPackageIsVersion9

const (
	Solver_Describe_FullMethodName = "/peregrine.solver.v2.Solver/Describe"
	Solver_Run_FullMethodName      = "/peregrine.solver.v2.Solver/Run"
	Solver_Lease_FullMethodName    = "/peregrine.solver.v2.Solver/Lease"
	Solver_Objects_FullMethodName  = "/peregrine.solver.v2.Solver/Objects"
	Solver_Steer_FullMethodName    = "/peregrine.solver.v2.Solver/Steer"
)

// SolverClient is the client API for Solver service.
//
// For semantics around ctx use and closing/ending streaming RPCs, please refer to https://pkg.go.dev/google.golang.org/grpc/?tab=doc#ClientConn.NewStream.
type SolverClient interface {
	// Describe says what the solver is, takes and gives. It is called before
	// each run, needs no run folder, and should answer within milliseconds.
	Describe(ctx context.Context, in *DescribeRequest, opts ...grpc.CallOption) (*Description, error)
	// Run computes one operating point. The stream carries any number of events
	// and then exactly one outcome. A reply has at most 4 MiB and, for each output, 8 bytes if
	// it is a scalar, 2 MiB (2^18 values) if it is a profile, else 1 MiB. When the call is cancelled, or a command to stop comes, the
	// solver ends at its next checkpoint and sends what it has.
	Run(ctx context.Context, in *RunRequest, opts ...grpc.CallOption) (grpc.ServerStreamingClient[RunReply], error)
	// Lease ties the plugin to its host: the plugin sends one LeaseReply and
	// then keeps the call open. When the call breaks, the host is gone. Then the plugin
	//   - without a run: ends at once;
	//   - with finish false: stops its run at the next checkpoint, and ends
	//     its process at the latest grace_seconds after the break;
	//   - with finish true: lets the run come to its end, appends further events to
	//     events.jsonl and writes result.json in the run folder, and then ends.
	//
	// With wait_seconds it first lets its run go on for so long, and keeps the run's outcome. Another host that takes the
	// lease meanwhile has the run, by a call of Run with attach.
	// It removes its socket in each case. A plugin that has no lease yet ends within
	// 5 s when its host is gone: when the process that PEREGRINE_PLUGIN_HOST names has
	// ended (its number, the time of its start and its name space, with blanks between), or
	// standard input has, if that is a pipe. Where neither can be seen, on another
	// machine or in another container, it ends 60 s after its start.
	// The host may call Lease again to change the terms; the last call counts.
	Lease(ctx context.Context, in *LeaseRequest, opts ...grpc.CallOption) (grpc.ServerStreamingClient[LeaseReply], error)
	// Objects reports what may be seen and changed in the run that goes on: all objects, then each change, until the run is
	// over. A caller that reads slowly gets the latest state of each object, and how many changes it was spared; it
	// holds up nobody. For a run that does not go on: FAILED_PRECONDITION.
	Objects(ctx context.Context, in *ObjectsRequest, opts ...grpc.CallOption) (grpc.ServerStreamingClient[ObjectsUpdate], error)
	// Steer carries out one command on the run that goes on. The stream holds its receipts: accepted, perhaps armed, then one of a
	// final state; "refused" at once if it cannot be done. Of a solver that steers, each command that comes to a final state is also an event of
	// kind "command" of the run; a stop with `now` is not. For a run that does not go on: FAILED_PRECONDITION.
	Steer(ctx context.Context, in *SteerRequest, opts ...grpc.CallOption) (grpc.ServerStreamingClient[SteerReply], error)
}

type solverClient struct {
	cc grpc.ClientConnInterface
}

func NewSolverClient(cc grpc.ClientConnInterface) SolverClient {
	return &solverClient{cc}
}

func (c *solverClient) Describe(ctx context.Context, in *DescribeRequest, opts ...grpc.CallOption) (*Description, error) {
	cOpts := append([]grpc.CallOption{grpc.StaticMethod()}, opts...)
	out := new(Description)
	err := c.cc.Invoke(ctx, Solver_Describe_FullMethodName, in, out, cOpts...)
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (c *solverClient) Run(ctx context.Context, in *RunRequest, opts ...grpc.CallOption) (grpc.ServerStreamingClient[RunReply], error) {
	cOpts := append([]grpc.CallOption{grpc.StaticMethod()}, opts...)
	stream, err := c.cc.NewStream(ctx, &Solver_ServiceDesc.Streams[0], Solver_Run_FullMethodName, cOpts...)
	if err != nil {
		return nil, err
	}
	x := &grpc.GenericClientStream[RunRequest, RunReply]{ClientStream: stream}
	if err := x.ClientStream.SendMsg(in); err != nil {
		return nil, err
	}
	if err := x.ClientStream.CloseSend(); err != nil {
		return nil, err
	}
	return x, nil
}

// This type alias is provided for backwards compatibility with existing code that references the prior non-generic stream type by name.
type Solver_RunClient = grpc.ServerStreamingClient[RunReply]

func (c *solverClient) Lease(ctx context.Context, in *LeaseRequest, opts ...grpc.CallOption) (grpc.ServerStreamingClient[LeaseReply], error) {
	cOpts := append([]grpc.CallOption{grpc.StaticMethod()}, opts...)
	stream, err := c.cc.NewStream(ctx, &Solver_ServiceDesc.Streams[1], Solver_Lease_FullMethodName, cOpts...)
	if err != nil {
		return nil, err
	}
	x := &grpc.GenericClientStream[LeaseRequest, LeaseReply]{ClientStream: stream}
	if err := x.ClientStream.SendMsg(in); err != nil {
		return nil, err
	}
	if err := x.ClientStream.CloseSend(); err != nil {
		return nil, err
	}
	return x, nil
}

// This type alias is provided for backwards compatibility with existing code that references the prior non-generic stream type by name.
type Solver_LeaseClient = grpc.ServerStreamingClient[LeaseReply]

func (c *solverClient) Objects(ctx context.Context, in *ObjectsRequest, opts ...grpc.CallOption) (grpc.ServerStreamingClient[ObjectsUpdate], error) {
	cOpts := append([]grpc.CallOption{grpc.StaticMethod()}, opts...)
	stream, err := c.cc.NewStream(ctx, &Solver_ServiceDesc.Streams[2], Solver_Objects_FullMethodName, cOpts...)
	if err != nil {
		return nil, err
	}
	x := &grpc.GenericClientStream[ObjectsRequest, ObjectsUpdate]{ClientStream: stream}
	if err := x.ClientStream.SendMsg(in); err != nil {
		return nil, err
	}
	if err := x.ClientStream.CloseSend(); err != nil {
		return nil, err
	}
	return x, nil
}

// This type alias is provided for backwards compatibility with existing code that references the prior non-generic stream type by name.
type Solver_ObjectsClient = grpc.ServerStreamingClient[ObjectsUpdate]

func (c *solverClient) Steer(ctx context.Context, in *SteerRequest, opts ...grpc.CallOption) (grpc.ServerStreamingClient[SteerReply], error) {
	cOpts := append([]grpc.CallOption{grpc.StaticMethod()}, opts...)
	stream, err := c.cc.NewStream(ctx, &Solver_ServiceDesc.Streams[3], Solver_Steer_FullMethodName, cOpts...)
	if err != nil {
		return nil, err
	}
	x := &grpc.GenericClientStream[SteerRequest, SteerReply]{ClientStream: stream}
	if err := x.ClientStream.SendMsg(in); err != nil {
		return nil, err
	}
	if err := x.ClientStream.CloseSend(); err != nil {
		return nil, err
	}
	return x, nil
}

// This type alias is provided for backwards compatibility with existing code that references the prior non-generic stream type by name.
type Solver_SteerClient = grpc.ServerStreamingClient[SteerReply]

// SolverServer is the server API for Solver service.
// All implementations must embed UnimplementedSolverServer
// for forward compatibility.
type SolverServer interface {
	// Describe says what the solver is, takes and gives. It is called before
	// each run, needs no run folder, and should answer within milliseconds.
	Describe(context.Context, *DescribeRequest) (*Description, error)
	// Run computes one operating point. The stream carries any number of events
	// and then exactly one outcome. A reply has at most 4 MiB and, for each output, 8 bytes if
	// it is a scalar, 2 MiB (2^18 values) if it is a profile, else 1 MiB. When the call is cancelled, or a command to stop comes, the
	// solver ends at its next checkpoint and sends what it has.
	Run(*RunRequest, grpc.ServerStreamingServer[RunReply]) error
	// Lease ties the plugin to its host: the plugin sends one LeaseReply and
	// then keeps the call open. When the call breaks, the host is gone. Then the plugin
	//   - without a run: ends at once;
	//   - with finish false: stops its run at the next checkpoint, and ends
	//     its process at the latest grace_seconds after the break;
	//   - with finish true: lets the run come to its end, appends further events to
	//     events.jsonl and writes result.json in the run folder, and then ends.
	//
	// With wait_seconds it first lets its run go on for so long, and keeps the run's outcome. Another host that takes the
	// lease meanwhile has the run, by a call of Run with attach.
	// It removes its socket in each case. A plugin that has no lease yet ends within
	// 5 s when its host is gone: when the process that PEREGRINE_PLUGIN_HOST names has
	// ended (its number, the time of its start and its name space, with blanks between), or
	// standard input has, if that is a pipe. Where neither can be seen, on another
	// machine or in another container, it ends 60 s after its start.
	// The host may call Lease again to change the terms; the last call counts.
	Lease(*LeaseRequest, grpc.ServerStreamingServer[LeaseReply]) error
	// Objects reports what may be seen and changed in the run that goes on: all objects, then each change, until the run is
	// over. A caller that reads slowly gets the latest state of each object, and how many changes it was spared; it
	// holds up nobody. For a run that does not go on: FAILED_PRECONDITION.
	Objects(*ObjectsRequest, grpc.ServerStreamingServer[ObjectsUpdate]) error
	// Steer carries out one command on the run that goes on. The stream holds its receipts: accepted, perhaps armed, then one of a
	// final state; "refused" at once if it cannot be done. Of a solver that steers, each command that comes to a final state is also an event of
	// kind "command" of the run; a stop with `now` is not. For a run that does not go on: FAILED_PRECONDITION.
	Steer(*SteerRequest, grpc.ServerStreamingServer[SteerReply]) error
	mustEmbedUnimplementedSolverServer()
}

// UnimplementedSolverServer must be embedded to have
// forward compatible implementations.
//
// NOTE: this should be embedded by value instead of pointer to avoid a nil
// pointer dereference when methods are called.
type UnimplementedSolverServer struct{}

func (UnimplementedSolverServer) Describe(context.Context, *DescribeRequest) (*Description, error) {
	return nil, status.Error(codes.Unimplemented, "method Describe not implemented")
}
func (UnimplementedSolverServer) Run(*RunRequest, grpc.ServerStreamingServer[RunReply]) error {
	return status.Error(codes.Unimplemented, "method Run not implemented")
}
func (UnimplementedSolverServer) Lease(*LeaseRequest, grpc.ServerStreamingServer[LeaseReply]) error {
	return status.Error(codes.Unimplemented, "method Lease not implemented")
}
func (UnimplementedSolverServer) Objects(*ObjectsRequest, grpc.ServerStreamingServer[ObjectsUpdate]) error {
	return status.Error(codes.Unimplemented, "method Objects not implemented")
}
func (UnimplementedSolverServer) Steer(*SteerRequest, grpc.ServerStreamingServer[SteerReply]) error {
	return status.Error(codes.Unimplemented, "method Steer not implemented")
}
func (UnimplementedSolverServer) mustEmbedUnimplementedSolverServer() {}
func (UnimplementedSolverServer) testEmbeddedByValue()                {}

// UnsafeSolverServer may be embedded to opt out of forward compatibility for this service.
// Use of this interface is not recommended, as added methods to SolverServer will
// result in compilation errors.
type UnsafeSolverServer interface {
	mustEmbedUnimplementedSolverServer()
}

func RegisterSolverServer(s grpc.ServiceRegistrar, srv SolverServer) {
	// If the following call panics, it indicates UnimplementedSolverServer was
	// embedded by pointer and is nil.  This will cause panics if an
	// unimplemented method is ever invoked, so we test this at initialization
	// time to prevent it from happening at runtime later due to I/O.
	if t, ok := srv.(interface{ testEmbeddedByValue() }); ok {
		t.testEmbeddedByValue()
	}
	s.RegisterService(&Solver_ServiceDesc, srv)
}

func _Solver_Describe_Handler(srv interface{}, ctx context.Context, dec func(interface{}) error, interceptor grpc.UnaryServerInterceptor) (interface{}, error) {
	in := new(DescribeRequest)
	if err := dec(in); err != nil {
		return nil, err
	}
	if interceptor == nil {
		return srv.(SolverServer).Describe(ctx, in)
	}
	info := &grpc.UnaryServerInfo{
		Server:     srv,
		FullMethod: Solver_Describe_FullMethodName,
	}
	handler := func(ctx context.Context, req interface{}) (interface{}, error) {
		return srv.(SolverServer).Describe(ctx, req.(*DescribeRequest))
	}
	return interceptor(ctx, in, info, handler)
}

func _Solver_Run_Handler(srv interface{}, stream grpc.ServerStream) error {
	m := new(RunRequest)
	if err := stream.RecvMsg(m); err != nil {
		return err
	}
	return srv.(SolverServer).Run(m, &grpc.GenericServerStream[RunRequest, RunReply]{ServerStream: stream})
}

// This type alias is provided for backwards compatibility with existing code that references the prior non-generic stream type by name.
type Solver_RunServer = grpc.ServerStreamingServer[RunReply]

func _Solver_Lease_Handler(srv interface{}, stream grpc.ServerStream) error {
	m := new(LeaseRequest)
	if err := stream.RecvMsg(m); err != nil {
		return err
	}
	return srv.(SolverServer).Lease(m, &grpc.GenericServerStream[LeaseRequest, LeaseReply]{ServerStream: stream})
}

// This type alias is provided for backwards compatibility with existing code that references the prior non-generic stream type by name.
type Solver_LeaseServer = grpc.ServerStreamingServer[LeaseReply]

func _Solver_Objects_Handler(srv interface{}, stream grpc.ServerStream) error {
	m := new(ObjectsRequest)
	if err := stream.RecvMsg(m); err != nil {
		return err
	}
	return srv.(SolverServer).Objects(m, &grpc.GenericServerStream[ObjectsRequest, ObjectsUpdate]{ServerStream: stream})
}

// This type alias is provided for backwards compatibility with existing code that references the prior non-generic stream type by name.
type Solver_ObjectsServer = grpc.ServerStreamingServer[ObjectsUpdate]

func _Solver_Steer_Handler(srv interface{}, stream grpc.ServerStream) error {
	m := new(SteerRequest)
	if err := stream.RecvMsg(m); err != nil {
		return err
	}
	return srv.(SolverServer).Steer(m, &grpc.GenericServerStream[SteerRequest, SteerReply]{ServerStream: stream})
}

// This type alias is provided for backwards compatibility with existing code that references the prior non-generic stream type by name.
type Solver_SteerServer = grpc.ServerStreamingServer[SteerReply]

// Solver_ServiceDesc is the grpc.ServiceDesc for Solver service.
// It's only intended for direct use with grpc.RegisterService,
// and not to be introspected or modified (even as a copy)
var Solver_ServiceDesc = grpc.ServiceDesc{
	ServiceName: "peregrine.solver.v2.Solver",
	HandlerType: (*SolverServer)(nil),
	Methods: []grpc.MethodDesc{
		{
			MethodName: "Describe",
			Handler:    _Solver_Describe_Handler,
		},
	},
	Streams: []grpc.StreamDesc{
		{
			StreamName:    "Run",
			Handler:       _Solver_Run_Handler,
			ServerStreams: true,
		},
		{
			StreamName:    "Lease",
			Handler:       _Solver_Lease_Handler,
			ServerStreams: true,
		},
		{
			StreamName:    "Objects",
			Handler:       _Solver_Objects_Handler,
			ServerStreams: true,
		},
		{
			StreamName:    "Steer",
			Handler:       _Solver_Steer_Handler,
			ServerStreams: true,
		},
	},
	Metadata: "solver.proto",
}

"""A solver's plugin in Python, complete: y = x squared, told over n iterations.

It needs grpcio and the messages that protoc makes of solver.proto:

    protoc --python_out=. solver.proto

It serves generic handlers, so that no generated service code is needed.
"""

import os
import threading
from concurrent import futures

import grpc
import solver_pb2 as pb

ADDRESS = os.path.join(os.environ["PLUGIN_UNIX_SOCKET_DIR"], "s")


class Solver:
    def __init__(self):
        self.stop = threading.Event()
        self.leases = 0

    def Describe(self, request, context):
        def scalar(name, **more):
            return pb.Quantity(name=name, shape=pb.SCALAR, **more)

        return pb.Description(
            name="python", version="1", fidelity="y = x squared",
            inputs=[scalar("x", unit="m", dim="length", required=True)],
            settings=[scalar("n", default=3, min=1)],
            outputs=[scalar("y", unit="m2", dim="area", required=True)],
        )

    def Run(self, request, context):
        given = request.values.numbers
        if "x" not in given:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "x is missing")
        self.stop.clear()
        for i in range(1, int(given["n"]) + 1):
            e = pb.Event(seq=i, kind="iteration")
            e.values.update(iteration=i, residual=10.0 ** -i)
            yield pb.RunReply(event=e)
            if self.stop.wait(0.001):
                yield pb.RunReply(outcome=pb.Outcome(**{"class": "killed", "message": "stopped on request"}))
                return
        outcome = pb.Outcome(**{"class": "converged"})
        outcome.values.numbers["y"] = given["x"] ** 2
        yield pb.RunReply(outcome=outcome)

    def Control(self, request, context):
        if request.verb != pb.Command.STOP:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "this solver knows only stop")
        self.stop.set()
        return pb.CommandReply()

    def Lease(self, request, context):
        self.leases += 1
        mine, gone = self.leases, threading.Event()

        def lost():  # a callback, because a cancelled generator is not resumed
            gone.set()
            if mine == self.leases:  # no later lease took its place
                self.stop.set()
                threading.Timer(0.5, leave).start()

        context.add_callback(lost)
        yield pb.LeaseReply(pid=os.getpid())
        gone.wait()


def shutdown(request, context):
    threading.Timer(0.05, leave).start()
    return b""


def leave():
    try:
        os.remove(ADDRESS)
    except OSError:
        pass
    os._exit(0)


def handler(function, request, streams=False):
    make = grpc.unary_stream_rpc_method_handler if streams else grpc.unary_unary_rpc_method_handler
    return make(function, request_deserializer=request.FromString, response_serializer=lambda m: m.SerializeToString())


def main():
    solver = Solver()
    server = grpc.server(futures.ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers((
        grpc.method_handlers_generic_handler("peregrine.solver.v1.Solver", {
            "Describe": handler(solver.Describe, pb.DescribeRequest),
            "Run": handler(solver.Run, pb.RunRequest, streams=True),
            "Control": handler(solver.Control, pb.Command),
            "Lease": handler(solver.Lease, pb.LeaseRequest, streams=True),
        }),
        grpc.method_handlers_generic_handler("plugin.GRPCController", {
            "Shutdown": grpc.unary_unary_rpc_method_handler(shutdown),
        }),
    ))
    key, certificate, authority = (
        open(os.environ["PEREGRINE_PLUGIN_" + name], "rb").read() for name in ("KEY", "CERTIFICATE", "AUTHORITY"))
    server.add_secure_port("unix:" + ADDRESS, grpc.ssl_server_credentials(
        [(key, certificate)], authority, require_client_auth=True))
    server.start()
    print("1|1|unix|%s|grpc|" % ADDRESS, flush=True)
    server.wait_for_termination()


main()

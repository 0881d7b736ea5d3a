#!/usr/bin/env python3
"""A flow solver's plugin in Python, complete: the solver of meanline/main.go once more.

It needs grpcio and the messages that protoc makes of solver.proto and event.proto:

    protoc --python_out=. solver.proto event.proto

It serves generic handlers, so that no generated service code is needed.
"""

import json
import math
import os
import threading
import time
from concurrent import futures
from datetime import datetime, timezone

import grpc
import solver_pb2 as pb

ADDRESS = os.path.join(os.environ["PLUGIN_UNIX_SOCKET_DIR"], "s")

SETTINGS = {"radius": 0.8, "area": 3.06, "flow": 0.6, "work": 0.49, "slope": 1.2, "efficiency": 0.917,
            "relaxation": 0.3, "max_iterations": 500, "pause": 0}
NUMBERS = ["W", "PR", "TR", "eff", "mass_error", "energy_error", "choked"]
PROFILES = ["exit_r", "exit_dW", "exit_Pt", "exit_Tt"]


def average(span, values):
    """The mean of a profile over the area."""
    total = sum((span[i] - span[i - 1]) * (values[i] + values[i - 1]) / 2 for i in range(1, len(span)))
    return total / (span[-1] - span[0])


class Rotor:
    """A straight characteristic at the mean radius; iterate looks for the flow that the throttle lets pass."""

    def __init__(self, given, arrays):
        self.set = given
        self.gamma = given["gamma"]
        self.cp = given["R"] * self.gamma / (self.gamma - 1)
        self.u = given["N"] * math.pi / 30 * given["radius"]
        self.pt, self.tt = (average(arrays["inlet_span"], arrays[name]) for name in ("inlet_Pt", "inlet_Tt"))
        self.rho = self.pt / (given["R"] * self.tt)
        self.w = given["flow"] * self.u * given["area"] * self.rho

    def iterate(self):
        c = self.w / (self.rho * self.set["area"])
        phi, best = c / self.u, self.set["flow"]
        psi = self.set["work"] - self.set["slope"] * (phi - best)
        self.eff = self.set["efficiency"] * (1 - (phi / best - 1) ** 2)
        self.tr = 1 + psi * self.u ** 2 / (self.cp * self.tt)
        power = self.gamma / (self.gamma - 1)
        self.pr = (1 + self.eff * (self.tr - 1)) ** power
        exit = 1 - c * c / (2 * self.cp * self.tt * self.tr)
        ratio = math.sqrt(self.pt * self.pr * exit ** power / self.set["throttle"]) / self.w
        self.w *= ratio ** self.set["relaxation"]
        return abs(ratio - 1)

    def outcome(self, kind, message=""):
        o = pb.Outcome(**{"class": kind, "message": message})
        for name, value in zip(NUMBERS, [self.w, self.pr, self.tr, self.eff, 0, 0, 0]):
            o.values.numbers[name] = value
        for name, value in zip(PROFILES[1:], [self.w / 4, self.pt * self.pr, self.tt * self.tr]):
            o.values.arrays[name].values.extend([value] * 4)
        o.values.arrays["exit_r"].values.extend(self.set["radius"] * (0.7 + 0.2 * i) for i in range(4))
        return pb.RunReply(outcome=o)


class Helm:
    """Steering: one object, `relaxation`. Commands wait here until the run carries them out, between two iterations."""

    def __init__(self, rotor, stop):
        self.set, self.version, self.over, self.queue, self.acts = rotor.set, 1, False, [], {}
        self.stop = stop  # an event; set: the run ends behind the present iteration
        self.changed = threading.Condition()

    def objects(self):
        return pb.ObjectsUpdate(version=self.version, objects=[pb.Object(
            number=1, name="relaxation", type="float", min=0, max=1, effect="numerics", setting="relaxation",
            operations=["sense", "actuate"], value=json.dumps(self.set["relaxation"]))])

    def take(self, command):
        with self.changed:
            if command["id"] not in self.acts:  # none is done twice
                self.acts[command["id"]] = receipt(command, "accepted")
                self.queue.append(command)
            return json.dumps(self.acts[command["id"]])  # as it is now: another thread may be about to change it

    def wrong(self, command, c, old):
        if command.get("verb") not in ("get", "set", "stop") or any(command.get(key) for key in ("at", "when", "until")):
            return "this solver knows only get, set and stop, without delay"
        if command["verb"] == "stop":
            return ""
        if len(command.get("changes", [])) != 1 or c.get("object") != "relaxation" or c.get("number", 1) != 1:
            return "this solver has one object: relaxation, number 1"
        if command["verb"] == "set" and not (isinstance(c.get("value"), (int, float)) and 0 <= c["value"] <= 1):
            return "relaxation is %s; want a number of 0 to 1" % c.get("value")
        return "it is %g, not %s as expected" % (old, c["expect"]) if c.get("expect", old) != old else ""

    def obey(self, iteration, state="applied"):
        """Carries out what waits, and returns the events that say so."""
        with self.changed:
            events = []
            for command in self.queue:
                act, c, old = self.acts[command["id"]], (command.get("changes") or [{}])[0], self.set["relaxation"]
                reason = self.wrong(command, c, old) if state == "applied" else "the run is over"
                if not reason and command["verb"] == "stop":
                    self.stop.set()
                elif not reason:
                    self.set["relaxation"] = c["value"] if command["verb"] == "set" else old
                    act["effects"] = [{"object": c["object"], "number": 1, "effect": "numerics", "setting": "relaxation",
                                       "old": old, "new": self.set["relaxation"]}]
                act.update(receipt(command, "refused" if reason and state == "applied" else state), iteration=iteration, reason=reason)
                events.append(pb.Event(kind="command", name=act["verb"], receipt=json.dumps(act)))
            self.queue, self.version, self.over = [], self.version + len(events), state == "late"
            self.changed.notify_all()
            return events

    def wait(self, context, holds):
        """Waits until something holds, or the caller or the run has gone."""
        with self.changed:
            while context.is_active() and not holds() and not self.over:
                self.changed.wait(1)
            return holds()


def receipt(command, state):
    """What has become of a command."""
    return {"id": command["id"], "verb": command.get("verb", ""), "by": command.get("by", ""), "state": state, "iteration": 0,
            "time": datetime.now(timezone.utc).isoformat()}


class Solver:
    def __init__(self):
        self.stop = threading.Event()
        self.run, self.helm = "", None
        self.leases = 0

    def Describe(self, request, context):
        def scalar(name, **more):
            return pb.Quantity(name=name, shape=pb.SCALAR, **more)

        def profile(name, **more):
            return pb.Quantity(name=name, shape=pb.PROFILE, required=True, **more)

        return pb.Description(
            name="meanline_python", version="1", fidelity="straight characteristic at the mean radius",
            inputs=[pb.Quantity(name="geometry", shape=pb.TEXT)] +
            [scalar(name, required=True) for name in ("N", "gamma", "R", "throttle")] +
            [profile(name) for name in ("inlet_span", "inlet_Pt", "inlet_Tt", "inlet_alpha")],
            settings=[scalar(name, default=value, min=0) for name, value in SETTINGS.items()],
            outputs=[scalar(name, required=True) for name in NUMBERS] + [profile(name) for name in PROFILES],
            reusable=True, steers=True,
        )

    def Run(self, request, context):
        given = {**SETTINGS, **request.values.numbers}
        arrays = {name: list(a.values) for name, a in request.values.arrays.items()}
        if "N" not in given or "inlet_Pt" not in arrays:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "N or inlet_Pt is missing")
        self.stop.clear()
        self.run = request.run
        log = os.open(os.path.join(request.folder, "solver.log"), os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)
        os.dup2(log, 2)  # what it prints belongs to this run
        os.close(log)
        rotor = Rotor(given, arrays)
        helm = self.helm = Helm(rotor, self.stop)
        context.add_callback(lambda: helm.obey(0, "late"))
        for command in request.commands:
            helm.take(json.loads(command))
        for seq, e in enumerate(self.march(rotor, helm, given), 1):
            e.seq = seq
            yield pb.RunReply(event=e)
        yield self.ending

    def march(self, rotor, helm, given):
        self.ending = None
        yield from helm.obey(0)
        for i in range(1, int(given["max_iterations"]) + 1):
            residual = rotor.iterate()
            e = pb.Event(kind="iteration")
            e.values.update(iteration=i, residual=residual)
            yield e
            yield from helm.obey(i)
            if residual < 1e-9:
                self.ending = rotor.outcome("converged")
            elif self.stop.wait(given["pause"]):
                self.ending = rotor.outcome("killed", "stopped on request")
            if self.ending:
                break
        yield from helm.obey(i, "late")
        self.ending = self.ending or rotor.outcome("not_converged", "the flow does not settle")

    def steered(self, request, context):
        if self.helm is None or self.helm.over or request.run not in ("", self.run):
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "that run does not go on")
        return self.helm

    def Objects(self, request, context):
        helm, shown = self.steered(request, context), 0
        while helm.wait(context, lambda: helm.version > shown):
            shown = helm.version
            yield helm.objects()

    def Steer(self, request, context):
        helm, command = self.steered(request, context), json.loads(request.command)
        if command.get("verb") == "stop" and command.get("now"):  # which is no event of the run
            self.stop.set()
            yield pb.SteerReply(receipt=json.dumps(receipt(command, "applied")))
            return
        said = helm.take(command)
        yield pb.SteerReply(receipt=said)
        act = helm.acts[command["id"]]
        if json.loads(said)["state"] == "accepted" and helm.wait(context, lambda: act["state"] != "accepted"):
            yield pb.SteerReply(receipt=json.dumps(act))

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


def host_lives():
    """Whether the host's process can be seen and lives; None: it cannot be seen from here."""
    name = os.environ.get("PEREGRINE_PLUGIN_HOST", "").split(" ")
    try:
        if len(name) != 3 or name[2] != os.readlink("/proc/self/ns/pid"):
            return None
        os.kill(int(name[0]), 0)
    except ProcessLookupError:
        return False
    except (OSError, ValueError):
        return None
    return True


def await_lease(solver, patience=60):
    """Ends the process if its host is gone, or cannot be seen and does not come, before its lease."""
    for _ in range(patience):
        time.sleep(1)
        if solver.leases:
            return
        if host_lives() is False:
            break
    leave()


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
        grpc.method_handlers_generic_handler("peregrine.solver.v2.Solver", {
            "Describe": handler(solver.Describe, pb.DescribeRequest),
            "Run": handler(solver.Run, pb.RunRequest, streams=True),
            "Objects": handler(solver.Objects, pb.ObjectsRequest, streams=True),
            "Steer": handler(solver.Steer, pb.SteerRequest, streams=True),
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
    print("1|2|unix|%s|grpc|" % ADDRESS, flush=True)
    threading.Thread(target=await_lease, args=(solver,), daemon=True).start()
    server.wait_for_termination()


main()

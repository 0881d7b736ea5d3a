#!/usr/bin/env python3
"""NAME: flow, pressure ratio and efficiency of a rotor at its mean radius behind a throttle Ps = K W^2.

Put your own program in the place of this one. It reads NAME.in (NAME = VALUE lines, temperatures in K, pressures in kPa, N in rad/s); prints its
iterations; writes result.csv.
"""
import math
import time

given = {}
for line in open("NAME.in"):
    name, equals, value = line.partition("=")
    if equals:
        given[name.strip()] = float(value)

gamma, r = given["gamma"], given["R"]
power, cp = gamma / (gamma - 1), given["R"] * gamma / (gamma - 1)
pt, tt, u = given["Pt"] * 1000, given["Tt"], given["omega"] * given["radius"]
rho = pt / (r * tt)
w = 0.6 * u * given["area"] * rho
for i in range(1, 501):
    c = w / (rho * given["area"])
    phi = c / u
    eff = 0.917 * (1 - (phi / 0.6 - 1) ** 2)
    tr = 1 + (0.49 - 1.2 * (phi - 0.6)) * u * u / (cp * tt)
    pr = (1 + eff * (tr - 1)) ** power
    exit = 1 - c * c / (2 * cp * tt * tr)
    if exit <= 0 or eff <= 0:
        raise SystemExit("no such flow")
    ratio = math.sqrt(pt * pr * exit ** power / given["throttle"]) / w
    print(f"iteration {i}: residual {abs(ratio - 1):.3e}, flow {w:.6g}", flush=True)
    if abs(ratio - 1) < 1e-9:
        print("converged")
        break
    w *= ratio ** given["relaxation"]
    time.sleep(given["pause"])
else:
    print("not converged")

with open("result.csv", "w") as f:
    f.write("W,PR,TR,eff\n")
    f.write(",".join(repr(v) for v in (w, pr, tr, eff)) + "\n")

#!/usr/bin/env python3
"""prepare: mesh and boundary conditions of a cascade, for blockMesh and rhoSimpleFoam.

Reads request.txt (NAME = VALUE lines, SI, omega in rad/s), sections.txt (the blades as Peregrine writes them: section, x, r and
theta of both sides) and geometry.yaml (for the number of blades). Writes system/blockMeshDict, conditions (an OpenFOAM dictionary
that the fields include), constant/throttle and passage.json.

The section in the middle of the height is unrolled: x is the axial direction, y = -r theta, so that the flow in the relative
frame, which turns with the blades, has the tangential velocity +U at the inlet. Its states there follow from rothalpy, and are
constants, whatever the axial velocity comes to:

    Tt_rel = Tt + U^2/(2 cp),   Pt_rel = Pt (Tt_rel/Tt)^(gamma/(gamma - 1))     (no swirl ahead of the rotor)
"""
import json
import math
import re

given = {}
for line in open("request.txt"):
    name, equals, value = line.partition("=")
    if equals:
        given[name.strip()] = float(value)
if abs(given["alpha"]) > 1e-9:
    raise SystemExit("this cascade takes no swirl ahead of the rotor")

rows = {}  # of the table, by section
for line in open("sections.txt"):
    if not line.startswith("#"):
        section, *numbers = line.split()
        rows.setdefault(int(section), []).append([float(v) for v in numbers])
hub, tip = rows[min(rows)], rows[max(rows)]
middle = min(rows.values(), key=lambda s: abs(s[0][1] - (hub[0][1] + tip[0][1]) / 2))
radius = sum(p[1] for p in middle) / len(middle)
height = tip[0][1] - hub[0][1]
blades = int(re.search(r"blades:\s*(\d+)", open("geometry.yaml").read()).group(1))
pitch = 2 * math.pi * radius / blades
depth = 0.02  # of the plane mesh; nothing depends on it

# The blade: x, and y of its sides. Theta's lower side has the greater y.
x0 = middle[0][0]
X = [p[0] - x0 for p in middle]
HIGH = [-radius * p[2] for p in middle]
LOW = [-radius * p[3] for p in middle]
y0 = (HIGH[0] + LOW[0]) / 2
HIGH, LOW = [y - y0 for y in HIGH], [y - y0 for y in LOW]
axial = X[-1]
camber = [(a + b) / 2 for a, b in zip(HIGH, LOW)]
ends = [(camber[1] - camber[0]) / (X[1] - X[0]), (camber[-1] - camber[-2]) / (X[-1] - X[-2])]  # slopes
ahead, behind = -0.85 * axial, 1.2 * axial  # lengths


def line(x):
    """y of the mesh lines outside the blade, whose slope fades to 0 towards inlet and outlet."""
    if x <= 0:
        return ends[0] * (x - x * x / (2 * ahead))
    s = x - axial
    return camber[-1] + ends[1] * (s - s * s / (2 * behind))


stations = [ahead, 0.0, axial, axial + behind]
points, number = [], {}
for i, x in enumerate(stations):
    for j in range(2):
        for k in range(2):
            number[i, j, k] = len(points)
            points.append((x, (line(x) if i in (0, 3) else (0.0, camber[-1])[i - 1]) - j * pitch, depth * (k - 0.5)))
text = lambda p: "(%.12g %.12g %.12g)" % tuple(p)
edges = []
for k in range(2):
    for j in range(2):  # j = 0: the lower side of a blade, y falls from there over the passage; 1: the upper side of the next one
        for i in range(3):
            if i == 1:
                inner = [(x, y) for x, y in zip(X, LOW if j == 0 else HIGH)][1:-1]
            else:
                a, b = stations[i], stations[i + 1]
                inner = [(x, line(x)) for x in (a + (b - a) * m / 24 for m in range(1, 24))]
            body = " ".join(text((x, y - j * pitch, depth * (k - 0.5))) for x, y in inner)
            edges.append(f"    polyLine {number[i, j, k]} {number[i + 1, j, k]} ({body})")
scale = given["refine"]
cells = [round(n * scale) for n in (24, 48, 40)]
across = round(28 * scale)
along = ["0.25", "((0.5 0.5 6) (0.5 0.5 0.1667))", "6"]
wall = "((0.5 0.5 8) (0.5 0.5 0.125))"  # even at inlet and outlet, so that all faces there count alike
grades = [("1", wall), (wall, wall), (wall, "1")]
blocks, n = [], number
for i in range(3):
    corners = [n[i, 0, 1], n[i + 1, 0, 1], n[i + 1, 1, 1], n[i, 1, 1], n[i, 0, 0], n[i + 1, 0, 0], n[i + 1, 1, 0], n[i, 1, 0]]
    g, (near, far) = along[i], grades[i]
    blocks.append(f"    hex ({' '.join(map(str, corners))}) ({cells[i]} {across} 1) edgeGrading ({g} {g} {g} {g} {near} {far} {far} {near} 1 1 1 1)")
side = lambda i, j: "(%d %d %d %d)" % (n[i, j, 0], n[i + 1, j, 0], n[i + 1, j, 1], n[i, j, 1])
flat = lambda i, k: "(%d %d %d %d)" % (n[i, 0, k], n[i + 1, 0, k], n[i + 1, 1, k], n[i, 1, k])
across_at = lambda i: "(%d %d %d %d)" % (n[i, 0, 0], n[i, 1, 0], n[i, 1, 1], n[i, 0, 1])
cyclic = lambda other, sign: f"type cyclic; neighbourPatch {other}; transform translational; separationVector (0 {-sign * pitch:.12g} 0);"
with open("system/blockMeshDict", "w") as f:
    f.write(f"""FoamFile {{ version 2.0; format ascii; class dictionary; object blockMeshDict; }}
convertToMeters 1;
vertices ({chr(10).join(map(text, points))});
edges (
{chr(10).join(edges)}
);
blocks (
{chr(10).join(blocks)}
);
boundary (
    inlet {{ type patch; faces ({across_at(0)}); }}
    outlet {{ type patch; faces ({across_at(3)}); }}
    blade {{ type wall; faces ({side(1, 0)} {side(1, 1)}); }}
    aheadA {{ {cyclic('aheadB', 1)} faces ({side(0, 0)}); }}
    aheadB {{ {cyclic('aheadA', -1)} faces ({side(0, 1)}); }}
    behindA {{ {cyclic('behindB', 1)} faces ({side(2, 0)}); }}
    behindB {{ {cyclic('behindA', -1)} faces ({side(2, 1)}); }}
    frontAndBack {{ type empty; faces ({' '.join(flat(i, k) for i in range(3) for k in range(2))}); }}
);
""")

gamma, gas, pt, tt = given["gamma"], given["R"], given["Pt"], given["Tt"]
power, cp = gamma / (gamma - 1), gas * gamma / (gamma - 1)
u = given["omega"] * radius
tt_rel = tt + u * u / (2 * cp)
pt_rel = pt * (tt_rel / tt) ** power
axial_velocity = given["flow"] * u  # of the first guess
ts = tt - axial_velocity ** 2 / (2 * cp)
ps = pt * (ts / tt) ** power
annulus = math.pi * (tip[0][1] ** 2 - hub[0][1] ** 2)
passage = pitch * depth
shares = annulus / passage  # of the whole flow to that of the mesh
k = given["throttle"] * shares ** 2
turbulence = 1.5 * (0.02 * math.hypot(axial_velocity, u)) ** 2
with open("conditions", "w") as f:
    for name, value in {
        "gamma": gamma, "molWeight": 8314.46261815324 / gas, "cp": cp, "U": u, "cx": axial_velocity, "Ts": ts, "Ps": ps, "TtRel": tt_rel,
        "PtRel": pt_rel, "Tmin": 0.7 * tt, "Tmax": 1.6 * tt, "k": turbulence, "omega": math.sqrt(turbulence) / (0.09 ** 0.25 * 0.05 * pitch),
        "residual": given["residual"], "residualP": 15 * given["residual"], "last": int(given["iterations"]), "relax": given["relax"],
    }.items():
        f.write(f"{name} {value:.15g};\n")
    f.write(f"Wrel ({axial_velocity:.15g} {u:.15g} 0);\n")

# The throttle Ps = K W^2 as a pressure drop over the flow of the passage, from none to three times that of the first guess.
most = 3 * ps / (gas * ts) * axial_velocity * passage
with open("constant/throttle", "w") as f:
    f.write("(\n" + "".join(f"({w:.15g} {-k * w * w:.15g})\n" for w in (most * i / 3000 for i in range(3001))) + ")\n")

with open("passage.json", "w") as f:
    rings = [hub[0][1] + height * (i + 0.5) / 4 for i in range(4)]
    json.dump({"U": u, "speed": -u, "radius": radius, "area": passage, "shares": shares, "rings": rings}, f)

#!/usr/bin/env python3
"""mesh: an axisymmetric convergent nozzle as nozzle.su2, in SU2's native format (su2code.github.io/docs_v7/Mesh-File).

Reads mesh.txt (NAME = VALUE lines, SI). The wall is a cosine from the inlet to the throat, which is the exit.
"""
import math

given = {name.strip(): float(value) for name, value in (line.split("=") for line in open("mesh.txt"))}
nx, nr = int(given["cells_x"]), int(given["cells_r"])


def wall(x):
    share = (1 - math.cos(math.pi * x / given["length"])) / 2
    return given["inlet"] + (given["throat"] - given["inlet"]) * share


at = lambda i, j: i * (nr + 1) + j
with open("nozzle.su2", "w") as f:
    f.write(f"NDIME= 2\nNELEM= {nx * nr}\n")
    for i in range(nx):
        for j in range(nr):
            f.write(f"9 {at(i, j)} {at(i + 1, j)} {at(i + 1, j + 1)} {at(i, j + 1)} {i * nr + j}\n")
    f.write(f"NPOIN= {(nx + 1) * (nr + 1)}\n")
    for i in range(nx + 1):
        x = given["length"] * i / nx
        for j in range(nr + 1):
            f.write(f"{x:.16g} {wall(x) * j / nr:.16g} {at(i, j)}\n")
    f.write("NMARK= 4\n")
    for name, edges in {
        "inlet": [(at(0, j), at(0, j + 1)) for j in range(nr)],
        "exit": [(at(nx, j), at(nx, j + 1)) for j in range(nr)],
        "axis": [(at(i, 0), at(i + 1, 0)) for i in range(nx)],
        "wall": [(at(i, nr), at(i + 1, nr)) for i in range(nx)],
    }.items():
        f.write(f"MARKER_TAG= {name}\nMARKER_ELEMS= {len(edges)}\n")
        for a, b in edges:
            f.write(f"3 {a} {b}\n")

with open("ring.csv", "w") as f:  # of the exit, for its averages: a ring between each two points, half of it to either
    f.write("r,A\n")
    edge = [given["throat"] * j / nr for j in range(nr + 1)]
    for j in range(nr + 1):
        low, high = (edge[max(j - 1, 0)] + edge[j]) / 2, (edge[j] + edge[min(j + 1, nr)]) / 2
        f.write(f"{edge[j]:.16g},{math.pi * (high * high - low * low):.16g}\n")

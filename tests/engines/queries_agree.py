#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""queries_agree.py ORACLES FILE: compares the rows in FILE, which test_queries_oracle writes, with those of
ORACLES/mesh_queries.py. Prints how many tables agree; the first that does not ends it."""
import sys

sys.path.insert(0, sys.argv[1])
import mesh_queries


def tables(path):
    """(name, mesh, relation, ring, oriented, rows, signs) for each answer in the file. Rows are None where none was given."""
    name, mesh = "", None
    with open(path, encoding="utf-8") as f:
        lines = iter(f.read().split("\n"))
    for line in lines:
        words = line.split()
        if words[:1] == ["mesh"]:
            name, n = " ".join(words[3:]), int(words[2])
            mesh = mesh_queries.Mesh(int(words[1]), [list(map(int, next(lines).split())) for _ in range(n)])
        elif words[:1] == ["rows"]:
            n = int(words[4])
            rows = [list(map(int, next(lines).split())) for _ in range(n)] if n >= 0 else None
            signs = [list(map(int, next(lines).split())) for _ in range(n)] if words[1] == "FE" else None
            yield name, mesh, words[1], int(words[2]), int(words[3]), rows, signs


def main():
    agreed = 0
    for name, mesh, relation, ring, oriented, rows, signs in tables(sys.argv[2]):
        try:
            offsets, ids = mesh.table(relation, None, ring, bool(oriented))
            want = [ids[a:b] for a, b in zip(offsets, offsets[1:])]
        except ValueError:
            want = None
        if rows != want:
            sys.exit(f"{name}: {relation} of ring {ring}, oriented {oriented}, differs: {rows} is not {want}")
        if signs is not None and signs != [mesh.signs(f) for f in range(mesh.F)]:
            sys.exit(f"{name}: the signs of FE differ")
        agreed += 1
    print(agreed)


main()

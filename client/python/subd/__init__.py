# SPDX-License-Identifier: Apache-2.0
"""subd: meshes and surfaces of a subdd daemon as arrays, from any Python >= 3.9, with numpy or without.

    import subd
    with subd.Client() as daemon:                        # or Client("http://HOST:PORT", token=...)
        mesh = daemon.push("cube.obj")                   # or subd.Mesh(points, face_vertex_counts, face_vertex_indices)
        frame = daemon.refined(mesh, level=3, surface="limit", include="positions,normals,indices")
        frame["positions"]                               # float32[vertices][3]
"""
from . import edits
from .client import Client, Plan
from .errors import BadAnswer, Cancelled, Error, NetworkError, Refused, SlowAnswer, TimedOut, UsageError
from .frame import Block, Frame
from .mesh import EditResult, Mesh, MeshInfo, Primvar, PrimvarInfo
from .people import Lease, Present, Version
from .wire import OPTION_NAMES

__version__ = "0.1.0"
__all__ = [
    "BadAnswer", "Block", "Cancelled", "Client", "EditResult", "Error", "Frame", "Lease", "Mesh", "MeshInfo",
    "NetworkError", "OPTION_NAMES", "Plan", "Present", "Primvar", "PrimvarInfo", "Refused", "SlowAnswer", "TimedOut",
    "UsageError", "Version", "edits"
]

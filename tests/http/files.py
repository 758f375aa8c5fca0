# SPDX-License-Identifier: Apache-2.0
"""What the tests in Python share: a daemon, subd, and reading the files that come out."""
import collections, fnmatch, importlib.util, json, os, re, struct, subprocess, sys, tempfile

BIN = os.environ.get("SUBDD_BIN") or "build/bin"
SHAPES = os.environ.get("SUBDD_SHAPES") or "tests/shapes"


class Wrong(Exception):
    pass


def check(good, sentence):
    if not good:
        raise Wrong(sentence)


def how_many(name, short, long):
    """Of what a test has a short form, and a long one for `make soak`; SUBDD_NAME in the environment says another number."""
    return int(os.environ.get("SUBDD_" + name) or (long if os.environ.get("SUBDD_SOAK") else short))


class Daemon:
    def __init__(self, folder, *options):
        self.log = open(os.path.join(folder, "log"), "w")
        self.process = subprocess.Popen(
            [os.path.join(BIN, "subdd"), "--listen", "127.0.0.1:0", "--data-dir", os.path.join(folder, "data"), "--backend",
             os.environ.get("SUBDD_TEST_BACKEND") or "cpu", *options], stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.url = re.search(r"http://\S+", self.process.stdout.readline()).group(0)

    def subd(self, *args):
        return subprocess.run([os.path.join(BIN, "subd"), *args, "--server", self.url, "--timeout", "100"], capture_output=True, text=True,
                              errors="replace")

    def made(self, *args):
        ran = self.subd(*args)
        check(ran.returncode == 0, f"subd {' '.join(args)}: {ran.stderr.strip()}")
        return ran.stdout


# ---- files that come out ------------------------------------------------------------------------------------------
def read_obj(path):
    """A list of rows for each statement, and the corners of each face as lists of up to three rows (-1: none)."""
    rows, faces = collections.defaultdict(list), []
    for line in open(path):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "f":
            faces.append([[int(part) - 1 if part else -1 for part in word.split("/")] for word in words[1:]])
        elif words[0] in ("v", "vt", "vn"):
            rows[words[0]].append([float(word) for word in words[1:]])
        else:
            rows[words[0]].append(words[1:])
    return rows, faces


def read_glb(path):
    data = open(path, "rb").read()
    n = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + n]), data[28 + n:]


def accessor(glb, row):
    tree, binary = glb
    a = tree["accessors"][row]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[a["type"]]
    view = tree["bufferViews"][a["bufferView"]]
    kind = {5126: "f", 5125: "I", 5123: "H", 5121: "B"}[a["componentType"]]
    size = struct.calcsize(kind)
    at = view.get("byteOffset", 0) + a.get("byteOffset", 0)
    stride = view.get("byteStride", width * size)
    return [struct.unpack_from(f"<{width}{kind}", binary, at + i * stride) for i in range(a["count"])]


def close(a, b):
    return len(a) == len(b) and all(abs(x - y) < 1e-5 for x, y in zip(a, b))


def with_numpy():
    """This Python, or the system's where that alone has numpy."""
    system = "/usr/bin/python3"
    if importlib.util.find_spec("numpy") or os.environ.get("SUBDD_TEST_PYTHON") or not os.path.exists(system):
        return
    os.environ["SUBDD_TEST_PYTHON"] = sys.executable
    if subprocess.run([system, "-c", "import numpy"], capture_output=True).returncode == 0:
        os.execv(system, [system, *sys.argv])


def run_tests(tests):
    """Runs what tests(daemon, folder) yields: a name with a function, or with the sentence why it is skipped."""
    passed, failed, skipped = 0, [], 0
    pick = os.environ.get("SUBDD_TEST_FILTER") or "*"
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(folder)
        try:
            for name, test in tests(daemon, folder):
                if not fnmatch.fnmatch(name, pick):
                    continue
                if isinstance(test, str):
                    print(f"skipped: {test}\n[  SKIPPED ] 1 test(s)")
                    skipped += 1
                    continue
                try:
                    test()
                    print(f"[       OK ] {name}")
                    passed += 1
                except Exception as wrong:
                    print(f"[  FAILED  ] {name}: {wrong or type(wrong).__name__}")
                    failed.append(name)
        finally:
            daemon.process.terminate()
            daemon.process.wait()
    print(f"[  PASSED  ] {passed} test(s).")
    if failed:
        print(f"[  FAILED  ] {len(failed)} test(s), listed above")
    sys.exit(bool(failed))

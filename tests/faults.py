#!/usr/bin/env python3
"""Checks that runs survive kills, failing disks and concurrent programs with the same result.

    python3 tests/faults.py PROGRAM [--only NAME …] [--kills 100] [--every 1] [--seed 0]

Needs Linux and Python's standard library. Some experiments also need `strace` (failing system calls), the right to
mount (full disk), or a software Vulkan driver and a C compiler (lost GPU); without these, they are skipped with the
reason. Prints a row per experiment. The exit code is 1 if one failed. Runs on one core.
"""
import argparse
import http.server
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
import zlib
from pathlib import Path

import soak

SETTINGS = "--data digits --train-limit 3 --test-limit 2 --epochs 2 --batch 8 --classes-per-task 4,3,3 --device cpu".split()
# The smallest run with two tasks.
LEAST = "--data digits --train-limit 2 --test-limit 1 --classes-per-task 5 --device cpu".split()
# Two epochs, for a method that trains and stores all weights of the network.
SMALL = [*LEAST, "--epochs", "2", "--batch", "10"]
METHODS = {
    "lae": ["--freeze-epochs", "1"],
    "l2p": ["--method", "l2p"],
    "ranpac": ["--method", "ranpac", "--set", "projection=200"],
    "seq-ft": ["--method", "seq-ft"],
    "esn": ["--method", "esn"],
}
VOLATILE = {"run", "folder", "seconds", "images_per_second", "peak_memory_bytes", "started", "training_seconds",
            "prediction_seconds", "device"}
CALLS = ["write", "fsync", "rename", "unlink", "mkdir", "openat"]
ERRORS = {"write": ["ENOSPC", "EIO"], "fsync": ["EIO", "ENOSPC"], "rename": ["EIO", "ENOSPC"], "unlink": ["EIO"],
          "mkdir": ["ENOSPC"], "openat": []}

FAMILY = {"rename": "rename,renameat,renameat2", "fsync": "fsync,fdatasync", "unlink": "unlink,unlinkat,rmdir",
          "mkdir": "mkdir,mkdirat"}


class Wrong(Exception):
    """An experiment has failed."""


def need(fine, *what):
    if not fine:
        raise Wrong(" ".join(map(str, what)))


class Studio:
    """The program with its own folders."""

    def __init__(self, program, home):
        self.program, self.home = program, Path(home)
        self.home.mkdir(parents=True, exist_ok=True)
        self.runs = self.home / "runs"
        self.env = {k: v for k, v in os.environ.items() if not k.upper().endswith("_PROXY")} | {
            "LAE_RUNS": str(self.runs), "LAE_STUDIO_CACHE": str(self.home / "cache"), "HOME": str(self.home),
            "XDG_DATA_HOME": str(self.home / "data"), "XDG_CACHE_HOME": str(self.home / "caches"),
            "XDG_CONFIG_HOME": str(self.home / "config"), "RAYON_NUM_THREADS": "1"}

    def start(self, *words, before=(), env=None):
        return subprocess.Popen([*before, self.program, *words], env=self.env | (env or {}),
                                cwd=self.home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def call(self, *words, before=(), env=None, timeout=300):
        child = self.start(*words, before=before, env=env)
        try:
            out, err = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            child.kill()
            raise Wrong(f"{' '.join(words)} hangs") from None
        need("panicked" not in err and "internal error" not in err, f"{' '.join(words)} panics:", err[-500:])
        return child.returncode, out, err

    def listed(self):
        code, out, err = self.call("runs", "--json", "-")
        need(code == 0, "the runs cannot be listed:", err)
        return json.loads(out)

    def finish(self, first):
        """Starts the run if it does not exist, and resumes it until it is finished. Returns the number of resumes."""
        for count in range(20):
            runs = self.listed()
            need(len(runs) <= 1, "there are", len(runs), "runs")
            if runs:
                need("problem" not in runs[0], "the run is damaged:", runs[0].get("problem"))
                if runs[0]["state"] == "finished":
                    return count
            code, _, err = self.call(*(["resume", "latest"] if runs else first), "--quiet")
            need(code == 0, "going on fails:", err)
        raise Wrong("it never ends")

    def result(self, removed=True):
        """Returns what must be equal: the metrics, and the bytes of snapshots and predictions."""
        run = self.listed()[0]
        folder = Path(run["folder"])
        need(not list(folder.rglob("*.partial")), "a half-written file is left")
        need(not removed or not (folder / "resume").exists(), "the checkpoint is left")
        files = sorted([*folder.glob("task_*.safetensors"), *folder.glob("confusion/*"), *folder.glob("prompts/*")])
        return lasting(run), {str(path.relative_to(folder)): path.read_bytes() for path in files}


def lasting(value):
    if isinstance(value, dict):
        return {key: lasting(item) for key, item in value.items() if key not in VOLATILE}
    return [lasting(item) for item in value] if isinstance(value, list) else value


def same(found, wanted):
    need(found[0] == wanted[0], "the figures differ")
    need(found[1].keys() == wanted[1].keys(), "the files are", list(found[1]))
    for name, content in wanted[1].items():
        need(found[1][name] == content, name, "differs")


class Bench:
    """State that all experiments share."""

    def __init__(self, args, work):
        self.args, self.work = args, Path(work)
        self.dice = random.Random(args.seed)
        self.count = 0
        self.wanted, self.seconds = {}, {}

    def studio(self):
        self.count += 1
        return Studio(self.args.program, self.work / f"{self.count}")

    def copy_of(self, studio):
        """Returns the program with copies of these folders."""
        copy = self.studio()
        shutil.copytree(studio.home, copy.home, dirs_exist_ok=True)
        return copy

    def train(self, method):
        return ["train", *(SMALL if method == "seq-ft" else SETTINGS), *METHODS[method]]

    def reference(self, method):
        if method not in self.wanted:
            studio = self.studio()
            began = time.monotonic()
            code, _, err = studio.call(*self.train(method), "--quiet")
            self.seconds[method] = time.monotonic() - began
            need(code == 0, "the run itself fails:", err)
            self.wanted[method] = studio.result()
            shutil.rmtree(studio.home)
        return self.wanted[method]


def inject(bench):
    """For every N of a whole run, the N-th system call fails or kills the program."""
    if not shutil.which("strace"):
        return "skipped: strace is not installed"
    bench.reference("lae")
    first = bench.train("lae")
    studio = bench.studio()
    log = bench.work / "calls"
    names = ",".join(FAMILY.get(call, call) for call in CALLS)
    code, _, err = studio.call(*first, "--quiet", before=["strace", "-o", str(log), "-e", f"trace={names}"])
    need(code == 0, "the run fails under strace:", err)
    # Calls before the first use of the run's folder are skipped: they load libraries.
    lines = log.read_text().splitlines()
    tally, begins = {}, {}
    for line in lines:
        name = line.split("(")[0]
        call = next((call for call in CALLS if name in FAMILY.get(call, call).split(",")), None)
        if call:
            tally[call] = tally.get(call, 0) + 1
            if str(studio.runs) in line or call == "write":
                begins.setdefault(call, tally[call])
    rows = []
    for call in bench.args.calls:
        for what in [*ERRORS[call], "kill"]:
            places = range(begins.get(call, 1), tally.get(call, 0) + 1, bench.args.every)
            ends = {}
            for number in places:
                studio = bench.studio()
                fault = "signal=KILL" if what == "kill" else f"error={what}"
                trace = ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={FAMILY.get(call, call)}",
                         "-e", f"inject={FAMILY.get(call, call)}:{fault}:when={number}"]
                try:
                    code, _, err = studio.call(*first, "--quiet", "--json", str(studio.home / "out.json"), before=trace)
                    killed = code in (-9, 137)
                    need(killed if what == "kill" else code in (0, 1), "it ends with", code, err)
                    need(killed or code == 0 or "problem: " in err, "it fails without a word:", err)
                    end = "killed" if killed else "went on" if code == 0 else "stopped"
                    began = bool(studio.listed())
                    left = [path.name for path in studio.runs.glob("*") if path.name != "log"]
                    need(began or killed or not left, "it did not begin, but left", left)
                    if studio.finish(first) == 0 and killed:
                        # Killed after its last step: the next resume removes the checkpoint.
                        studio.call("resume", "latest", "--quiet")
                    same(studio.result(removed=call != "unlink"), bench.wanted["lae"])
                except Wrong as wrong:
                    raise Wrong(f"{call} {number} {what}: {wrong} (kept in {studio.home})") from None
                end = end if began else "not begun"
                ends[end] = ends.get(end, 0) + 1
                shutil.rmtree(studio.home)
            told = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
            rows.append(f"{call} {what}: {len(places)} places ({told})")
            print(f"    {rows[-1]}", flush=True)
    return f"{sum(int(row.split(': ')[1].split()[0]) for row in rows)} faults, all runs ended as the uninterrupted one"


TEACH = ["teach", "run", "new", "--device", "cpu", "--quiet"]
DELETE = ["delete", "run"]
# Commands on a finished run, and the commands before them.
ACTS = {
    "teach": (TEACH, []),
    "undo": (["teach", "run", "--undo"], [TEACH]),
    "delete": (DELETE, []),
    "restore": (["restore", "run"], [DELETE]),
    "erase": (["delete", "run", "--for-good"], [DELETE]),
    "name": (["name", "run", "--name", "mine", "--tag", "kept"], []),
    "export": (["data", "export", "new", "--to", "new.zip"], []),
    "table": (["runs", "run", "--export", "table.csv"], []),
    "sheet": (["predict", "run", "--folder", "new", "--csv", "sheet.csv"], []),
    "unpack": (["data", "new.tar"], []),
}


def there(home):
    """Returns all files except unfinished ones and those being deleted, with their content if it does not depend on the
    time."""
    found = {}
    for path in sorted(home.rglob("*")):
        # The name of an unpacked archive's folder depends on the archive's path.
        name = re.sub("/new-[0-9a-f]{12}/", "/new/", str(path.relative_to(home)))
        passing = any(part in name for part in (".erased-", ".partial", ".unpacking", ".used", ".case", "/log", "lock"))
        if path.is_file() and not passing:
            timed = "lessons" in name or name.endswith(".zip")
            found[name] = b"" if timed else path.read_bytes()
    return found


def acts(bench):
    """Every system call of a command (teach, undo, delete, export …) fails or kills the program. The command has its
    complete effect or none, and can be repeated."""
    if not shutil.which("strace"):
        return "skipped: strace is not installed"
    first = bench.studio()
    code, _, err = first.call("train", *LEAST, *"--epochs 1 --freeze-epochs 0 --batch 8 --quiet".split())
    need(code == 0, "the run itself fails:", err)
    next(path for path in first.runs.iterdir() if (path / "run.toml").exists()).rename(first.runs / "run")
    for kind in "AB":
        (first.home / "new" / kind).mkdir(parents=True)
        for number in range(4):
            (first.home / "new" / kind / f"{number}.png").write_bytes(png(100 * (kind == "B") + number))
    with tarfile.open(first.home / "new.tar", "w") as archive:
        archive.add(first.home / "new", "new")
    count = 0
    for name, (words, before) in ACTS.items():
        base = bench.copy_of(first)
        for earlier in before:
            code, _, err = base.call(*earlier)
            need(code == 0, name, "cannot be prepared:", err)
        was = there(base.home)
        clean, log = bench.copy_of(base), bench.work / "calls"
        code, _, err = clean.call(*words, before=["strace", "-o", str(log), "-e", "trace=" + ",".join(
            FAMILY.get(call, call) for call in CALLS)])
        need(code == 0, name, "fails:", err)
        done = there(clean.home)
        need(was != done, name, "does nothing")
        lines = log.read_text().splitlines()
        places = 0
        for call in bench.args.calls:
            kinds = FAMILY.get(call, call).split(",")
            # Only calls in the program's own folders: earlier ones load libraries.
            hits = [str(clean.home) in line or call in ("write", "fsync") for line in lines
                    if line.split("(")[0] in kinds]
            for what in [*ERRORS[call], "kill"]:
                for number in [at for at, hit in enumerate(hits, 1) if hit][:: bench.args.every]:
                    places += 1
                    fault = "signal=KILL" if what == "kill" else f"error={what}"
                    studio = bench.copy_of(base)
                    trace = ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={','.join(kinds)}",
                             "-e", f"inject={','.join(kinds)}:{fault}:when={number}"]
                    try:
                        code, _, err = studio.call(*words, before=trace)
                        need(code in (0, 1, -9, 137), "it ends with", code, err)
                        need(code != 1 or "problem: " in err, "it fails without a word:", err)
                        now = there(studio.home)
                        need(now in (was, done), "half of it is there:", err, sorted(now.keys() ^ done.keys()))
                        need(code != 0 or now == done, "it says that it is done:", err)
                        if now == was:
                            code, _, err = studio.call(*words)
                            need(code == 0, "it cannot be done again:", err)
                        studio.call("restore")
                        need(there(studio.home) == done, "done again it is something else")
                        left = [str(path) for path in studio.home.rglob("*.erased-*")]
                        need(not left, "this is left:", left)
                    except Wrong as wrong:
                        raise Wrong(f"{name} {call} {number} {what}: {wrong} (kept in {studio.home})") from None
                    shutil.rmtree(studio.home)
        print(f"    {name}: {places} places", flush=True)
        count += places
    return f"{count} faults in {len(ACTS)} acts: done wholly or not at all, and done again"


def kills(bench):
    """Kills runs and resumed runs at random moments."""
    told = []
    for method in bench.args.methods:
        first, wanted = bench.train(method), bench.reference(method)
        done = whole = 0
        while done < bench.args.kills:
            studio = bench.studio()
            while True:
                runs = studio.listed()
                if runs and runs[0]["state"] == "finished":
                    # Killed after its last step: the next resume removes the checkpoint.
                    studio.call("resume", "latest", "--quiet")
                    break
                begun = bool(runs)
                child = studio.start(*(["resume", "latest"] if begun else first), "--quiet")
                try:
                    _, err = child.communicate(timeout=bench.dice.uniform(0, bench.seconds[method] * 1.1))
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.communicate()
                    done += 1
                    continue
                need(child.returncode == 0, method, "ends with", child.returncode, err, "kept in", studio.home)
                break
            try:
                same(studio.result(), wanted)
            except Wrong as wrong:
                raise Wrong(f"{method}: {wrong} (kept in {studio.home})") from None
            whole += 1
            shutil.rmtree(studio.home)
        told.append(f"{method} {done} kills in {whole} runs")
        print(f"    {told[-1]}", flush=True)
    return "; ".join(told)


def two_runs(bench):
    """Two programs resume the same run at the same time."""
    first, wanted = bench.train("lae"), bench.reference("lae")
    for _ in range(10):
        studio = bench.studio()
        child = studio.start(*first, "--quiet")
        while not list(studio.runs.glob("*/resume/checkpoint.safetensors")):
            need(child.poll() is None, "it ended too early")
            time.sleep(0.005)
        child.kill()
        child.wait()
        pair = [studio.start("resume", "latest", "--quiet") for _ in range(2)]
        ends = [(child.communicate()[1], child.returncode) for child in pair]
        codes = sorted(code for _, code in ends)
        refused = [err for err, code in ends if code == 1]
        need(codes == [0, 1], "they end with", codes, ends)
        need("another program" in refused[0] or "finished" in refused[0], refused[0])
        same(studio.result(), wanted)
        shutil.rmtree(studio.home)
    return "10 pairs: one went on, the other was told"


def png(value):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = b"".join(b"\0" + bytes([value, 255 - value, 7 * i % 256] * 16) for i in range(16))
    head = struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def two_caches(bench):
    """Two programs unpack the same archive, or one unpacks it and is killed."""
    for kill in [False, True]:
        for _ in range(10):
            studio = bench.studio()
            with zipfile.ZipFile(studio.home / "set.zip", "w") as archive:
                for number in range(600):
                    archive.writestr(f"{'ab'[number % 2]}/{number}.png", png(number % 256))
            pair = [studio.start("data", "set.zip", "--json", "-") for _ in range(2)]
            if kill:
                time.sleep(bench.dice.uniform(0, 0.2))
                pair[0].kill()
            outs = [child.communicate() for child in pair]
            for child, (out, err) in list(zip(pair, outs))[1 if kill else 0:]:
                need(child.returncode == 0, "it ends with", child.returncode, err)
                images = json.loads(out)["images"]
                need(sum(sum(split.values()) for split in images.values()) == 600, images)
            shelf = [path.name for path in (studio.home / "cache/unpacked").iterdir()]
            whole = [name for name in shelf if name.startswith("set-")]
            need(len(whole) == 1 and (kill or len(shelf) == 1), "the cache holds", shelf)
            shutil.rmtree(studio.home)
    return "10 pairs, and 10 with one killed"


def weights():
    """Returns a tiny ViT as a safetensors file."""
    shapes = {"cls_token": [1, 1, 64], "pos_embed": [1, 5, 64], "patch_embed.proj.weight": [64, 3, 8, 8],
              "patch_embed.proj.bias": [64], "norm.weight": [64], "norm.bias": [64]}
    for name, rows, columns in [("attn.qkv", 192, 64), ("attn.proj", 64, 64), ("mlp.fc1", 256, 64), ("mlp.fc2", 64, 256)]:
        shapes |= {f"blocks.0.{name}.weight": [rows, columns], f"blocks.0.{name}.bias": [rows]}
    shapes |= {f"blocks.0.norm{i}.{part}": [64] for i in (1, 2) for part in ("weight", "bias")}
    header, at = {}, 0
    for name, shape in shapes.items():
        size = 4
        for side in shape:
            size *= side
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    numbers = b"".join(struct.pack("<f", (i * 37 % 101 - 50) / 500) for i in range(at // 4))
    return struct.pack("<Q", len(text)) + text + numbers


class Slow(http.server.BaseHTTPRequestHandler):
    """A slow server that supports ranges and counts the bytes that it sends."""
    body, sent, lock = b"", 0, threading.Lock()

    def do_GET(self):
        text = self.headers.get("Range", "bytes=0-")
        start = int(text.split("=")[1].split("-")[0])
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(self.body) - start))
        self.send_header("ETag", '"v1"')
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(self.body) - 1}/{len(self.body)}")
        self.end_headers()
        try:
            for at in range(start, len(self.body), 4096):
                piece = self.body[at:at + 4096]
                self.wfile.write(piece)
                self.wfile.flush()
                with Slow.lock:
                    Slow.sent += len(piece)
                time.sleep(0.01)
        except OSError:
            pass

    def log_message(self, *_):
        pass


def two_downloads(bench):
    """Two programs download the same weights; then one is killed during its download and resumes it."""
    Slow.body = weights()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    table = ('[[backbone]]\nname = "own"\nfamily = "vit"\ninput_size = 16\npatch = 8\nwidth = 64\ndepth = 1\nheads = 1\n'
             f'normalisation = "unit"\nurl = "http://127.0.0.1:{server.server_port}/own.safetensors"\n')
    wanted = None
    for kill in [False, True]:
        for _ in range(5):
            studio = bench.studio()
            (studio.home / "plugins").mkdir()
            (studio.home / "plugins/backbones.toml").write_text(table)
            (studio.home / "p.png").write_bytes(png(9))
            ask = ["features", "own", "--image", "p.png"]
            Slow.sent = 0
            if kill:
                child = studio.start(*ask)
                while Slow.sent < len(Slow.body) // 3:
                    need(child.poll() is None, "it ended too early:", child.poll())
                    time.sleep(0.005)
                child.kill()
                child.communicate()
            else:
                pair = [studio.start(*ask) for _ in range(2)]
                ends = [(child.communicate()[1], child.returncode) for child in pair]
                need(0 in [code for _, code in ends], "nobody got it:", ends)
                for err, code in ends:
                    need(code == 0 or "another program is downloading" in err, "it ends with", code, err)
            code, out, err = studio.call(*ask)
            need(code == 0, "it does not go on:", err)
            wanted = wanted or out
            need(out == wanted, "the features differ")
            if kill:
                need(Slow.sent < 1.5 * len(Slow.body), "it began anew:", Slow.sent, "of", len(Slow.body))
            shutil.rmtree(studio.home)
    server.shutdown()
    return "5 pairs, and 5 killed ones that went on where they were"


def disk(bench):
    """A disk is full after some kilobytes and has free space again later."""
    first, wanted = bench.train("lae"), bench.reference("lae")
    if os.geteuid() != 0:
        return "skipped: mounting needs rights"
    ends = {}
    for size in range(16, 700, 36):
        studio = bench.studio()
        studio.runs.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "none", studio.runs], capture_output=True)
        if mounted.returncode:
            return "skipped: nothing can be mounted here"
        try:
            code, _, err = studio.call(*first, "--quiet")
            need(code in (0, 1), "it ends with", code, err)
            need(code == 0 or "disk space" in err, "it does not say why:", err)
            ends[code] = ends.get(code, 0) + 1
            subprocess.run(["mount", "-o", "remount,size=100m", studio.runs], check=True)
            studio.finish(first)
            same(studio.result(), wanted)
        except Wrong as wrong:
            raise Wrong(f"{size} kB: {wrong}") from None
        finally:
            subprocess.run(["umount", studio.runs], check=True)
        shutil.rmtree(studio.home)
    return f"{sum(ends.values())} sizes, {ends.get(1, 0)} of them too small"


def renamed(bench):
    """The folder of a run is renamed during training."""
    first, wanted = bench.train("lae"), bench.reference("lae")
    ends = {}
    for _ in range(20):
        studio = bench.studio()
        child = studio.start(*first, "--quiet")
        while not list(studio.runs.glob("*/run.toml")):
            need(child.poll() is None, "it ended too early")
            time.sleep(0.005)
        time.sleep(bench.dice.uniform(0, bench.seconds["lae"] * 0.8))
        old = next(studio.runs.iterdir())
        old.rename(studio.runs / "moved")
        _, err = child.communicate(timeout=120)
        need(child.returncode in (0, 1) and "panicked" not in err, "it ends with", child.returncode, err)
        ends[child.returncode] = ends.get(child.returncode, 0) + 1
        need(not old.exists(), "a second folder was made:", [str(path) for path in old.rglob("*")] if old.exists() else "")
        studio.finish(first)
        same(studio.result(), wanted)
        shutil.rmtree(studio.home)
    return f"20 renamed: {ends.get(1, 0)} stopped, {ends.get(0, 0)} had ended; all went on under the new name"


def device(bench):
    """A GPU is missing when the run resumes (software Vulkan is the GPU)."""
    studio = bench.studio()
    code, out, _ = studio.call("devices", "--json", "-")
    cards = [device for device in json.loads(out) if device["kind"] != "cpu"] if code == 0 else []
    if not cards:
        return "skipped: there is no graphics adapter, not even a software one"
    words = [str(cards[-1]["index"]) if word == "cpu" else word for word in bench.train("lae")]
    child = studio.start(*words, "--quiet")
    while not list(studio.runs.glob("*/resume/checkpoint.safetensors")):
        if child.poll() is not None:
            return f"skipped: {child.communicate()[1].strip().splitlines()[0]}"
        time.sleep(0.02)
    child.kill()
    child.wait()
    # The program would also find the GPU by OpenGL.
    gone = dict.fromkeys(["VK_ICD_FILENAMES", "VK_DRIVER_FILES", "LIBGL_DRIVERS_PATH", "__EGL_VENDOR_LIBRARY_FILENAMES"],
                         "/nonexistent")
    code, _, err = studio.call("resume", "latest", "--quiet", env=gone)
    need(code == 1 and "try: " in err, "it ends with", code, err)
    code, _, err = studio.call("resume", "latest", "--device", "cpu", "--quiet", env=gone)
    need(code == 0, "it does not go on without the card:", err)
    run = studio.listed()[0]
    need(run["state"] == "finished" and run["device"] != cards[-1]["name"], run["state"], run["device"])
    shutil.rmtree(studio.home)
    return f"{cards[-1]['name']}: told; went on with --device cpu"


class Card:
    """A software adapter that can be removed (`lost_card.c`)."""

    def __init__(self, bench):
        self.missing = None
        drivers = sorted(Path("/usr/share/vulkan/icd.d").glob("lvp*.json"))
        if not shutil.which("cc") or not drivers:
            self.missing = "skipped: a C compiler and Mesa's software adapter are needed"
            return
        library, manifest = bench.work / "lost_card.so", bench.work / "lost_card.json"
        if not library.exists():
            subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, Path(__file__).with_name("lost_card.c")], check=True)
        driver = json.loads(drivers[0].read_text())
        behind = driver["ICD"]["library_path"]
        driver["ICD"]["library_path"] = str(library)
        manifest.write_text(json.dumps(driver))
        self.pulled = bench.work / "pulled"
        self.put_back()
        self.env = {"VK_ICD_FILENAMES": str(manifest), "VK_DRIVER_FILES": str(manifest), "LOST_DRIVER": behind,
                    "LOST_WHEN": str(self.pulled)}

    def pull(self):
        self.pulled.touch()

    def put_back(self):
        self.pulled.unlink(missing_ok=True)

    def index(self, studio):
        """Returns its number in the list of devices; `None` if it cannot be used."""
        code, out, err = studio.call("devices", "--json", "-", env=self.env)
        need(code == 0, "the devices cannot be listed:", err)
        found = [device["index"] for device in json.loads(out) if device["kind"] == "software_gpu"]
        return found[0] if found else None


def lost(bench):
    """A GPU is lost while it computes; the run continues on the CPU, or on the GPU when that is available again."""
    card = Card(bench)
    if card.missing:
        return card.missing
    ends, studio = [], bench.studio()
    index = card.index(studio)
    if index is None:
        return "skipped: the software adapter is not found"
    words = [str(index) if word == "cpu" else word for word in bench.train("lae")]
    for number in range(bench.args.lost):
        card.put_back()
        child = studio.start(*words, "--quiet", env=card.env)
        while not list(studio.runs.glob("*/resume/checkpoint.safetensors")):
            if child.poll() is not None:
                return f"skipped: {child.communicate()[1].strip().splitlines()[0]}"
            time.sleep(0.01)
        time.sleep(bench.dice.uniform(0, 4))
        card.pull()
        try:
            _, err = child.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            child.kill()
            raise Wrong(f"it hangs once the card is gone (kept in {studio.home})") from None
        need(child.returncode in (0, 1), "it ends with", child.returncode, err)
        run = studio.listed()[0]
        need("problem" not in run, "the run is damaged:", run.get("problem"))
        if child.returncode == 1:
            need("problem: " in err and "try: " in err, "it does not say what to do:", err)
            need("panicked" not in err and "internal error" not in err, "it panics:", err[-800:])
            need("GPU" in err or "device" in err, "it does not name the GPU:", err)
            need(run["state"] == "interrupted", "the run is", run["state"])
            env, device = (card.env, str(index)) if number % 2 else (None, "cpu")
            card.put_back()
            code, _, err = studio.call("resume", "latest", "--device", device, "--quiet", env=env)
            need(code == 0, f"it does not go on with --device {device}:", err)
        run = studio.listed()[0]
        need(run["state"] == "finished", "the run is", run["state"])
        ends.append(child.returncode)
        shutil.rmtree(studio.runs)
    shutil.rmtree(studio.home)
    return f"{ends.count(1)} lost, {ends.count(0)} too late; told, and all went on"


def lost_window(bench):
    """A GPU is lost while a window uses it: the window stays open, reports it and releases the run."""
    card = Card(bench)
    if card.missing or not (shutil.which("Xvfb") and shutil.which("xdotool")):
        return card.missing or "skipped: Xvfb and xdotool are not installed"
    studio = bench.studio()
    index = card.index(studio)
    if index is None:
        return "skipped: the software adapter is not found"
    setup = soak.SETUP.replace('"cpu"', f'"{index}"')
    window = soak.Window(bench.args.program, studio.home, setup, card.env, nice=0)
    studio.runs = window.runs

    def until(what, patience, reached):
        end = time.monotonic() + patience
        while not reached():
            need(window.program.poll() is None, f"the window ended with {window.program.returncode}: see {studio.home}/said")
            need(time.monotonic() < end, what, f"(kept in {studio.home})")
            time.sleep(0.2)

    checkpoints = lambda: list(window.runs.glob("*/resume/checkpoint.safetensors"))
    states = lambda: [run.get("state") for run in studio.listed()]
    try:
        # The adapter is tested first, which takes minutes on a busy computer.
        until("the run does not begin", 900, checkpoints)
        time.sleep(bench.dice.uniform(1, 5))
        card.pull()
        until("the run does not end once the card is gone", 60, lambda: "running" not in states())
        for page in "1234515":
            window.do("key", f"ctrl+{page}")
            time.sleep(0.5)
        if bench.args.screenshot:
            window.do("key", "ctrl+2")
            time.sleep(2)
            subprocess.run(["import", "-window", "root", bench.args.screenshot], env=window.env)
        need(window.program.poll() is None, "the window ended with", window.program.poll())
        need(sorted(states()) == ["finished", "interrupted"], "the runs are", states())
        last = checkpoints()[0].stat().st_mtime_ns
        child = studio.start("resume", "latest", "--device", "cpu", "--quiet")
        until("it does not go on with --device cpu", 120, lambda: checkpoints() and checkpoints()[0].stat().st_mtime_ns != last)
        child.kill()
        child.communicate()
    finally:
        window.close()
    shutil.rmtree(studio.home)
    return "the window stays; the run goes on with --device cpu"


EXPERIMENTS = [inject, acts, kills, two_runs, two_caches, two_downloads, disk, renamed, device, lost, lost_window]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help=", ".join(e.__name__ for e in EXPERIMENTS))
    parser.add_argument("--kills", type=int, default=100, help="kills per method")
    parser.add_argument("--lost", type=int, default=10, help="how often a GPU is lost while it computes")
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS), help="those that are killed")
    parser.add_argument("--calls", nargs="*", default=CALLS, choices=CALLS, help="those that fail")
    parser.add_argument("--every", type=int, default=1, help="test every N-th place of a failing call")
    parser.add_argument("--screenshot", help="where to save a screenshot of a window whose GPU is lost")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--nice", type=int, default=10)
    args = parser.parse_args()
    shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
    work = tempfile.mkdtemp(prefix="lae-faults-", dir=shared)
    # Other programs on this computer have priority.
    os.nice(args.nice)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    bench, failed = Bench(args, work), 0
    for experiment in EXPERIMENTS:
        if args.only and experiment.__name__ not in args.only:
            continue
        began = time.monotonic()
        try:
            told = experiment(bench)
        except Wrong as wrong:
            told, failed = f"FAILED: {wrong}", failed + 1
        print(f"{experiment.__name__:14} {time.monotonic() - began:7.0f} s  {told}", flush=True)
    if not failed:
        shutil.rmtree(work, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

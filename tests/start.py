#!/usr/bin/env python3
"""Starts the program in all environments that a machine offers, and checks its window and its messages.

    python3 tests/start.py PROGRAM [--to DIR] [--only WORDS] [--second-icd FILE] [--idle SECONDS]

Each start ends with a window or with one Problem. A window must draw (with X, the screen is checked, too), close
after Ctrl-C with exit code 0, and write only the program's own lines to standard error. A Problem has exit code 1 and
one paragraph that says what happened and what to do; no output of a driver or library may appear.

`--second-icd` gives the Vulkan driver file of another software GPU, for a machine with two. `--to` keeps the
screenshots. `--idle` instead measures an idle window: processor time and system calls on each page, and after a
finished run.

Needs Xvfb and xdotool; weston for Wayland, ImageMagick for screenshots, strace to count system calls.
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NOTHING = "/nonexistent"
GONE = 251  # a display without a server
LAVAPIPE = next(map(str, Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json")), NOTHING)
# Variables of the caller's environment that are removed.
CLEARED = ["DISPLAY", "LAE_DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XAUTHORITY",
           "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "__EGL_VENDOR_LIBRARY_FILENAMES", "LIBGL_ALWAYS_SOFTWARE"]
PORTABLE = "the portable form"
OWN_LINES = ("places: ", "first frame after ")


class Server:
    """A display server."""

    def __init__(self, words, there, env=None):
        self.process = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while not there.exists():
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit(f"{words[0]} does not start")
            time.sleep(0.05)

    def end(self):
        self.process.terminate()
        self.process.wait()


def free_number():
    return next(n for n in range(300, 500) if not Path(f"/tmp/.X11-unix/X{n}").exists())


def x_server(*more):
    number = free_number()
    words = ["Xvfb", f":{number}", "-screen", "0", "1280x800x24", *more]
    return number, Server(words, Path(f"/tmp/.X11-unix/X{number}"))


def environment(home, **more):
    env = {name: value for name, value in os.environ.items() if name not in CLEARED}
    return env | {"HOME": str(home), "XDG_CONFIG_HOME": f"{home}/config", "XDG_DATA_HOME": f"{home}/data",
                  "XDG_CACHE_HOME": f"{home}/cache", "LAE_RUNS": f"{home}/runs"} | more


def foreign(said):
    return [line for line in said.splitlines() if line and not line.startswith(OWN_LINES)]


def shown(env, picture):
    """Takes screenshots until something is visible."""
    for _ in range(40):
        subprocess.run(["import", "-window", "root", str(picture)], env=env, check=False)
        colours = subprocess.run(["identify", "-format", "%k", str(picture)], capture_output=True, text=True, check=False)
        if colours.stdout.strip().isdigit() and int(colours.stdout) > 16:
            return True
        time.sleep(0.25)
    return False


def window(program, env, picture, *more):
    """Opens the window, waits until it draws and closes it; returns a remark and the faults."""
    with tempfile.NamedTemporaryFile() as said:
        # The file is opened again for reading, because a shared file position would change while the program writes.
        return watched(program, env, picture, more, said, Path(said.name))


def watched(program, env, picture, more, said, shown_by):
    words = [program, "--places", "--frame-times", *more]
    running = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=said)
    end, drawn = time.monotonic() + 60, False
    while not drawn and running.poll() is None and time.monotonic() < end:
        time.sleep(0.2)
        drawn = '"Experiment"' in shown_by.read_text()
    wrong = []
    if drawn:
        if picture and shutil.which("import") and not shown(env, picture):
            wrong.append("the screen stays empty")
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
    elif running.poll() is None:
        running.kill()
    try:
        code = running.wait(20)
    except subprocess.TimeoutExpired:
        running.kill()
        return "", [*wrong, "Ctrl-C does not close it"]
    text = shown_by.read_text()
    wrong += [f"a foreign line: {line}" for line in foreign(text)]
    if not drawn:
        wrong.append("no window")
    if code != 0:
        wrong.append(f"exit code {code}")
    first = re.search(r"first frame after (\d+) ms", text)
    return f"window, first frame after {first[1] if first else '?'} ms", wrong


def problem(program, env, words):
    """Expects one paragraph that contains these words; returns it and the faults."""
    try:
        done = subprocess.run([program], env=env, capture_output=True, text=True, timeout=30)
    except subprocess.TimeoutExpired:
        return "", ["it hangs"]
    lines = done.stderr.splitlines()
    kinds = [line.split(": ")[0] for line in lines]
    wrong = []
    if done.returncode != 1:
        wrong.append(f"exit code {done.returncode}")
    if kinds not in (["problem", "try"], ["problem", "where", "try"]):
        wrong.append(f"not one paragraph: {lines}")
    if done.stdout:
        wrong.append(f"on standard output: {done.stdout!r}")
    if lines and not re.search(words, lines[0]):
        wrong.append(f"nothing about {words!r}")
    return lines[0] if lines else "", wrong


def locked(folder):
    """Starts an X server that requires a cookie; writes one file with the right cookie and one with a wrong cookie."""
    number = free_number()
    if not shutil.which("xauth"):
        return None
    for name, cookie in [("right", "0123456789abcdef" * 2), ("wrong", "f" * 32)]:
        words = ["xauth", "-f", str(folder / name), "add", f":{number}", ".", cookie]
        subprocess.run(words, capture_output=True, check=True)
    return x_server("-listen", "tcp", "-auth", str(folder / "right"))


def ways(folder, second_icd):
    """Yields name, environment, and the expected result: `None` for a window, or words of the Problem."""
    number, _ = screen = x_server()
    display = {"DISPLAY": f":{number}"}
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700)
    here = {"XDG_RUNTIME_DIR": str(runtime)}
    lavapipe = {"VK_DRIVER_FILES": LAVAPIPE}
    no_vulkan = {"VK_DRIVER_FILES": NOTHING}
    no_gl = {"__EGL_VENDOR_LIBRARY_FILENAMES": NOTHING}
    servers = [screen]
    yield "X", display | here, None
    yield "X, no XDG_RUNTIME_DIR", display, None
    yield "X, a Wayland that is gone", display | here | {"WAYLAND_DISPLAY": "gone"}, None
    yield "neither X nor Wayland", here, "neither DISPLAY nor WAYLAND_DISPLAY"
    yield "an X that is gone", here | {"DISPLAY": f":{GONE}"}, f":{GONE}"
    yield "an X that is gone, over TCP", here | {"DISPLAY": f"localhost:{GONE}"}, f"localhost:{GONE}"
    yield "a Wayland that is gone, no X", here | {"WAYLAND_DISPLAY": "gone"}, "gone"
    yield "software Vulkan alone", display | here | lavapipe, None
    if second_icd:
        both = {"VK_DRIVER_FILES": f"{LAVAPIPE}:{second_icd}"}
        yield "two Vulkan adapters", display | here | both, None
        yield "the second adapter alone", display | here | {"VK_DRIVER_FILES": second_icd}, None
    yield "OpenGL, no Vulkan", display | here | no_vulkan, None
    yield "neither Vulkan nor OpenGL", display | here | no_vulkan | no_gl, "no working graphics driver"
    guarded = locked(folder)
    if guarded:
        servers.append(guarded)
        for over, host in [("", ""), (" over TCP", "localhost")]:
            place = f"{host}:{guarded[0]}"
            for name, found in [("right", None), ("wrong", place), ("no", place)]:
                cookie = {"DISPLAY": place, "XAUTHORITY": str(folder / name)}
                yield f"an X{over} that wants a cookie, {name} one", here | cookie, found
    remote = x_server("-listen", "tcp")
    servers.append(remote)
    yield "X over TCP", here | {"DISPLAY": f"localhost:{remote[0]}"}, None
    yield "X over TCP, no shared memory", here | {"DISPLAY": f"127.0.0.1:{remote[0]}"} | lavapipe, None
    if shutil.which("weston"):
        words = ["weston", "--backend=headless-backend.so", "--socket=only", "--idle-time=0"]
        weston = Server(words, runtime / "only", environment(folder, **here))
        servers.append((None, weston))
        only = here | {"WAYLAND_DISPLAY": "only"}
        yield "Wayland alone", only, None
        # The screen of X is checked, so the window must be there.
        yield "X and Wayland", display | only, None
        yield "X that is gone, and Wayland", only | {"DISPLAY": f":{GONE}"}, None
        yield "X and Wayland, Wayland asked for", display | only | {"LAE_DISPLAY": "wayland"}, None
        yield "Wayland, X asked for", only | {"LAE_DISPLAY": "x11"}, "DISPLAY is not set"
        yield "a display of an unknown kind", only | {"LAE_DISPLAY": "mir"}, "LAE_DISPLAY"
        yield "Wayland by its whole path, no XDG_RUNTIME_DIR", {"WAYLAND_DISPLAY": str(runtime / "only")}, None
        yield "Wayland, OpenGL, no Vulkan", only | no_vulkan, None
        yield "Wayland, neither Vulkan nor OpenGL", only | no_vulkan | no_gl, "no working graphics driver"
    for _, server in servers:
        server.end()


def portable(args, folder):
    """Checks the portable form of the program: its window, and where it saves its settings."""
    number, server = x_server()
    stick = folder / "stick"
    stick.mkdir()
    (folder / "home").mkdir()
    program = stick / "lae-studio"
    shutil.copy(args.program, program)
    env = environment(folder / "home", DISPLAY=f":{number}", XDG_RUNTIME_DIR=str(folder / "runtime"))
    del env["LAE_RUNS"]
    told, wrong = window(program, env, None, "--portable")
    if not (stick / "lae-studio-data/config/window.toml").is_file():
        wrong.append("no settings beside the program")
    # Files of drivers are allowed.
    wrong += [f"left at home: {path}" for path in (folder / "home").rglob("lae-studio*")]
    server.end()
    return told, wrong


def try_all(args, folder):
    failed = 0
    for name, variables, words in ways(folder, args.second_icd):
        if args.only and args.only not in name:
            continue
        env = environment(folder, **variables)
        on_x = variables.get("DISPLAY", f":{GONE}") != f":{GONE}" and "LAE_DISPLAY" not in variables
        picture = on_x and (args.to or folder) / f"{name.replace(' ', '-').replace(',', '')}.png"
        told, wrong = problem(args.program, env, words) if words else window(args.program, env, picture)
        failed += said(name, told, wrong)
    if not args.only or args.only in PORTABLE:
        failed += said(PORTABLE, *portable(args, folder))
    return 1 if failed else 0


def said(name, told, wrong):
    print(f"{'MISS' if wrong else 'ok  '} {name}: {told}", *wrong, sep="\n       ", flush=True)
    return bool(wrong)


def ticks(process):
    """Returns the processor time of a process with its threads so far, in clock ticks."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def calls(process, seconds):
    """Returns the number of system calls of all threads within these seconds."""
    if not shutil.which("strace"):
        return None
    words = ["timeout", "-s", "INT", str(seconds), "strace", "-f", "-c", "-p", str(process.pid)]
    told = subprocess.run(words, capture_output=True, text=True, check=False).stderr
    total = re.search(r"^100.00\s.*?\s(\d+)(?:\s+\d+)?\s+total$", told, re.M)
    return int(total[1]) if total else 0


def idle(args, folder):
    """Measures the processor time of each page without user input."""
    number, server = x_server()
    env = environment(folder, DISPLAY=f":{number}", XDG_RUNTIME_DIR=str(folder))
    (folder / "config/lae-studio").mkdir(parents=True)
    settings = """device = "cpu"
[setup]
data = "digits"
epochs = 2
train_limit = 8
test_limit = 4
device = "cpu"
[setup.settings]
freeze_epochs = 1
"""
    (folder / "config/lae-studio/window.toml").write_text(settings)
    running = subprocess.Popen([args.program], env=env, stderr=subprocess.DEVNULL)

    def key(name):
        subprocess.run(["xdotool", "key", name], env=env, check=False)
        time.sleep(3)

    def told(name):
        before = ticks(running)
        time.sleep(args.idle)
        used = (ticks(running) - before) / os.sysconf("SC_CLK_TCK")
        counted = calls(running, 5)
        counted = "" if counted is None else f", {counted / 5:.0f} system calls a second"
        print(f"{name}: {used:.2f} s of processor time in {args.idle} s ({100 * used / args.idle:.1f} %){counted}",
              flush=True)
        return used > 0.01 * args.idle

    time.sleep(4)
    found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "LAE Studio"], env=env,
                           capture_output=True, text=True, check=False).stdout.split()
    subprocess.run(["xdotool", "windowfocus", found[0]], env=env, check=True)
    pages = ["Experiment", "Train", "Compare", "Predict", "Plugins", "Learn"]
    busy = 0
    for place, page in enumerate(pages, 1):
        key(f"ctrl+{place}")
        busy += told(page)
    key("ctrl+1")
    key("ctrl+Return")
    end = time.monotonic() + 300
    # Waits for the last of the five tasks.
    while not list((folder / "runs").glob("*/task_5.safetensors")):
        if time.monotonic() > end:
            sys.exit("the run does not end")
        time.sleep(1)
    time.sleep(15)
    for place, page in enumerate(pages, 1):
        key(f"ctrl+{place}")
        busy += told(f"{page}, after a run")
    running.send_signal(signal.SIGINT)
    running.wait(20)
    server.end()
    return 1 if busy else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--to", type=Path, help="where to save images")
    parser.add_argument("--only", help="the ways whose names hold these words")
    parser.add_argument("--second-icd", type=os.path.abspath)
    parser.add_argument("--idle", type=int, metavar="SECONDS")
    args = parser.parse_args()
    for tool in ["Xvfb", "xdotool"]:
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return 0
    if args.to:
        args.to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        return (idle if args.idle else try_all)(args, Path(folder))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Uses the window with mouse and keys, as a user would, and takes a screenshot of every step.

    python3 tests/play.py PROGRAM [--to DIR] [--only 1280x800-dark-100 …]

Steps: first start, the tour declined, a run with its Baseline, every page during training, a corrected label, a
classified drawing, a lesson, a typed folder, a PET plugin with errors, a taught run, the command palette, the
presentation view. Variants: four sizes, light and dark, zoom 100 and 200 %. Buttons are found by their accessible
names, which the program lists with `--places`. No step may show an error, and the program must run until it is
closed. DIR gets a folder of screenshots and an overview for each variant, and `clicks.json`: the number of clicks and
keys of each step. Prints the 95th percentile of the frame times.

Needs Xvfb, xdotool and ImageMagick (`import`, `montage`).
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

WAYS = [("900x600", "dark", 100), ("900x600", "light", 200), ("1024x768", "light", 100), ("1280x800", "dark", 100),
        ("1280x800", "light", 100), ("1280x800", "dark", 200), ("1920x1080", "light", 100), ("1920x1080", "dark", 200)]
SETTINGS = """theme = "{theme}"
[setup]
data = "digits"
epochs = 8
train_limit = 8
test_limit = 4
device = "cpu"
[setup.settings]
freeze_epochs = 1
"""


# AdaptFormer as in its paper, with two errors: an unknown function and a transposed matrix.
PLUGIN = """name = "Written here"
description = "A bottleneck beside the MLP."
reference = "Chen et al., NeurIPS 2022"

sites = ["mlp"]

[sizes]
size = { symbol = "r", default = 16, max = 64 }

[parameters]
down = { shape = ["d", "r"], init = "kaiming_uniform" }
up = { shape = ["d", "r"], init = "zeros" }
s = { shape = [1, 1], init = "constant(0.1)", fixed = true }

[equations]
mlp = "h + s * (rellu(e @ down) @ up)"
"""


class Stuck(Exception):
    """A step failed."""


class Window:
    def __init__(self, program, size, folder, work):
        self.size = tuple(int(side) for side in size.split("x"))
        self.folder, self.step, self.clicks, self.names = folder, len(list(folder.glob("*.png"))), 0, []
        self.zoom = 100
        self.changed = threading.Condition()
        number = next(n for n in range(100, 300) if not Path(f"/tmp/.X11-unix/X{n}").exists())
        self.screen = subprocess.Popen(["Xvfb", f":{number}", "-screen", "0", f"{size}x24"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.env = os.environ | {
            "DISPLAY": f":{number}", "HOME": str(work), "XDG_CONFIG_HOME": str(work / "config"),
            "XDG_DATA_HOME": str(work / "data"), "XDG_CACHE_HOME": str(work / "cache"),
            "LAE_RUNS": str(work / "runs"), "XDG_RUNTIME_DIR": str(work)}
        self.env.pop("WAYLAND_DISPLAY", None)
        time.sleep(1)
        self.said = []
        self.program = subprocess.Popen([program, "--places", "--frame-times"], env=self.env, cwd=work,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.until(lambda: self.names, "the window opens", 60)
        search = ["search", "--onlyvisible", "--name", "LAE Studio"]
        found = self.until(lambda: self.do(*search).split(), "the window is there")[0]
        self.do("windowmove", found, "0", "0", "windowsize", found, *map(str, self.size), "windowfocus", found)
        time.sleep(1)

    def read(self):
        for line in self.program.stderr:
            if line.startswith("places: "):
                with self.changed:
                    self.names = json.loads(line[8:])
                    self.changed.notify_all()
            else:
                self.said.append(line.rstrip())

    def do(self, *words):
        return subprocess.run(["xdotool", *words], env=self.env, capture_output=True, text=True).stdout

    def until(self, there, what, seconds=30):
        end = time.monotonic() + seconds
        while True:
            if self.program.poll() is not None:
                raise Stuck(f"the program ended with {self.program.returncode}: {self.said[-3:]}")
            found = there()
            if found:
                return found
            if time.monotonic() > end:
                raise Stuck(f"waited {seconds} s in vain: {what}")
            with self.changed:
                self.changed.wait(0.5)

    def seen(self, name, part=False, any_role=False, over=False):
        """Returns the centre of the last visible element with this name."""
        # The bar at the top, which is used by keys, and the frame times at the bottom are excluded; a menu covers both.
        times = [node["at"][1] for node in self.names if node["name"].startswith("first frame after")]
        bar, foot = (0, self.size[1]) if over else (44 * self.zoom // 100, min([self.size[1], *times]))
        right = self.size[0]
        for node in reversed(self.names):
            same = name in node["name"] if part else node["name"] == name
            left, top, end, low = node["at"]
            x, y = (left + end) / 2, (top + low) / 2
            if same and (any_role or not node["off"]) and 0 < x < right and bar < y < foot and end > left:
                return round(x), round(y)
        return None

    def told(self, part):
        """Returns whether an element has this text in its name, visible or scrolled out of view."""
        return any(part in node["name"] for node in self.names)

    def ended(self):
        """Returns whether no run is in progress, now or when the next one in the queue would have started."""
        for _ in range(3):
            if any(node["name"] == "Stop the run" for node in self.names):
                return False
            time.sleep(1)
        return True

    def settle(self):
        """Waits until the positions of all elements no longer change."""
        for _ in range(8):
            before = [(node["name"], node["at"]) for node in self.names]
            with self.changed:
                self.changed.wait(1)
            if before == [(node["name"], node["at"]) for node in self.names]:
                return

    def click(self, name, part=False, seconds=30, over=False):
        if not over:
            self.reach(name, part, seconds)
        self.settle()
        place = self.until(lambda: self.seen(name, part, over=over), f"'{name}' is in sight", seconds)
        self.do("mousemove", *map(str, place), "sleep", "0.15", "click", "1")
        self.clicks += 1
        time.sleep(0.5)

    def reach(self, name, part=False, seconds=30, any_role=False):
        """Scrolls down, then up, until the element is visible."""
        end = time.monotonic() + min(seconds, 25)
        turn = 0
        while not self.seen(name, part, any_role) and time.monotonic() < end:
            wheel = "5" if turn < 12 else "4"
            for across in (0.25, 0.75):
                self.do("mousemove", str(round(self.size[0] * across)), str(round(self.size[1] * 0.6)),
                        "click", "--repeat", "3", wheel)
            turn += 1
            time.sleep(0.4)

    def key(self, keys, pause=0.7):
        self.do("key", keys)
        self.clicks += 1
        time.sleep(pause)

    def type(self, text):
        self.do("type", "--delay", "60", text)
        time.sleep(0.7)

    def command(self, text):
        """Runs the first entry of the palette for this text."""
        self.key("ctrl+k")
        self.until(lambda: self.seen("Command", any_role=True), "the palette opens")
        self.type(text)
        self.settle()
        self.key("Return", 1)

    def draw(self, points):
        self.reach("Drawing canvas", any_role=True)
        left, top, right, low = self.until(
            lambda: next((node["at"] for node in self.names if node["name"] == "Drawing canvas"), None), "a canvas")
        low = min(low, self.size[1] - 40)
        at = [(round(left + x * (right - left)), round(top + y * (low - top))) for x, y in points]
        self.do("mousemove", *map(str, at[0]), "mousedown", "1")
        for x, y in at[1:]:
            self.do("mousemove", str(x), str(y), "sleep", "0.08")
        self.do("mouseup", "1")
        self.clicks += 1
        time.sleep(0.5)

    def shot(self, name):
        self.step += 1
        self.settle()
        path = self.folder / f"{self.step:02}-{name.replace(' ', '-')}.png"
        subprocess.run(["import", "-window", "root", str(path)], env=self.env, check=True)
        if self.program.poll() is not None:
            raise Stuck(f"the program ended at {name}")
        if any(node["name"] == "error" for node in self.names):
            told = [node["name"] for node in self.names if node["role"] == "Label"][-2:]
            raise Stuck(f"an error notice at {name}: {told}")

    def close(self):
        """Closes the window like Ctrl-C in the terminal; returns the line of frame times."""
        if self.program.poll() is None:
            self.program.send_signal(2)
        try:
            self.program.wait(30)
        except subprocess.TimeoutExpired:
            self.program.kill()
        self.reader.join(5)
        self.screen.terminate()
        return next((line for line in reversed(self.said) if "first frame" in line), "no frame times")


def pictures(folder):
    """Writes a small dataset of three classes of coloured noise."""
    for number, (name, colour) in enumerate([("grass", "green"), ("sea", "blue"), ("sand", "yellow")]):
        (folder / name).mkdir(parents=True)
        for i in range(8):
            subprocess.run(["convert", "-size", "32x32", f"xc:{colour}", "-seed", str(number * 10 + i), "+noise",
                            "Gaussian", str(folder / name / f"{i}.png")], check=True)


def play(window, zoom, data):
    """Runs all steps; returns the number of clicks and keys of each task."""
    errands = {}

    def errand(name, do):
        window.clicks = 0
        do()
        errands[name] = window.clicks

    window.command(f"zoom: {zoom}")
    window.zoom = zoom
    window.shot("experiment")
    errand("train with Also train the baseline", lambda: see_forgetting(window))
    window.until(lambda: window.told("Accuracy over all classes seen so far"), "a chart", 60)
    window.shot("train while it runs")
    for number, page in [(5, "plugins"), (3, "compare"), (1, "experiment"), (2, "train")]:
        window.key(f"ctrl+{number}")
        window.shot(f"{page} while it runs")
    window.until(window.ended, "both runs end", 240)
    window.key("ctrl+3", 1)
    window.shot("compare")
    window.key("ctrl+2")
    window.shot("train at the end")
    if window.told("Really: "):
        errand("leave a picture out, and take that back", lambda: mend(window))
    window.key("F11", 2)
    window.shot("large")
    window.key("Right", 1)
    window.shot("large next")
    window.key("F11", 2)
    errand("ask about a drawing", lambda: ask(window))
    window.shot("predict")
    window.key("ctrl+6")
    window.shot("learn")
    window.click("Open: ", part=True)
    window.shot("a lesson")
    window.key("ctrl+1")
    errand("choose a folder", lambda: choose(window, data))
    window.shot("a folder typed")
    window.key("ctrl+k")
    window.shot("palette")
    window.key("Escape")
    errand("write a PET plugin with two mistakes", lambda: write(window))
    window.key("ctrl+2", 1)
    errand("teach two drawn classes", lambda: teach(window))
    window.shot("taught")
    return errands


def see_forgetting(window):
    window.command("train with baseline")
    window.until(lambda: window.told("Start both runs"), "both are offered")
    window.key("ctrl+Return", 1)


def mend(window):
    window.click("Really: ", part=True)
    window.click("None of these: exclude it", over=True)
    window.shot("a picture left out")
    window.click("Really: ", part=True)
    window.click("Revert to ", part=True, over=True)


def ask(window):
    window.key("ctrl+4", 1)
    window.draw([(0.5, 0.2), (0.52, 0.5), (0.5, 0.8)])
    window.settle()
    window.until(lambda: window.told("score "), "an answer", 90)


def choose(window, data):
    window.command("data folder")
    window.until(lambda: window.seen("Path", any_role=True), "the dialog for a path opens")
    place = window.seen("Path", any_role=True)
    window.do("mousemove", *map(str, place), "click", "1")
    time.sleep(0.7)
    window.do("key", "End", "key", "--repeat", "80", "--delay", "30", "BackSpace")
    time.sleep(0.7)
    window.type(str(data))
    window.key("Return", 1.5)
    window.until(lambda: window.told("3 classes"), "the folder is read", 60)


def write(window):
    began = time.monotonic()
    window.key("ctrl+5", 1)
    window.click("New plugin")
    window.until(lambda: window.told("No errors"), "the first text is checked")
    window.click("[sizes]", part=True)
    window.key("ctrl+a")
    for line in PLUGIN.splitlines():
        window.type(line)
        window.key("Return", 0.1)
    window.key("Escape")
    window.until(lambda: window.told("Unknown function `rellu`."), "the first mistake is told")
    window.shot("a mistake in a name")
    window.click("Change to relu")
    window.until(lambda: window.told("does not fit: inner sizes"), "the second mistake is told")
    window.shot("a mistake in a shape")
    # Changes the shape of `up` by find and replace.
    window.click("[sizes]", part=True)
    window.key("ctrl+f")
    window.type('up = { shape = ["d", "r"]')
    window.shot("found")
    window.key("Tab", 0.3)
    window.key("Tab")
    window.type('up = { shape = ["r", "d"]')
    window.click("Replace all")
    window.until(lambda: window.told("No errors"), "the text is sound")
    window.until(lambda: window.told("a prediction takes"), "it is measured", 60)
    window.shot("sound")
    window.click("Save")
    window.until(lambda: window.told("Written here"), "it is listed")
    window.click("Use plugin")
    window.shot("in use")
    print(f"  a PET plugin was written, mended, saved and chosen in {time.monotonic() - began:.0f} s", flush=True)


def teach(window):
    window.click("Teach…")
    window.click("Draw or collect…")
    strokes = [[(0.2, 0.2), (0.8, 0.8)], [(0.25, 0.2), (0.8, 0.75)], [(0.2, 0.3), (0.75, 0.8)]]
    across = [[(x, 0.5 + 0.1 * y) for x, y in stroke] for stroke in strokes]
    for number, drawings in enumerate([strokes, across]):
        if number:
            window.click("Add class")
        for stroke in drawings:
            window.draw(stroke)
            window.click("Add drawing")
    window.shot("gathering")
    window.click("Teach")
    time.sleep(4)
    window.until(window.ended, "the lesson ends", 120)


def one_way(args, way):
    size, theme, zoom = way
    name = f"{size}-{theme}-{zoom}"
    folder = args.to / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # The path is typed, so it has only characters of every keyboard.
    work = Path(tempfile.gettempdir()) / f"laeplay{os.getpid()}"
    work.mkdir()
    pictures(work / "landscapes")
    window = Window(args.program, size, folder, work)
    wrong, errands = None, {}
    try:
        window.until(lambda: window.seen("Not now"), "the tour is offered")
        window.shot("tour offered")
        window.click("Not now")
        window.close()
        # The second start uses stored settings for a small run.
        (work / "config/lae-studio").mkdir(parents=True, exist_ok=True)
        (work / "config/lae-studio/window.toml").write_text(SETTINGS.format(theme=theme))
        window = Window(args.program, size, folder, work)
        errands = play(window, zoom, work / "landscapes")
    except (Stuck, subprocess.SubprocessError) as error:
        wrong = str(error)
        subprocess.run(["import", "-window", "root", str(folder / "99-stuck.png")], env=window.env)
    times = window.close()
    shots = sorted(folder.glob("*.png"))
    subprocess.run(["montage", *map(str, shots), "-tile", "4x", "-geometry", "640x+6+6", "-label", "%t",
                    str(args.to / f"{name}.png")], check=False)
    print(f"{name}: {len(shots)} images; {times}" + (f"\n  STUCK: {wrong}" if wrong else ""), flush=True)
    shutil.rmtree(work, ignore_errors=True)
    return errands, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--to", type=Path, default=Path("play"))
    parser.add_argument("--only", nargs="*", help="ways to play, as 1280x800-dark-100")
    args = parser.parse_args()
    for tool in ["Xvfb", "xdotool", "import", "montage"]:
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return 0
    args.to = args.to.absolute()
    clicks, failed = {}, 0
    for way in WAYS:
        if args.only and "{}-{}-{}".format(*way) not in args.only:
            continue
        errands, wrong = one_way(args, way)
        clicks.update(errands)
        failed += bool(wrong)
    (args.to / "clicks.json").write_text(json.dumps(clicks, indent=1))
    for name, count in clicks.items():
        print(f"{count:3} clicks and keys to {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

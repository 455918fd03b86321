#!/usr/bin/env python3
"""Checks that memory, handles and threads do not grow while a window trains, changes pages and classifies images.

    python3 tests/soak.py PROGRAM [--minutes 20] [--screenshot FILE.png]

Needs Xvfb and xdotool (and ImageMagick's `import` for the screenshot). Every second, it opens another page or clicks
a sample on Predict; every ten seconds, it changes a plugin file, every other time to an invalid one. It reports the
growth of memory, handles, threads and disk space per hour over the last three quarters. The exit code is 1 if the
window ended, handles or threads grew, or memory grew by more than --megabytes per hour.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SETUP = """[setup]
data = "digits"
epochs = 10000
batch = 8
train_limit = 4
test_limit = 2
device = "cpu"
"""
PLUGIN = """name = "Own"
sites = ["block"]
[parameters]
w = { shape = ["d", "d"], init = "zeros" }
[equations]
every = "h + e @ w"
"""


def sample(pid, runs):
    status = Path(f"/proc/{pid}/status").read_text()
    memory = int(next(line for line in status.splitlines() if line.startswith("VmRSS:")).split()[1]) / 1024
    disk = 0
    for folder, _, files in os.walk(runs):
        for name in files:
            try:
                disk += os.path.getsize(os.path.join(folder, name))
            except OSError:
                pass
    return (time.monotonic(), memory, len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task")), disk / 1e6)


def slope(samples, column):
    """Returns the growth per hour: the slope of the regression line through the last three quarters."""
    settled = samples[len(samples) // 4:]
    times = [one[0] / 3600 for one in settled]
    values = [one[column] for one in settled]
    middle, mean = sum(times) / len(times), sum(values) / len(values)
    along = sum((t - middle) ** 2 for t in times)
    return sum((t - middle) * (v - mean) for t, v in zip(times, values)) / along


class Window:
    def __init__(self, program, work, setup=SETUP, env=None, nice=10):
        self.dice = random.Random(0)
        self.runs = work / "runs"
        (work / "config/lae-studio").mkdir(parents=True)
        (work / "here/plugins").mkdir(parents=True)
        (work / "config/lae-studio/window.toml").write_text(setup)
        self.plugin = work / "here/plugins/own.toml"
        number = next(n for n in range(80, 200) if not Path(f"/tmp/.X11-unix/X{n}").exists())
        self.screen = subprocess.Popen(["Xvfb", f":{number}", "-screen", "0", "1280x800x24"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.env = os.environ | {
            "DISPLAY": f":{number}", "HOME": str(work), "XDG_CONFIG_HOME": str(work / "config"),
            "XDG_DATA_HOME": str(work / "data"), "XDG_CACHE_HOME": str(work / "cache"), "LAE_RUNS": str(self.runs),
            "XDG_RUNTIME_DIR": str(work), "RAYON_NUM_THREADS": "1"} | (env or {})
        self.env.pop("WAYLAND_DISPLAY", None)
        time.sleep(1)
        quick = "train --data digits --train-limit 5 --test-limit 2 --epochs 1 --freeze-epochs 0 --device cpu --quiet".split()
        subprocess.run([program, *quick], env=self.env, cwd=work / "here", check=True, capture_output=True)
        self.log = open(work / "said", "w")
        self.program = subprocess.Popen(["nice", "-n", str(nice), program], env=self.env, cwd=work / "here",
                                        stdout=self.log, stderr=self.log)
        for _ in range(60):
            time.sleep(1)
            found = self.do("search", "--onlyvisible", "--name", "LAE Studio").split()
            if found:
                break
        else:
            sys.exit("the window did not open")
        time.sleep(3)
        self.do("windowfocus", found[0])
        self.do("key", "ctrl+Return")

    def do(self, *words):
        return subprocess.run(["xdotool", *words], env=self.env, capture_output=True, text=True).stdout

    def turn(self, number):
        if number % 10 == 0:
            self.plugin.write_text(PLUGIN + "#" * (number // 10 % 5) + ("\nwrong" if number // 10 % 2 else ""))
        if number % 3 == 0:
            # Clicks a sample on Predict; the samples are lower after the first prediction.
            self.do("key", "ctrl+4")
            across = str(52 + 58 * self.dice.randrange(5))
            for down in ["530", "758"]:
                self.do("mousemove", across, down, "sleep", "0.3", "click", "1", "sleep", "0.3")
        else:
            self.do("key", f"ctrl+{self.dice.choice('1235')}")
            self.do("mousemove", str(self.dice.randrange(1280)), str(self.dice.randrange(800)))

    def close(self):
        self.program.terminate()
        try:
            self.program.wait(20)
        except subprocess.TimeoutExpired:
            self.program.kill()
        self.screen.terminate()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--megabytes", type=float, default=20, help="growth of memory an hour that passes")
    parser.add_argument("--screenshot")
    args = parser.parse_args()
    for tool in ["Xvfb", "xdotool"]:
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return 0
    work = Path(tempfile.mkdtemp(prefix="lae-soak-"))
    window = Window(args.program, work)
    samples, number, began = [], 0, time.monotonic()
    try:
        while time.monotonic() - began < args.minutes * 60:
            if window.program.poll() is not None:
                print(f"the window ended with {window.program.returncode}: see {work}/said")
                return 1
            window.turn(number)
            number += 1
            samples.append(sample(window.program.pid, window.runs))
            if number % 60 == 1:
                _, memory, handles, threads, disk = samples[-1]
                print(f"{number:6} turns  {memory:7.1f} MB  {handles} handles  {threads} threads  {disk:.2f} MB on disk", flush=True)
            time.sleep(1)
        if args.screenshot:
            window.do("key", "ctrl+4")
            time.sleep(2)
            subprocess.run(["import", "-window", "root", args.screenshot], env=window.env)
    finally:
        window.close()
    saved = sum(1 for _ in window.runs.rglob("checkpoint.safetensors"))
    grown = [slope(samples, column) for column in (1, 2, 3, 4)]
    settled, last = samples[len(samples) // 4], samples[-1]
    print(f"{number} turns in {(last[0] - began) / 60:.1f} minutes, {saved} run at work; an hour brings "
          f"{grown[0]:+.1f} MB of memory, {grown[1]:+.2f} handles, {grown[2]:+.2f} threads, {grown[3]:+.3f} MB on disk; "
          f"memory {settled[1]:.1f} → {last[1]:.1f} MB")
    shutil.rmtree(work, ignore_errors=True)
    return 1 if grown[0] > args.megabytes or last[2] > settled[2] + 2 or last[3] > settled[3] + 2 else 0


if __name__ == "__main__":
    sys.exit(main())

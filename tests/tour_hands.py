"""Measures what the three runs of the tour remember, with scripted drawings and the test images of the first task.

    python tests/tour_hands.py BINARY [--hands 20] [--seeds 0] [--order ORDER] [--folder FOLDER]

Reads the class order, the digits to draw and the learning rate of fine-tuning from `src/session/tour/mod.rs`, trains
Seq-FT, Baseline and LAE with each seed as the tour does, and classifies scripted drawings: several forms of each
digit, each with its own slant, stretch, rotation and wobble, in the size and pen width of the tour's canvas. The
table counts the drawings of each form that are classified correctly after the first task, and those of them that
still are after the last. The exit code is 1 if fewer than nine of ten drawings of the followed digit are lost in part
1, or if the accuracy on its test images falls by less than 40 points. Needs only Python.
"""

import argparse
import csv
import json
import math
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

SIDE = 64
# Width of the pen relative to the canvas, and size of a drawing relative to the image.
PEN, SHARE = 0.075, 0.72
TOUR = Path(__file__).parent.parent / "src/session/tour/mod.rs"


def arc(cx, cy, rx, ry, start, end, steps=14):
    """Returns points on an ellipse between two angles in degrees."""
    angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
    return [(cx + rx * math.cos(a), cy + ry * math.sin(a)) for a in angles]


# Forms of digits as strokes in the unit square.
FORMS = {
    "1": {
        "with a flag": [[(0.34, 0.34), (0.54, 0.14), (0.54, 0.86)]],
        "a bar": [[(0.52, 0.12), (0.48, 0.88)]],
        "with a short flag": [[(0.40, 0.26), (0.56, 0.13), (0.50, 0.87)]],
        "with a foot": [[(0.36, 0.30), (0.52, 0.14), (0.52, 0.86)], [(0.34, 0.86), (0.70, 0.86)]],
    },
    "2": {
        "round": [arc(0.5, 0.34, 0.24, 0.2, -170, 40) + [(0.26, 0.84), (0.76, 0.84)]],
        "with a wave": [arc(0.48, 0.32, 0.22, 0.2, -150, 60)
                        + [(0.28, 0.8), (0.42, 0.76), (0.74, 0.84)]],
    },
}
# Misclassified after the first task already, which the tour reports: listed, but not counted.
APART = {("1", "with a foot")}


def drawn(strokes, rng):
    """Returns the strokes with random slant, stretch, rotation and wobble."""
    slant, stretch, turn = rng.gauss(0, 0.1), math.exp(rng.gauss(0, 0.1)), rng.gauss(0, 0.06)
    waves = [(rng.gauss(0, 0.018), rng.gauss(0, 0.018), rng.uniform(1.5, 3.5), rng.uniform(0, 6.28))
             for _ in range(2)]

    def placed(point):
        x, y = point[0] - 0.5, point[1] - 0.5
        for along, across, often, begin in waves:
            x += along * math.sin(often * 6 * y + begin)
            y += across * math.sin(often * 6 * x + begin)
        x, y = (x - slant * y) * stretch, y / stretch
        return (x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn))

    return [[placed(point) for point in stroke] for stroke in strokes]


def picture(strokes):
    """Returns the drawing as grey bytes, light on dark, centred and sized as in the tour."""
    points = [point for stroke in strokes for point in stroke]
    left, right = (f(x for x, _ in points) for f in (min, max))
    top, bottom = (f(y for _, y in points) for f in (min, max))
    scale = SHARE / (max(right - left, bottom - top) + PEN)
    radius = PEN * scale * SIDE / 2

    def place(point):
        return (SIDE * (0.5 + (point[0] - (left + right) / 2) * scale),
                SIDE * (0.5 + (point[1] - (top + bottom) / 2) * scale))

    ink = [0.0] * (SIDE * SIDE)
    for stroke in strokes:
        chain = [place(point) for point in stroke]
        for (ax, ay), (bx, by) in zip(chain, chain[1:]):
            dx, dy = bx - ax, by - ay
            length = max(dx * dx + dy * dy, 1e-12)
            rows = range(max(0, int(min(ay, by) - radius - 1)),
                         min(SIDE, int(max(ay, by) + radius + 2)))
            columns = range(max(0, int(min(ax, bx) - radius - 1)),
                            min(SIDE, int(max(ax, bx) + radius + 2)))
            for y in rows:
                for x in columns:
                    px, py = x + 0.5 - ax, y + 0.5 - ay
                    t = min(1.0, max(0.0, (px * dx + py * dy) / length))
                    light = radius + 0.5 - math.hypot(px - t * dx, py - t * dy)
                    at = y * SIDE + x
                    ink[at] = max(ink[at], min(1.0, max(0.0, light)))
    return bytes(round(value * 255) for value in ink)


def write_png(path, grey):
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))

    raw = b"".join(b"\0" + grey[y * SIDE:(y + 1) * SIDE] for y in range(SIDE))
    head = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
                     + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def tour():
    """Returns the digits to draw (the tracked one first), the class order, and the options of the three runs."""
    text = TOUR.read_text()
    digits = re.findall(r'"(\d)"', re.search(r"DRAWN: \[&str; 2\] = \[(.*?)\]", text)[1])
    rate = re.search(r"FINE_TUNING_RATE: f64 = (.*?);", text)[1]
    acts = {
        "Seq-FT": ["--method", "seq-ft", "--base-lr", rate, "--set", "keep_weights=every"],
        "Baseline": ["--method", "baseline"],
        "LAE": ["--method", "lae"],
    }
    return digits, re.search(r'ORDER: &str = "(.*?)"', text)[1], acts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--hands", type=int, default=20)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--order", help="another class order than the tour's")
    args = parser.parse_args()
    digits, order, acts = tour()
    order = args.order or order
    work = args.folder or Path(tempfile.mkdtemp())
    hands = work / "hands"
    hands.mkdir(parents=True, exist_ok=True)
    forms = [(digit, form) for digit in digits for form in FORMS[digit]]
    for number, (digit, form) in enumerate(forms):
        for hand in range(args.hands):
            rng = random.Random(f"{digit} {form} {hand}")
            write_png(hands / f"{number}-{hand:02}.png", picture(drawn(FORMS[digit][form], rng)))

    def call(*words):
        done = subprocess.run([args.binary, *map(str, words)], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout

    def answers(run, task):
        """Returns for each form whether each of its drawings is classified correctly."""
        table = work / "answers.csv"
        call("predict", run, "--out", run.parent, "--task", task, "--always-answer", "--folder", hands,
             "--csv", table)
        with open(table) as file:
            classes = {Path(row["image"]).stem: row["class"] for row in csv.DictReader(file)}
        return {form: [classes[f"{number}-{hand:02}"] == form[0] for hand in range(args.hands)]
                for number, form in enumerate(forms)}

    print(f"order {order}, {args.hands} hands of each form")
    passed = True
    for seed in args.seeds:
        for name, options in acts.items():
            root = work / f"{seed}-{name}"
            begin = time.monotonic()
            result = root / "result.json"
            root.mkdir(parents=True, exist_ok=True)
            call("train", *options, "--order", order, "--seed", seed, "--out", root, "--quiet", "--json",
                 result)
            seconds = time.monotonic() - begin
            rows = [task["matrix_row"] for task in json.loads(result.read_text())["tasks"]]
            first = [row[0] for row in rows]
            run = max(path for path in root.iterdir() if (path / "run.toml").exists())
            before, after = (answers(run, task) for task in (1, len(rows)))
            kept = {form: sum(a and b for a, b in zip(before[form], after[form])) for form in forms}
            right = {form: sum(before[form]) for form in forms}
            print(f"seed {seed}, {name}: {seconds:.0f} s, task 1 {first[0]:.0f} % to {first[-1]:.0f} %, "
                  f"each task when learned {', '.join(f'{row[-1]:.0f}' for row in rows)} %")
            for form in forms:
                print(f"    {' '.join(form):<22}{right[form]:>4} right at first, {kept[form]:>3} at the end")
            followed = [form for form in forms if form[0] == digits[0] and form not in APART]
            lost = 1 - sum(kept[form] for form in followed) / max(1, sum(right[form] for form in followed))
            print(f"    {lost:.0%} of the {digits[0]} lost")
            if name == "Seq-FT":
                passed &= lost >= 0.9 and first[0] - first[-1] >= 40
    sys.exit(not passed)


if __name__ == "__main__":
    main()

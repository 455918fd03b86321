"""Draws symbols with shaky strokes, as a folder of classes for `lae-studio teach`.

    python tests/draw_symbols.py FOLDER [--each 10] [--test 0] [--seed 1]

All drawings of a symbol have the same strokes, with random size, slant, position, thickness, brightness, grain and
small shifts of each corner: 32×32 grey images, light on dark. With `--test N` the folder gets a test split of N
further drawings per symbol. Needs only Python.
"""

import argparse
import math
import random
import struct
import zlib
from pathlib import Path

SIDE = 32


def ring(corners, turn=0.0, inner=1.0):
    """Returns corners on a circle; every second one has the radius `inner`."""
    points = []
    for i in range(corners + 1):
        angle = turn + 2 * math.pi * i / corners - math.pi / 2
        radius = inner if i % 2 else 1.0
        points.append((radius * math.cos(angle), radius * math.sin(angle)))
    return points


SYMBOLS = {
    "star": [ring(10, inner=0.42)],
    "house": [[(-0.8, 0.9), (-0.8, -0.1), (0.0, -0.95), (0.8, -0.1), (0.8, 0.9), (-0.8, 0.9)],
              [(-0.2, 0.9), (-0.2, 0.3), (0.25, 0.3), (0.25, 0.9)]],
}


def distance(x, y, a, b):
    (ax, ay), (bx, by) = a, b
    dx, dy = bx - ax, by - ay
    length = dx * dx + dy * dy
    t = 0.0 if length == 0 else max(0.0, min(1.0, ((x - ax) * dx + (y - ay) * dy) / length))
    return math.hypot(x - ax - t * dx, y - ay - t * dy)


def draw(strokes, rng):
    """Returns a drawing as rows of grey bytes."""
    size = rng.uniform(8.5, 12.5)
    stretch = rng.uniform(0.85, 1.15)
    slant, turn = rng.gauss(0, 0.12), rng.gauss(0, 0.15)
    cx, cy = SIDE / 2 + rng.gauss(0, 1.2), SIDE / 2 + rng.gauss(0, 1.2)
    half = rng.uniform(0.9, 1.7)
    bright, dark = rng.uniform(180, 255), rng.uniform(0, 25)

    def placed(point):
        x, y = (value + rng.gauss(0, 0.07) for value in point)
        x, y = (x + slant * y) * size * stretch, y * size / stretch
        return (cx + x * math.cos(turn) - y * math.sin(turn),
                cy + x * math.sin(turn) + y * math.cos(turn))

    lines = [[placed(point) for point in stroke] for stroke in strokes]
    pairs = [pair for line in lines for pair in zip(line, line[1:])]
    rows = []
    for y in range(SIDE):
        row = bytearray()
        for x in range(SIDE):
            away = min(distance(x + 0.5, y + 0.5, a, b) for a, b in pairs)
            ink = max(0.0, min(1.0, half + 0.5 - away))
            value = dark + (bright - dark) * ink + rng.gauss(0, 6)
            row.append(int(max(0, min(255, value))))
        rows.append(bytes(row))
    return rows


def png(rows):
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels)
            + chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--each", type=int, default=10)
    parser.add_argument("--test", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    splits = [("", args.each)] if args.test == 0 else [("train", args.each), ("test", args.test)]
    for split, count in splits:
        for name, strokes in SYMBOLS.items():
            folder = args.folder / split / name
            folder.mkdir(parents=True, exist_ok=True)
            for i in range(count):
                (folder / f"{i:03}.png").write_bytes(png(draw(strokes, rng)))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Draws a folder of six textures, 60 down to 18 pictures of each, as somebody might photograph walls and floors.

    python3 tests/draw_textures.py FOLDER

Every picture has its own size, tint, turn and grain. Needs numpy and Pillow.
"""
import sys
from pathlib import Path

import numpy as np
from PIL import Image

COUNTS = {"stripes": 60, "checks": 45, "dots": 40, "wood": 30, "cloud": 24, "gravel": 18}
TURN = 6.3
rng = np.random.default_rng(3)


def grain(side, step):
    """Smooth noise: a grid of random numbers every `step` points, drawn large."""
    coarse = rng.normal(size=(side // step + 2, side // step + 2))
    return np.asarray(Image.fromarray(coarse.astype("f4")).resize((side, side), 3))


def picture(kind, side):
    y, x = np.mgrid[0:side, 0:side] / side
    often, turned, begins = rng.uniform(6, 11), rng.uniform(-.35, .35), rng.uniform(0, TURN)
    u = x * np.cos(turned) + y * np.sin(turned)
    v = -x * np.sin(turned) + y * np.cos(turned)
    # All are worked out for each picture, so that it is the same whichever kind it is of.
    drawn = {
        "stripes": np.sin(TURN * often * u + begins),
        "checks": np.sign(np.sin(TURN * often * u + begins) * np.sin(TURN * often * v)),
        "dots": np.cos(TURN * often * u) * np.cos(TURN * often * v) * 1.5 - .5,
        "wood": np.sin(TURN * (often * u + 1.3 * grain(side, max(side // 3, 1)))),
        "cloud": grain(side, max(side // 4, 1)) * 1.2,
        "gravel": np.sign(grain(side, max(side // 24, 2))),
    }[kind]
    image = drawn + .5 * grain(side, 2)
    tint = rng.uniform(.55, 1, 3)
    image = (image - image.min()) / (np.ptp(image) + 1e-6)
    pixels = 255 * image[..., None] * tint * rng.uniform(.6, 1)
    return Image.fromarray(pixels.clip(0, 255).astype("uint8"))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for kind, count in COUNTS.items():
        folder = Path(sys.argv[1]) / kind
        folder.mkdir(parents=True)
        for number in range(count):
            picture(kind, int(rng.integers(90, 260))).save(folder / f"{number:03}.png")


if __name__ == "__main__":
    main()

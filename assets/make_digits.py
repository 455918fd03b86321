"""Writes digits.pack, the handwritten digits of the UCI optical recognition dataset.

    pip install numpy pillow scikit-learn && python assets/make_digits.py assets/digits.pack

Source: E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository, 1998,
https://doi.org/10.24432/C50P49, CC BY 4.0; the 1,797 images in scikit-learn. Each image has 8x8 pixels with values
from 0 to 16, and the digit fills it. The script enlarges it to 24x24 (bilinear, which adds grey levels) and centres
it on a black 32x32 image, so that crops cut margins and not strokes. A quarter of each class, drawn with a fixed
seed, is the test split. README.md in this folder describes the format of a pack.
"""

import json
import struct
import sys
import zlib

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits

SEED = 1998
TEST_SHARE = 0.25
SIDE, INNER = 32, 24


def framed(picture):
    """An 8x8 image enlarged and centred on black."""
    large = Image.fromarray(picture).resize((INNER, INNER), Image.BILINEAR)
    frame = Image.new("L", (SIDE, SIDE))
    frame.paste(large, ((SIDE - INNER) // 2,) * 2)
    return np.asarray(frame)


def pack(path, header, splits):
    """Writes `header` and the images: split by split, class by class."""
    for name, classes in splits.items():
        header[name] = [len(pictures) for pictures in classes]
    pixels = b"".join(p.tobytes() for c in splits.values() for p in c)
    text = json.dumps(header, ensure_ascii=False).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<I", len(text)) + text + zlib.compress(pixels, 9))


def main(path):
    source = load_digits()
    small = np.round(source.images * (255 / 16)).astype(np.uint8)
    pictures = np.stack([framed(picture) for picture in small])
    generator = np.random.Generator(np.random.PCG64(SEED))
    splits = {"train": [], "test": []}
    for digit in range(10):
        members = np.flatnonzero(source.target == digit)
        mixed = generator.permutation(members)
        held_out = round(len(members) * TEST_SHARE)
        splits["test"].append(pictures[np.sort(mixed[:held_out])])
        splits["train"].append(pictures[np.sort(mixed[held_out:])])
    header = {
        "name": "Digits",
        "note": "Handwritten digits of the UCI optical recognition set (Alpaydin and Kaynak, 1998): "
        "written by people, 8×8 enlarged and framed; "
        "three quarters of the images of each class are training images, the others test images.",
        "licence": "CC BY 4.0",
        "height": SIDE,
        "width": SIDE,
        "classes": [str(digit) for digit in range(10)],
    }
    pack(path, header, splits)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "digits.pack")

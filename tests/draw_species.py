"""Draws a folder of butterflies similar to a biologist's: eight species, each a folder of images.

    python tests/draw_species.py FOLDER [--seed 1] [--share 1.0] [--even N]

The folder has the usual difficulties. Classes are unequal (64 to 18 images), and each image has its own size and
aspect ratio (90 to 420 pixels per side). The animal has any position and rotation, on leaves, soil or stone in
different light. Pairs of species look alike. The tenth image of the third species is in the folder of the fourth (a
wrong label), and five images exist twice (copies, one of them saved again in another size). The same seed draws the
same images. `--share 0.5` draws half of each species, `--even N` N images of each. There is no test split: the
program holds out a share. Needs numpy and PIL.

Seed 1 gives the folder of docs/results.md, "Small and unequal folders".
"""

import argparse
import colorsys
import random
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

# Hue, saturation and value of the wings; number of bands; number of spots and their hue; whether the fore wing has a
# dark tip; length of the hind wing; number of images.
SPECIES = {
    "brimstone": (60, 0.60, 0.90, 0, 1, 25, False, 0.75, 64),
    "clouded yellow": (48, 0.75, 0.88, 1, 1, 30, False, 0.75, 56),
    "large white": (55, 0.06, 0.93, 0, 2, 0, True, 0.80, 50),
    "orange tip": (50, 0.08, 0.92, 0, 1, 28, True, 0.70, 42),
    "painted lady": (24, 0.70, 0.80, 2, 4, 0, True, 0.78, 36),
    "tortoiseshell": (18, 0.82, 0.78, 3, 4, 215, False, 0.76, 30),
    "small copper": (22, 0.85, 0.82, 1, 6, 0, False, 0.62, 24),
    "common blue": (222, 0.55, 0.82, 0, 5, 30, False, 0.66, 18),
}
# Images are drawn larger by this factor and then reduced, for smooth edges.
FINE = 2


def colour(hue, saturation, value):
    rgb = colorsys.hsv_to_rgb((hue % 360) / 360, min(max(saturation, 0), 1), min(max(value, 0), 1))
    return tuple(int(255 * part) for part in rgb)


def ground(width, height, rng, draws):
    """Returns a background of leaves, soil or stone: coloured noise of several sizes, and a few blades."""
    hue, saturation, value = rng.choice([(95, 0.55, 0.42), (110, 0.4, 0.55), (30, 0.4, 0.4), (35, 0.12, 0.6), (70, 0.5, 0.5)])
    noise = np.zeros((height, width))
    for cells in (3, 7, 17, 41):
        small = Image.fromarray((draws.random((cells, cells)) * 255).astype(np.uint8))
        noise += np.asarray(small.resize((width, height), Image.BICUBIC), float) / 255 / cells ** 0.35
    noise = (noise - noise.mean()) / (noise.std() + 1e-6)
    base = np.array(colour(hue + rng.gauss(0, 8), saturation, value), float)
    picture = Image.fromarray(np.clip(base + noise[..., None] * 24, 0, 255).astype(np.uint8))
    pen = ImageDraw.Draw(picture)
    for _ in range(rng.randrange(3, 9)):
        x, y = rng.uniform(0, width), rng.uniform(0, height)
        reach = rng.uniform(0.2, 0.6) * width
        shade = colour(hue + rng.gauss(0, 20), saturation * 0.9, value * rng.uniform(0.6, 1.4))
        pen.line((x, y, x + reach * rng.uniform(-1, 1), y + reach * rng.uniform(-1, 1)), fill=shade, width=rng.randrange(2, 9))
    return picture


def wing(side, species, rng, wear):
    """Returns the right wings on a transparent square; they are attached at the middle of its left edge."""
    hue, saturation, value, bands, spots, spot_hue, tip, hind, _ = species
    hue, saturation, value = hue + rng.gauss(0, 5), saturation * rng.uniform(0.85, 1.15), value * rng.uniform(0.88, 1.1)
    shapes = {
        "hind": [(0, 0.5), (0.35 * hind, 0.52), (0.75 * hind, 0.62), (0.78 * hind, 0.8), (0.5 * hind, 0.95), (0.2 * hind, 0.85)],
        "fore": [(0, 0.5), (0.25, 0.2), (0.75, 0.04), (0.93, 0.1), (0.9, 0.3), (0.72, 0.5), (0.35, 0.56)],
    }
    whole = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    for name, corners in shapes.items():
        moved = [(x * side + rng.gauss(0, 0.008) * side, y * side + rng.gauss(0, 0.008) * side) for x, y in corners]
        mask = Image.new("L", (side, side), 0)
        ImageDraw.Draw(mask).polygon(moved, fill=255)
        mask = mask.filter(ImageFilter.GaussianBlur(side * 0.02)).point(lambda level: 255 if level > 110 else 0)
        layer = Image.new("RGBA", (side, side), colour(hue, saturation, value * (0.95 if name == "hind" else 1)) + (255,))
        pen = ImageDraw.Draw(layer)
        dark = colour(20, 0.4, 0.14 + rng.random() * 0.06)
        for band in range(bands):
            at = (0.3 + 0.2 * band + rng.gauss(0, 0.015)) * side
            pen.line((at, 0.02 * side, at * 0.9, 0.98 * side), fill=dark, width=max(1, int(side * rng.uniform(0.03, 0.05))))
        for spot in range(spots):
            x, y = (0.28 + 0.5 * (spot % 3) / 2.2 + rng.gauss(0, 0.012)) * side, (0.24 + 0.42 * (spot // 3 or spot % 2) + rng.gauss(0, 0.012)) * side
            size = side * rng.uniform(0.03, 0.045)
            fill = dark if spot_hue == 0 else colour(spot_hue, 0.8, 0.8)
            pen.ellipse((x - size, y - size, x + size, y + size), fill=fill)
        if tip and name == "fore":
            fill = colour(spot_hue, 0.85, 0.95) if spot_hue else dark
            pen.polygon([(0.66 * side, 0), (side, 0), (side, 0.4 * side)], fill=fill)
        pen.line([(0, side * 0.5), *moved[2:4]], fill=dark, width=1)
        layer.putalpha(mask)
        whole.alpha_composite(layer)
    if wear > 0.8:
        ImageDraw.Draw(whole).ellipse((0.7 * side, 0.75 * side, 1.1 * side, 1.1 * side), fill=(0, 0, 0, 0))
    return whole


def photograph(species, rng, draws):
    """Returns an image of one animal."""
    width, height = rng.randrange(90, 421), rng.randrange(90, 421)
    fine = (width * FINE, height * FINE)
    picture = ground(*fine, rng, draws).convert("RGBA")
    side = int(min(fine) * rng.uniform(0.32, 0.5))
    animal = Image.new("RGBA", (2 * side, side), (0, 0, 0, 0))
    right, left = (wing(side, species, random.Random(seed), wear) for seed, wear in [(rng.random(), rng.random())] * 2)
    fold = rng.uniform(0.55, 1.0)
    narrow = max(2, int(side * fold))
    animal.alpha_composite(right.resize((narrow, side)), (side, 0))
    animal.alpha_composite(left.resize((narrow, side)).transpose(Image.FLIP_LEFT_RIGHT), (side - narrow, 0))
    body = side * 0.035
    ImageDraw.Draw(animal).ellipse((side - body, side * 0.28, side + body, side * 0.8), fill=(40, 32, 28, 255))
    animal = animal.rotate(rng.uniform(0, 360), expand=True, resample=Image.BICUBIC)
    across, down = (max(0, whole - part) for whole, part in zip(fine, animal.size))
    place = (int(across * rng.random()), int(down * rng.random()))
    shadow = Image.new("RGBA", animal.size, (0, 0, 0, 110))
    shadow.putalpha(animal.getchannel("A").point(lambda level: level // 3))
    picture.alpha_composite(shadow.crop((0, 0, *fine)), place)
    picture.alpha_composite(animal.crop((0, 0, *fine)), place)
    picture = picture.convert("RGB").resize((width, height), Image.LANCZOS)
    if rng.random() < 0.3:
        picture = picture.filter(ImageFilter.GaussianBlur(rng.uniform(0.4, 1.6)))
    light = rng.uniform(0.75, 1.2) * np.array([rng.uniform(0.95, 1.08), 1.0, rng.uniform(0.88, 1.05)])
    pixels = np.asarray(picture, float) * light + draws.normal(0, rng.uniform(1, 8), (height, width, 1))
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder", type=Path)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--share", type=float, default=1.0, help="share of each species that is drawn")
    words.add_argument("--even", type=int, help="this number of images of each species instead")
    given = words.parse_args()
    names = list(SPECIES)
    for name, species in SPECIES.items():
        # Each species has its own random numbers, so fewer images of one do not change the others.
        rng = random.Random(f"{given.seed} {name}")
        draws = np.random.default_rng([given.seed, names.index(name)])
        count = given.even or max(4, round(species[-1] * given.share))
        for number in range(count):
            picture = photograph(species, rng, draws)
            where = names[3] if (name == names[2] and number == 9) else name
            folder = given.folder / where
            folder.mkdir(parents=True, exist_ok=True)
            file = f"{names.index(name) + 1}{number:03}.jpg"
            picture.save(folder / file, quality=90)
            if number == 1 and name in names[:5]:
                copy = picture.resize((picture.width * 3 // 4, picture.height * 3 // 4)) if name == names[4] else picture
                copy.save(folder / f"copy of {file}", quality=90)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares the speed of the program as built by Cargo.toml with that of cargo's default release settings.

    cargo build --release && cargo build --profile plain
    python3 tests/speed_build.py target/release/lae-studio target/plain/lae-studio [--large] [--gpu] [--weights FILE …]

Each row is measured with both programs in turn: the step and the whole task of each method, the backbones of each
family, decoding of each image format, unpacking of archives, loading of weight files, a run on the command line. The
ratio is that of the best measurements. A row below --floor is measured more often; if it stays below, this is a
defect, and the exit code is 1.

--large adds the base sizes of ViT, Swin and ConvNeXt. --gpu adds a GPU (or software Vulkan: with one image per step,
this measures the program and not the GPU). --weights gives files to load. Images need Pillow. Run nothing else
meanwhile.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

KINDS = {"jpg": {"quality": 90}, "png": {}, "webp": {"quality": 80}, "gif": {}, "bmp": {}, "tif": {"compression": "tiff_lzw"}}
SIZE, CLASSES, EACH = (500, 375), 2, 48


class Group:
    """Rows that are measured together: `rates` returns the rate per second of each row for a program."""

    def __init__(self, rates):
        self.rates, self.turns = rates, []

    def turn(self, programs, home):
        self.turns.append([self.rates(program, home) for program in programs])

    def best(self):
        """Returns the best rates of both programs for each row."""
        return {name: [max(turn[at][name] for turn in self.turns) for at in (0, 1)] for name in self.turns[0][0]}

    def least(self):
        return min(here / plain for here, plain in self.best().values())


def call(program, words, home):
    """Runs a program with its own home; returns standard output, standard error and the seconds."""
    names = ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
    env = os.environ | dict.fromkeys(names, str(home))
    began = time.perf_counter()
    done = subprocess.run([program, *map(str, words)], env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program} {' '.join(map(str, words))}: {done.stderr.strip()[-400:]}")
    return done.stdout, done.stderr, time.perf_counter() - began


def bench(backbone, method, batch, device, more):
    """Measures all modes of a method; the names of the rows contain the device."""
    words = f"bench --json - --backbone {backbone} --method {method} --batch {batch} --device {device} {more}".split()

    def rates(program, home):
        rows = json.loads(call(program, words, home)[0])["rows"]
        names = (f"{device}, {backbone}, {method}, {row['mode']}" for row in rows)
        return dict(zip(names, (row["images_per_second"] for row in rows)))

    return Group(rates)


def steps(chosen):
    listed = json.loads(call(chosen.program, ["methods", "--json", "-"], Path.home())[0])
    methods = [method["name"] for method in listed]
    seconds = f"--seconds {chosen.seconds}"
    for method in methods:
        yield bench("lae-nano", method, 24, "cpu", seconds)
    for backbone in ("vit_tiny_patch16_224", "swin_tiny_patch4_window7_224", "convnext_tiny"):
        yield bench(backbone, "lae", 8, "cpu", f"{seconds} --mode train,train_frozen,predict")
    for backbone in ("vit_base_patch16_224", "swin_base_patch4_window7_224", "convnext_base") * chosen.large:
        yield bench(backbone, "lae", 4, "cpu", f"{seconds} --mode train,predict")
    for method in methods * chosen.gpu:
        yield bench("lae-nano", method, 1, "gpu", f"{seconds} --mode train,measure,predict")


def photograph(draw):
    """Returns an image with edges and noise, which compresses about as well as a photograph."""
    from PIL import Image, ImageDraw, ImageFilter

    image = Image.effect_noise(SIZE, 40).convert("RGB")
    pen = ImageDraw.Draw(image)
    for _ in range(40):
        x, y = draw.randrange(SIZE[0]), draw.randrange(SIZE[1])
        pen.ellipse([x, y, x + draw.randrange(120), y + draw.randrange(120)], fill=tuple(draw.randbytes(3)))
    return image.filter(ImageFilter.GaussianBlur(1))


def pictures(folder):
    """Writes one dataset for each kind of image."""
    draw = random.Random(1)
    photographs = [photograph(draw) for _ in range(CLASSES * EACH)]
    for kind, options in KINDS.items():
        for at, image in enumerate(photographs):
            place = folder / kind / "train" / f"class {at % CLASSES}"
            place.mkdir(parents=True, exist_ok=True)
            image.save(place / f"{at}.{kind}", **options)


def decoding(folder, kind):
    words = ["data", folder / kind, "--check", "never", "--measure", 3, "--threads", 2]

    def rates(program, home):
        told = call(program, words, home)[1].splitlines()
        epochs = [float(line.split(",")[1].split()[0]) for line in told if line.startswith("epoch ")]
        return {f"decoding, {kind}": max(epochs)}

    return Group(rates)


def archives(folder):
    files = sorted(path for path in (folder / "bmp").rglob("*") if path.is_file())
    with zipfile.ZipFile(folder / "bmp.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for path in files:
            packed.write(path, path.relative_to(folder / "bmp"))
    for name in ("gz", "xz"):
        with tarfile.open(folder / f"bmp.tar.{name}", f"w:{name}") as packed:
            for path in files:
                packed.add(path, path.relative_to(folder / "bmp"))

    # Each measurement has a new home, which has not unpacked the archive yet.
    for name in ("bmp.zip", "bmp.tar.gz", "bmp.tar.xz"):
        yield whole(f"unpacking, {name}", ["data", folder / name, "--check", "never"], fresh=True)


def whole(name, words, fresh=False):
    """Measures a whole command."""

    def rates(program, home):
        with tempfile.TemporaryDirectory(dir=home) as own:
            return {name: 1 / call(program, words, own if fresh else home)[2]}

    return Group(rates)


def commands(chosen):
    for file in chosen.weights:
        words = f"bench --here --seconds 0 --batch 1 --mode predict --device cpu --backbone {file}"
        yield whole(f"loading, {Path(file).name}", words.split())
    run = "train --data digits --train-limit 60 --epochs 1 --freeze-epochs 0 --quiet --device cpu"
    yield whole("a short run of the digits", run.split())
    yield whole("list of plugins", ["plugins"])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", type=Path)
    arguments.add_argument("plain", type=Path)
    arguments.add_argument("--rounds", type=int, default=2)
    arguments.add_argument("--more", type=int, default=4, help="turns more for a row below the floor")
    arguments.add_argument("--seconds", type=float, default=1.5)
    arguments.add_argument("--floor", type=float, default=0.95)
    arguments.add_argument("--large", action="store_true")
    arguments.add_argument("--gpu", action="store_true")
    arguments.add_argument("--weights", nargs="*", default=[])
    chosen = arguments.parse_args()
    programs = [chosen.program.resolve(), chosen.plain.resolve()]
    with tempfile.TemporaryDirectory() as folder:
        folder, home = Path(folder), Path(folder) / "home"
        home.mkdir()
        groups = [*steps(chosen), *commands(chosen)]
        try:
            pictures(folder)
            groups += [decoding(folder, kind) for kind in KINDS] + [*archives(folder)]
        except ImportError:
            print("skipped: decoding and unpacking need Pillow")
        print("| row | here | cargo's own settings | ratio | turns |\n|---|---|---|---|---|")
        slow, count = [], 0
        for group in groups:
            for _ in range(chosen.rounds):
                group.turn(programs, home)
            while group.least() < chosen.floor and len(group.turns) < chosen.rounds + chosen.more:
                group.turn(programs, home)
            for name, (here, plain) in group.best().items():
                print(f"| {name} | {here:.4g} | {plain:.4g} | {here / plain:.2f} | {len(group.turns)} |", flush=True)
                slow += [name] if here / plain < chosen.floor else []
                count += 1
    print(f"{count} rows, {len(slow)} below {chosen.floor}" + "".join(f"\n  {name}" for name in slow))
    sys.exit(bool(slow))


if __name__ == "__main__":
    main()

"""Pixels side by side with torchvision and Pillow.

Makes pictures of many kinds (JPEG baseline, progressive, grey, CMYK, turned by EXIF; PNG grey, palette, alpha,
16 bit; WebP, BMP, GIF, TIFF; from 20x30 to 1200x900), lets the program export what a network sees, and compares that
with torchvision's transforms on Pillow images: Resize + CenterCrop, and resized_crop with drawn boxes.

    python tests/data_parity.py target/release/lae-studio [--per-kind 8] [--size 224] [--keep DIR]

Needs torch, torchvision, pillow, numpy and safetensors from PyPI. Exit code 1 if a mean difference is above 1/255.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch
from PIL import Image, ImageOps
from safetensors import safe_open
from torchvision.transforms import RandomResizedCrop
from torchvision.transforms import functional as F

LIMIT = 1.0 / 255.0


def photograph(rng, width, height):
    """Something with the statistics of a photo: smooth areas, edges, texture, colour."""
    picture = np.zeros((height, width, 3), np.float32)
    for scale in (4, 9, 23, 60):
        rows, columns = max(2, min(height, scale)), max(2, min(width, scale))
        noise = rng.uniform(0, 255, (rows, columns, 3)).astype(np.uint8)
        layer = Image.fromarray(noise).resize((width, height), Image.BICUBIC)
        picture += np.asarray(layer, np.float32) / scale**0.5
    y, x = np.mgrid[0:height, 0:width]
    for _ in range(6):
        a, b = rng.normal(size=2)
        edge = a * (x - rng.uniform(0, width)) + b * (y - rng.uniform(0, height)) > 0
        picture[edge] += rng.uniform(-60, 60, 3)
    picture += rng.normal(0, 4, picture.shape)
    picture -= picture.min()
    return Image.fromarray((picture * (255 / picture.max())).astype(np.uint8))


def saver(suffix, mode="RGB", **options):
    def save(picture, path):
        path = path.with_suffix(suffix)
        picture.convert(mode).save(path, **options)
        return path

    return save


def turned(picture, path):
    exif = Image.Exif()
    exif[0x0112] = 1 + sum(map(ord, path.name)) % 8
    path = path.with_suffix(".jpg")
    picture.save(path, quality=92, exif=exif)
    return path


def deep(picture, path):
    path = path.with_suffix(".png")
    grey = np.asarray(picture.convert("L"), np.uint16) * 257
    Image.fromarray(grey).save(path)
    return path


def with_alpha(picture, path):
    path = path.with_suffix(".png")
    picture = picture.copy()
    picture.putalpha(picture.convert("L"))
    picture.save(path)
    return path


KINDS = {
    "jpeg": saver(".jpg", quality=90),
    "jpeg-444": saver(".jpg", quality=95, subsampling=0),
    "jpeg-422": saver(".jpg", quality=80, subsampling=1),
    "jpeg-low": saver(".jpeg", quality=40),
    "progressive": saver(".jpg", quality=85, progressive=True),
    "jpeg-grey": saver(".jpg", mode="L", quality=88),
    "cmyk": saver(".jpg", mode="CMYK", quality=92),
    "exif": turned,
    "png": saver(".png"),
    "png-grey": saver(".png", mode="L"),
    "png-palette": saver(".png", mode="P"),
    "png-two": saver(".png", mode="1"),
    "png-alpha": with_alpha,
    "png-16": deep,
    "webp": saver(".webp", quality=85),
    "webp-lossless": saver(".webp", lossless=True),
    "bmp": saver(".bmp"),
    "bmp-grey": saver(".bmp", mode="L"),
    "gif": saver(".gif", mode="P"),
    "tiff": saver(".tif"),
    "tiff-lzw": saver(".tiff", compression="tiff_lzw"),
    "tiff-grey": saver(".tif", mode="L"),
}


def upright(path):
    picture = Image.open(path)
    if picture.mode.startswith("I;16"):
        # Pillow scales 16 bits differently from version to version; 257 is the exact factor.
        return Image.fromarray((np.asarray(picture) / 257.0).round().astype(np.uint8)).convert("RGB")
    return ImageOps.exif_transpose(picture).convert("RGB")


def export(program, folder, out, size, ratio, boxes=None):
    command = [program, "data", str(folder), "--export-inputs", str(out), "--split", "test"]
    command += ["--input-size", str(size), "--crop-ratio", str(ratio), "--json", str(out) + ".json"]
    if boxes:
        command += ["--boxes", str(boxes)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with safe_open(out, "pt") as file:
        return json.loads(file.metadata()["names"]), file.get_tensor("images")


def as_torchvision(picture, size, ratio):
    side = round(size / ratio)
    return F.to_tensor(F.center_crop(F.resize(picture, side), size))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("program")
    arguments.add_argument("--per-kind", type=int, default=10)
    arguments.add_argument("--size", type=int, default=224)
    arguments.add_argument("--keep", type=pathlib.Path)
    chosen = arguments.parse_args()
    torch.manual_seed(0)
    rng = np.random.default_rng(7)
    work = chosen.keep or pathlib.Path(tempfile.mkdtemp())
    folder = work / "pictures"
    for kind, save in KINDS.items():
        for split in ("train", "test"):
            (folder / split / kind).mkdir(parents=True, exist_ok=True)
        for number in range(chosen.per_kind):
            width = int(rng.choice([20, 30, 57, 100, 224, 256, 333, 500, 640, 1200]))
            height = int(rng.choice([20, 30, 64, 101, 224, 256, 375, 480, 900]))
            save(photograph(rng, width, height), folder / "test" / kind / f"{number:03}")
        save(photograph(rng, 24, 24), folder / "train" / kind / "000")

    worst_of_all = 0.0
    for title, ratio, boxed in (
        ("resize, centre crop 0.875", 0.875, False),
        ("resize, centre crop 1.0", 1.0, False),
        ("drawn crop boxes and flips", 0.875, True),
    ):
        paths = sorted(p for p in (folder / "test").glob("*/*") if p.is_file())
        boxes, box_file = {}, None
        if boxed:
            for path in paths:
                top, left, height, width = RandomResizedCrop.get_params(
                    upright(path), scale=(0.08, 1.0), ratio=(3 / 4, 4 / 3)
                )
                flip = bool(torch.rand(1) < 0.5)
                name = path.relative_to(folder / "test").as_posix()
                boxes[name] = dict(left=left, top=top, width=width, height=height, flip=flip)
            box_file = work / "boxes.json"
            box_file.write_text(json.dumps(boxes))
        names, images = export(chosen.program, folder, work / "inputs.safetensors", chosen.size, ratio, box_file)
        assert len(names) == len(paths), (len(names), len(paths))
        rows = {}
        for name, image in zip(names, images):
            picture = upright(folder / "test" / name)
            if boxed:
                box = boxes[name]
                cropped = F.resized_crop(
                    picture, box["top"], box["left"], box["height"], box["width"], [chosen.size] * 2
                )
                expected = F.to_tensor(F.hflip(cropped) if box["flip"] else cropped)
            else:
                expected = as_torchvision(picture, chosen.size, ratio)
            gap = (image - expected).abs()
            rows.setdefault(name.split("/")[0], []).append((gap.mean().item(), gap.max().item()))
        print(f"\n{title}: {len(names)} images, differences in units of 1/255")
        print(f"{'kind':15} {'largest mean':>12} {'largest':>8}")
        for kind, gaps in rows.items():
            mean, largest = max(g[0] for g in gaps), max(g[1] for g in gaps)
            worst_of_all = max(worst_of_all, mean)
            print(f"{kind:15} {mean * 255:12.4f} {largest * 255:8.1f}")
    print(f"\nlargest mean difference of an image: {worst_of_all * 255:.4f} / 255")
    return worst_of_all > LIMIT


if __name__ == "__main__":
    sys.exit(main())

"""Compares features with timm's, side by side, on random weights.

    pip install timm torch safetensors numpy
    python tests/timm_parity.py target/release/lae-studio [--full | --pixels] [--markdown FILE]

For each network timm makes random weights (spread out, so that every part matters), saves them to
safetensors, and both programs compute the features of the same prepared images. The relative
error is max|a - b| / max|b|. The small networks cover odd input sizes, windows larger than the
map, other resolutions than the learned one, layer scale, pre-norm and QuickGELU; --full adds
ViT-B/16, Swin-B (new and old names) and ConvNeXt-B at 224x224. Exits 0 when all errors are at most
1e-3, 1 when one is larger; prints why and exits 0 where timm is absent.

--pixels compares the prepared pixels of 64 images of odd sizes with timm's create_transform for each
entry of assets/backbones.toml that timm knows, and mean, standard deviation, crop and licence with
timm's pretrained_cfg. The mean difference of an entry is at most 1/255.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

try:
    import numpy
    import timm
    import torch
    from PIL import Image
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file
    from timm.data import create_transform
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(0)

LIMIT = 1e-3
PIXEL_LIMIT = 1 / 255
IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
UNIT = ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))


def vit(learned=None, **arguments):
    """A ViT whose position embedding was learned at `learned` pixels."""
    from timm.models.vision_transformer import VisionTransformer

    size = arguments["img_size"]
    source = VisionTransformer(**{**arguments, "img_size": learned or size}, num_classes=0)
    return source, VisionTransformer(**arguments, num_classes=0)


def swin(learned=None, **arguments):
    from timm.models.swin_transformer import SwinTransformer

    size = arguments["img_size"]
    source = SwinTransformer(**{**arguments, "img_size": learned or size}, num_classes=0)
    return source, SwinTransformer(**arguments, num_classes=0)


def convnext(**arguments):
    from timm.models.convnext import ConvNeXt

    arguments.pop("img_size")
    model = ConvNeXt(**arguments, num_classes=0)
    # LAE's released code takes the plain mean; the program does the same by default.
    model.head.norm = torch.nn.Identity()
    return model, model


def norm_1e5(width, **arguments):
    return torch.nn.LayerNorm(width, eps=1e-5, **arguments)


# name: (maker, arguments, size of the images, extra metadata)
SMALL = {
    "vit": (vit, dict(img_size=32, patch_size=8, embed_dim=48, depth=3, num_heads=4), {}),
    "vit, position embedding up": (
        vit,
        dict(img_size=64, patch_size=8, embed_dim=48, depth=3, num_heads=4, learned=32),
        {},
    ),
    "vit, position embedding down": (
        vit,
        dict(img_size=40, patch_size=8, embed_dim=48, depth=3, num_heads=4, learned=112),
        {},
    ),
    "vit, layer scale": (
        vit,
        dict(img_size=28, patch_size=14, embed_dim=48, depth=3, num_heads=4, init_values=1e-5),
        {},
    ),
    "vit, pre-norm and QuickGELU": (
        vit,
        dict(
            img_size=32,
            patch_size=8,
            embed_dim=48,
            depth=3,
            num_heads=4,
            pre_norm=True,
            act_layer="quick_gelu",
            norm_layer=norm_1e5,
        ),
        {"norm_eps": "1e-5", "pre_norm": "true", "act_layer": "quick_gelu"},
    ),
    "swin": (
        swin,
        dict(img_size=64, patch_size=4, window_size=4, embed_dim=24, depths=(2, 2), num_heads=(2, 4)),
        {},
    ),
    "swin, last window cut to its map": (
        swin,
        dict(img_size=32, patch_size=4, window_size=7, embed_dim=24, depths=(2, 2), num_heads=(2, 4)),
        {},
    ),
    "swin, map no multiple of the window": (
        swin,
        dict(
            img_size=76,
            patch_size=4,
            window_size=7,
            embed_dim=24,
            depths=(2, 2, 2),
            num_heads=(2, 4, 4),
        ),
        {},
    ),
    "swin, smaller pictures than learned": (
        swin,
        dict(
            img_size=48,
            patch_size=4,
            window_size=7,
            embed_dim=24,
            depths=(2, 2, 2),
            num_heads=(2, 4, 4),
            learned=224,
        ),
        {},
    ),
    "convnext": (convnext, dict(img_size=64, depths=(2, 2, 2, 2), dims=(16, 24, 32, 48)), {}),
    "convnext, odd sizes": (convnext, dict(img_size=75, depths=(1, 1, 2, 1), dims=(16, 24, 32, 48)), {}),
}
FULL = {
    "vit_base_patch16_224": (
        vit,
        dict(img_size=224, patch_size=16, embed_dim=768, depth=12, num_heads=12),
        None,
    ),
    "swin_base_patch4_window7_224": (
        swin,
        dict(
            img_size=224,
            patch_size=4,
            window_size=7,
            embed_dim=128,
            depths=(2, 2, 18, 2),
            num_heads=(4, 8, 16, 32),
        ),
        None,
    ),
    "convnext_base": (
        convnext,
        dict(img_size=224, depths=(3, 3, 27, 3), dims=(128, 256, 512, 1024)),
        None,
    ),
}


def spread_out(model):
    """Random weights for which norms, scales, biases and tables all matter."""
    for name, weight in model.named_parameters():
        with torch.no_grad():
            if weight.ndim == 1 and not name.endswith("bias"):
                weight.copy_(1 + 0.2 * torch.randn_like(weight))
            elif weight.ndim > 1 and ".weight" in name:
                fan_in = weight[0].numel()
                weight.copy_(torch.randn_like(weight) / fan_in**0.5)
            else:
                weight.copy_(0.2 * torch.randn_like(weight))


def old_names(tensors):
    """Swin's names of older timm: a stage's downsampling is at the end of the one before."""

    def older(match):
        return f"layers.{int(match.group(1)) - 1}.downsample"

    return {re.sub(r"layers\.(\d+)\.downsample", older, name): t for name, t in tensors.items()}


def text(value):
    return str(list(value)) if isinstance(value, tuple) else str(value)


def compare(program, folder, name, maker, arguments, metadata, rename=None):
    torch.manual_seed(1)
    source, reference = maker(**arguments)
    spread_out(source)
    tensors = dict(source.state_dict())
    if source is not reference:
        from timm.models import swin_transformer, vision_transformer

        module = swin_transformer if maker is swin else vision_transformer
        reference.load_state_dict(module.checkpoint_filter_fn(dict(tensors), reference))
    reference.eval()
    tensors = {key: value.contiguous() for key, value in tensors.items()}
    if metadata is not None:
        given = {key: value for key, value in arguments.items() if not callable(value)}
        given.pop("learned", None)
        metadata = {key: text(value) for key, value in given.items()} | metadata
        metadata["architecture"] = maker.__name__
    weights = folder / f"{re.sub('[^a-z0-9_]+', '-', name)}.safetensors"
    save_file(rename(tensors) if rename else tensors, weights, metadata=metadata)
    size = arguments["img_size"]
    images = torch.rand(2, 3, size, size)
    save_file({"images": images}, folder / "images.safetensors")
    command = [program, "features", weights, "--inputs", folder / "images.safetensors"]
    command += ["--output", folder / "features.safetensors"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    weights.unlink()
    found = load_file(folder / "features.safetensors")["features"]
    mean, std = UNIT if maker is vit else IMAGENET
    images = (images - torch.tensor(mean).view(3, 1, 1)) / torch.tensor(std).view(3, 1, 1)
    with torch.no_grad():
        expected = reference(images)
    error = ((found - expected).abs().max() / expected.abs().max()).item()
    verdict = "ok" if error <= LIMIT else "MISS"
    print(f"{name}: {error:.1e} {verdict}", flush=True)
    return name, error, verdict


def draw_images(folder):
    """64 images of odd sizes: gradients, edges and noise."""
    random = numpy.random.default_rng(1)
    (folder / "test" / "a").mkdir(parents=True)
    (folder / "train" / "a").mkdir(parents=True)
    for number in range(64):
        width, height = (int(side) for side in random.integers(17, 900, 2))
        y, x = numpy.mgrid[0:height, 0:width]
        waves = [128 + 100 * numpy.sin(x / a + y / b) for a, b in random.uniform(2, 60, (3, 2))]
        pixels = numpy.stack(waves, -1) + random.normal(0, 20, (height, width, 1))
        pixels[: height // 3, : width // 2] = random.integers(0, 256, 3)
        image = Image.fromarray(pixels.clip(0, 255).astype(numpy.uint8))
        image.save(folder / "test" / "a" / f"{number:02}.png")
    image.save(folder / "train" / "a" / "0.png")


NORMALISATIONS = {
    "unit": UNIT,
    "symmetric": ((0.5,) * 3, (0.5,) * 3),
    "imagenet": IMAGENET,
    "clip": (timm.data.OPENAI_CLIP_MEAN, timm.data.OPENAI_CLIP_STD),
}


def compare_pixels(program, folder, entry):
    """The largest mean difference of an image in [0, 1], and what the table says differently from timm."""
    name, size = entry["name"], entry["input_size"]
    theirs = timm.get_pretrained_cfg(name)
    if theirs is None:
        return None
    says = {
        "mean and std": (NORMALISATIONS[entry["normalisation"]], (theirs.mean, theirs.std)),
        "interpolation": (entry.get("interpolation", "bilinear"), theirs.interpolation),
        "crop_ratio": (entry.get("crop_ratio", 0.875), theirs.crop_pct),
        "crop_mode": (entry.get("crop_mode", "center"), theirs.crop_mode),
        "licence": (entry["licence"].lower(), theirs.license),
    }
    wrong = [f"{key}: {ours} instead of {timms}" for key, (ours, timms) in says.items() if ours != timms]
    command = [program, "data", folder / "images", "--export-inputs", folder / "inputs.safetensors", "--backbone", name]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with safe_open(folder / "inputs.safetensors", "pt") as file:
        found, names = file.get_tensor("images"), json.loads(file.metadata()["names"])
    transform = create_transform(
        (3, size, size),
        interpolation=theirs.interpolation,
        crop_pct=theirs.crop_pct,
        crop_mode=theirs.crop_mode,
        mean=(0, 0, 0),
        std=(1, 1, 1),
    )
    paths = [next((folder / "images" / "test").rglob(pathlib.Path(image).name)) for image in names]
    expected = torch.stack([transform(Image.open(path)) for path in paths])
    error = (found - expected).abs().mean(dim=(1, 2, 3)).max().item()
    verdict = "ok" if error <= PIXEL_LIMIT and len(paths) == 64 and not wrong else "MISS"
    print(f"{name}: {error * 255:.3f}/255 {verdict} {'; '.join(wrong)}", flush=True)
    return name, error * 255, verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--pixels", action="store_true")
    parser.add_argument("--markdown", type=pathlib.Path)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.pixels:
            draw_images(folder / "images")
            table = pathlib.Path(__file__).parent.parent / "assets" / "backbones.toml"
            entries = tomllib.loads(table.read_text(encoding="utf-8"))["backbone"]
            rows = [compare_pixels(options.program, folder, entry) for entry in entries]
            rows = [row for row in rows if row]
        for name, case in ({} if options.pixels else SMALL | (FULL if options.full else {})).items():
            rows.append(compare(options.program, folder, name, *case))
            if case[0] is swin:
                rows.append(
                    compare(options.program, folder, f"{name}, old names", *case, rename=old_names)
                )
    if options.markdown:
        lines = ["| network | largest relative error |", "|---|---|"]
        lines += [f"| {name} | {error:.1e} |" for name, error, _ in rows]
        options.markdown.write_text("\n".join(lines) + "\n")
    return int(any(verdict != "ok" for _, _, verdict in rows))


if __name__ == "__main__":
    sys.exit(main())

"""Pre-trains a small Swin and a small ConvNeXt on CIFAR-100, for tables that need more backbones than the ViT.

    pip install torch timm safetensors numpy
    python tests/small_backbones.py CIFAR-100-FOLDER TARGET-FOLDER [--epochs 8]

CIFAR-100-FOLDER contains `train.bin` of the binary release. Images are 32 × 32, cropped after padding with 4 pixels,
and flipped. Training uses AdamW with a cosine schedule and label smoothing 0.1; the classifier is not saved. The same
seed gives the same weights on the same machine. Prints the accuracy on the last tenth of the images, which is not
used for training.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from timm.models.convnext import ConvNeXt
from timm.models.swin_transformer import SwinTransformer

SWIN = {"img_size": 32, "patch_size": 4, "window_size": 4, "embed_dim": 48, "depths": [2, 4], "num_heads": [3, 6]}
CONVNEXT = {"depths": [2, 2, 4, 2], "dims": [48, 96, 160, 192]}
BATCH = 128


def pictures(folder):
    """Returns the images as bytes, and their classes."""
    rows = np.fromfile(folder / "train.bin", np.uint8).reshape(-1, 2 + 3 * 32 * 32)
    return torch.from_numpy(rows[:, 2:].reshape(-1, 3, 32, 32).copy()), torch.from_numpy(rows[:, 1].astype(np.int64))


def changed(images):
    """Returns the images shifted by up to four pixels, about half of them flipped."""
    wide = F.pad(images, (4, 4, 4, 4))
    down, right = torch.randint(9, (2,)).tolist()
    moved = wide[:, :, down : down + 32, right : right + 32]
    flip = torch.rand(len(moved), 1, 1, 1) < 0.5
    return torch.where(flip, moved.flip(-1), moved)


def prepared(images):
    mean, std = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    return (images.float() / 255 - torch.tensor(mean).view(3, 1, 1)) / torch.tensor(std).view(3, 1, 1)


def pretrain(network, images, labels, epochs):
    kept = len(images) // 10
    train, held = range(len(images) - kept), range(len(images) - kept, len(images))
    optimiser = torch.optim.AdamW(network.parameters(), 2e-3, weight_decay=0.05)
    steps = epochs * (len(train) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, steps, pct_start=0.1)
    for epoch in range(epochs):
        total = 0.0
        for batch in torch.randperm(len(train))[: len(train) // BATCH * BATCH].split(BATCH):
            loss = F.cross_entropy(network(prepared(changed(images[batch]))), labels[batch], label_smoothing=0.1)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += float(loss.detach()) * BATCH / len(train)
        print(f"  epoch {epoch + 1}: loss {total:.3f}", flush=True)
    with torch.inference_mode():
        network.eval()
        found = torch.cat([network(prepared(images[part])).argmax(-1) for part in torch.tensor(held).split(500)])
    return float((found == labels[held.start :]).float().mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cifar", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--epochs", type=int, default=8)
    options = parser.parse_args()
    images, labels = pictures(options.cifar)
    options.target.mkdir(parents=True, exist_ok=True)
    for family, network_of, config in (("convnext", ConvNeXt, CONVNEXT), ("swin", SwinTransformer, SWIN)):
        torch.manual_seed(0)
        network = network_of(**config, num_classes=100)
        right = pretrain(network, images, labels, options.epochs)
        weights = {of: value for of, value in network.state_dict().items() if not of.startswith("head.fc")}
        more = {"img_size": 32, "final_norm": True} if family == "convnext" else {}
        said = {of: json.dumps(value) for of, value in (config | more).items()}
        name = f"small-{family}"
        save_file(weights, options.target / f"{name}.safetensors", {"architecture": family, **said})
        numbers = sum(value.numel() for value in weights.values())
        print(f"{name}: {numbers} numbers, {100 * right:.1f} % of the held-out images")


if __name__ == "__main__":
    main()

"""Whole runs of L2P, DualPrompt and CODA-Prompt beside the same runs in PyTorch, with the same random numbers.

    python tests/prompt_runs.py PROGRAM FOLDER [--method coda-prompt] [--classes-per-task 4] [--seed 0] [--each 100]

FOLDER holds train/CLASS and test/CLASS with pictures of 32x32. Orders of batches, crops, flips and starting values
are drawn here as the program draws them (ChaCha8, see src/core/data/chance.rs and src/core/pet/init.rs); all else
is PyTorch, timm and torchvision. So both must have as many right answers, but for what rounding grows to. Exits with 1
when after a task the numbers of right answers differ by more than one in a hundred test pictures (and by more than two),
or in the first task an epoch's losses by more than 0.01.
Needs torch, torchvision, timm, safetensors, pillow and numpy from PyPI.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import timm
import torch
import torch.nn.functional as F
from PIL import Image
from safetensors.torch import load_file
from torchvision.transforms import InterpolationMode
from torchvision.transforms import functional as pictures

from chacha import LOW_32, bits

WEIGHTS = Path(__file__).parent.parent / "assets/lae-nano.safetensors"
WIDTH, HEADS, SIDE, BATCH, EPOCHS = 192, 3, 32, 24, 5


class Chance:
    """Draws for a purpose: 3 the order of an epoch, 4 a picture's crop and flip."""

    def __init__(self, purpose, seed, epoch, index, count=64):
        key = [part for v in (purpose, seed, epoch, index) for part in (v & LOW_32, v >> 32)]
        self.bits = map(int, bits(key, 0, count))

    def between(self, low, high):
        return low + (high - low) * ((next(self.bits) >> 11) / 2**53)

    def below(self, n):
        return (next(self.bits) * n) >> 64


def order(n, seed, epoch):
    chance, places = Chance(3, seed, epoch, 0, n), list(range(n))
    for last in range(n - 1, 0, -1):
        other = chance.below(last + 1)
        places[last], places[other] = places[other], places[last]
    return torch.tensor(places)


def crop(seed, epoch, index, scale):
    """Top, left, height, width of a crop and whether it is mirrored."""
    chance = Chance(4, seed, epoch, index)
    flip = chance.between(0, 1) < 0.5
    low, high = (float(np.float32(share)) for share in scale)
    for _ in range(10):
        area = SIDE * SIDE * chance.between(low, high)
        ratio = math.exp(chance.between(math.log(0.75), math.log(float(np.float32(4 / 3)))))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 1 <= w <= SIDE and 1 <= h <= SIDE:
            top = chance.below(SIDE - h + 1)
            return top, chance.below(SIDE - w + 1), h, w, flip
    return 0, 0, SIDE, SIDE, flip


def units(seed, stream, count):
    key, state = [], seed
    for _ in range(8):
        state = (state * 0x5851F42D4C957F2D + 0xA17654E46FBE17F3) % 2**64
        mixed, turn = (((state >> 18) ^ state) >> 27) & LOW_32, state >> 59
        key.append(((mixed >> turn) | (mixed << (32 - turn))) & LOW_32)
    return (bits(key, stream, count) >> np.uint64(11)).astype(np.float64) / 2**53


def uniform(bound, shape, seed, stream):
    values = bound * (2 * units(seed, stream, math.prod(shape)) - 1)
    return torch.from_numpy(values.astype(np.float32)).reshape(shape)


def normal(std, shape, seed, stream):
    u = units(seed, stream, 2 * math.prod(shape))
    values = std * np.sqrt(-2 * np.log(1 - u[0::2])) * np.cos(2 * math.pi * u[1::2])
    return torch.from_numpy(values.astype(np.float32)).reshape(shape)


class Network:
    """The frozen ViT, with prompts."""

    def __init__(self):
        sizes = {"img_size": SIDE, "patch_size": 8, "embed_dim": WIDTH, "depth": 8, "num_heads": HEADS}
        self.vit = timm.models.VisionTransformer(num_classes=0, **sizes)
        self.vit.load_state_dict({name: value.float() for name, value in load_file(WEIGHTS).items()})
        self.vit.eval().requires_grad_(False)

    def tokens(self, images, entering=None, prefixes={}):
        """All tokens after the final norm."""
        vit, count = self.vit, len(images)
        position = vit.pos_embed
        x = [vit.cls_token.expand(count, -1, -1) + position[:, :1], vit.patch_embed(images) + position[:, 1:]]
        if entering is not None:
            x.insert(1, entering + position[:, :1])
        x = torch.cat(x, 1)
        split = lambda t: t.expand(count, -1, -1).unflatten(2, (HEADS, -1)).transpose(1, 2)
        for at, block in enumerate(vit.blocks):
            q, k, v = block.attn.qkv(block.norm1(x)).chunk(3, -1)
            if at in prefixes:
                k, v = (torch.cat((front.expand(count, -1, -1), own), 1) for front, own in zip(prefixes[at], (k, v)))
            mixed = F.scaled_dot_product_attention(split(q), split(k), split(v))
            x = x + block.attn.proj(mixed.transpose(1, 2).flatten(2))
            x = x + block.mlp(block.norm2(x))
        return vit.norm(x)

    def query(self, images):
        with torch.no_grad():
            return self.tokens(images)[:, 0]


def similarity(query, keys):
    unit = lambda x: x * torch.rsqrt(x.square().sum(1, keepdim=True).clamp(min=1e-12))
    return unit(query) @ unit(keys).T


class L2p:
    rate, clip = 0.03 * BATCH / 256, 1.0

    def __init__(self, tasks, seed):
        self.trained = {"prompt": uniform(1, (10, 5, WIDTH), seed, 0), "key": uniform(1, (10, WIDTH), seed, 1)}

    def begin(self, task, seed):
        pass

    def forward(self, net, images, task, learning):
        s = similarity(net.query(images), self.trained["key"])
        chosen = s.topk(5, 1).indices
        entering = self.trained["prompt"][chosen].flatten(1, 2)
        feature = net.tokens(images, entering)[:, 1:26].mean(1)
        return feature, -0.1 * s.gather(1, chosen).sum(1).mean()


class DualPrompt:
    rate, clip = 0.03 * BATCH / 256, 1.0

    def __init__(self, tasks, seed):
        shapes = {"g": (2, 2, 5, WIDTH), "e": (3, 2, tasks, 5, WIDTH), "key": (tasks, WIDTH)}
        self.trained = {name: uniform(1, shape, seed, at) for at, (name, shape) in enumerate(shapes.items())}

    def begin(self, task, seed):
        if task > 0:
            e = self.trained["e"]
            e[:, :, task] = e[:, :, task - 1].clone()

    def forward(self, net, images, task, learning):
        s = similarity(net.query(images), self.trained["key"])
        slot = torch.full((len(images),), task) if learning else s.argmax(1)
        prefixes = {at: [part[None] for part in g] for at, g in enumerate(self.trained["g"])}
        prefixes |= {2 + at: [part[slot] for part in e] for at, e in enumerate(self.trained["e"])}
        return net.tokens(images, None, prefixes)[:, 0], -s.gather(1, slot[:, None]).mean()


class CodaPrompt:
    rate, clip = 1e-3, None

    def __init__(self, tasks, seed):
        self.share = 100 // tasks
        columns = {"p": 8 * WIDTH, "k": WIDTH, "a": WIDTH}
        self.trained = {f"{part}{b}": torch.zeros(100, n) for b in range(5) for part, n in columns.items()}

    def begin(self, task, seed):
        for number, rows in enumerate(self.trained.values()):
            for at in range(task * self.share, (task + 1) * self.share):
                draw = normal(1, rows.shape[1:], seed, number << 48 | at << 16)
                earlier = rows[:at]
                rest = draw - (earlier @ draw / earlier.square().sum(1)) @ earlier
                rows[at] = rest / rest.norm()

    def forward(self, net, images, task, learning):
        query, prefixes, old, end = net.query(images), {}, task * self.share, (task + 1) * self.share
        for b in range(5):
            p, k, a = (self.trained[f"{part}{b}"][:end] for part in "pka")
            if learning:
                p, k, a = (torch.cat((x[:old].detach(), x[old:])) for x in (p, k, a))
            weight = (F.normalize(query[:, None] * a, dim=2) * F.normalize(k, dim=1)).sum(2)
            prefixes[b] = (weight @ p).unflatten(1, (8, WIDTH)).chunk(2, 1)
        return net.tokens(images, None, prefixes)[:, 0], 0.0

    def factor(self, epoch):
        return math.cos(99 * math.pi * max(epoch - 1, 0) / (200 * (EPOCHS - 1)))


METHODS = {"l2p": L2p, "dualprompt": DualPrompt, "coda-prompt": CodaPrompt}


def tensor(images):
    return torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).float() / 127.5 - 1


def load(folder, each):
    classes = sorted(path for path in folder.iterdir() if path.is_dir())
    files = [sorted(path.iterdir())[:each] for path in classes]
    return [[Image.open(file).convert("RGB") for file in some] for some in files]


def start_of_head(method, classes, task, seed):
    stream = 1 << 32 | task << 1
    if method == "coda-prompt":
        bound = WIDTH**-0.5
        return uniform(bound, (WIDTH, classes), seed, stream), uniform(bound, (classes,), seed, stream | 1)
    return normal(0.02, (WIDTH, classes), seed, stream), torch.zeros(classes)


def varied(images, options, epoch):
    out = []
    for at, image in enumerate(images):
        *box, flip = crop(options.seed, epoch, at, options.crop_scale)
        cut = pictures.resized_crop(image, *box, [SIDE, SIDE], InterpolationMode.BILINEAR)
        out.append(np.asarray(pictures.hflip(cut) if flip else cut))
    return tensor(out)


def learn(net, method, head, images, labels, task, options):
    """Trains a task; gives the mean loss of each epoch."""
    trained = [*method.trained.values(), *head]
    for value in trained:
        value.requires_grad_(True)
    adam, means = torch.optim.Adam(trained, lr=method.rate), []
    for epoch in range(EPOCHS):
        adam.param_groups[0]["lr"] = method.rate * (method.factor(epoch) if hasattr(method, "factor") else 1)
        data = varied(images, options, task * EPOCHS + epoch)
        places, losses = order(len(images), options.seed, task * EPOCHS + epoch), []
        for own in places[: len(images) // BATCH * BATCH].split(BATCH):
            feature, added = method.forward(net, data[own], task, True)
            loss = F.cross_entropy(feature @ head[0] + head[1], labels[own]) + added
            adam.zero_grad()
            loss.backward()
            if method.clip:
                torch.nn.utils.clip_grad_norm_(trained, method.clip)
            adam.step()
            losses.append(loss.item())
        means.append(float(np.mean(losses)))
    for value in trained:
        value.requires_grad_(False)
    return means


def reference(options):
    train, test = (load(options.folder / split, options.each) for split in ("train", "test"))
    size, net, heads = options.classes_per_task, Network(), []
    method = METHODS[options.method](len(train) // size, options.seed)
    for task in range(len(train) // size):
        own = range(task * size, (task + 1) * size)
        method.begin(task, options.seed)
        heads.append(start_of_head(options.method, size, task, options.seed))
        labels = torch.tensor([at - own.start for at in own for _ in train[at]])
        losses = learn(net, method, heads[-1], [image for at in own for image in train[at]], labels, task, options)
        asked = tensor([np.asarray(image) for some in test[: own.stop] for image in some])
        right = torch.tensor([at for at, some in enumerate(test[: own.stop]) for _ in some])
        with torch.no_grad():
            feature, _ = method.forward(net, asked, task, False)
        answers = torch.cat([feature @ weight + bias for weight, bias in heads], 1).argmax(1)
        yield (answers == right).sum().item(), len(right), losses


def program(options, folder):
    scale = ",".join(map(str, options.crop_scale))
    given = {"data": options.folder, "method": options.method, "classes-per-task": options.classes_per_task}
    given |= {"seed": options.seed, "crop-scale": scale, "flip": "on", "epochs": EPOCHS, "batch": BATCH}
    given |= {"train-limit": options.each, "test-limit": options.each, "order": "natural", "device": "cpu"}
    given |= {"backbone": "lae-nano", "out": folder, "json": folder / "run.json"}
    words = [word for name, value in given.items() for word in (f"--{name}", str(value))]
    words += ["--set", "study=off"] if options.method == "dualprompt" else []
    subprocess.run([options.program, "train", "--quiet", *words], check=True, stdout=subprocess.DEVNULL)
    tasks = json.loads((folder / "run.json").read_text())["tasks"]
    return [(task["accuracy"], task["losses"]) for task in tasks]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--method", choices=METHODS, default="coda-prompt")
    parser.add_argument("--classes-per-task", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=100, help="pictures of each class, at most")
    parser.add_argument("--crop-scale", type=lambda text: [float(x) for x in text.split(",")], default=[0.08, 1.0])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ours = program(options, Path(folder))
    bad = False
    for task, ((here, own), (right, asked, losses)) in enumerate(zip(ours, reference(options), strict=True)):
        apart = max(abs(a - b) for a, b in zip(own, losses, strict=True))
        bad |= abs(here * asked / 100 - right) > max(2.5, asked / 100) or (task == 0 and apart > 0.01)
        there = 100 * right / asked
        print(f"A_{task + 1}: {here:.2f} here, {there:.2f} there; losses at most {apart:.4f} apart", flush=True)
    sys.exit(bad)


if __name__ == "__main__":
    main()

"""Golden files of many network sizes, computed with PyTorch and timm and checked with `lae-studio golden`.

    python tests/golden_sizes.py [PROGRAM] [--device cpu]
    python tests/golden_sizes.py --write tests/golden        # the small files that every test run checks

Each file contains a small timm network with random weights, a PET implemented here from its formula, two heads,
inputs, and the expected tensors: features, logits, loss, gradients, eight Adam steps (the first ones frozen), the
moving average, the ensemble. Sizes differ between files: depths, widths, heads, windows, MLP ratios, class counts,
PET sizes, maps that are not a multiple of a window. Skipped without torch or timm. The exit code is 1 if a file
exceeds its tolerance.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import torch
    import torch.nn.functional as F
    from safetensors.torch import save_file
    from timm.models.convnext import ConvNeXt
    from timm.models.swin_transformer import SwinTransformer
    from timm.models.vision_transformer import VisionTransformer
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

STEPS, BATCH = 8, 4


def adapter(p, e, h):
    weights = [p[k].flatten(1) for k in ("layer.0.weight", "layer.2.weight")]
    inner = F.gelu(e @ weights[0].T + p["layer.0.bias"])
    return h + p["layer.3.scale"] * (inner @ weights[1].T + p["layer.2.bias"])


class Beside(torch.nn.Module):
    """A layer with an Adapter parallel to it; `last` moves channels to the end and back."""

    def __init__(self, layer, pet, last=False):
        super().__init__()
        self.layer, self.pet, self.last = layer, pet, last

    def forward(self, x, *rest, **named):
        h = self.layer(x, *rest, **named)
        if not self.last:
            return adapter(self.pet, x, h)
        e, h = (t.permute(0, 2, 3, 1) for t in (x, h))
        return adapter(self.pet, e, h).permute(0, 3, 1, 2)


class LowRank(torch.nn.Module):
    """A packed projection with LoRA on keys and values."""

    def __init__(self, layer, pet):
        super().__init__()
        self.layer, self.pet = layer, pet

    def forward(self, x):
        q, k, v = self.layer(x).chunk(3, -1)
        change = [x @ self.pet[f"lora_A.{i}"].T @ self.pet[f"lora_B.{i}"].T for i in (0, 1)]
        k = k + self.pet["scale.0.scale"] * change[0]
        v = v + self.pet["scale.1.scale"] * change[1]
        return torch.cat([q, k, v], -1)


class Prefixed(torch.nn.Module):
    """Attention with additional key and value tokens, calibrated or not."""

    def __init__(self, attn, pet, calibrated, fixed):
        super().__init__()
        self.attn, self.pet, self.calibrated, self.fixed = attn, pet, calibrated, fixed

    def scale(self, which):
        return self.fixed if self.fixed is not None else self.pet[f"{which}.scaler.scale"]

    def forward(self, x, **_):
        b, n, d = x.shape
        heads = self.attn.num_heads
        split = lambda t: t.view(*t.shape[:-1], heads, d // heads).transpose(-3, -2)
        q, k, v = (split(t) for t in self.attn.qkv(x).chunk(3, -1))
        pk = split(self.pet["key.tokens"] * self.scale("key")).expand(b, -1, -1, -1)
        pv = split(self.pet["val.tokens"] * self.scale("val")).expand(b, -1, -1, -1)
        joint = torch.cat([q @ k.transpose(-2, -1), q @ pk.transpose(-2, -1)], -1)
        weights = (joint * (d // heads) ** -0.5).softmax(-1)
        ours, theirs = weights[..., :n], weights[..., n:]
        if self.calibrated:
            theirs = theirs / theirs.sum(-1, keepdim=True)
        out = ours @ v + theirs @ pv
        return self.attn.proj(out.transpose(1, 2).reshape(b, n, d))


def network(kind, config):
    if kind == "vit":
        return VisionTransformer(num_classes=0, **config)
    if kind == "swin":
        return SwinTransformer(num_classes=0, **config)
    return ConvNeXt(num_classes=0, **{k: v for k, v in config.items() if k != "img_size"})


def blocks_of(kind, net):
    if kind == "vit":
        return list(net.blocks)
    stages = net.layers if kind == "swin" else net.stages
    return [(stage.blocks, i) for stage in stages for i in range(len(stage.blocks))]


def draw(generator, *shape):
    return torch.randn(*shape, generator=generator) * 0.3


def attach(kind, net, pet, size, count, generator, args):
    """Adds PETs to the first blocks; returns their parameters by block."""
    stacks = []
    for place in blocks_of(kind, net)[:count]:
        block = place if kind == "vit" else place[0][place[1]]
        if kind == "convnext":
            d, conv = block.conv_dw.in_channels, (1, 1)
        else:
            d, conv = block.norm1.normalized_shape[0], ()
        one = lambda: torch.tensor(0.7) + 0.1 * torch.rand((), generator=generator)
        if pet == "Adapter":
            p = {
                "layer.0.weight": draw(generator, size, d, *conv),
                "layer.0.bias": draw(generator, size),
                "layer.2.weight": draw(generator, d, size, *conv),
                "layer.2.bias": draw(generator, d),
                "layer.3.scale": one(),
            }
        elif pet == "LoRA":
            p = {f"lora_A.{i}": draw(generator, size, d) for i in (0, 1)}
            p |= {f"lora_B.{i}": draw(generator, d, size) for i in (0, 1)}
            p |= {f"scale.{i}.scale": one() for i in (0, 1)}
        else:
            p = {f"{w}.tokens": draw(generator, size, d) for w in ("key", "val")}
            if args.get("key_scale") is None:
                p |= {f"{w}.scaler.scale": one() for w in ("key", "val")}
        p = {name: value.clone().requires_grad_() for name, value in p.items()}
        if pet == "Adapter" and kind == "convnext":
            place[0][place[1]] = Beside(block, p, last=True)
        elif pet == "Adapter":
            block.attn = Beside(block.attn, p)
        elif pet == "LoRA":
            block.attn.qkv = LowRank(block.attn.qkv, p)
        else:
            calibrated = args.get("compensatory", True)
            block.attn = Prefixed(block.attn, p, calibrated, args.get("key_scale"))
        stacks.append(p)
    return stacks


def features(kind, net, x):
    if kind == "vit":
        return net(x)
    if kind == "swin":
        return net.forward_features(x).mean((1, 2))
    return net.stages(net.stem(x)).mean((2, 3))


def old_swin_names(name):
    parts = name.split(".")
    if parts[0] == "layers" and parts[2] == "downsample":
        parts[1] = str(int(parts[1]) - 1)
    return ".".join(parts)


def make(path, seed, kind, config, pet, pet_args, count, classes):
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    net = network(kind, config).eval()
    with torch.no_grad():
        for name, p in net.named_parameters():
            p += torch.randn(p.shape, generator=generator) * (0.1 if p.dim() == 1 else 0.05)
            p.requires_grad_(False)
    tensors = {}
    for name, value in net.state_dict().items():
        if "relative_position_index" in name or "attn_mask" in name or name.startswith("head."):
            continue
        name = old_swin_names(name) if kind == "swin" and seed % 2 == 0 else name
        tensors[f"backbone.{name}"] = value.clone()
    size = next(pet_args[k] for k in ("down_sample", "rank", "length") if k in pet_args)
    online = attach(kind, net, pet, size, count, generator, pet_args)
    offline = [{k: v.detach().clone() for k, v in p.items()} for p in online]
    side = config.get("img_size", 64)
    image = lambda: torch.rand(BATCH, 3, side, side, generator=generator)
    with torch.no_grad():
        width = features(kind, net, image()).shape[1]
    heads = [(draw(generator, n, width), draw(generator, n)) for n in classes]
    old, new = sum(classes[:-1]), classes[-1]
    label = lambda: torch.randint(old, old + new, (BATCH,), generator=generator)
    weight, bias = (t.clone().requires_grad_() for t in heads[-1])
    heads[-1] = (weight, bias)

    def logits_of(x):
        f = features(kind, net, x)
        return f, torch.cat([f @ w.T + b for w, b in heads], 1)

    local = lambda logits, y: F.cross_entropy(logits[:, old:], y - old)
    x, y = image(), label()
    f, logits = logits_of(x)
    loss = local(logits, y)
    tensors |= {"input": x, "target": y, "feature": f.detach(), "logits": logits.detach()}
    tensors["loss"] = loss.detach().reshape(1)
    trained = [t for p in online for t in p.values()] + [weight, bias]
    gradients = dict(zip(map(id, trained), torch.autograd.grad(loss, trained)))
    for task, (w, b) in enumerate(heads):
        tensors[f"head.{task}.weight"], tensors[f"head.{task}.bias"] = w.detach(), b.detach()
        for part, t in (("weight", w), ("bias", b)):
            tensors[f"grad.head.{task}.{part}"] = gradients.get(id(t), torch.zeros_like(t))
    for i, p in enumerate(online):
        for name, t in p.items():
            tensors[f"pet.{i}.{name}"] = t.detach().clone()
            tensors[f"grad.pet.{i}.{name}"] = gradients[id(t)]
    tensors = {name: value.detach().clone().contiguous() for name, value in tensors.items()}

    lr, decay, frozen = 0.01, 0.9, 3 + seed % 3
    pets = [t for p in online for t in p.values()]
    optimisers = [torch.optim.Adam(group, lr=lr) for group in (pets, [weight, bias])]
    losses = []
    for step in range(STEPS):
        xs, ys = image(), label()
        tensors[f"traj.input.{step}"], tensors[f"traj.target.{step}"] = xs, ys
        loss = local(logits_of(xs)[1], ys)
        losses.append(loss.detach())
        for optimiser in optimisers:
            optimiser.zero_grad()
        loss.backward()
        if step >= frozen:
            optimisers[0].step()
        optimisers[1].step()
        with torch.no_grad():
            for mine, theirs in zip(online, offline):
                for name in mine:
                    theirs[name].mul_(decay).add_(mine[name], alpha=1 - decay)
    tensors["traj.loss"] = torch.stack(losses)
    with torch.no_grad():
        now = logits_of(x)[1]
        kept = [{k: v.detach().clone() for k, v in p.items()} for p in online]
        for i, (mine, theirs) in enumerate(zip(online, offline)):
            for name in mine:
                tensors[f"traj.online.{i}.{name}"] = kept[i][name]
                tensors[f"traj.offline.{i}.{name}"] = theirs[name].clone()
                mine[name].copy_(theirs[name])
        then = logits_of(x)[1]
    for task, (w, b) in enumerate(heads):
        tensors[f"traj.head.{task}.weight"] = w.detach().clone()
        tensors[f"traj.head.{task}.bias"] = b.detach().clone()
    tensors["traj.logits_online"], tensors["traj.logits_offline"] = now, then
    tensors["traj.ensemble"] = torch.maximum(now.softmax(1), then.softmax(1))
    metadata = {
        "kind": kind,
        "config": json.dumps(config),
        "pet": pet,
        "pet_args": json.dumps(pet_args),
        "attached_blocks": str(count),
        "old_classes": str(old),
        "lr": str(lr),
        "ema_decay": str(decay),
        "freeze_steps": str(frozen),
    }
    if kind == "convnext":
        metadata["final_norm"] = "false"
    save_file({k: v.contiguous() for k, v in tensors.items()}, path, metadata)


def vit(img, patch, width, depth, heads, **more):
    own = {"img_size": img, "patch_size": patch, "embed_dim": width, "depth": depth}
    return "vit", own | {"num_heads": heads} | more


def swin(img, patch, window, width, depths, heads, **more):
    own = {"img_size": img, "patch_size": patch, "window_size": window, "embed_dim": width}
    return "swin", own | {"depths": depths, "num_heads": heads} | more


def convnext(depths, dims, **more):
    return "convnext", {"depths": depths, "dims": dims} | more


def adapters(size):
    return "Adapter", {"down_sample": size}


FILES = [
    (*vit(48, 12, 60, 5, 3), *adapters(7), 5, [3, 4, 2]),
    (*vit(40, 8, 32, 2, 8, mlp_ratio=2.5), *adapters(1), 1, [2, 2]),
    (*vit(64, 16, 96, 4, 2), "LoRA", {"rank": 3}, 3, [5, 5]),
    (*vit(56, 14, 64, 3, 4), "LoRA", {"rank": 16}, 3, [2, 1, 3]),
    (*vit(32, 8, 40, 4, 5), "Prefix", {"length": 11}, 4, [4, 6]),
    (*vit(96, 16, 72, 2, 6), "Prefix", {"length": 1}, 1, [2, 3]),
    (
        *vit(32, 4, 48, 3, 3),
        "Prefix",
        {"length": 4, "compensatory": False, "key_scale": 1.0, "val_scale": 1.0},
        2,
        [3, 3],
    ),
    (*swin(56, 4, 7, 16, [2, 2], [2, 4]), *adapters(4), 4, [2, 3]),
    (*swin(96, 4, 3, 12, [2, 2, 4], [1, 3, 6]), *adapters(8), 6, [2, 2]),
    (*swin(64, 2, 8, 20, [1, 3], [5, 2]), *adapters(3), 3, [4, 4]),
    (*swin(112, 4, 7, 24, [2, 2, 2, 2], [2, 3, 4, 8], mlp_ratio=2.5), *adapters(5), 8, [2, 3]),
    (*swin(40, 4, 4, 16, [2, 1], [2, 4]), *adapters(2), 2, [3, 2]),
    (*swin(48, 4, 4, 16, [3, 2], [4, 4]), "LoRA", {"rank": 4}, 4, [3, 2]),
    (*convnext([1, 2, 1, 1], [8, 20, 36, 16]), *adapters(6), 3, [2, 5]),
    (*convnext([3, 1, 2, 1], [24, 16, 40, 12], img_size=80), *adapters(3), 7, [3, 3]),
    (*convnext([2, 1, 3, 2], [12, 12, 8, 28], img_size=100), *adapters(9), 5, [2, 2, 2]),
]


# As small as possible, because the files are part of the repository.
SMALL = [
    (*vit(16, 8, 32, 2, 2), *adapters(3), 2, [2, 2]),
    (*vit(16, 8, 24, 2, 3), "LoRA", {"rank": 2}, 1, [2, 2]),
    (*vit(16, 4, 16, 2, 2), "Prefix", {"length": 3}, 2, [2, 2]),
    (
        *vit(16, 8, 16, 2, 1),
        "Prefix",
        {"length": 2, "compensatory": False, "key_scale": 1.0, "val_scale": 1.0},
        1,
        [2, 2],
    ),
    (*swin(16, 2, 2, 8, [2, 1], [1, 2]), *adapters(2), 2, [2, 2]),
    (*convnext([1, 1, 2, 1], [8, 12, 8, 16], img_size=32), *adapters(2), 3, [2, 2]),
]


def write(files, folder):
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for seed, (kind, config, pet, args, count, classes) in enumerate(files):
        path = folder / f"{seed:02}_{kind}_{pet.lower()}.safetensors"
        make(path, seed, kind, config, pet, args, count, classes)
        paths.append(path)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default="target/release/lae-studio")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--write", type=Path, help="write the small files here and do no more")
    options = parser.parse_args()
    torch.set_num_threads(2)
    if options.write:
        write(SMALL, options.write)
        return
    with tempfile.TemporaryDirectory() as folder:
        paths = write(FILES, Path(folder))
        words = [options.program, "golden", "--device", options.device, *map(str, paths)]
        sys.exit(subprocess.run(words, check=False).returncode)


if __name__ == "__main__":
    main()

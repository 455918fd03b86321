"""Does the work of `lae-studio bench` in PyTorch and timm, for a comparison on the same machine.

    pip install torch timm
    python tests/speed_torch.py lae-nano train 24 10        # backbone, mode, batch, seconds
    python tests/speed_torch.py vit_base_patch16_224 train 24 10 --device cuda --dtype bfloat16     # or tf32

Modes: train (Adapter5 in the first blocks, and the head), train_frozen (only the head), predict (both experts: the
frozen network twice). With `--method seq-ft`, train updates all weights and the head with SGD with momentum and
clipping, and predict runs the network once. With `--method l2p`, `dualprompt` or `coda-prompt` (ViT only), each image
first passes through the frozen network for its query; train updates prompts, keys and the head with Adam. Uses two
threads unless `--threads` is given. Run it in turn with `lae-studio bench --backbone … --batch … --mode …`, several
times, and compare medians; on a busy machine, results are meaningless. `lae-studio bench --pytorch` does this
automatically. Prints images per second and peak memory; with `--json`, as JSON.
"""

import argparse
import json
import resource
import time
from contextlib import nullcontext

import timm
import torch
from timm.models.convnext import ConvNeXt
from timm.models.eva import Eva
from timm.models.swin_transformer import SwinTransformer
from timm.models.vision_transformer import VisionTransformer
from torch import nn
from torch.nn.functional import cross_entropy, gelu, normalize, scaled_dot_product_attention


def vit(side, patch, width, depth, heads):
    return VisionTransformer(
        img_size=side, patch_size=patch, embed_dim=width, depth=depth, num_heads=heads, num_classes=0
    )


def swin(width, depths, heads):
    return SwinTransformer(embed_dim=width, depths=depths, num_heads=heads, num_classes=0)


def convnext(depths, widths):
    return ConvNeXt(depths=depths, dims=widths, num_classes=0)


# Side of the input, the network, and the number of first blocks with an adapter.
NETWORKS = {
    "lae-nano": (32, lambda: vit(32, 8, 192, 8, 3), 5),
    "vit_tiny_patch16_224": (224, lambda: vit(224, 16, 192, 12, 3), 5),
    "vit_base_patch16_224": (224, lambda: vit(224, 16, 768, 12, 12), 5),
    "vit_small_patch16_dinov3": (256, lambda: timm.create_model("vit_small_patch16_dinov3", num_classes=0), 5),
    "swin_tiny_patch4_window7_224": (224, lambda: swin(96, (2, 2, 6, 2), (3, 6, 12, 24)), 10),
    "swin_base_patch4_window7_224": (224, lambda: swin(128, (2, 2, 18, 2), (4, 8, 16, 32)), 10),
    "convnext_tiny": (224, lambda: convnext((3, 3, 9, 3), (96, 192, 384, 768)), 15),
    "convnext_base": (224, lambda: convnext((3, 3, 27, 3), (128, 256, 512, 1024)), 15),
}


class Adapter(nn.Module):
    """s * (GELU(e W_down + b) W_up + b)."""

    def __init__(self, width, size=5):
        super().__init__()
        self.down, self.up = nn.Linear(width, size), nn.Linear(size, width)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, e):
        return self.scale * self.up(gelu(self.down(e)))


def beside_attention(block, adapter):
    """Adds an adapter parallel to the attention of a ViT or Swin block."""
    attention = block._attn if hasattr(block, "_attn") else block.attn

    def forward(x, rope=None, **_):
        e = block.norm1(x)
        if rope is None:
            x = x + attention(e) + adapter(e)
            return x + block.mlp(block.norm2(x))
        x = x + block.gamma_1 * attention(e, rope=rope) + adapter(e)
        return x + block.gamma_2 * block.mlp(block.norm2(x))

    return forward


def beside_block(block, adapter):
    """Adds an adapter parallel to a whole ConvNeXt block."""
    own = block.forward

    def forward(x):
        return own(x) + adapter(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)

    return forward


class L2p(nn.Module):
    """Selects five of ten prompts of five tokens and puts them before the patches; averages their outputs."""

    def __init__(self, net):
        super().__init__()
        self.prompts = nn.Parameter(torch.rand(10, 5, net.num_features))
        self.keys = nn.Parameter(torch.rand(10, net.num_features))

    def forward(self, net, images, query, _learning):
        alike = normalize(query, dim=1) @ normalize(self.keys, dim=1).T
        best = alike.topk(5, dim=1)
        prompts = self.prompts[best.indices].flatten(1, 2)
        x = net._pos_embed(net.patch_embed(images))
        x = torch.cat([x[:, :1], prompts + net.pos_embed[:, :1], x[:, 1:]], 1)
        for block in net.blocks:
            x = block(x)
        feature = net.norm(x)[:, 1 : 1 + prompts.shape[1]].mean(1)
        return feature, -0.1 * best.values.sum(1).mean()


def through_prefixes(net, images, prefixes):
    """Returns the class token if some blocks have additional keys and values (batch x tokens x width)."""
    x = net.norm_pre(net._pos_embed(net.patch_embed(images)))
    for at, block in enumerate(net.blocks):
        attention = block.attn
        q, k, v = attention.qkv(block.norm1(x)).chunk(3, -1)
        if at in prefixes:
            k, v = (torch.cat([p, own], 1) for p, own in zip(prefixes[at], (k, v), strict=True))
        q, k, v = (t.unflatten(2, (attention.num_heads, -1)).transpose(1, 2) for t in (q, k, v))
        mixed = scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        x = x + attention.proj(mixed)
        x = x + block.mlp(block.norm2(x))
    return net.norm(x)[:, 0]


class DualPrompt(nn.Module):
    """Five general keys and values in blocks 0 and 1, and five of the selected task in blocks 2 to 4."""

    def __init__(self, net):
        super().__init__()
        width = net.num_features
        self.general = nn.Parameter(torch.rand(2, 2, 5, width))
        self.expert = nn.Parameter(torch.rand(3, 2, 2, 5, width))
        self.keys = nn.Parameter(torch.rand(2, width))

    def forward(self, net, images, query, learning):
        alike = normalize(query, dim=1) @ normalize(self.keys, dim=1).T
        best = torch.ones(len(query), dtype=torch.long) if learning else alike.argmax(1)
        best = best.to(query.device)
        prefixes = {b: p.unsqueeze(1).expand(-1, len(query), -1, -1) for b, p in enumerate(self.general)}
        prefixes |= {b + 2: p[:, best] for b, p in enumerate(self.expert)}
        return through_prefixes(net, images, prefixes), -alike.gather(1, best[:, None]).mean()


class Coda(nn.Module):
    """A hundred components of four keys and four values in blocks 0 to 4; the newer half is trained."""

    def __init__(self, net):
        super().__init__()
        width = net.num_features
        self.old, self.new = (
            nn.ParameterList(torch.rand(50, n, width) for _ in range(5) for n in (8, 1, 1)) for _ in "12"
        )
        self.old.requires_grad_(False)

    def forward(self, net, images, query, _learning):
        prefixes = {}
        for block in range(5):
            parts = range(3 * block, 3 * block + 3)
            prompt, key, attention = (torch.cat([self.old[i], self.new[i]]) for i in parts)
            asked = normalize(query[:, None] * attention[:, 0], dim=2)
            weights = (asked * normalize(key[:, 0], dim=1)).sum(2)
            prefixes[block] = (weights @ prompt.flatten(1)).view(-1, 8, query.shape[1]).chunk(2, 1)
        return through_prefixes(net, images, prefixes), 0.0


PROMPTS = {"l2p": L2p, "dualprompt": DualPrompt, "coda-prompt": Coda}


def network(name, device, pets):
    """Returns the frozen network with its adapters, the adapters, the head, and the side of the input."""
    side, build, carriers = NETWORKS[name]
    net = build().eval()
    net.requires_grad_(False)
    if isinstance(net, VisionTransformer | Eva):
        blocks = list(net.blocks)
    elif isinstance(net, SwinTransformer):
        blocks = [block for stage in net.layers for block in stage.blocks]
    else:
        blocks = [block for stage in net.stages for block in stage.blocks]
    beside = beside_block if isinstance(net, ConvNeXt) else beside_attention
    adapters = nn.ModuleList()
    for block in blocks[: carriers if pets else 0]:
        width = (block.norm if isinstance(net, ConvNeXt) else block.norm1).weight.shape[0]
        adapters.append(Adapter(width).to(device))
        block.forward = beside(block, adapters[-1])
    head = nn.Linear(net.num_features, 10).to(device)
    return net.to(device), adapters, head, side


def main(asked):
    torch.set_num_threads(asked.threads)
    # By default, convolutions use TF32 even for float32.
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = asked.dtype == "tf32"
    device = torch.device(asked.device)
    whole, prompted = asked.method == "seq-ft", asked.method in PROMPTS
    net, adapters, head, side = network(asked.backbone, device, pets=asked.method == "lae")
    prompts = PROMPTS[asked.method](net).to(device) if prompted else nn.Module()
    adapters.requires_grad_(asked.mode == "train")
    net.requires_grad_(whole)
    parts = [*net.parameters(), *adapters.parameters(), *prompts.parameters(), *head.parameters()]
    trained = [p for p in parts if p.requires_grad]
    if whole:
        optimiser = torch.optim.SGD(trained, lr=1e-3, momentum=0.9)
    else:
        optimiser = torch.optim.Adam(trained, lr=1e-3)
    images = torch.randn(asked.batch, 3, side, side, device=device)
    labels = torch.arange(asked.batch, device=device) % 10
    if asked.channels_last:
        net.to(memory_format=torch.channels_last)
        images = images.to(memory_format=torch.channels_last)
    half = asked.dtype.endswith("16")
    precision = torch.autocast(device.type, getattr(torch, asked.dtype)) if half else nullcontext()

    forward = torch.compile(net) if asked.compile else net

    def answer(learning):
        """Returns the logits, and a term of the loss."""
        if not prompted:
            return head(forward(images)), 0.0
        with torch.no_grad():
            query = net(images)
        feature, added = prompts(net, images, query, learning)
        return head(feature), added

    def step():
        with precision:
            if asked.mode == "predict":
                with torch.inference_mode():
                    answers = [answer(False)[0] for _ in range(2 if asked.method == "lae" else 1)]
                    return sum(answers).sum().item()
            logits, added = answer(True)
            loss = cross_entropy(logits, labels) + added
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        if asked.method in ("seq-ft", "l2p", "dualprompt"):
            nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        return loss.item()

    for _ in range(2):
        step()
    done, began, own = 0, time.time(), time.process_time()
    while time.time() - began < asked.seconds or done < 3 * asked.batch:
        step()
        done += asked.batch
    seconds, own = time.time() - began, time.process_time() - own
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if device.type == "cuda":
        peak = torch.cuda.max_memory_allocated()
    row = {
        "backbone": asked.backbone,
        "method": asked.method,
        "mode": asked.mode,
        "batch": asked.batch,
        "images_per_second": done / seconds,
        "processor_seconds_per_image": own / done,
        "peak_memory_bytes": peak,
    }
    if asked.json:
        print(json.dumps(row))
    else:
        print(
            f"{asked.backbone} {asked.method} {asked.mode} batch {asked.batch}: {done / seconds:.2f} images/s,"
            f" {own / done:.3f} processor seconds per image, peak {peak / 1e6:.0f} MB"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("backbone", choices=NETWORKS)
    parser.add_argument("mode", choices=["train", "train_frozen", "predict"])
    parser.add_argument("batch", type=int)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--method", choices=["lae", "seq-ft", *PROMPTS], default="lae")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", choices=["float32", "tf32", "bfloat16", "float16"], default="float32")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--channels-last", action="store_true")
    parser.add_argument("--compile", action="store_true", help="torch.compile, of methods without prompts")
    parser.add_argument("--json", action="store_true")
    main(parser.parse_args())

"""The work of `lae-studio bench` in PyTorch and timm, for a comparison on the same machine.

    pip install torch timm
    python tests/speed_torch.py lae-nano train 24 10        # backbone, mode, batch, seconds

Modes: train (Adapter5 in the first five blocks and the head), train_frozen (the head alone),
predict (both experts: the frozen network twice). Two threads. Run it in turn with
`lae-studio bench --backbone … --batch … --mode …`, several times, and compare medians: two programs
at once, or a machine at other work, say nothing. Prints images per second and peak memory.
"""

import resource
import sys
import time

import timm
import torch
from torch import nn
from torch.nn.functional import cross_entropy, gelu

SIZES = {  # input, patch, width, depth, heads
    "lae-nano": (32, 8, 192, 8, 3),
    "vit_tiny_patch16_224": (224, 16, 192, 12, 3),
    "vit_base_patch16_224": (224, 16, 768, 12, 12),
}
PET_BLOCKS = 5


class Adapter(nn.Module):
    """Parallel to the attention: s * (GELU(e W_down + b) W_up + b)."""

    def __init__(self, width, size=5):
        super().__init__()
        self.down, self.up = nn.Linear(width, size), nn.Linear(size, width)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, e):
        return self.scale * self.up(gelu(self.down(e)))


def with_adapter(block, adapter):
    def forward(x, **_):
        e = block.norm1(x)
        x = x + block.attn(e) + adapter(e)
        return x + block.mlp(block.norm2(x))

    return forward


def main(name, mode, batch, seconds):
    torch.set_num_threads(2)
    side, patch, width, depth, heads = SIZES[name]
    net = timm.models.vision_transformer.VisionTransformer(
        img_size=side, patch_size=patch, embed_dim=width, depth=depth, num_heads=heads, num_classes=0
    ).eval()
    net.requires_grad_(False)
    adapters = nn.ModuleList(Adapter(width) for _ in range(PET_BLOCKS))
    for block, adapter in zip(net.blocks, adapters):
        block.forward = with_adapter(block, adapter)
    head = nn.Linear(width, 10)
    adapters.requires_grad_(mode == "train")
    trained = [p for p in [*adapters.parameters(), *head.parameters()] if p.requires_grad]
    adam = torch.optim.Adam(trained, lr=1e-3)
    images, labels = torch.randn(batch, 3, side, side), torch.arange(batch) % 10

    def step():
        if mode == "predict":
            with torch.inference_mode():
                return (head(net(images)) + head(net(images))).sum().item()
        adam.zero_grad(set_to_none=True)
        loss = cross_entropy(head(net(images)), labels)
        loss.backward()
        adam.step()
        return loss.item()

    step()
    done, began = 0, time.time()
    while time.time() - began < seconds:
        step()
        done += batch
    speed = done / (time.time() - began)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name} {mode} batch {batch}: {speed:.1f} images/s, peak {peak:.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))

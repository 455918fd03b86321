"""Writes lae-nano.safetensors, the embedded backbone in half precision.

    pip install numpy safetensors && python assets/make_backbone.py FULL.safetensors assets/lae-nano.safetensors

FULL contains the trained weights in single precision with timm's names. Each tensor is rounded to the nearest f16;
the metadata (architecture, input scaling) is copied.
"""

import sys

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file


def main(source, target):
    with safe_open(source, "numpy") as full:
        metadata = full.metadata()
        rounded = {name: full.get_tensor(name).astype(np.float16) for name in full.keys()}
    for name, tensor in rounded.items():
        if not np.isfinite(tensor).all():
            sys.exit(f"{name} does not fit into f16")
    metadata["note"] = "weights rounded to f16; see assets/README.md for origin and licence"
    metadata["licence"] = "MIT OR Apache-2.0"
    save_file(rounded, target, metadata)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

"""Golden files of L2P, DualPrompt and CODA-Prompt, computed in f64 with JAX from their definitions.

    python tests/golden_prompts.py --write tests/golden      # the small files that every test run checks
    python tests/golden_prompts.py [PROGRAM] [--seeds 5]     # fresh ones through `lae-studio golden`

Each file holds a small ViT with random weights, the start of two tasks, the batches they learn from, and
what must come out: losses, gradients, choices, the state after each task, the answers to test images.
Skipped where JAX is not installed. Exits with 1 when a file misses its tolerance.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    import numpy as np
    from jax.scipy.special import erf, logsumexp
    from safetensors.numpy import save_file
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

SIDE, PATCH, D, HEADS, DEPTH = 8, 4, 12, 2, 4
CONFIG = {"img_size": SIDE, "patch_size": PATCH, "embed_dim": D, "depth": DEPTH, "num_heads": HEADS}
CLASSES, STEPS, BATCH, TESTED = [3, 2], 4, 3, 6
METHODS = {
    "l2p": {"pool": 5, "length": 2, "top_k": 3, "pull": 0.5},
    "dualprompt": {"pool": 3, "g_blocks": [1], "g_length": 2, "e_blocks": [0, 3], "e_length": 3, "pull": 1.0},
    "coda": {"pool": 5, "tasks": 2, "length": 4, "mu": 0.1, "blocks": [0, 2]},
}


def norm(x, p, name):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6)
    return scaled * p[name + ".weight"] + p[name + ".bias"]


def linear(p, name, x):
    return x @ p[name + ".weight"].T + p[name + ".bias"]


def heads_of(x):
    return x.reshape(*x.shape[:-1], HEADS, D // HEADS).swapaxes(-2, -3)


def attention(p, name, x, prefix):
    q, k, v = jnp.split(linear(p, name + ".qkv", x), 3, -1)
    if prefix is not None:
        k, v = (jnp.concatenate([front, own], 1) for front, own in zip(prefix, (k, v)))
    q, k, v = map(heads_of, (q, k, v))
    scores = q @ k.swapaxes(-1, -2) * (D // HEADS) ** -0.5
    weights = jnp.exp(scores - logsumexp(scores, -1, keepdims=True))
    return linear(p, name + ".proj", (weights @ v).swapaxes(1, 2).reshape(x.shape))


def vit(p, images, entering=None, prefixes={}):
    """All tokens after the final norm."""
    b, n = len(images), SIDE // PATCH
    patches = images.reshape(b, 3, n, PATCH, n, PATCH).transpose(0, 2, 4, 1, 3, 5)
    weight = p["patch_embed.proj.weight"].reshape(D, -1)
    patches = patches.reshape(b, n * n, -1) @ weight.T + p["patch_embed.proj.bias"]
    token = jnp.broadcast_to(p["cls_token"], (b, 1, D))
    position = p["pos_embed"]
    x = [token + position[:, :1], patches + position[:, 1:]]
    if entering is not None:
        x.insert(1, entering + position[:, :1])
    x = jnp.concatenate(x, 1)
    for i in range(DEPTH):
        x = x + attention(p, f"blocks.{i}.attn", norm(x, p, f"blocks.{i}.norm1"), prefixes.get(i))
        h = linear(p, f"blocks.{i}.mlp.fc1", norm(x, p, f"blocks.{i}.norm2"))
        x = x + linear(p, f"blocks.{i}.mlp.fc2", h * 0.5 * (1 + erf(h / 2**0.5)))
    return norm(x, p, "norm")


def backbone(rng):
    normal = lambda *shape: rng.normal(size=shape) * 0.3
    p = {"cls_token": normal(1, 1, D), "pos_embed": normal(1, 1 + (SIDE // PATCH) ** 2, D)}
    p["patch_embed.proj.weight"] = normal(D, 3, PATCH, PATCH)
    p["patch_embed.proj.bias"] = normal(D)
    for name, rows, columns in [("attn.qkv", 3 * D, D), ("attn.proj", D, D), ("mlp.fc1", 4 * D, D), ("mlp.fc2", D, 4 * D)]:
        for i in range(DEPTH):
            p[f"blocks.{i}.{name}.weight"], p[f"blocks.{i}.{name}.bias"] = normal(rows, columns), normal(rows)
    for name in ["norm"] + [f"blocks.{i}.norm{j}" for i in range(DEPTH) for j in (1, 2)]:
        p[name + ".weight"], p[name + ".bias"] = 1 + normal(D), normal(D)
    # What the files hold is f32; both sides start from the same numbers.
    return {name: jnp.array(value.astype(np.float32).astype(np.float64)) for name, value in p.items()}


def cosines(q, keys):
    unit = lambda x: x / jnp.sqrt(jnp.maximum((x**2).sum(-1, keepdims=True), 1e-12))
    return unit(q) @ unit(keys).T


def largest(s, count):
    return jnp.argsort(-s, axis=1, stable=True)[:, :count]


def weights(q, a, k):
    length = lambda x: jnp.maximum(jnp.sqrt((x**2).sum(-1, keepdims=True)), 1e-12)
    asked = q[:, None, :] * a[None]
    return (asked / length(asked) * (k / length(k))).sum(-1)


def in_use(x, rows, old):
    return jnp.concatenate([jax.lax.stop_gradient(x[:old]), x[old:rows]])


class Method:
    """One method's forward pass: features, what is added to the loss, and what it showed."""

    def __init__(self, name, net):
        self.name, self.args, self.net = name, METHODS[name], net

    def forward(self, t, task, images, learning):
        args, q = self.args, vit(self.net, images)[:, 0]
        if self.name == "coda":
            return self.coda(t, task, images, q, learning)
        s = cosines(q, t["key"])
        if self.name == "l2p":
            choice = largest(s, args["top_k"])
            count = args["top_k"] * args["length"]
            entering = t["prompt"][choice].reshape(len(q), count, D)
            feature = vit(self.net, images, entering)[:, 1 : 1 + count].mean(1)
        else:
            choice = np.full((len(q), 1), task) if learning else largest(s, 1)
            shared = lambda x: jnp.broadcast_to(x, (len(q), *x.shape))
            prefixes = {b: [shared(x) for x in t["g"][i]] for i, b in enumerate(args["g_blocks"])}
            slots = choice[:, 0]
            prefixes |= {b: [x[slots] for x in t["e"][i]] for i, b in enumerate(args["e_blocks"])}
            feature = vit(self.net, images, None, prefixes)[:, 0]
        pull = jnp.take_along_axis(s, jnp.array(choice), 1).sum(1).mean()
        return feature, -args["pull"] * pull, {"choice": choice, "pull": pull, "similarity": s}

    def coda(self, t, task, images, q, learning):
        args = self.args
        share, half = args["pool"] // args["tasks"], args["length"] // 2
        rows, old = (task + 1) * share, task * share
        prefixes, skewed, shown = {}, 0.0, {}
        for b in args["blocks"]:
            p, k, a = (in_use(t[f"coda.{b}.{part}"], rows, old) for part in "pka")
            shown[f"weight.{b}"] = w = weights(q, a, k)
            prompt = jnp.einsum("bm,mld->bld", w, p)
            prefixes[b] = [prompt[:, :half], prompt[:, half:]]
            for x in (k, a, p.reshape(rows, -1)):
                skewed += ((x @ x.T - jnp.eye(rows)) ** 2).mean()
        feature = vit(self.net, images, None, prefixes)[:, 0]
        added = args["mu"] * skewed
        return feature, added if learning else 0.0, shown | {"penalty": added}

    def start(self, rng):
        uniform = lambda *shape: rng.uniform(-1, 1, shape)
        args = self.args
        if self.name == "l2p":
            return {"prompt": uniform(args["pool"], args["length"], D), "key": uniform(args["pool"], D)}
        if self.name == "dualprompt":
            e = uniform(len(args["e_blocks"]), 2, args["pool"], args["e_length"], D)
            g = uniform(len(args["g_blocks"]), 2, args["g_length"], D)
            return {"g": g, "e": e, "key": uniform(args["pool"], D)}
        shapes = {"p": (args["length"], D), "k": (D,), "a": (D,)}
        return {f"coda.{b}.{x}": np.zeros((args["pool"], *shapes[x])) for b in args["blocks"] for x in "pka"}

    def begin(self, t, task, rng):
        """The tensors at the start of a task, and the draws that made them."""
        if self.name == "dualprompt" and task > 0:
            e = t["e"].copy()
            e[:, :, task] = e[:, :, task - 1]
            return t | {"e": e}, {}
        if self.name != "coda":
            return t, {}
        share, draws, new = self.args["pool"] // self.args["tasks"], {}, {}
        for name, value in t.items():
            draw = rng.normal(size=(share, *value.shape[1:])).astype(np.float32)
            rows = list(value.reshape(len(value), -1)[: task * share])
            for r in draw.reshape(share, -1).astype(np.float64):
                rows.append(r - sum((r @ u) / (u @ u) * u for u in rows))
            own = [u / np.sqrt(u @ u) for u in rows[task * share :]]
            draws[f"draw.{name}"], new[name] = draw, value.copy()
            new[name][task * share : (task + 1) * share] = np.reshape(own, draw.shape)
        return new, draws


def rate(name, step):
    if name != "coda":
        return 0.02
    epoch, epochs = step // 2, STEPS // 2
    return 0.02 * np.cos(99 * np.pi * max(epoch - 1, 0) / (200 * (epochs - 1)))


def make(path, name, seed):
    rng = np.random.default_rng(seed)
    method, clip = Method(name, backbone(rng)), 0.0 if name == "coda" else 0.5
    f32 = lambda x: np.asarray(x).astype(np.float32).astype(np.float64)
    t = {key: f32(value) for key, value in method.start(rng).items()}
    heads = {}
    for task, classes in enumerate(CLASSES):
        heads[f"head.{task}.weight"] = f32(rng.normal(size=(classes, D)) * 0.3)
        heads[f"head.{task}.bias"] = f32(rng.normal(size=classes) * 0.3)
    tests = f32(rng.uniform(size=(TESTED, 3, SIDE, SIDE)))
    out = {f"backbone.{key}": value for key, value in method.net.items()}
    out |= {"test.input": tests, "test.query": vit(method.net, tests)[:, 0]}
    out |= {f"init.{key}": value for key, value in (t | heads).items()}

    def loss(trained, task, images, target):
        feature, added, shown = method.forward(trained, task, images, True)
        logits = feature @ trained[f"head.{task}.weight"].T + trained[f"head.{task}.bias"]
        ce = (logsumexp(logits, 1) - jnp.take_along_axis(logits, target[:, None], 1)[:, 0]).mean()
        return ce + added, shown | {"loss": ce + added, "ce": ce}

    gradient, first = jax.grad(loss, has_aux=True), 0
    for task, classes in enumerate(CLASSES):
        t, draws = method.begin(t, task, rng)
        keep = lambda when, values: out.update({f"task{task}.{when}{k}": v for k, v in values.items()})
        keep("", draws)
        trained, shown = t | heads, []
        keep("start.", trained)
        moments = {key: (np.zeros_like(v), np.zeros_like(v)) for key, v in trained.items()}
        for step in range(STEPS):
            images = f32(rng.uniform(size=(BATCH, 3, SIDE, SIDE)))
            target = rng.integers(0, classes, BATCH)
            out[f"task{task}.input.{step}"], out[f"task{task}.target.{step}"] = images, target + first
            g, seen = gradient({k: jnp.array(v) for k, v in trained.items()}, task, images, target)
            length = np.sqrt(sum((np.array(x) ** 2).sum() for x in g.values()))
            shown.append(seen | {"grad_norm": length})
            if step == 0:
                keep("grad.", g)
            for key, x in g.items():
                x = np.array(x) * (min(1.0, clip / (length + 1e-6)) if clip else 1.0)
                m, v = (0.9 * moments[key][0] + 0.1 * x, 0.999 * moments[key][1] + 0.001 * x**2)
                moments[key] = (m, v)
                m, v = m / (1 - 0.9 ** (step + 1)), v / (1 - 0.999 ** (step + 1))
                trained[key] = trained[key] - rate(name, step) * m / (np.sqrt(v) + 1e-8)
        wanted = ["loss", "ce"] + (["penalty"] if name == "coda" else ["pull", "choice", "grad_norm"])
        keep("", {key: np.stack([np.array(seen[key]) for seen in shown]) for key in wanted})
        keep("end.", trained)
        t = {key: trained[key] for key in t}
        heads = {key: trained[key] for key in heads}
        first += classes
        feature, _, seen = method.forward(t, task, tests, False)
        w, b = (np.concatenate([heads[f"head.{i}.{part}"] for i in range(task + 1)]) for part in ("weight", "bias"))
        answers = {k: v for k, v in seen.items() if k not in ("pull", "penalty")}
        keep("test.", answers | {"feature": feature, "logits": feature @ w.T + b})
    metadata = {"kind": "vit", "config": CONFIG, "method": name, "method_args": METHODS[name], "classes_per_task": CLASSES}
    metadata |= {"lr": [rate(name, step) for step in range(STEPS)], "clip": clip, "steps": STEPS}
    metadata |= {"epochs": STEPS // 2} if name == "coda" else {}
    text = {k: v if isinstance(v, str) else json.dumps(v) for k, v in metadata.items()}
    stored = {k: np.asarray(v) for k, v in out.items()}
    whole = lambda v: np.ascontiguousarray(v.astype(np.int64 if v.dtype.kind == "i" else np.float32))
    save_file({k: whole(v) for k, v in stored.items()}, path, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default="target/release/lae-studio")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    if options.write:
        for name in METHODS:
            make(options.write / f"prompts_{name}.safetensors", name, 1)
        return
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name in METHODS:
            for seed in range(2, 2 + options.seeds):
                files.append(f"{folder}/{name}_{seed}.safetensors")
                make(files[-1], name, seed)
        sys.exit(subprocess.run([options.program, "golden", *files]).returncode)


if __name__ == "__main__":
    main()

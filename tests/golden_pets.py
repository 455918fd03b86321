"""Golden file of the built-in PETs on a small ViT, computed in f64 with PyTorch from their definitions.

    python tests/golden_pets.py tests/pets/golden.safetensors

The network is implemented here with a layer per projection, and must agree with timm's. DoRA, VeRA, (IA)³ and LoRA
are those of the peft library; the others are modules below. For each PET the file contains random parameters (none
has its initial value), the features, and the gradient of Σ feature³. Skipped without PyTorch, timm or peft.
"""

import sys

try:
    import peft
    import timm
    import torch
    import torch.nn.functional as F
    from safetensors.torch import save_file
    from torch import nn
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

SIDE, PATCH, D, DEPTH, HEADS, HIDDEN = 16, 8, 24, 2, 3, 96
torch.manual_seed(5)
torch.set_default_dtype(torch.float64)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = (nn.LayerNorm(D, eps=1e-6) for _ in range(2))
        self.q, self.k, self.v, self.proj = (nn.Linear(D, D) for _ in range(4))
        self.fc1, self.fc2, self.act = nn.Linear(D, HIDDEN), nn.Linear(HIDDEN, D), nn.GELU()
        self.after_attention, self.after_mlp = nn.Identity(), nn.Identity()
        self.prefix = self.prompts = None
        self.leave = False

    def attention(self, e):
        split = lambda x: x.unflatten(-1, (HEADS, D // HEADS)).transpose(-2, -3)
        q, k, v = split(self.q(e)), split(self.k(e)), split(self.v(e))
        scale = (D // HEADS) ** -0.5
        out = (q @ k.mT * scale).softmax(-1) @ v
        if self.prefix is not None:
            # Eq. 15 of the LAE paper: the share of the tokens in the joint softmax, and a separate softmax of the prefix.
            p_k, p_v = (split(p[None]) for p in self.prefix)
            ours, theirs = q @ k.mT * scale, q @ p_k.mT * scale
            keep = torch.exp(ours.logsumexp(-1) - torch.logaddexp(ours.logsumexp(-1), theirs.logsumexp(-1)))
            out = keep[..., None] * out + theirs.softmax(-1) @ p_v
        return self.proj(out.transpose(-2, -3).flatten(-2))

    def forward(self, x):
        if self.prompts is not None:
            x = torch.cat([x[:, :1], self.prompts.expand(len(x), -1, -1), x[:, 1:]], 1)
        e = self.norm1(x)
        x = x + self.after_attention(Pair(e, self.attention(e))).h
        x = x + self.after_mlp(Pair(None, self.fc2(self.act(self.fc1(self.norm2(x)))))).h
        return torch.cat([x[:, :1], x[:, 1 + len(self.prompts) :]], 1) if self.leave else x


class Pair:
    def __init__(self, e, h):
        self.e, self.h = e, h


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        # In a list, so that peft does not find its layers.
        self.timms = [timm.models.VisionTransformer(
            img_size=SIDE, patch_size=PATCH, embed_dim=D, depth=DEPTH, num_heads=HEADS, num_classes=0
        ).double().requires_grad_(False)]
        for name, value in self.vit.named_parameters():
            noise = torch.randn_like(value)
            value.data = 1 + noise / 10 if "norm" in name and "weight" in name else noise * 0.15
        self.blocks = nn.ModuleList(Block() for _ in range(DEPTH))
        for ours, theirs in zip(self.blocks, self.vit.blocks):
            for i, layer in enumerate((ours.q, ours.k, ours.v)):
                layer.weight.data = theirs.attn.qkv.weight.data[i * D : (i + 1) * D].clone()
                layer.bias.data = theirs.attn.qkv.bias.data[i * D : (i + 1) * D].clone()
            pairs = [(ours.proj, theirs.attn.proj), (ours.fc1, theirs.mlp.fc1), (ours.fc2, theirs.mlp.fc2)]
            pairs += [(ours.norm1, theirs.norm1), (ours.norm2, theirs.norm2)]
            for own, other in pairs:
                own.load_state_dict({k: v.clone() for k, v in other.state_dict().items()})
        self.requires_grad_(False)

    @property
    def vit(self):
        return self.timms[0]

    def forward(self, images):
        x = self.vit.patch_embed(images)
        x = torch.cat([self.vit.cls_token.expand(len(x), -1, -1), x], 1) + self.vit.pos_embed
        for block in self.blocks:
            x = block(x)
        return self.vit.norm(x)[:, 0]


PARAMETERS = {}


def drawn(name, *shape):
    """Returns a parameter of the plugin; a shared one is created once."""
    if name not in PARAMETERS:
        PARAMETERS[name] = nn.Parameter(torch.randn(*shape) * 0.3)
    return PARAMETERS[name]


class Wrapped(nn.Module):
    """A layer whose input and output are changed."""

    def __init__(self, layer, change):
        super().__init__()
        self.layer, self.change = layer, change

    def forward(self, e):
        h = self.layer(e)
        return self.change(e, h)


class After(nn.Module):
    """A change of a sub-layer's output."""

    def __init__(self, change):
        super().__init__()
        self.change = change

    def forward(self, pair):
        return Pair(pair.e, self.change(pair.e, pair.h))


SITES = {"query": "q", "key": "k", "value": "v", "proj": "proj", "fc1": "fc1", "fc2": "fc2"}
SITES |= {"norm1": "norm1", "norm2": "norm2", "activation": "act"}
WIDTHS = {site: (D, D) for site in SITES} | {"fc1": (D, HIDDEN), "fc2": (HIDDEN, D)}


def at(network, sites, make):
    for index, block in enumerate(network.blocks):
        for site in sites:
            change = make(index, site)
            if site in SITES:
                setattr(block, SITES[site], Wrapped(getattr(block, SITES[site]), change))
            else:
                setattr(block, {"attention": "after_attention", "mlp": "after_mlp"}[site], After(change))


ALL = ["query", "key", "value", "proj", "fc1", "fc2"]


def bottleneck(place, act, r=6, of="h"):
    down, b_down = drawn(f"{place}.down", D, r), drawn(f"{place}.b_down", 1, r)
    up, b_up = drawn(f"{place}.up", r, D), drawn(f"{place}.b_up", 1, D)
    layers = lambda x: F.linear(act(F.linear(x, down.T, b_down[0])), up.T, b_up[0])
    return lambda e, h: h + layers(e if of == "e" else h)


def pfeiffer(network):
    at(network, ["mlp"], lambda block, _: bottleneck(block, F.relu))


def houlsby(network):
    at(network, ["attention", "mlp"], lambda block, site: bottleneck(f"{block}.{site}", F.gelu))


def adapterbias(network):
    def make(block, _):
        v, l, b = drawn(f"{block}.shift", 1, D), drawn(f"{block}.l", D, 1), drawn(f"{block}.b", 1, 1)
        return lambda e, h: h + torch.einsum("bt,d->btd", F.linear(h, l.T, b[0])[..., 0], v[0])

    at(network, ["mlp"], make)


def bitfit_full(network):
    for index, block in enumerate(network.blocks):
        for site in ["norm1", "norm2", *ALL]:
            layer = getattr(block, SITES[site])
            bias = drawn(f"{index}.{site}.b", 1, layer.bias.shape[0])
            # The layer's own bias is changed.
            own = layer.bias.data.clone()
            del layer.bias
            layer.bias = own + bias[0]


def ssf_full(network):
    def make(block, site):
        width = WIDTHS[site][1]
        scale, shift = drawn(f"{block}.{site}.scale", 1, width), drawn(f"{block}.{site}.shift", 1, width)
        return lambda e, h: torch.addcmul(shift[0], h, scale[0])

    at(network, ["norm1", "norm2", *ALL], make)


def fact(network):
    u, v = drawn("all.left", D, 4), drawn("all.right", 4, D)

    def make(block, site):
        sigma = drawn(f"{block}.{site}.sigma", 4, 4)
        return lambda e, h: h + 0.5 * torch.einsum("bti,ij,jk,kl->btl", e, u, sigma, v)

    at(network, ["query", "key", "value", "proj"], make)


def compacter(network):
    r = 8

    def matrix(place, which, rows, columns):
        sum_of = 0
        for i in range(1, 5):
            a = drawn(f"all.a{i}", 4, 4)
            s = drawn(f"{place}.{which}_s{i}", rows // 4, 1)
            t = drawn(f"{place}.{which}_t{i}", 1, columns // 4)
            sum_of = sum_of + torch.kron(a, s @ t)
        return sum_of

    def make(block, site):
        place = f"{block}.{site}"
        down, up = matrix(place, "down", D, r), matrix(place, "up", r, D)
        b_down, b_up = drawn(f"{place}.b_down", 1, r), drawn(f"{place}.b_up", 1, D)
        return lambda e, h: h + F.linear(F.gelu(F.linear(h, down.T, b_down[0])), up.T, b_up[0])

    at(network, ["attention", "mlp"], make)


def combined(network):
    def lora(block, site):
        a, b = drawn(f"{block}.a_{site[0]}", D, 3), drawn(f"{block}.b_{site[0]}", 3, D)
        return lambda e, h: h + F.linear(F.linear(e, a.T), b.T)

    at(network, ["key", "value"], lora)

    def adapter(block, _):
        inner, s = bottleneck(block, F.gelu, 4, "e"), drawn(f"{block}.s", 1, 1)
        return lambda e, h: h + s[0, 0] * (inner(e, h) - h)

    at(network, ["attention"], adapter)
    for index, block in enumerate(network.blocks):
        block.prefix = [drawn(f"{index}.p_k", 5, D), drawn(f"{index}.p_v", 5, D)]


def vpt_deep(network):
    for index, block in enumerate(network.blocks):
        block.prompts, block.leave = drawn(f"{index}.prompts", 4, D), True


def vpt_shallow(network):
    for index, block in enumerate(network.blocks):
        block.prompts = drawn(f"{index}.prompts", 3, D)


def of_peft(network, config, names):
    """Returns peft's module; `names` returns the name and the orientation of each of its tensors here."""
    # peft disables the gradients of all other parameters.
    model = peft.get_peft_model(network, config)
    for name, value in model.named_parameters():
        if "lora_" in name or "vera_lambda" in name or "ia3_l" in name:
            if "magnitude" not in name:
                value.data = torch.randn_like(value) * 0.3
            value.requires_grad_(True)
            PARAMETERS[name] = value
    return model, names


def site_of(name):
    parts = name.split("blocks.")[1].split(".")
    known = {own: site for site, own in SITES.items()}
    return f"{parts[0]}.{known[parts[1]]}"


def turned(kind):
    """Returns a function from a tensor of peft to its name and its matrix (rows × columns) in the plugin."""

    def rename(name, value):
        place = site_of(name)
        if kind == "ia3":
            letter = {"key": "l_k", "value": "l_v", "activation": "l_ff"}
            block, site = place.split(".")
            return f"{block}.{letter[site]}", value.reshape(1, -1)
        if "vera_lambda_d" in name:
            return f"{place}.l_d", value.reshape(1, -1)
        if "vera_lambda_b" in name:
            return f"{place}.l_b", value.reshape(1, -1)
        if "magnitude" in name:
            return f"{place}.g", value.reshape(1, -1)
        return f"{place}.{'a' if 'lora_A' in name else 'b'}", value.T

    return rename


def dora(network):
    config = peft.LoraConfig(r=4, lora_alpha=2, target_modules=["q", "v"], use_dora=True)
    return of_peft(network, config, turned("dora"))


def lora_all(network):
    config = peft.LoraConfig(r=4, lora_alpha=2, target_modules=["q", "k", "v", "blocks.0.proj", "blocks.1.proj", "fc1", "fc2"])
    return of_peft(network, config, turned("lora"))


def vera(network):
    config = peft.VeraConfig(r=8, target_modules=["q", "v"], save_projection=True)
    return of_peft(network, config, turned("vera"))


def ia3(network):
    # peft scales the input of the second layer, which is the output of the activation.
    config = peft.IA3Config(target_modules=["k", "v", "fc2"], feedforward_modules=["fc2"])
    model, _ = of_peft(network, config, None)
    rename = turned("ia3")
    return model, lambda name, value: rename(name.replace(".fc2.", ".act."), value)


PETS = {
    "pfeiffer": (pfeiffer, "size=6"),
    "houlsby": (houlsby, "size=6"),
    "adapterbias": (adapterbias, ""),
    "bitfit full": (bitfit_full, ""),
    "ssf full": (ssf_full, ""),
    "fact": (fact, "size=4,scale=0.5"),
    "compacter": (compacter, "size=8"),
    "lora adapter prefix": (combined, "size=4,rank=3,tokens=5"),
    "dora": (dora, "size=4,scale=0.5"),
    "lora all": (lora_all, "size=4,scale=0.5"),
    "vera": (vera, "size=8"),
    "ia3": (ia3, ""),
    "vpt deep": (vpt_deep, "size=4"),
    "vpt shallow": (vpt_shallow, "size=3"),
}


def main():
    base = Network()
    images = torch.randn(3, 3, SIDE, SIDE) * 0.5
    assert torch.allclose(base(images), base.vit(images), atol=1e-12), "the network is not timm's"
    tensors = {f"backbone.{name}": value for name, value in base.vit.state_dict().items()}
    tensors["images"] = images
    tensors["plain"] = base(images)
    for title, (build, _) in PETS.items():
        PARAMETERS.clear()
        network = Network()
        network.vit.load_state_dict(base.vit.state_dict())
        for ours, theirs in zip(network.blocks, base.blocks):
            ours.load_state_dict(theirs.state_dict())
        found = build(network)
        model, rename = found or (network, lambda name, value: (name, value))
        norms = {}
        for name, value in PARAMETERS.items():
            if "magnitude" in name:
                # The plugin has the difference from the length of the frozen weight's rows (columns in the plugin).
                norms[name] = value.data.clone()
                value.data = value.data + torch.randn_like(value) * 0.3
        features = model(images)
        (features**3).sum().backward()
        prefix = f"{title.replace(' ', '_')}"
        tensors[f"{prefix}.features"] = features
        for name, value in PARAMETERS.items():
            stored = value.data - norms[name] if name in norms else value.data
            own, stored = rename(name, stored)
            tensors[f"{prefix}.pet.{own}"] = stored
            tensors[f"{prefix}.grad.{own}"] = rename(name, value.grad)[1]
        if title == "vera":
            for letter, own in [("A", "a"), ("B", "b")]:
                shared = getattr(model.base_model, f"vera_{letter}")["default"]
                tensors[f"vera.pet.all.{own}"] = shared.data.T
        assert not torch.allclose(features, tensors["plain"]), title
    plain = {name: value.detach().float().contiguous().clone() for name, value in tensors.items()}
    numbers = {title: numbers for title, (_, numbers) in PETS.items()}
    save_file(plain, sys.argv[1], metadata={title.replace(" ", "_"): numbers for title, numbers in numbers.items()})
    print(f"{sys.argv[1]}: {len(PETS)} PETs, {sum(v.numel() for v in plain.values())} values")


main()

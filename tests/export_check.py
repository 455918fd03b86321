"""Compares the outputs of exported models in PyTorch, onnxruntime and peft with those of the run.

    pip install torch timm safetensors pillow peft onnxruntime
    python tests/export_check.py [PROGRAM] [--quick] [--markdown FILE]

Trains short runs on the embedded digits at a rate at which the PETs change much: on lae-nano, on a ViT-Ti/16 and on
small networks of the other families, all but the first with random weights. Exports each run, and computes the
outputs of the exported model for the two noise images stored with it. The limit is 1e-5 of the largest score (at
least 1). The effect of the PET is measured, too: a model without its PETs must give other outputs. One image is read
from its file by both `predict --json` and `model.predict`. Each run is also exported as ONNX for onnxruntime, and
LoRA runs for peft, which loads them into timm's network and that of transformers.

The exit code is 0 if all outputs agree, else 1. If a library is missing, the script prints this and exits with 0
(without onnxruntime or peft, it skips their part). --quick runs only the first cases.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

try:
    import timm  # noqa: F401  (the exported file needs it)
    import torch
    from PIL import Image
    from safetensors.torch import load_file, save_file
    from timm.models.convnext import ConvNeXt
    from timm.models.eva import Eva
    from timm.models.swin_transformer import SwinTransformer
    from timm.models.swin_transformer_v2 import SwinTransformerV2
    from timm.models.vision_transformer import VisionTransformer
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

try:
    import onnxruntime
except ImportError as missing:
    onnxruntime = None
    print(f"skipped: {missing}")
try:
    from peft import PeftModel
except ImportError as missing:
    PeftModel = None
    print(f"skipped: {missing}")

LIMIT = 1e-5
# Methods whose probabilities are a softmax at this temperature, which multiplies differences of scores by at most its
# inverse.
SHARP, TEMPERATURE = ("SimpleCIL", "RanPAC", "APER", "EASE", "iCaRL"), 0.05
# Largest difference of probabilities for an image that Pillow and the program resize.
PICTURE_LIMIT = 2e-2
SHORT = [
    "train", "--data", "digits", "--epochs", "1", "--train-limit", "24", "--test-limit", "6",
    "--device", "cpu", "--quiet", "--json", "-", "--classes-per-task", "4,3,3",
]  # fmt: skip
LAE = ["--method", "lae", "--freeze-epochs", "0", "--base-lr", "0.3", "--set", "ema=0.9"]
# With a cosine head, steps are small.
SGD = ["--base-lr", "20", "--epochs", "4"]
RANPAC = ["--method", "ranpac", "--set", "projection=500"]
CORE = {
    "LAE, Adapter": [*LAE, "--pet", "adapter"],
    "LAE, LoRA": [*LAE, "--pet", "lora"],
    "LAE, Prefix": [*LAE, "--pet", "prefix"],
    "SimpleCIL": ["--method", "simplecil"],
    "RanPAC": RANPAC,
}
OTHERS = {
    "LAE, Prefix without Learning": [*LAE[:-4], "--base-lr", "0.3", "--pet", "prefix", "--set", "learning=off"],
    "LAE without Ensemble": [*LAE, "--pet", "adapter", "--set", "ensemble=off"],
    "Baseline": ["--method", "baseline", "--base-lr", "0.3", "--pet", "adapter"],
    "Seq-FT": ["--method", "seq-ft"],
    "Joint-FT": ["--method", "joint-ft"],
    "APER": ["--method", "aper", *SGD],
    "RanPAC with a first session": [*RANPAC, "--set", "first_session=adapter", *SGD],
    "EASE": ["--method", "ease", *SGD],
    "EWC": ["--method", "ewc", "--base-lr", "0.3", "--pet", "adapter"],
    "iCaRL": ["--method", "icarl", "--base-lr", "0.3", "--pet", "adapter"],
}
PETS = """adaptformer adapterbias bitfit bitfitfull compacter dora fact houlsby ia3 ia3full loraall pfeiffer ssf ssffull
    streamadapter vera combined vpt vptshallow""".split()
# Names for `--pet` that differ from those of the files.
NAMED = {
    "bitfitfull": "BitFit full", "ia3": "IA3 attention", "ia3full": "IA3", "loraall": "LoRA all",
    "ssffull": "SSF full", "combined": "LoRA Adapter Prefix",
    "vpt": "VPT deep", "vptshallow": "VPT shallow",
}  # fmt: skip


def run(program, root, words):
    done = subprocess.run([program, *words], capture_output=True, text=True, cwd=root)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()[-400:]}")
    return done.stdout


def model_of(folder, file="model.py"):
    spec = importlib.util.spec_from_file_location(f"{file[:-3]}_{folder.name}", folder / file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def spread_out(network, folder, name, **stated):
    """Saves a network with random weights, so that all parts matter, and the values that its tensors do not show."""
    torch.manual_seed(1)
    with torch.no_grad():
        for of, weight in network.named_parameters():
            if weight.ndim == 1 and not of.endswith("bias"):
                weight.copy_(1 + 0.2 * torch.randn_like(weight))
            elif weight.ndim > 1 and ".weight" in of:
                weight.copy_(torch.randn_like(weight) / weight[0].numel() ** 0.5)
            else:
                weight.copy_(0.2 * torch.randn_like(weight))
    stated = {"mean": "0", "std": "1"} | stated
    save_file(network.state_dict(), folder / f"{name}.safetensors", metadata=stated)
    return ["--backbone", str(folder / f"{name}.safetensors")]


def vit_tiny(folder):
    network = VisionTransformer(patch_size=16, embed_dim=192, depth=12, num_heads=3, num_classes=0)
    return spread_out(network, folder, "vit-ti16")


def vit_scaled(folder):
    """A small ViT with layer scales and a norm before the blocks."""
    options = dict(img_size=28, patch_size=14, embed_dim=64, depth=3, num_heads=1, init_values=1e-5, pre_norm=True)
    network = VisionTransformer(**options, num_classes=0)
    return spread_out(network, folder, "vit-scaled", num_heads="1", act_layer="gelu", norm_eps="1e-6")


def vit_registers(folder):
    """A small ViT with registers that have no position, and the mean patch as its feature."""
    options = dict(img_size=32, patch_size=8, embed_dim=48, depth=3, num_heads=3, reg_tokens=2, no_embed_class=True)
    network = VisionTransformer(**options, global_pool="avg", num_classes=0)
    return spread_out(network, folder, "vit-registers", num_heads="3", global_pool="avg")


def vit_siglip(folder):
    """A small ViT without a class token, with attention pooling and the approximate GELU."""
    options = dict(img_size=32, patch_size=8, embed_dim=48, depth=3, num_heads=3, class_token=False, global_pool="map")
    network = VisionTransformer(**options, act_layer="gelu_tanh", num_classes=0)
    return spread_out(network, folder, "vit-siglip", num_heads="3", act_layer="gelu_tanh")


def eva(folder, name, **options):
    network = Eva(img_size=32, patch_size=8, embed_dim=48, depth=3, num_heads=3, num_classes=0, **options)
    stated = {"num_heads": "3", "global_pool": network.global_pool, "input_size": "32"}
    return spread_out(network, folder, name, **stated)


def vit_eva02(folder):
    """A small EVA-02 with all its norms: rotary positions, SwiGLU."""
    options = dict(qkv_fused=False, swiglu_mlp=True, scale_mlp=True, scale_attn_inner=True)
    return eva(folder, "vit-eva02", **options, use_rot_pos_emb=True, ref_feat_shape=(16, 16))


def vit_dinov3(folder):
    """A small DINOv3: only rotary positions, registers, no bias of queries, keys and values."""
    options = dict(qkv_bias=False, init_values=1e-5, num_reg_tokens=4, use_abs_pos_emb=False, use_fc_norm=False)
    rope = dict(use_rot_pos_emb=True, rope_type="dinov3", rope_temperature=100, rope_rotate_half=True)
    norm = partial(torch.nn.LayerNorm, eps=1e-5)
    return eva(folder, "vit-dinov3", **options, **rope, global_pool="token", norm_layer=norm)


def vit_perception(folder):
    """A small Perception Encoder: attention pooling with its own heads."""
    options = dict(attn_type="rope", use_pre_transformer_norm=True, attn_pool_num_heads=8, attn_pool_mlp_ratio=4.0)
    rope = dict(use_rot_pos_emb=True, ref_feat_shape=(4, 4), rope_grid_offset=1.0, rope_grid_indexing="xy")
    norm = partial(torch.nn.LayerNorm, eps=1e-5)
    return eva(folder, "vit-perception", **options, **rope, global_pool="map", norm_layer=norm)


def swin_small(folder):
    options = dict(img_size=64, window_size=4, embed_dim=24, depths=(2, 2), num_heads=(2, 4))
    return spread_out(SwinTransformer(**options, num_classes=0), folder, "swin-small")


def swin_odd(folder):
    """A Swin for 224 pixels: maps of 56, 28, 14, 7 and 4 tokens per side; windows and merging need zeros at the border."""
    options = dict(img_size=224, window_size=5, embed_dim=8, depths=(2, 2, 1, 2, 1), num_heads=(2,) * 5)
    return spread_out(SwinTransformer(**options, num_classes=0), folder, "swin-odd")


def swin_v2(folder):
    options = dict(img_size=64, window_size=4, embed_dim=24, depths=(2, 2), num_heads=(2, 4))
    network = SwinTransformerV2(**options, num_classes=0)
    return spread_out(network, folder, "swin-v2", input_size="64", window_size="4")


def convnext_small(folder):
    network = ConvNeXt(depths=(1, 1, 2, 1), dims=(16, 24, 32, 48), num_classes=0)
    network.head.norm = torch.nn.Identity()
    return spread_out(network, folder, "convnext-small")


def convnext_second(folder):
    """A small ConvNeXt V2."""
    sizes = dict(depths=(1, 1, 2, 1), dims=(16, 24, 32, 48))
    network = ConvNeXt(**sizes, use_grn=True, ls_init_value=None, num_classes=0)
    return spread_out(network, folder, "convnext-v2", final_norm="true")


def without_pets(module):
    """Returns the scores of the noise with all PET parameters set to 0; `None` for a model without PETs."""
    model = module.load()
    values = list(model.pets.parameters())
    if not values:
        return None
    with torch.inference_mode():
        for value in values:
            value.data.zero_()
        return model(load_file(module.HERE / "check.safetensors")["images"])


def apart(found, told):
    """Returns the largest difference relative to the largest value, or to 1 if that is larger."""
    return float((found.detach() - told).abs().max() / told.abs().max().clamp(min=1))


def by_onnx(folder, temperature=1.0):
    """Returns the largest difference of scores and probabilities computed by onnxruntime, for several images and for one."""
    told = load_file(folder / "check.safetensors")
    session = onnxruntime.InferenceSession(folder / "model.onnx", providers=["CPUExecutionProvider"])
    answer = [name for name in told if name.startswith("expert.")]
    answer = "expert.ensemble" if "expert.ensemble" in answer else answer[0]
    worst = 0.0
    for count in (len(told["images"]), 1):
        found = session.run(None, {"images": told["images"][:count].numpy()})
        for values, name, counts in zip(found, ("scores", answer), (1.0, temperature)):
            worst = max(worst, counts * apart(torch.from_numpy(values), told[name][:count]))
    return worst


def by_peft(folder):
    """Returns the largest difference of features if peft loads the adapters into timm's network."""
    told, module, worst = load_file(folder / "check.safetensors"), model_of(folder, "network.py"), 0.0
    images = module.normalised(told["images"])
    for name in [name[9:] for name in told if name.startswith("features.")]:
        place = folder / name if (folder / name).exists() else folder
        with torch.inference_mode():
            plain = module.load()(images)
            found = PeftModel.from_pretrained(module.load(), place).eval()(images)
        worst = max(worst, apart(found, told[f"features.{name}"]))
        assert apart(plain, found) > 100 * LIMIT, "the adapter does nothing"
        if not (place / "transformers").exists():
            continue
        try:
            other = nano_of_transformers(module.load())
        except ImportError as missing:
            print(f"skipped: {missing}")
            continue
        with torch.inference_mode():
            found = PeftModel.from_pretrained(other, place / "transformers").eval()(images).last_hidden_state[:, 0]
        worst = max(worst, apart(found, told[f"features.{name}"]))
    return worst


def export(program, root, of_run, format, task=None):
    folder = root / f"export-{len(list(root.glob('export-*')))}"
    words = ["export", of_run, "--format", format, "--to", str(folder), "--out", str(root / "runs")]
    run(program, root, words if task is None else [*words, "--task", str(task)])
    return folder


def checked(program, root, backbone, name, words):
    summary = json.loads(run(program, root, [*SHORT, *words, "--out", str(root / "runs")]))
    folder = export(program, root, summary["run"], "torch")
    module = model_of(folder)
    differences = module.check()
    largest = max(differences.values())
    plain = without_pets(module)
    told = load_file(folder / "check.safetensors")["scores"]
    moved = None if plain is None else float((plain - told).abs().max())
    # The task before the last one has fewer classes.
    if name in ("LAE, Adapter", "RanPAC"):
        earlier = export(program, root, summary["run"], "torch", 1)
        largest = max(largest, *model_of(earlier).check().values())
    others = {}
    if backbone == "lae-nano" and name in ("SimpleCIL", "RanPAC"):
        largest = max(largest, *taught(program, root, summary["run"]).check().values())
    if onnxruntime:
        temperature = TEMPERATURE if name.startswith(SHARP) else 1.0
        others["onnx"] = by_onnx(export(program, root, summary["run"], "onnx"), temperature)
    if PeftModel and name.endswith(("LoRA", "LoRA all", "fact")):
        others["peft"] = by_peft(export(program, root, summary["run"], "peft"))
    return summary["run"], module, {"torch": largest, **others}, moved


def taught(program, root, of_run):
    """Exports a run with an added task of two known classes and a new one."""
    for name in ("0", "1", "new"):
        (root / "pictures" / name).mkdir(parents=True, exist_ok=True)
        for at in range(6):
            noise = bytes(torch.randint(256, (24 * 24 * 3,)).tolist())
            Image.frombytes("RGB", (24, 24), noise).save(root / "pictures" / name / f"{at}.png")
    run(program, root, ["teach", of_run, str(root / "pictures"), "--quiet", "--out", str(root / "runs")])
    return model_of(export(program, root, of_run, "torch"))


def nano_of_transformers(network):
    """Returns a ViT of transformers with the weights of one of timm."""
    from transformers import ViTConfig, ViTModel

    attention, mlp = network.blocks[0].attn, network.blocks[0].mlp
    model = ViTModel(
        ViTConfig(
            hidden_size=network.embed_dim, num_hidden_layers=len(network.blocks), num_attention_heads=attention.num_heads,
            intermediate_size=mlp.fc1.out_features, image_size=network.patch_embed.img_size[0],
            patch_size=network.patch_embed.patch_size[0], layer_norm_eps=network.norm.eps,
        ),
        add_pooling_layer=False,
    ).eval()  # fmt: skip
    with torch.no_grad():
        model.embeddings.cls_token.copy_(network.cls_token)
        model.embeddings.position_embeddings.copy_(network.pos_embed)
        projection = model.embeddings.patch_embeddings.projection
        projection.load_state_dict(network.patch_embed.proj.state_dict())
        for own, block in zip(model.layers, network.blocks):
            own.layernorm_before.load_state_dict(block.norm1.state_dict())
            own.layernorm_after.load_state_dict(block.norm2.state_dict())
            parts = zip(block.attn.qkv.weight.chunk(3), block.attn.qkv.bias.chunk(3))
            for layer, (weight, bias) in zip((own.attention.q_proj, own.attention.k_proj, own.attention.v_proj), parts):
                layer.weight.copy_(weight)
                layer.bias.copy_(bias)
            own.attention.o_proj.load_state_dict(block.attn.proj.state_dict())
            own.mlp.fc1.load_state_dict(block.mlp.fc1.state_dict())
            own.mlp.fc2.load_state_dict(block.mlp.fc2.state_dict())
        model.layernorm.load_state_dict(network.norm.state_dict())
    return model


def started(program, root):
    """Returns the largest difference of features if a run's PET starts from an adapter of peft; the run hardly learns."""
    from peft import LoraConfig, get_peft_model

    summary = json.loads(run(program, root, [*SHORT, *CORE["LAE, LoRA"], "--out", str(root / "runs")]))
    ours = export(program, root, summary["run"], "peft")
    module, noise = model_of(ours, "network.py"), load_file(ours / "check.safetensors")["images"]
    images = module.normalised(noise)
    torch.manual_seed(2)
    cases = {}
    packed = ["attn.qkv", "attn.proj", "mlp.fc1", "mlp.fc2"]
    options = dict(r=4, lora_alpha=6, target_modules=packed)
    cases["timm"] = module.load(), LoraConfig(**options), lambda model: model(images), ["--pet", "LoRA all"]
    cases["timm, patterns and rslora"] = (
        module.load(),
        LoraConfig(**options, rank_pattern={"mlp.fc1": 2}, alpha_pattern={"attn.proj": 3}, use_rslora=True),
        lambda model: model(images),
        ["--pet", "LoRA all"],
    )
    try:
        found = nano_of_transformers(module.load())
        plain = apart(found(images).last_hidden_state[:, 0], module.load()(images))
        assert plain < LIMIT, f"the networks differ by {plain}"
        cases["transformers"] = (
            found,
            LoraConfig(r=4, lora_alpha=6, target_modules=["q_proj", "v_proj", "o_proj", "fc1"]),
            lambda model: model(images).last_hidden_state[:, 0],
            ["--pet", "LoRA all"],
        )
    except ImportError as missing:
        print(f"skipped: {missing}")
    worst = {}
    for name, (network, config, features, pet) in cases.items():
        depth = len(getattr(network, "blocks", None) or network.layers)
        model = get_peft_model(network, config).eval()
        with torch.no_grad():
            before = features(model)
            for of, value in model.named_parameters():
                if "lora_" in of:
                    value.copy_(0.1 * torch.randn_like(value))
            told = features(model)
        assert apart(before, told) > 100 * LIMIT, "the adapter does nothing"
        place = root / f"start {name}"
        model.save_pretrained(place)
        words = [*pet, "--pet-size", "4", "--pet-start", str(place), "--blocks", str(depth)]
        worst[name] = apart(features_of(program, root, words), told)
    # Reads the program's own export for peft. In a packed layer, two LoRAs of rank 5 are one of rank 10.
    told = load_file(ours / "check.safetensors")["features.online"]
    words = ["--pet", "lora", "--pet-size", "5", "--pet-start", str(ours / "online")]
    worst["our own"] = apart(features_of(program, root, words), told)
    return worst


def features_of(program, root, words):
    """Returns the features of the noise after a run that hardly changes any weight."""
    still = ["--method", "baseline", "--base-lr", "1e-12", *words]
    summary = json.loads(run(program, root, [*SHORT, *still, "--out", str(root / "runs")]))
    return load_file(export(program, root, summary["run"], "torch") / "check.safetensors")["features.online"]


def picture_difference(program, root, of_run, module):
    """Returns the largest difference between the program and `model.predict` for image files (8-bit colour, 16-bit grey)."""
    wave = torch.linspace(0, 9, 301)
    image = torch.stack([wave.sin()[None] * wave[:203, None].cos(), wave[:203, None].sin() + 0 * wave, wave.cos() + 0 * wave[:203, None]])
    pixels = ((image + 1) * 127).to(torch.uint8).permute(1, 2, 0).contiguous()
    grey = ((image[0] + 1) * 32767).to(torch.int32).numpy().astype("uint16")
    worst = 0
    for name, image in (("colour.png", Image.fromarray(pixels.numpy())), ("grey16.png", Image.fromarray(grey))):
        image.save(root / name)
        words = ["predict", of_run, str(root / name), "--json", "-", "--always-answer", "--out", str(root / "runs")]
        told = json.loads(run(program, root, words))[0]
        told = (told.get("ensemble") or told.get("answer"))["probabilities"]
        found = dict(module.load().predict(root / name))
        worst = max(worst, *(abs(found[name] - value) for name, value in told.items()))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default="target/release/lae-studio")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    rows, wrong = [], 0
    with tempfile.TemporaryDirectory() as root:
        root = Path(root)
        cases = [("lae-nano", name, words) for name, words in CORE.items()]
        if not options.quick:
            cases += [("lae-nano", name, words) for name, words in OTHERS.items()]
            cases += [("lae-nano", f"LAE, {NAMED.get(pet, pet)}", [*LAE, "--pet", NAMED.get(pet, pet)]) for pet in PETS]
            few = ["--train-limit", "4", "--test-limit", "1", "--batch", "8"]
            tiny, scaled = vit_tiny(root), vit_scaled(root)
            cases += [("ViT-Ti/16", name, [*words, *tiny, *few]) for name, words in CORE.items()]
            ssf = {"LAE, SSF full": [*LAE, "--pet", "SSF full"], "LAE, dora": [*LAE, "--pet", "dora"]}
            cases += [("ViT, scaled", name, [*words, *scaled]) for name, words in (CORE | ssf).items()]
            around = {name: CORE[name] for name in ("LAE, Adapter", "SimpleCIL")}
            around["LAE, adaptformer"] = [*LAE, "--pet", "adaptformer"]
            swin, convnext = swin_small(root), convnext_small(root)
            cases += [("Swin, small", name, [*words, *swin, *few]) for name, words in around.items()]
            odd = swin_odd(root)
            cases += [("Swin V2, small", name, [*words, *swin_v2(root), *few]) for name, words in around.items()]
            cases += [("Swin, odd", name, [*words, *odd, *few]) for name, words in around.items()]
            around["LAE, SSF full"] = ssf["LAE, SSF full"]
            cases += [("ConvNeXt, small", name, [*words, *convnext, *few]) for name, words in around.items()]
            second = convnext_second(root)
            cases += [("ConvNeXt V2, small", name, [*words, *second, *few]) for name, words in around.items()]
            for title, network in (("ViT, registers", vit_registers), ("ViT, SigLIP", vit_siglip)):
                cases += [(title, name, [*words, *network(root)]) for name, words in around.items()]
            around |= {name: CORE[name] for name in ("LAE, LoRA", "LAE, Prefix")}
            around["LAE, IA3"] = [*LAE, "--pet", "IA3"]
            for title, network in (("EVA-02", vit_eva02), ("DINOv3", vit_dinov3), ("PE", vit_perception)):
                cases += [(f"{title}, small", name, [*words, *network(root)]) for name, words in around.items()]
        for backbone, name, words in cases:
            of_run, module, largest, moved = checked(program, root, backbone, name, words)
            fine = max(largest.values()) <= LIMIT and (moved is None or moved > 100 * LIMIT)
            wrong += not fine
            found = [f"{largest[format]:.1e}" if format in largest else "–" for format in ("torch", "onnx", "peft")]
            rows.append((backbone, name, *found, "–" if moved is None else f"{moved:.1e}"))
            print(*rows[-1], "ok" if fine else "MISS", sep=" | ", flush=True)
            if name == "LAE, Adapter":
                far = picture_difference(program, root, of_run, module)
                fine = far <= PICTURE_LIMIT
                wrong += not fine
                print(f"{backbone} | an image file, largest difference of a probability | {far:.1e}", "ok" if fine else "MISS")
        if PeftModel:
            for name, far in started(program, root).items():
                fine = far <= LIMIT
                wrong += not fine
                print(f"lae-nano | a start in peft's form: {name} | {far:.1e}", "ok" if fine else "MISS", flush=True)
    if options.markdown:
        lines = ["| backbone | model | torch | onnx | peft | moved by the PET |", "|---|---|---|---|---|---|"]
        lines += [f"| {' | '.join(row)} |" for row in rows]
        options.markdown.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

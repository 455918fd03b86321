"""Compares features with those of timm for random weights.

    pip install timm torch safetensors numpy
    python tests/timm_parity.py target/release/lae-studio [--full | --pixels | --names] [--markdown FILE]
    python tests/timm_parity.py --write tests/backbones    # the small files that every test run checks

For each network, the script creates random weights with timm (large enough that every part matters) and saves them as
safetensors; then both programs compute the features of the same prepared images. The relative error is max|a - b| /
max|b|. The small networks cover odd input sizes, windows larger than the map, other resolutions than the learned one,
layer scale, pre-norm and QuickGELU; --full adds ViT-B/16, Swin-B (new and old names) and ConvNeXt-B at 224x224. The
networks of transformers and torchvision (pip install transformers torchvision) are compared with their own features.
The exit code is 0 if all errors are at most 1e-3, else 1. Without timm, the script prints this and exits with 0.

--pixels compares the prepared pixels of 64 images of odd sizes with timm's create_transform for each entry of
assets/backbones.toml that timm knows, and mean, standard deviation, crop and licence with timm's pretrained_cfg. The
mean difference of an entry is at most 1/255.

--names opens about thirty networks by the folder of their repository (random weights and the config.json that timm
writes) and compares their features; networks that cannot be opened are listed with the reason.
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
    # LAE's released code uses the mean without a norm, like the program by default.
    model.head.norm = torch.nn.Identity()
    return model, model


UNNORMALISED = {"mean": "0", "std": "1"}
TINY_VIT = dict(img_size=16, patch_size=4, embed_dim=16, depth=2, num_heads=2, num_classes=0)
TINY_HUGGING = dict(
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=64,
    image_size=16,
    patch_size=4,
)


def timm_vit(**arguments):
    """A small ViT of timm, with the values that its tensors do not show."""
    from timm.models.vision_transformer import VisionTransformer

    model = VisionTransformer(**TINY_VIT, **arguments)
    activation = arguments.get("act_layer", "gelu")
    stated = {"num_heads": "2", "act_layer": activation if isinstance(activation, str) else "silu"}
    return model, stated | {"norm_eps": str(model.blocks[0].norm1.eps), "global_pool": model.global_pool}


def timm_vit_swiglu(**arguments):
    from timm.models.vision_transformer import SwiGLUPacked

    return timm_vit(mlp_layer=SwiGLUPacked, mlp_ratio=5.5, **arguments, act_layer=torch.nn.SiLU)


def timm_eva(**arguments):
    """A small network of timm's Eva: EVA-02, DINOv3 and the Perception Encoder."""
    from timm.models.eva import Eva

    model = Eva(**TINY_VIT, **arguments)
    return model, {"num_heads": "2", "global_pool": model.global_pool, "input_size": "16"}


EVA_02 = dict(swiglu_mlp=True, use_rot_pos_emb=True, ref_feat_shape=(16, 16))
DINO_V3 = dict(
    init_values=1e-5,
    rope_type="dinov3",
    rope_temperature=100,
    rope_rotate_half=True,
    use_rot_pos_emb=True,
    use_abs_pos_emb=False,
    num_reg_tokens=4,
    use_fc_norm=False,
)
PERCEPTION = dict(
    global_pool="map",
    attn_type="rope",
    use_pre_transformer_norm=True,
    use_rot_pos_emb=True,
    ref_feat_shape=(4, 4),
    rope_grid_offset=1.0,
    rope_grid_indexing="xy",
    attn_pool_num_heads=8,
    attn_pool_mlp_ratio=4.0,
)


def hugging(kind, features, **arguments):
    """A small network of transformers, with the values of its config.json."""
    import transformers

    config = getattr(transformers, f"{kind}Config")(**arguments)
    model = getattr(transformers, f"{kind}Model")(config)
    # All norms of ConvNeXt except the last one use 1e-6.
    epsilon = "1e-6" if kind.startswith("ConvNext") else str(config.layer_norm_eps)
    stated = {"norm_eps": epsilon, "act_layer": config.hidden_act, "final_norm": "true"}
    if isinstance(heads := getattr(config, "num_attention_heads", None), int):
        stated["num_heads"] = str(heads)
    if config.hidden_act == "gelu_pytorch_tanh":
        stated["act_layer"] = "gelu_tanh"
    stated["input_size"] = str(getattr(config, "image_size", 32))
    if kind == "Swinv2":
        stated["window_size"] = str(config.window_size)

    class Features(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.network = model

        def forward(self, images):
            return getattr(self.network(pixel_values=images), features)

        def state_dict(self):
            # Tensors have other names in files than in models.
            with tempfile.TemporaryDirectory() as folder:
                self.network.save_pretrained(folder)
                return load_file(pathlib.Path(folder) / "model.safetensors")

        def named_parameters(self):
            return self.network.named_parameters()

    first = (lambda out: out[:, 0]) if features == "last_hidden_state" else (lambda out: out)
    return Features(), stated, first


def vision(make, head, **stated):
    """A small network of torchvision without its classifier."""
    model = make()
    setattr(model, head, torch.nn.Identity())
    return model, stated


def vision_vit():
    from torchvision.models import VisionTransformer

    model = VisionTransformer(16, 4, 2, 2, 16, 64)
    return vision(lambda: model, "heads", num_heads="2", norm_eps="1e-6")


def vision_swin():
    from torchvision.models import SwinTransformer

    make = lambda: SwinTransformer([4, 4], 8, [2, 2], [1, 2], [4, 4])  # noqa: E731
    return vision(make, "head", input_size="32")


def vision_convnext():
    from torchvision.models.convnext import CNBlockConfig, ConvNeXt

    stages = [CNBlockConfig(8, 16, 1), CNBlockConfig(16, None, 2)]
    model = ConvNeXt(stages)
    model.classifier = model.classifier[:2]
    return model, {"input_size": "32", "final_norm": "true"}


def timm_swin_v2(**arguments):
    from timm.models.swin_transformer_v2 import SwinTransformerV2

    sizes = dict(img_size=32, window_size=4, embed_dim=8, depths=(2, 2), num_heads=(1, 2), num_classes=0)
    stated = {"input_size": "32", "window_size": "4"}
    if trained := arguments.get("pretrained_window_sizes"):
        stated["trained_window"] = str(trained[0])
    return SwinTransformerV2(**sizes, **arguments), stated


def timm_convnext(**arguments):
    """A small ConvNeXt V2 of timm."""
    from timm.models.convnext import ConvNeXt

    sizes = dict(depths=(1, 1, 1, 1), dims=(4, 4, 8, 12), num_classes=0)
    model = ConvNeXt(**sizes, use_grn=True, ls_init_value=None, **arguments)
    return model, {"input_size": "32", "final_norm": "true"}


# Name and function that creates the network; --write stores them.
TINY = {
    "convnext-v2": timm_convnext,
    "convnext-v2-convolutions": lambda: timm_convnext(conv_mlp=True),
    "vit-registers": lambda: timm_vit(reg_tokens=4, no_embed_class=True, init_values=1e-5),
    "vit-registers-with-positions": lambda: timm_vit(reg_tokens=2),
    "vit-deit3": lambda: timm_vit(no_embed_class=True, init_values=1e-6),
    "vit-mean-patch": lambda: timm_vit(global_pool="avg"),
    "vit-mean-patch-norm-before": lambda: timm_vit(global_pool="avg", fc_norm=False),
    "vit-siglip": lambda: timm_vit(class_token=False, global_pool="map", act_layer="gelu_tanh"),
    "vit-map-registers": lambda: timm_vit(class_token=False, reg_tokens=2, global_pool="map"),
    "vit-clip": lambda: timm_vit(pre_norm=True, act_layer="quick_gelu", norm_layer=norm_1e5),
    "vit-eva02": lambda: timm_eva(**EVA_02),
    "vit-eva02-norms": lambda: timm_eva(
        **EVA_02, qkv_fused=False, scale_mlp=True, scale_attn_inner=True, global_pool="token"
    ),
    "vit-dinov3": lambda: timm_eva(**DINO_V3, qkv_bias=False, norm_layer=norm_1e5),
    "vit-dinov3-swiglu": lambda: timm_eva(
        **DINO_V3, swiglu_mlp=True, swiglu_align_to=8, global_pool="token", norm_layer=norm_1e5
    ),
    "vit-perception-encoder": lambda: timm_eva(**PERCEPTION, norm_layer=norm_1e5),
    "vit-dinov2-giant": lambda: timm_vit_swiglu(init_values=1e-5),
    "transformers-dinov3": lambda: hugging(
        "DINOv3ViT",
        "pooler_output",
        **TINY_HUGGING,
        num_register_tokens=2,
        use_gated_mlp=True,
        hidden_act="silu",
    ),
    "transformers-vit": lambda: hugging("ViT", "last_hidden_state", **TINY_HUGGING),
    "transformers-dinov2": lambda: hugging("Dinov2", "last_hidden_state", **TINY_HUGGING),
    "transformers-dinov2-registers": lambda: hugging(
        "Dinov2WithRegisters", "last_hidden_state", **TINY_HUGGING
    ),
    "transformers-clip": lambda: hugging("CLIPVision", "pooler_output", **TINY_HUGGING),
    "transformers-siglip": lambda: hugging("SiglipVision", "pooler_output", **TINY_HUGGING),
    "transformers-swin": lambda: hugging(
        "Swin",
        "pooler_output",
        image_size=32,
        patch_size=4,
        embed_dim=8,
        depths=[2, 2],
        num_heads=[1, 2],
        window_size=4,
    ),
    "swin-v2": lambda: timm_swin_v2(),
    "swin-v2-trained-window": lambda: timm_swin_v2(pretrained_window_sizes=(2, 2)),
    "transformers-swin-v2": lambda: hugging(
        "Swinv2",
        "pooler_output",
        image_size=32,
        patch_size=4,
        embed_dim=8,
        depths=[2, 2],
        num_heads=[1, 2],
        window_size=4,
    ),
    "transformers-convnext": lambda: hugging(
        "ConvNext", "pooler_output", hidden_sizes=[8, 16], depths=[1, 2], num_stages=2, image_size=32
    ),
    "transformers-convnext-v2": lambda: hugging(
        "ConvNextV2", "pooler_output", hidden_sizes=[8, 16], depths=[1, 2], num_stages=2, image_size=32
    ),
    "torchvision-vit": vision_vit,
    "torchvision-swin": vision_swin,
    "torchvision-convnext": vision_convnext,
}


def tiny(name):
    """Returns the tensors of a tiny network with images and features, and the values that must be given."""
    torch.manual_seed(1)
    model, stated, *chosen = TINY[name]()
    spread_out(model)
    model.eval()
    size = 32 if "swin" in name or "convnext" in name else 16
    images = torch.rand(2, 3, size, size)
    with torch.no_grad():
        features = model(images)
    features = chosen[0](features) if chosen else features
    tensors = {f"network.{key}": value.contiguous() for key, value in model.state_dict().items()}
    tensors = {key: value for key, value in tensors.items() if value.is_floating_point()}
    tensors |= {"images": images, "features": features.flatten(1).contiguous()}
    return tensors, UNNORMALISED | stated


def compare_tiny(program, folder, name):
    tensors, metadata = tiny(name)
    save_file(tensors, folder / "tiny.safetensors", metadata=metadata)
    save_file({"images": tensors["images"]}, folder / "images.safetensors")
    command = [program, "features", folder / "tiny.safetensors", "--inputs", folder / "images.safetensors"]
    command += ["--output", folder / "features.safetensors"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        print(f"{name}: REFUSED {done.stderr.strip()}", flush=True)
        return name, float("inf"), "MISS"
    found = load_file(folder / "features.safetensors")["features"]
    expected = tensors["features"]
    error = ((found - expected).abs().max() / expected.abs().max()).item()
    verdict = "ok" if error <= LIMIT else "MISS"
    print(f"{name}: {error:.1e} {verdict}", flush=True)
    return name, error, verdict


def norm_1e5(width, **arguments):
    return torch.nn.LayerNorm(width, eps=1e-5, **arguments)


# Name: (function that creates the network, its arguments, additional metadata).
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
    """Sets random weights for which norms, scales, biases and tables all matter."""
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
    """Returns Swin's tensors with the names of older timm: downsampling is at the end of the previous stage."""

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
        mean, std = UNIT if maker is vit else IMAGENET
        metadata |= {"mean": str(list(mean)), "std": str(list(std))}
    weights = folder / f"{re.sub('[^a-z0-9_]+', '-', name)}.safetensors"
    save_file(rename(tensors) if rename else tensors, weights, metadata=metadata)
    size = arguments["img_size"]
    images = torch.rand(2, 3, size, size)
    save_file({"images": images}, folder / "images.safetensors")
    command = [program, "features", weights, "--inputs", folder / "images.safetensors"]
    if metadata is None:
        command += ["--backbone-set", "normalisation=" + ("unit" if maker is vit else "imagenet")]
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


# Names that are often used. The weights are random.
NAMES = [
    "vit_tiny_patch16_224.augreg_in21k",
    "vit_small_patch16_224.augreg_in21k",
    "vit_base_patch16_224.augreg2_in21k_ft_in1k",
    "vit_base_patch32_224.augreg_in21k",
    "vit_large_patch16_224.augreg_in21k",
    "vit_base_patch16_224.mae",
    "vit_base_patch16_224.dino",
    "deit_tiny_patch16_224.fb_in1k",
    "deit3_small_patch16_224.fb_in22k_ft_in1k",
    "vit_small_patch14_dinov2.lvd142m",
    "vit_base_patch14_reg4_dinov2.lvd142m",
    "vit_small_patch16_dinov3.lvd1689m",
    "vit_small_plus_patch16_dinov3.lvd1689m",
    "vit_base_patch16_dinov3.lvd1689m",
    "vit_base_patch16_clip_224.openai",
    "vit_base_patch16_clip_quickgelu_224.openai",
    "vit_base_patch32_clip_224.laion2b",
    "vit_base_patch16_siglip_224.webli",
    "vit_base_patch16_siglip_224.v2_webli",
    "vit_so400m_patch14_siglip_224.webli",
    "eva02_tiny_patch14_224.mim_in22k",
    "eva02_base_patch14_224.mim_in22k",
    "eva02_base_patch16_clip_224.merged2b",
    "vit_pe_core_base_patch16_224.fb",
    "vit_small_patch16_rope_224.naver_in1k",
    "vit_medium_patch16_rope_reg1_gap_256.sbb_in1k",
    "beit_base_patch16_224.in22k_ft_in22k",
    "swin_tiny_patch4_window7_224.ms_in22k",
    "swinv2_tiny_window8_256.ms_in1k",
    "swinv2_base_window12to16_192to256.ms_in22k_ft_in1k",
    "convnext_atto.d2_in1k",
    "convnext_tiny.fb_in22k",
    "convnext_tiny.dinov3_lvd1689m",
    "convnextv2_nano.fcmae_ft_in22k_in1k",
    "resnet50.a1_in1k",
]


def compare_name(program, folder, name):
    """Saves the folder of a repository with timm, and opens it with the values of its config.json."""
    torch.manual_seed(1)
    model = timm.create_model(name, pretrained=False, num_classes=0).eval()
    spread_out(model)
    repository = folder / "repository"
    timm.models.save_for_hf(model, repository, safe_serialization=True)
    config = timm.data.resolve_data_config(model=model)
    images = torch.rand(2, *config["input_size"])
    save_file({"images": images}, folder / "images.safetensors")
    command = [program, "features", repository, "--inputs", folder / "images.safetensors"]
    command += ["--output", folder / "features.safetensors"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    (repository / "model.safetensors").unlink()
    size = f"{sum(weight.numel() for weight in model.parameters()) / 1e6:.0f} M"
    if done.returncode:
        why = done.stderr.split("problem: ")[-1].splitlines()[0]
        print(f"{name}: refused: {why}", flush=True)
        return name, size, f"refused: {why}"
    mean, std = (torch.tensor(config[key]).view(3, 1, 1) for key in ("mean", "std"))
    with torch.no_grad():
        expected = model((images - mean) / std)
    found = load_file(folder / "features.safetensors")["features"]
    error = ((found - expected).abs().max() / expected.abs().max()).item()
    print(f"{name}: {error:.1e} {'ok' if error <= LIMIT else 'MISS'}", flush=True)
    return name, size, f"{error:.1e}" if error <= LIMIT else f"MISS {error:.1e}"


def draw_images(folder):
    """Draws 64 images of various sizes: gradients, edges and noise."""
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
    """Returns the largest mean difference of an image in [0, 1], and the values of the table that differ from timm."""
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
    parser.add_argument("program", nargs="?", default="target/release/lae-studio")
    parser.add_argument("--write", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--pixels", action="store_true")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--markdown", type=pathlib.Path)
    options = parser.parse_args()
    if options.write:
        options.write.mkdir(exist_ok=True)
        for name in TINY:
            tensors, metadata = tiny(name)
            save_file(tensors, options.write / f"{name}.safetensors", metadata=metadata)
        return 0
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.names:
            rows = [compare_name(options.program, folder, name) for name in NAMES]
            if options.markdown:
                lines = ["| name | weights | largest error |", "|---|---|---|"]
                lines += [f"| `{name}` | {size} | {found} |" for name, size, found in rows]
                options.markdown.write_text("\n".join(lines) + "\n")
            return int(any("MISS" in found for _, _, found in rows))
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
        if not options.pixels:
            rows += [compare_tiny(options.program, folder, name) for name in TINY]
    if options.markdown:
        lines = ["| network | largest relative error |", "|---|---|"]
        lines += [f"| {name} | {error:.1e} |" for name, error, _ in rows]
        options.markdown.write_text("\n".join(lines) + "\n")
    return int(any(verdict != "ok" for _, _, verdict in rows))


if __name__ == "__main__":
    sys.exit(main())

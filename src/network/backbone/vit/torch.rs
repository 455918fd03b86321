//! A ViT as Python: timm's `VisionTransformer`, and its block with PETs.

use std::fmt::Write;

use super::config::{Config, Pool};
use crate::backbone::block::python::PythonBlock;
use crate::backbone::mlp::Activation;
use crate::backbone::torch::{ActiveSites, LayerName, PythonBody, TorchSource, block_call};
use crate::pet::Site;
use crate::problem::Result;

/// Returns the network with this name, with PETs at these sites.
///
/// # Errors
/// Returns a Problem if a PET acts where no Python is written.
pub fn network_source(
    config: &Config,
    name: &str,
    active_sites: &ActiveSites,
) -> Result<TorchSource> {
    let mut functions = embed(config);
    if !active_sites.is_empty() {
        let block = PythonBlock::new(config.form(), config.heads, active_sites);
        functions += &block.function("ViT", &[], "{}")?;
    }
    functions += &format!(
        "def run(network, pets, x):\n    \"\"\"Through all blocks, with the PETs of those that have one.\"\"\"\n    \
         for index, block in enumerate(network.blocks):\n        {}\n    return x\n\n\n",
        block_call(active_sites)
    );
    functions += &pool(config);
    let mut imports = vec![
        "from functools import partial".into(),
        "from timm.models.vision_transformer import VisionTransformer".into(),
    ];
    if config.swiglu {
        imports.push("from timm.layers import SwiGLUPacked".into());
    }
    if has_other_pool_heads(config) {
        imports.push("from timm.layers import AttentionPoolLatent".into());
    }
    if config.rope.is_some() {
        imports.push("from timm.layers.attention import Attention".into());
    }
    Ok(TorchSource { imports, network: rotation(config) + &network(config, name), functions })
}

/// Returns whether the attention pooling has another number of heads than the blocks, which timm's constructor does not
/// take.
fn has_other_pool_heads(config: &Config) -> bool {
    config.pool() == Pool::Map && config.pool_heads != config.heads
}

/// Returns the rotary position embedding, `rotate(x)`, and the attention with it; nothing for a network without it.
fn rotation(config: &Config) -> String {
    let Some(rope) = config.rope else {
        return String::new();
    };
    let [side, learned] = [config.input_size, config.learned_size].map(|n| n / config.patch);
    let bands = config.width / config.heads / 4;
    let (position, temperature) = rope.formula(side, learned);
    let order = match rope.is_column_first() {
        true => "columns, rows",
        false => "rows, columns",
    };
    let [apart, together] = match rope.rotates_half() {
        true => ["patches.chunk(2, -1)", "torch.cat([a * cos - b * sin, b * cos + a * sin], -1)"],
        false => [
            "(patches[..., ::2], patches[..., 1::2])",
            "torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2)",
        ],
    };
    format!(
        "def rotary_angles():\n    \"\"\"The angle of each patch and pair of channels.\"\"\"\n    \
         at = torch.arange({side}, dtype=torch.float64)\n    at = {position}\n    \
         frequencies = {temperature:?} ** (-torch.arange({bands}, dtype=torch.float64) / {bands})\n    \
         rows, columns = at.repeat_interleave({side}), at.repeat({side})\n    \
         return torch.cat([at[:, None] * frequencies for at in ({order})], 1)\n\n\n\
         ANGLES = rotary_angles()\n\n\n\
         def rotate(x):\n    \"\"\"Queries or keys by head, those of the patches rotated by their position.\"\"\"\n    \
         cos, sin = ANGLES.cos().to(x), ANGLES.sin().to(x)\n    \
         others, patches = x[:, :, : -len(ANGLES)], x[:, :, -len(ANGLES) :]\n    \
         a, b = {apart}\n    patches = {together}\n    \
         return torch.cat([others, patches], 2)\n\n\n\
         class RotaryAttention(Attention):\n    def forward(self, x, **_):\n        \
         q, k, v = self.qkv(x).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)\n        \
         mixed = nn.functional.scaled_dot_product_attention(rotate(q), rotate(k), v)\n        \
         return self.proj(self.norm(mixed.transpose(1, 2).flatten(2)))\n\n\n"
    )
}

/// Returns the layer of a site in timm's network, and in those of current and earlier transformers; nothing after a
/// layer scale, where h is not the output of a layer.
pub fn layer_names(config: &Config, block: usize, site: Site) -> Vec<LayerName> {
    let (timm, current, earlier) = match site {
        Site::Query => ("attn.qkv", "attention.q_proj", "attention.attention.query"),
        Site::Key => ("attn.qkv", "attention.k_proj", "attention.attention.key"),
        Site::Value => ("attn.qkv", "attention.v_proj", "attention.attention.value"),
        Site::Fc1 => ("mlp.fc1", "mlp.fc1", "intermediate.dense"),
        Site::Proj => ("attn.proj", "attention.o_proj", "attention.output.dense"),
        Site::Fc2 => ("mlp.fc2", "mlp.fc2", "output.dense"),
        _ => return Vec::new(),
    };
    if config.layer_scale && matches!(site, Site::Proj | Site::Fc2) {
        return Vec::new();
    }
    let layer = |name: String, part: usize, parts: usize| LayerName { name, part, parts };
    let (part, parts) = match Site::PACKED.iter().position(|packed_site| *packed_site == site) {
        Some(part) => (part, Site::PACKED.len()),
        None => (0, 1),
    };
    let mut names = vec![layer(format!("blocks.{block}.{timm}"), part, parts)];
    // transformers' networks are plain ones with a class token.
    let is_usual = config.pos_embed && config.rope.is_none() && !config.swiglu && config.qkv_bias;
    let is_plain =
        config.registers == 0 && config.pool() == Pool::Token && !config.fc_norm && is_usual;
    if config.class_token && !config.pre_norm && !config.layer_scale && is_plain {
        names.push(layer(format!("layers.{block}.{current}"), 0, 1));
        names.push(layer(format!("encoder.layer.{block}.{earlier}"), 0, 1));
    }
    names
}

fn network(config: &Config, name: &str) -> String {
    let (input_size, patch, width) = (config.input_size, config.patch, config.width);
    let (depth, heads, epsilon) = (config.depth, config.heads, config.epsilon);
    let hidden = config.fc1_outputs();
    let ratio = match hidden.is_multiple_of(width) {
        true => (hidden / width).to_string(),
        // timm truncates the product to an integer.
        false => format!("({hidden} + 0.5) / {width}"),
    };
    let mut text = format!(
        "def make_network():\n    \"\"\"The backbone {name}: timm's VisionTransformer of these sizes.\"\"\"\n    \
         network = VisionTransformer(\n        img_size={input_size},\n        patch_size={patch},\n        \
         embed_dim={width},\n        depth={depth},\n        num_heads={heads},\n        \
         mlp_ratio={ratio},\n        norm_layer=partial(nn.LayerNorm, eps={epsilon:?}),\n"
    );
    let (pool, activation) = (config.pool(), config.activation);
    let options = [
        (!config.class_token, "class_token=False"),
        (pool == Pool::Avg, "global_pool=\"avg\""),
        (pool == Pool::Map, "global_pool=\"map\""),
        (pool != Pool::Token && !config.fc_norm, "fc_norm=False"),
        (config.fc_norm, "fc_norm=True"),
        (config.no_embed_class, "no_embed_class=True"),
        (!config.pos_embed, "pos_embed=\"none\""),
        (!config.qkv_bias, "qkv_bias=False"),
        (config.attention_norm, "scale_attn_norm=True"),
        (config.mlp_norm, "scale_mlp_norm=True"),
        (config.pools_all_tokens(), "pool_include_prefix=True"),
        (config.rope.is_some(), "attn_layer=RotaryAttention"),
        (config.swiglu, "mlp_layer=SwiGLUPacked"),
        (config.swiglu, "act_layer=nn.SiLU"),
        (config.layer_scale, "init_values=1e-5"),
        (config.pre_norm, "pre_norm=True"),
        (activation == Activation::QuickGelu, "act_layer=\"quick_gelu\""),
        (activation == Activation::GeluTanh, "act_layer=\"gelu_tanh\""),
        (true, "num_classes=0"),
    ];
    for (_, option) in options.iter().filter(|(needed, _)| *needed) {
        let _ = writeln!(text, "        {option},");
    }
    if config.registers > 0 {
        let _ = writeln!(text, "        reg_tokens={},", config.registers);
    }
    text += "    )\n";
    if has_other_pool_heads(config) {
        let heads = config.pool_heads;
        let _ = writeln!(
            text,
            "    network.attn_pool = AttentionPoolLatent(\n        {width}, num_heads={heads}, mlp_ratio={ratio}, \
             norm_layer=partial(nn.LayerNorm, eps={epsilon:?})\n    )"
        );
    }
    text + "    return network\n\n\n"
}

fn embed(config: &Config) -> String {
    let mut body = PythonBody::default();
    body.push_line("\"\"\"Normalised images → tokens before the first block.\"\"\"");
    body.push_line("x = network.patch_embed(images)");
    let extra: Vec<String> =
        [(config.class_token, "cls_token"), (config.registers > 0, "reg_token")]
            .into_iter()
            .filter(|(enabled, _)| *enabled)
            .map(|(_, name)| format!("network.{name}.expand(len(x), -1, -1)"))
            .collect();
    if config.pos_embed && config.no_embed_class {
        body.push_line("x = x + network.pos_embed");
    }
    if !extra.is_empty() {
        body.push_line(format!("x = torch.cat([{}, x], 1)", extra.join(", ")));
    }
    body.push_line(match config.no_embed_class || !config.pos_embed {
        true => "return network.norm_pre(x)",
        false => "return network.norm_pre(x + network.pos_embed)",
    });
    format!("def embed(network, images):\n{}\n\n", body.into_string())
}

fn pool(config: &Config) -> String {
    let extra = config.extra_tokens();
    let (what, how) = match config.pool() {
        Pool::Token => ("the class token", "network.norm(x)[:, 0]".to_owned()),
        Pool::Avg if extra == 0 => ("the mean token", "network.norm(x).mean(1)".to_owned()),
        Pool::Avg => ("the mean patch", format!("network.norm(x)[:, {extra}:].mean(1)")),
        Pool::Map if extra == 0 || config.pools_all_tokens() => {
            ("attention pooling", "network.attn_pool(network.norm(x))".to_owned())
        }
        Pool::Map => (
            "attention pooling of the patches",
            format!("network.attn_pool(network.norm(x)[:, {extra}:])"),
        ),
    };
    let how = match config.fc_norm {
        true => format!("network.fc_norm({how})"),
        false => how,
    };
    format!(
        "def pool(network, x):\n    \"\"\"Tokens after the last block → features: {what}.\"\"\"\n    return {how}\n\n\n"
    )
}

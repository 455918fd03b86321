//! A Swin as Python: timm's `SwinTransformer`, and its block with PETs around the attention and in the MLP. PETs within
//! the windows cannot be exported.

use super::Config;
use crate::backbone::IN_ATTENTION;
use crate::backbone::block::python::PythonBlock;
use crate::backbone::torch::{Acting, TorchText, acts_in, run_stages, tuple};
use crate::problem::{Problem, Result};

/// Returns the network with this name, with PETs at these sites.
pub fn text(config: &Config, name: &str, acting: &Acting) -> Result<TorchText> {
    if acts_in(acting, IN_ATTENTION) {
        let what = "PETs within the windows of a Swin cannot be exported to PyTorch yet";
        return Err(Problem::new(what)
            .advise("use a PET at other sites, or a ViT, where every PET can be exported"));
    }
    let (input_size, patch, width) = (config.input_size, config.patch, config.width);
    let (window, mlp_ratio, epsilon) = (config.window, config.mlp_ratio, config.epsilon);
    let (class, module) = match config.v2 {
        true => ("SwinTransformerV2", "swin_transformer_v2"),
        false => ("SwinTransformer", "swin_transformer"),
    };
    let trained = config.trained_window.map_or(String::new(), |_| {
        let stages = 0..config.depths.len();
        let sides: Vec<usize> = stages.map(|stage| config.bias_sides(stage)[1]).collect();
        format!("        pretrained_window_sizes={},\n", tuple(&sides))
    });
    // timm keeps the biases of queries and values apart.
    let biases = match config.v2 {
        true => {
            "    for attention in (block.attn for stage in network.layers for block in stage.blocks):\n        \
             attention.qkv = nn.Linear(attention.dim, 3 * attention.dim)\n        \
             attention.q_bias = attention.k_bias = attention.v_bias = None\n"
        }
        false => "",
    };
    let network = format!(
        "def make_network():\n    \"\"\"The backbone {name}: timm's {class} of these sizes.\"\"\"\n    \
         network = {class}(\n        img_size={input_size},\n        patch_size={patch},\n        \
         embed_dim={width},\n        depths={},\n        num_heads={},\n        window_size={window},\n        \
         mlp_ratio={mlp_ratio:?},\n        norm_layer=partial(nn.LayerNorm, eps={epsilon:?}),\n{trained}        \
         num_classes=0,\n    )\n{biases}    return network\n\n\n",
        tuple(&config.depths),
        tuple(&config.heads)
    );
    let mut functions = "def embed(network, images):\n    \"\"\"Normalised images → N × rows × columns × width.\"\"\"\n    \
                         return network.patch_embed(images)\n\n\n"
        .to_owned();
    if !acting.is_empty() {
        let block = PythonBlock::new(config.form(), 0, acting);
        let before = ["shape, x = x.shape, x.flatten(1, 2)"];
        functions += &block.function("Swin", &before, "{}.view(shape)")?;
    }
    functions += &run_stages("layers", acting);
    functions += "def pool(network, x):\n    \"\"\"What the last block gives → features: the mean token.\"\"\"\n    \
                  return network.norm(x).mean((1, 2))\n\n\n";
    Ok(TorchText {
        imports: vec![
            "from functools import partial".into(),
            format!("from timm.models.{module} import {class}"),
        ],
        network,
        functions,
    })
}

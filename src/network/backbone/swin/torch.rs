//! A Swin as Python: timm's `SwinTransformer`, and its block with PETs around the attention and in the MLP. PETs within
//! the windows cannot be exported.

use super::Config;
use crate::backbone::IN_ATTENTION;
use crate::backbone::block::python::PythonBlock;
use crate::backbone::torch::{ActiveSites, TorchSource, is_any_active, python_tuple, run_stages};
use crate::problem::{Problem, Result};

/// Returns the network with this name, with PETs at these sites.
pub fn network_source(
    config: &Config,
    name: &str,
    active_sites: &ActiveSites,
) -> Result<TorchSource> {
    if is_any_active(active_sites, IN_ATTENTION) {
        let message = "PETs within the windows of a Swin cannot be exported to PyTorch yet";
        return Err(Problem::new(message)
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
        format!("        pretrained_window_sizes={},\n", python_tuple(&sides))
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
        python_tuple(&config.depths),
        python_tuple(&config.heads)
    );
    let mut functions = "def embed(network, images):\n    \"\"\"Normalised images → N × rows × columns × width.\"\"\"\n    \
                         return network.patch_embed(images)\n\n\n"
        .to_owned();
    if !active_sites.is_empty() {
        let block = PythonBlock::new(config.form(), 0, active_sites);
        let before = ["shape, x = x.shape, x.flatten(1, 2)"];
        functions += &block.function("Swin", &before, "{}.view(shape)")?;
    }
    functions += &run_stages("layers", active_sites);
    functions += "def pool(network, x):\n    \"\"\"What the last block gives → features: the mean token.\"\"\"\n    \
                  return network.norm(x).mean((1, 2))\n\n\n";
    Ok(TorchSource {
        imports: vec![
            "from functools import partial".into(),
            format!("from timm.models.{module} import {class}"),
        ],
        network,
        functions,
    })
}

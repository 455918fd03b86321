//! A ConvNeXt as Python: timm's `ConvNeXt`, and its block with PETs.

use super::Config;
use crate::backbone::block::python::PythonBlock;
use crate::backbone::torch::{ActiveSites, TorchSource, python_tuple, run_stages};
use crate::problem::{Problem, Result};

/// Returns the network with this name, with PETs at these sites.
pub fn network_source(
    config: &Config,
    name: &str,
    active_sites: &ActiveSites,
) -> Result<TorchSource> {
    if config.depths.len() != 4 {
        return Err(Problem::new("timm has only ConvNeXts of four stages"));
    }
    let norm = match config.final_norm {
        true => "",
        false => "    network.head.norm = nn.Identity()\n",
    };
    let v2 = match config.response_norm {
        true => "        use_grn=True,\n        ls_init_value=None,\n",
        false => "",
    };
    let network = format!(
        "def make_network():\n    \"\"\"The backbone {name}: timm's ConvNeXt of these sizes.\"\"\"\n    \
         network = ConvNeXt(\n        depths={},\n        dims={},\n        norm_eps={:?},\n{v2}        num_classes=0,\n    )\n\
         {norm}    return network\n\n\n",
        python_tuple(&config.depths),
        python_tuple(&config.widths),
        config.epsilon
    );
    let mut functions = "def embed(network, images):\n    \"\"\"Normalised images → N × width × rows × columns.\"\"\"\n    \
                         return network.stem(images)\n\n\n"
        .to_owned();
    if !active_sites.is_empty() {
        let before = ["grid, x = x, x.permute(0, 2, 3, 1)", "shape, x = x.shape, x.flatten(1, 2)"];
        let after = "{}.view(shape).permute(0, 3, 1, 2)";
        let block = PythonBlock::new(config.form(), 0, active_sites);
        functions += &block.function("ConvNeXt", &before, after)?;
    }
    functions += &run_stages("stages", active_sites);
    functions += "def pool(network, x):\n    \"\"\"What the last block gives → features: the mean over all places.\"\"\"\n    \
                  return network.head.norm(x.mean((2, 3), keepdim=True)).flatten(1)\n\n\n";
    Ok(TorchSource {
        imports: vec!["from timm.models.convnext import ConvNeXt".into()],
        network,
        functions,
    })
}

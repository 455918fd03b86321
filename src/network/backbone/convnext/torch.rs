//! A ConvNeXt as Python: timm's `ConvNeXt`, and its block taken apart where PETs act in it.

use super::Config;
use crate::backbone::torch::{Acting, Body, MlpText, TorchText, run_stages, tuple};
use crate::pet::Site;
use crate::problem::{Problem, Result};

/// The network called `name`, with PETs at these sites.
pub fn text(config: &Config, name: &str, acting: &Acting) -> Result<TorchText> {
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
        tuple(&config.depths),
        tuple(&config.widths),
        config.epsilon
    );
    let mut functions = "def embed(network, images):\n    \"\"\"Normalised images → N × width × rows × columns.\"\"\"\n    \
                         return network.stem(images)\n\n\n"
        .to_owned();
    if !acting.is_empty() {
        functions += &block(config, acting);
    }
    functions += &run_stages("stages", acting);
    functions += "def pool(network, x):\n    \"\"\"What the last block gives → features: the mean over all places.\"\"\"\n    \
                  return network.head.norm(x.mean((2, 3), keepdim=True)).flatten(1)\n\n\n";
    Ok(TorchText {
        imports: vec!["from timm.models.convnext import ConvNeXt".into()],
        network,
        functions,
    })
}

fn block(config: &Config, acting: &Acting) -> String {
    let mut body = Body::default();
    body.line("\"\"\"A block of timm's ConvNeXt with what the PET does at its sites.\"\"\"");
    body.line("before = x.permute(0, 2, 3, 1)");
    body.line("shape, before = before.shape, before.flatten(1, 2)");
    body.line("mixed = block.conv_dw(x).permute(0, 2, 3, 1).flatten(1, 2)");
    body.line("e = block.norm(mixed)");
    body.site(acting, Site::Norm2, ["mixed", "e"], "");
    let inner = match config.response_norm {
        // The norm sees one row of positions as a map.
        true => MlpText {
            whole: "block.mlp(e.unsqueeze(1)).squeeze(1)",
            norm: Some("block.mlp.grn(active.unsqueeze(1)).squeeze(1)"),
            ..MlpText::PLAIN
        },
        false => MlpText::PLAIN,
    };
    body.mlp(acting, inner, &|what| {
        [0; 2].map(|_| match config.response_norm {
            true => what.to_owned(),
            false => format!("{what} * block.gamma"),
        })
    });
    body.site(acting, Site::Mlp, ["e", "h"], "");
    body.line("x = before + h");
    body.site(acting, Site::Block, ["before", "x"], "");
    body.line("return x.view(shape).permute(0, 3, 1, 2)");
    format!("def block_with(block, pet, x):\n{}\n\n", body.text())
}

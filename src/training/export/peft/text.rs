//! The text files beside an adapter for peft.

use super::super::model::Model;
use super::super::words::{one_line, title};
use crate::backbone::torch::Acting;
use crate::problem::Result;

/// Returns `network.py`, which builds the backbone of the adapter.
pub fn network(model: &Model<'_>) -> Result<String> {
    let entry = &model.predictor.backbone().entry;
    let text = entry
        .architecture
        .torch(&one_line(&entry.name), &Acting::new())?;
    let scale = model.predictor.backbone().normalisation;
    let mut file = format!(
        "\"\"\"The backbone of {}.\"\"\"\n\nfrom functools import partial  # noqa: F401\nfrom pathlib import Path\n\n\
         import torch\nfrom safetensors.torch import load_file\nfrom torch import nn  # noqa: F401\n",
        title(model)
    );
    for line in text
        .imports
        .iter()
        .filter(|line| !line.contains("functools"))
    {
        file += &format!("{line}\n");
    }
    file += &format!(
        "\nHERE = Path(__file__).resolve().parent\n\n\ndef normalised(images):\n    \
         \"\"\"Pixels in [0, 1] (N × 3 × size × size) → input of the network.\"\"\"\n    \
         mean, std = torch.tensor({:?}), torch.tensor({:?})\n    \
         return (images - mean.view(3, 1, 1)) / std.view(3, 1, 1)\n\n\n",
        scale.mean, scale.std
    );
    file += &text.network;
    file += "def load():\n    \"\"\"The backbone with its weights, to load an adapter into.\"\"\"\n    \
             network = make_network()\n    network.load_state_dict(load_file(HERE / \"backbone.safetensors\"))\n    \
             return network.eval()\n";
    Ok(file)
}

/// Returns `README.md`. `folders` are those of the adapters if there are several; `of_transformers` says whether each
/// also has a version for transformers.
pub fn readme(model: &Model<'_>, folders: &[&str], of_transformers: bool) -> String {
    let first = folders.first().copied().unwrap_or(".");
    let which = match folders {
        [] => "The adapter is in this folder.".to_owned(),
        several => format!(
            "There is one adapter for each expert: `{}`.",
            several.join("`, `")
        ),
    };
    let others = match of_transformers {
        true => {
            "\nThe same adapter for the `ViTModel` of transformers (version 5) is in its subfolder `transformers`. The network \
             must have these weights; `last_hidden_state[:, 0]` is then the feature.\n"
        }
        false => "",
    };
    format!(
        "# {}\n\n{which} Each is a LoRA in the format of peft, for the layers of timm's network; scales are part of B.\n\n\
         ```\npip install torch timm peft safetensors numpy pillow\n```\n\n```python\nimport torch\nfrom peft import PeftModel\n\
         from network import load, normalised\nfrom prepare import prepare\n\
         model = PeftModel.from_pretrained(load(), \"{first}\")\nimages = torch.from_numpy(prepare(\"image.png\"))[None]\n\
         features = model(normalised(images))\n```\n\n`features` is the input of the run's heads; `--format torch` includes the heads. \
         `check.safetensors` contains two noise images and LAE Studio's features for them (`features.NAME`).\n{others}",
        title(model)
    )
}

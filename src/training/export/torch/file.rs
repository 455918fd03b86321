//! The text of `model.py` and of its README.

use super::super::model::Model;
use super::super::preprocessing::PREPARE;
use super::super::text::{one_line, title};
use super::{PetText, answers};
use crate::backbone::torch::TorchSource;
use crate::counts::count_with_noun;

/// Example of its use, in three lines.
const USAGE_LINES: [&str; 3] =
    ["from model import load", "model = load()", "print(model.predict(\"image.png\"))"];

/// Code before the network, in addition to [`PREPARE`].
const HEAD: &str = r#"
HERE = Path(__file__).resolve().parent
CLASSES = json.loads((HERE / "classes.json").read_text(encoding="utf-8"))
"#;

/// Code after the method `answers`.
const TAIL: &str = r#"
    def forward(self, images):
        """Pixels in [0, 1] (N × 3 × size × size) → scores (N × classes); the highest is the answer."""
        return self.answers(images)[0]

    @torch.inference_mode()
    def predict(self, image):
        """An image or its path → (class, probability), most probable first."""
        pixels = torch.from_numpy(prepare(image))
        shares = list(self.answers(pixels[None])[1].values())[-1][0]
        return [(CLASSES[at], float(shares[at])) for at in shares.argsort(descending=True)]


def load():
    """The model with its weights, in evaluation mode."""
    model = Model()
    model.load_state_dict(load_file(HERE / "weights.safetensors"))
    return model.eval()


@torch.inference_mode()
def check():
    """Differences from LAE Studio's answers for two noise images, by name of the answer."""
    expected = load_file(HERE / "check.safetensors")
    model, images = load(), expected.pop("images")
    scores, experts = model.answers(images)
    found = {"scores": scores} | {f"expert.{name}": shares for name, shares in experts.items()}
    for name in model.pets:
        found[f"features.{name}"] = model.features((images - model.mean) / model.std, name)
    return {
        name: float((found[name] - values).abs().max() / values.abs().max().clamp(min=1))
        for name, values in expected.items()
    }


if __name__ == "__main__":
    if len(sys.argv) > 1:
        model = load()
        for path in sys.argv[1:]:
            name, share = model.predict(path)[0]
            print(f"{path}: {name} ({share:.1%})")
    else:
        differences = check()
        for name, difference in differences.items():
            print(f"{name}: {difference:.1e} from LAE Studio")
        sys.exit(max(differences.values()) > 1e-4)
"#;

/// Returns `model.py`.
pub fn model_text(model: &Model<'_>, network: &TorchSource, pets: &PetText) -> String {
    let mut text = format!("\"\"\"{}.\n\n", title(model));
    for line in USAGE_LINES {
        text += &format!("    {line}\n");
    }
    text += "\n`python model.py` compares the answers with those of LAE Studio, `python model.py IMAGE …` classifies images.\n\
             It needs torch, timm, safetensors, numpy and pillow.\n\"\"\"\n\n";
    text += &imports(network);
    text += HEAD;
    text += PREPARE;
    text += "\n\n";
    text += &network.network;
    text += &network.functions;
    text += &pets.text;
    text += &model_class(model, pets);
    text + TAIL
}

/// Returns the imports: first those of the standard library, then the others.
fn imports(network: &TorchSource) -> String {
    let is_standard_library = |line: &&String| line.starts_with("from functools");
    let (standard, others): (Vec<&String>, Vec<&String>) =
        network.imports.iter().partition(is_standard_library);
    let mut text = "import json\nimport math\nimport sys\n".to_owned();
    for line in standard {
        text += &format!("{line}\n");
    }
    text += "from pathlib import Path\n\nimport numpy as np\nimport torch\nfrom PIL import Image, ImageOps\nfrom safetensors.torch import load_file\n";
    for line in others {
        text += &format!("{line}\n");
    }
    text + "from torch import nn\nfrom torch.nn import functional as F\n\n"
}

/// Returns `class Model` up to the part that is the same for all models.
fn model_class(model: &Model<'_>, pets: &PetText) -> String {
    let recipe = &model.recipe;
    let classes = count_with_noun(model.predictor.classes().len(), "class");
    let scale = model.predictor.backbone().normalisation;
    let mut text = format!(
        "class Model(nn.Module):\n    \"\"\"Pixels in [0, 1] → scores of {classes}.\"\"\"\n\n    \
         def __init__(self):\n        super().__init__()\n        self.network = make_network()\n        \
         self.pets = nn.ModuleDict()\n"
    );
    for (name, stack) in &recipe.networks {
        let modules = match stack.spec().is_some() {
            true => {
                let entries = pets.classes.iter();
                let entries: Vec<String> =
                    entries.map(|(block, class)| format!("\"{block}\": {class}()")).collect();
                format!("{{{}}}", entries.join(", "))
            }
            false => String::new(),
        };
        text += &format!("        self.pets[\"{name}\"] = nn.ModuleDict({modules})\n");
    }
    for line in answers::module_lines(&recipe.answer_rule) {
        text += &format!("        {line}\n");
    }
    for (name, values) in [("mean", scale.mean), ("std", scale.std)] {
        text += &format!(
            "        self.register_buffer(\"{name}\", torch.tensor({values:?}).view(3, 1, 1), persistent=False)\n"
        );
    }
    text += "\n    def features(self, images, name):\n        \"\"\"Normalised images → features of the network with these PETs.\"\"\"\n        \
             x = run(self.network, self.pets[name], embed(self.network, images))\n";
    text += "        return pool(self.network, x)\n\n    def answers(self, images):\n        \
             \"\"\"Pixels in [0, 1] → scores (N × classes), and the probabilities of each expert by\n        \
             its name. The last expert is the answer.\"\"\"\n        images = (images - self.mean) / self.std\n";
    for line in answers::answer_lines(model) {
        text += &format!("        {line}\n");
    }
    let repeated_classes = model.repeated_classes();
    if !repeated_classes.is_empty() {
        text += "        # Classes taught twice: the larger of both outputs counts.\n        \
                 for shares in experts.values():\n";
        for (repeated, original) in repeated_classes {
            text += &format!(
                "            shares[:, {original}] = torch.maximum(shares[:, {original}], shares[:, {repeated}])\n            shares[:, {repeated}] = 0\n"
            );
        }
    }
    text + "        return scores, experts\n"
}

/// Returns `README.md`.
pub fn readme(model: &Model<'_>) -> String {
    let entry = &model.predictor.backbone().entry;
    let classes = count_with_noun(model.predictor.classes().len(), "class");
    format!(
        "# {}\n\n{classes}, with the backbone {} (licence of its weights: {}).\n\n```\npip install torch timm safetensors numpy pillow\n```\n\n\
         ```python\n{}\n```\n\n`python model.py` compares its outputs with those of LAE Studio in `check.safetensors`.\n\n\
         | file | contents |\n|---|---|\n\
         | `model.py` | the whole model as readable code: network, PET, outputs |\n\
         | `weights.safetensors` | all weights; those of the backbone have timm's names after `network.` |\n\
         | `preprocessing.json` | how images are preprocessed |\n\
         | `classes.json` | the classes in the order of the outputs |\n\
         | `check.safetensors` | two noise images and LAE Studio's outputs for them |\n",
        title(model),
        one_line(&entry.name),
        one_line(&entry.licence),
        USAGE_LINES.join("\n"),
    )
}

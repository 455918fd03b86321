//! Networks written down for PyTorch: how a family is described for programs in Python.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::pet::Site;

/// The sites where PETs act, and whether the equation of each reads the layer's frozen weight.
pub type Acting = BTreeMap<Site, bool>;

/// A network as Python over a model of timm.
pub struct TorchText {
    /// Lines that import what it needs besides `torch`, `nn` and `F`, each with the module it names.
    pub imports: Vec<String>,
    /// The function `make_network()`.
    pub network: String,
    /// The functions `embed(network, images)` (normalised images → what the first block takes),
    /// `run(network, pets, x)` (through all blocks; `pets` has those of a block under its number) and
    /// `pool(network, x)` (→ features).
    pub functions: String,
}

/// A linear layer in another library's network, or one of the equal parts of its outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerName {
    /// Its module's name in the network.
    pub name: String,
    /// Which part, from 0.
    pub part: usize,
    /// Of how many.
    pub parts: usize,
}

/// The parts of an MLP in Python.
pub struct MlpText {
    /// All of it, of e.
    pub whole: &'static str,
    /// Its activation, of `hidden`.
    pub activation: &'static str,
    /// The norm after the activation, of `active`.
    pub norm: Option<&'static str>,
}

impl MlpText {
    /// An MLP with one activation and no norm inside.
    pub const PLAIN: Self = Self {
        whole: "block.mlp(e)",
        activation: "block.mlp.act(hidden)",
        norm: None,
    };
}

/// Lines of a Python function's body.
#[derive(Default)]
pub struct Body(String);

impl Body {
    /// Adds a line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.0, "    {}", text.as_ref());
    }

    /// Adds `h = pet.site(e, h)` where a PET acts at the site; `weight` is the layer's frozen weight,
    /// in × out.
    pub fn site(&mut self, acting: &Acting, site: Site, [e, h]: [&str; 2], weight: &str) {
        let name = site.name();
        match acting.get(&site) {
            Some(true) => self.line(format!("{h} = pet.{name}({e}, {h}, {weight})")),
            Some(false) => self.line(format!("{h} = pet.{name}({e}, {h})")),
            None => {}
        }
    }

    /// Adds e → h: timm's MLP `block.mlp`, layer by layer where PETs act inside. `scale` makes of a value, or of a
    /// weight (in × out), what the scale behind the MLP makes of it.
    pub fn mlp(&mut self, acting: &Acting, inner: MlpText, scale: &dyn Fn(&str) -> [String; 2]) {
        let inside = [Site::Fc1, Site::Activation, Site::Fc2];
        if !acts_in(acting, &inside) {
            let [h, _] = scale(inner.whole);
            self.line(format!("h = {h}"));
            return;
        }
        self.line("hidden = block.mlp.fc1(e)");
        let weight = "block.mlp.fc1.weight.T";
        self.site(acting, Site::Fc1, ["e", "hidden"], weight);
        self.line(format!("active = {}", inner.activation));
        self.site(acting, Site::Activation, ["hidden", "active"], "");
        if let Some(norm) = inner.norm {
            self.line(format!("active = {norm}"));
        }
        let [h, _] = scale("block.mlp.fc2(active)");
        self.line(format!("h = {h}"));
        let [_, weight] = scale("block.mlp.fc2.weight.T");
        self.site(acting, Site::Fc2, ["active", "h"], &weight);
    }

    /// The lines.
    pub fn text(self) -> String {
        self.0
    }
}

/// Whether a PET acts at any of these sites.
pub fn acts_in(acting: &Acting, sites: &[Site]) -> bool {
    sites.iter().any(|site| acting.contains_key(site))
}

/// How a block of `network` is run: with the PET of its number where it has one.
pub fn step(acting: &Acting) -> &'static str {
    match acting.is_empty() {
        true => "x = block(x)",
        false => "x = block_with(block, pets[str(index)], x) if str(index) in pets else block(x)",
    }
}

/// `run` of a network whose blocks form stages, each after its downsampling.
pub fn run_stages(stages: &str, acting: &Acting) -> String {
    format!(
        "def run(network, pets, x):\n    \"\"\"Through all blocks, with the PETs of those that have one.\"\"\"\n    \
         index = 0\n    for stage in network.{stages}:\n        x = stage.downsample(x)\n        \
         for block in stage.blocks:\n            {}\n            index += 1\n    return x\n\n\n",
        step(acting)
    )
}

/// A Python tuple of numbers.
pub fn tuple(numbers: &[usize]) -> String {
    let each: Vec<String> = numbers.iter().map(|n| format!("{n},")).collect();
    format!("({})", each.join(" "))
}

//! Networks as Python for PyTorch and timm.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::pet::Site;

/// The sites where PETs act, and whether the equation of each reads the layer's frozen weight.
pub type ActiveSites = BTreeMap<Site, bool>;

/// A network as Python over a model of timm.
pub struct TorchSource {
    /// The imports that it needs besides `torch`, `nn` and `F`, each with the module it names.
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
    /// Index of the part, from 0.
    pub part: usize,
    /// Number of parts.
    pub parts: usize,
}

/// Lines of a Python function's body.
#[derive(Default)]
pub struct PythonBody(String);

impl PythonBody {
    /// Adds a line.
    pub fn push_line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.0, "    {}", text.as_ref());
    }

    /// Adds `h = pet.site(e, h)` if a PET acts at the site; `weight` is the layer's frozen weight,
    /// in × out.
    pub fn site(
        &mut self,
        active_sites: &ActiveSites,
        site: Site,
        [e, h]: [&str; 2],
        weight: &str,
    ) {
        let name = site.name();
        match active_sites.get(&site) {
            Some(true) => self.push_line(format!("{h} = pet.{name}({e}, {h}, {weight})")),
            Some(false) => self.push_line(format!("{h} = pet.{name}({e}, {h})")),
            None => {}
        }
    }

    /// Returns the lines.
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Returns whether a PET acts at any of these sites.
pub fn is_any_active(active_sites: &ActiveSites, sites: &[Site]) -> bool {
    sites.iter().any(|site| active_sites.contains_key(site))
}

/// Returns the line that runs a block of `network`, with its PET if it has one.
pub fn block_call(active_sites: &ActiveSites) -> &'static str {
    match active_sites.is_empty() {
        true => "x = block(x)",
        false => "x = block_with(block, pets[str(index)], x) if str(index) in pets else block(x)",
    }
}

/// Returns the function `run` of a network whose blocks form stages, each after its downsampling.
pub fn run_stages(stages: &str, active_sites: &ActiveSites) -> String {
    format!(
        "def run(network, pets, x):\n    \"\"\"Through all blocks, with the PETs of those that have one.\"\"\"\n    \
         index = 0\n    for stage in network.{stages}:\n        x = stage.downsample(x)\n        \
         for block in stage.blocks:\n            {}\n            index += 1\n    return x\n\n\n",
        block_call(active_sites)
    )
}

/// Returns a Python tuple of numbers.
pub fn python_tuple(numbers: &[usize]) -> String {
    let items: Vec<String> = numbers.iter().map(|n| format!("{n},")).collect();
    format!("({})", items.join(" "))
}

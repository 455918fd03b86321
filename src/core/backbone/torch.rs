//! Networks written down for PyTorch: what a family says of itself for programs in Python.

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
    /// The functions `embed(network, images)` (normalised images → tokens), `pool(network, x)` (tokens →
    /// features) and, where PETs act, `block_with(block, pet, x)`.
    pub functions: String,
}

/// A linear layer of timm's, or one of the equal parts of its outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimmLayer {
    /// Its module's name in the network.
    pub name: String,
    /// Which part, from 0.
    pub part: usize,
    /// Of how many.
    pub parts: usize,
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

    /// The lines.
    pub fn text(self) -> String {
        self.0
    }
}

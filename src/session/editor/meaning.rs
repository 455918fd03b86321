//! What a plugin's text means, as plain data.

use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::experiment::pet_costs::PetCosts;
use crate::pet::gradients::Gradient;
use crate::pet::reading::OnBlocks;
use crate::problem::Problem;
use crate::session::views::PluginView;

/// A mistake in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The bytes it is about.
    pub span: Range<usize>,
    /// Line and column, from 1.
    pub place: (usize, usize),
    /// What is wrong.
    pub what: String,
    /// What is known or to be done about it; may be empty.
    pub why: String,
    /// What to write in place of the span, where that is known.
    pub mend: Option<String>,
}

/// What came of checking a text.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// What is wrong, in the order of the text.
    pub mistakes: Vec<Mistake>,
    /// What it means, where nothing is.
    pub meaning: Option<Meaning>,
    /// How long it took.
    pub took: Duration,
}

/// What a sound plugin is.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// As the page shows every plugin.
    pub plugin: PluginView,
    /// The names its equations know, with what they are.
    pub names: Vec<(String, String)>,
    /// Whether a fresh one leaves the network as it is.
    pub starts_as_identity: bool,
    /// What predictions make of it, where it is linear at linear layers.
    pub folded: Option<String>,
    /// On the backbone of the settings, or why it does not fit there.
    pub on: Result<OnBackbone, Problem>,
}

/// A plugin on the backbone of the settings.
#[derive(Clone, Debug, PartialEq)]
pub struct OnBackbone {
    /// The backbone.
    pub title: String,
    /// How many of its blocks carry the plugin, and how many it has.
    pub blocks: (usize, usize),
    /// Tokens of an image in the first of them.
    pub tokens: usize,
    /// What it comes to there.
    pub on: OnBlocks,
    /// Bytes by which a training step needs more than one of the network alone, as the settings are.
    pub step_bytes: u64,
}

/// How the plugin files stand: each with its length and when it was changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilesSeen(pub Vec<(PathBuf, u64, Option<SystemTime>)>);

/// What was measured of a plugin.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Its parameters and how they learn.
    pub gradients: Vec<Gradient>,
    /// What it costs on the embedded network.
    pub costs: PetCosts,
}

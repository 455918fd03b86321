//! What settings can be made of: plugins and backbones.

use std::path::PathBuf;

use crate::backbone::library::{NOT_STATED, is_shipped};
use crate::method::{BackboneShape, Plugin};
use crate::problem::Problem;
use crate::run::config::RunConfig;
use crate::texts::{Words, of_list};
use crate::tr;

/// A number of a plugin that may be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberView {
    /// Its name.
    pub name: String,
    /// The smallest that it may be.
    pub least: f64,
    /// What it is unless another one is chosen.
    pub usual: f64,
    /// The largest that it may be.
    pub most: f64,
    /// Whether it is a whole number.
    pub whole: bool,
}

/// A PET plugin file.
#[derive(Clone, Debug, Default)]
pub struct PluginView {
    /// Its key in the settings.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// One paragraph on what it does.
    pub about: String,
    /// Built in, or where its file lies.
    pub origin: String,
    /// Its equations: site and text.
    pub equations: Vec<(String, String)>,
    /// At which layers they are linear, as a sentence.
    pub folded: Option<String>,
    /// Its parameters: name, shape, initial values.
    pub parameters: Vec<(String, String, String)>,
    /// The main size: smallest, default, largest; none for one without a size.
    pub size: Option<(usize, usize, usize)>,
    /// Its other numbers that may be chosen.
    pub numbers: Vec<NumberView>,
    /// Its forms, where it has several (the first is the default).
    pub variants: Vec<String>,
    /// The file's text.
    pub source: String,
    /// The file, unless it is built in.
    pub path: Option<PathBuf>,
    /// Whether it may, where it takes the place of a built-in plugin.
    pub hides: Option<bool>,
    /// Since when the file is there, and where it was installed from.
    pub since: Option<String>,
    /// What is wrong with it.
    pub problem: Option<Problem>,
}

impl PluginView {
    /// Built in, or where its file lies, in the language of this thread.
    pub fn origin(&self) -> &str {
        match self.path {
            None => tr!("plugins-built-in"),
            Some(_) => &self.origin,
        }
    }

    /// What it does, in the language of this thread; what a person wrote stays as it is.
    pub fn about(&self) -> &str {
        match self.path {
            None => of_list("plugin", &self.name, "about", &self.about),
            Some(_) => &self.about,
        }
    }

    /// The size it has unless another is chosen; any number for one without a size.
    pub fn usual_size(&self) -> usize {
        self.size
            .map_or(RunConfig::default().pet_size, |(_, usual, _)| usual)
    }
}

impl<'a> From<&'a PluginView> for Plugin<'a> {
    fn from(view: &'a PluginView) -> Self {
        Self {
            name: &view.title,
            sized: view.size.is_some(),
        }
    }
}

/// A backbone of the table, or a weight file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BackboneView {
    /// Its key in the settings.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// Architecture family.
    pub family: String,
    /// Frozen weights.
    pub parameters: usize,
    /// Side of the square it sees.
    pub input_size: usize,
    /// Width of the tokens.
    pub width: usize,
    /// What the usual size and place of a PET depend on.
    pub shape: BackboneShape,
    /// Where its weights are.
    pub place: WeightsPlace,
    /// Length of the weight file in MB, where known.
    pub megabytes: Option<u64>,
    /// Licence of the weights.
    pub licence: String,
    /// What it was pre-trained on.
    pub pretrained_on: String,
    /// What to keep in mind with its figures.
    pub warning: Option<String>,
    /// What a bare file does not say and was assumed (sentences).
    pub assumed: Vec<Words>,
}

/// Where a backbone's weights are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightsPlace {
    /// Part of the program.
    #[default]
    BuiltIn,
    /// On this computer.
    Here,
    /// At the hub; so many bytes have arrived in an earlier, cut download.
    Hub(u64),
}

impl BackboneView {
    /// Its title in the language of this thread.
    pub fn title(&self) -> &str {
        self.said("title", &self.title)
    }

    /// What its weights learned from, in the language of this thread; empty where that is not known.
    pub fn pretrained_on(&self) -> &str {
        match self.pretrained_on.as_str() {
            NOT_STATED => "",
            data => self.said("on", data),
        }
    }

    /// What to mind, in the language of this thread.
    pub fn warning(&self) -> Option<&str> {
        let warning = self.warning.as_ref()?;
        Some(self.said("warning", warning))
    }

    /// The terms of its weights, in the language of this thread.
    pub fn licence(&self) -> &str {
        match self.licence.as_str() {
            NOT_STATED => tr!("backbone-not-stated"),
            licence => licence,
        }
    }

    /// What a person wrote into a table of their own stays as it is.
    fn said<'a>(&self, part: &str, english: &'a str) -> &'a str {
        match is_shipped(english) {
            true => of_list("backbone", &self.name, part, english),
            false => english,
        }
    }

    /// Where its weights are, in a few words.
    pub fn whereabouts(&self) -> String {
        match (self.place, self.megabytes) {
            (WeightsPlace::BuiltIn, _) => tr!("count-weights-built-in").into(),
            (WeightsPlace::Here, _) => tr!("count-weights-here").into(),
            (WeightsPlace::Hub(0), Some(size)) => tr!("count-weights-hub", size = size),
            (WeightsPlace::Hub(arrived), Some(size)) => {
                let left = size.saturating_sub(arrived / 1_000_000);
                tr!("count-weights-rest", left = left, size = size)
            }
            (WeightsPlace::Hub(_), None) => tr!("count-weights-unknown").into(),
        }
    }
}

//! Choices for the settings: plugins and backbones.

use std::path::PathBuf;

use crate::backbone::library::{NOT_STATED, is_shipped};
use crate::method::{BackboneShape, Plugin};
use crate::problem::Problem;
use crate::run::config::RunConfig;
use crate::texts::{Words, of_list};
use crate::tr;

/// An adjustable number of a plugin.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberView {
    /// Its name.
    pub name: String,
    /// The minimum.
    pub least: f64,
    /// The default.
    pub usual: f64,
    /// The maximum.
    pub most: f64,
    /// Whether it is an integer.
    pub whole: bool,
}

/// A PET plugin file.
#[derive(Clone, Debug, Default)]
pub struct PluginView {
    /// Its key in the settings.
    pub name: String,
    /// Its title.
    pub title: String,
    /// One paragraph that describes it.
    pub about: String,
    /// Built in, or the path of its file.
    pub origin: String,
    /// Its equations: site and text.
    pub equations: Vec<(String, String)>,
    /// The layers at which they are linear, as a sentence.
    pub folded: Option<String>,
    /// Its parameters: name, shape, initial values.
    pub parameters: Vec<(String, String, String)>,
    /// The main size: minimum, default, maximum; `None` if it has no size.
    pub size: Option<(usize, usize, usize)>,
    /// Its other adjustable numbers.
    pub numbers: Vec<NumberView>,
    /// Its forms, if it has several (the first is the default).
    pub variants: Vec<String>,
    /// The file's text.
    pub source: String,
    /// The file, unless it is built in.
    pub path: Option<PathBuf>,
    /// Whether it may replace a built-in plugin, if it has the name of one.
    pub hides: Option<bool>,
    /// When the file was installed, and from where.
    pub since: Option<String>,
    /// The error in it.
    pub problem: Option<Problem>,
}

impl PluginView {
    /// Returns "built in" or the path of its file, in the language of this thread.
    pub fn origin(&self) -> &str {
        match self.path {
            None => tr!("plugins-built-in"),
            Some(_) => &self.origin,
        }
    }

    /// Returns its description in the language of this thread; a user's text is unchanged.
    pub fn about(&self) -> &str {
        match self.path {
            None => of_list("plugin", &self.name, "about", &self.about),
            Some(_) => &self.about,
        }
    }

    /// Returns its default size; arbitrary for a plugin without a size.
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
    /// Its title.
    pub title: String,
    /// Architecture family.
    pub family: String,
    /// Number of frozen weights.
    pub parameters: usize,
    /// Width and height of its input in pixels.
    pub input_size: usize,
    /// Width of the tokens.
    pub width: usize,
    /// The values that determine a PET's default size and position.
    pub shape: BackboneShape,
    /// The location of its weights.
    pub place: WeightsPlace,
    /// Size of the weight file in MB, if known.
    pub megabytes: Option<u64>,
    /// Licence of the weights.
    pub licence: String,
    /// The pre-training data.
    pub pretrained_on: String,
    /// A note on results with it.
    pub warning: Option<String>,
    /// Assumptions about a weight file without metadata (sentences).
    pub assumed: Vec<Words>,
}

/// The location of a backbone's weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightsPlace {
    /// Part of the program.
    #[default]
    BuiltIn,
    /// On this computer.
    Here,
    /// On the hub; with the bytes received in an earlier, interrupted download.
    Hub(u64),
}

impl BackboneView {
    /// Returns its title in the language of this thread.
    pub fn title(&self) -> &str {
        self.said("title", &self.title)
    }

    /// Returns its pre-training data in the language of this thread; empty if unknown.
    pub fn pretrained_on(&self) -> &str {
        match self.pretrained_on.as_str() {
            NOT_STATED => "",
            data => self.said("on", data),
        }
    }

    /// Returns its note in the language of this thread.
    pub fn warning(&self) -> Option<&str> {
        let warning = self.warning.as_ref()?;
        Some(self.said("warning", warning))
    }

    /// Returns the licence of its weights in the language of this thread.
    pub fn licence(&self) -> &str {
        match self.licence.as_str() {
            NOT_STATED => tr!("range-not-stated"),
            licence => licence,
        }
    }

    /// Returns the translation of a text; the user's own entries are unchanged.
    fn said<'a>(&self, part: &str, english: &'a str) -> &'a str {
        match is_shipped(english) {
            true => of_list("backbone", &self.name, part, english),
            false => english,
        }
    }

    /// Returns the location of its weights in a few words.
    pub fn whereabouts(&self) -> String {
        match (self.place, self.megabytes) {
            (WeightsPlace::BuiltIn, _) => tr!("count-weights-built-in").into(),
            (WeightsPlace::Here, _) => tr!("count-weights-local").into(),
            (WeightsPlace::Hub(0), Some(size)) => tr!("count-weights-download", size = size),
            (WeightsPlace::Hub(arrived), Some(size)) => {
                let left = size.saturating_sub(arrived / 1_000_000);
                tr!("count-weights-download-rest", left = left, size = size)
            }
            (WeightsPlace::Hub(_), None) => tr!("count-weights-to-download").into(),
        }
    }
}

//! Choices for the settings: plugins.

use std::path::PathBuf;

use crate::method::Plugin;
use crate::problem::Problem;
use crate::run::config::RunConfig;
use crate::texts::of_list;
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

//! Plugins in the form that pages show.

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
    /// Its name in the settings.
    pub name: String,
    /// Its title.
    pub title: String,
    /// A paragraph that describes it.
    pub about: String,
    /// "built in", or the path of its file.
    pub origin: String,
    /// Its equations: the site and the text of each.
    pub equations: Vec<(String, String)>,
    /// A sentence about the layers at which it is linear, so that it can be merged into them.
    pub folded: Option<String>,
    /// Its parameters: name, shape and initial values of each.
    pub parameters: Vec<(String, String, String)>,
    /// Its main size: minimum, default, maximum; `None` if it has no size.
    pub size: Option<(usize, usize, usize)>,
    /// Its other adjustable numbers.
    pub numbers: Vec<NumberView>,
    /// Its forms if it has several; the first is the default.
    pub variants: Vec<String>,
    /// The file's text.
    pub source: String,
    /// The path of its file; `None` if it is built in.
    pub path: Option<PathBuf>,
    /// If it has the name of a built-in plugin: whether it may replace that plugin.
    pub hides: Option<bool>,
    /// When the file was installed, and from where.
    pub since: Option<String>,
    /// The error in its file.
    pub problem: Option<Problem>,
}

impl PluginView {
    /// Returns "built in" in the current language, or the path of its file.
    pub fn origin(&self) -> &str {
        match self.path {
            None => tr!("plugins-built-in"),
            Some(_) => &self.origin,
        }
    }

    /// Returns its description in the current language. The description of a user's plugin is unchanged.
    pub fn about(&self) -> &str {
        match self.path {
            None => of_list("plugin", &self.name, "about", &self.about),
            Some(_) => &self.about,
        }
    }

    /// Returns its default size. For a plugin without a size, the value has no meaning.
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

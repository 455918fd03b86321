//! The plugin being edited on the page Plugins: its text, and the result of checking it. Helper threads check the text
//! while the user types; if several versions wait, only the newest is checked. The result of the last valid text stays
//! on display.

pub mod completion;
pub mod meaning;
mod saving;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Session;
use super::trials::TrialState;
use super::views::{Fetch, PluginView};
use crate::expression::Diagnostic;
use crate::pet::highlight::{Mark, marks};
use crate::pet::library::{built_in, stated_name};
use crate::problem::Problem;
use crate::run::config::RunConfig;
use crate::texts::Language;
use crate::tr;
use meaning::{Checked, FilesSeen, Meaning, PluginMeasurements};

/// How long the text must be unchanged before a plugin is measured.
const STILL: Duration = Duration::from_millis(500);

/// Returns the initial text of a new plugin.
fn blank() -> &'static str {
    match Language::spoken() {
        Language::English => include_str!("../../../assets/texts/en/plugin.toml"),
        Language::German => include_str!("../../../assets/texts/de/plugin.toml"),
    }
}

/// The plugin being edited.
#[derive(Default)]
pub struct Editor {
    /// The open text.
    pub open: Option<OpenPlugin>,
    /// Texts of this session that were closed or replaced before they were saved, the newest last.
    pub left: Vec<Written>,
    /// The state of the trial that compares the plugin with Adapter.
    pub trying: TrialState,
    /// A plugin to select on Experiment once it is listed.
    pub(super) to_use: Option<String>,
    /// Whether the plugin was selected, so that Experiment must be shown.
    used: bool,
    /// The state of the plugin files at the last check.
    seen: Option<FilesSeen>,
    looking: bool,
    versions: u64,
    /// Number of saves so far.
    saves: u64,
}

/// The open text of a plugin.
#[derive(Clone, Debug, Default)]
pub struct OpenPlugin {
    /// The text.
    pub text: String,
    /// Number of the text, different for every change.
    pub version: u64,
    /// The version of the text when it was opened.
    pub first: u64,
    /// Where it is saved; `None` before the first save.
    pub file: Option<PathBuf>,
    /// The content of `file` when it was last read or written.
    pub saved: Option<String>,
    /// The text that another program wrote to `file` while there were unsaved changes.
    pub theirs: Option<String>,
    /// The file to install, if the text comes from a dropped file.
    pub from: Option<PathBuf>,
    /// Whether it may replace a built-in plugin.
    pub allowed: bool,
    /// Errors of the last checked version, each with its line and column (from 1).
    pub mistakes: Vec<((usize, usize), Diagnostic)>,
    /// The last checked version; 0 before the first check.
    pub checked: u64,
    /// Duration of the last check.
    pub took: Duration,
    /// The result of the last version without errors.
    pub good: Option<Arc<Meaning>>,
    /// Measurements of `good`, or of an earlier version until they are computed.
    pub measured: Fetch<Arc<PluginMeasurements>>,
    /// Whether the plugin is being measured.
    pub measuring: bool,
    /// Why the text could not be saved.
    pub problem: Option<Problem>,
    /// The plugin's name as written in the text.
    pub name: Option<String>,
    changed: Option<Instant>,
    /// The backbone and blocks of the last check.
    against: (String, String),
    measured_of: u64,
    saving: bool,
}

/// A text to store when the window closes, and to reopen later.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The text.
    pub text: String,
    /// The plugin's name, if the text has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it is saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The file to install.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<PathBuf>,
}

impl OpenPlugin {
    /// Returns whether there are unsaved changes.
    pub fn is_changed(&self) -> bool {
        self.saved.as_ref() != Some(&self.text)
    }

    /// Returns whether the newest version was checked and has no errors.
    pub fn is_sound(&self) -> bool {
        self.checked == self.version && self.mistakes.is_empty()
    }

    fn written(&self) -> Written {
        Written {
            text: self.text.clone(),
            name: self.name.clone(),
            file: self.file.clone(),
            from: self.from.clone(),
        }
    }

    /// Returns the built-in plugin with the same name, which this plugin would replace.
    pub fn hides(&self) -> Option<&'static str> {
        built_in(self.name.as_ref()?)
    }

    /// Returns the time until the next measurement; `None` if no measurement is due.
    pub fn due(&self) -> Option<Duration> {
        let due = self.is_sound() && self.measured_of != self.version;
        let since = self.changed.map_or(STILL, |changed| changed.elapsed());
        due.then(|| STILL.saturating_sub(since))
    }
}

impl Session {
    /// Opens a copy of a plugin under another name.
    pub fn edit_copy(&mut self, name: &str) {
        let plugins = self.inventory.plugins.iter();
        let Some(plugin) = plugins.clone().find(|own| own.name == name).cloned() else {
            return;
        };
        let title = self.free_name(&plugin);
        self.open_text(Written {
            text: renamed(&plugin.text, &title),
            ..Written::default()
        });
    }

    /// Opens the file of a plugin.
    pub fn edit_file(&mut self, name: &str) {
        let plugins = self.inventory.plugins.iter();
        let found = plugins.clone().find(|own| own.name == name);
        if let Some((plugin, file)) = found.and_then(|own| Some((own, own.path.clone()?))) {
            let text = plugin.text.clone();
            self.open_text(Written {
                text: text.clone(),
                file: Some(file),
                ..Written::default()
            });
            self.read_disk(text);
        }
    }

    /// Opens the initial text of a new plugin.
    pub fn write_plugin(&mut self) {
        self.open_text(Written {
            text: blank().to_owned(),
            ..Written::default()
        });
    }

    /// Reopens the text that was open when the window closed.
    pub fn open_written(&mut self, written: Written) {
        let is_of_file = written.file.is_some();
        self.open_text(written);
        if is_of_file {
            self.editor.seen = None;
        }
    }

    /// Returns the open text for storage.
    pub fn written(&self) -> Option<Written> {
        self.editor.open.as_ref().map(OpenPlugin::written)
    }

    /// Reopens the text that was closed last without being saved.
    pub fn reopen_closed_text(&mut self) {
        if let Some(left) = self.editor.left.pop() {
            self.open_written(left);
        }
    }

    /// Replaces the open text by another one.
    pub(super) fn open_text(&mut self, written: Written) {
        self.close_plugin();
        // The results of trying another text do not apply to this text.
        if let TrialState::Asked(job) = std::mem::take(&mut self.editor.trying) {
            self.give_up(job);
        }
        self.editor.open = Some(OpenPlugin {
            first: self.editor.versions + 1,
            file: written.file,
            from: written.from,
            ..OpenPlugin::default()
        });
        self.edit_plugin(written.text);
    }

    /// Returns the open text if its first version is `first`, that is, if it was not replaced.
    fn opened_as(&mut self, first: u64) -> Option<&mut OpenPlugin> {
        self.editor.open.as_mut().filter(|open| open.first == first)
    }

    /// Closes the text. If it has unsaved changes, it can be reopened.
    pub fn close_plugin(&mut self) {
        let open = self.editor.open.take();
        if let Some(open) = open.filter(OpenPlugin::is_changed) {
            self.editor.left.push(open.written());
        }
    }

    /// Replaces the content of the open text and starts a check.
    pub fn edit_plugin(&mut self, text: String) {
        self.editor.versions += 1;
        let version = self.editor.versions;
        let Some(open) = &mut self.editor.open else {
            return;
        };
        open.text.clone_from(&text);
        open.name = stated_name(&text);
        open.version = version;
        let first = open.first;
        open.changed = Some(Instant::now());
        let file = open.file.as_ref().or(open.from.as_ref());
        let file = file.and_then(|file| file.file_name());
        let origin = file.map_or_else(
            || tr!("notices-this-text").into(),
            |name| name.to_string_lossy().into_owned(),
        );
        let config = self.experiment.draft.clone();
        open.against = against(&config);
        self.queued_task(
            Some("plugin"),
            move |sources| Ok(sources.disk().check_plugin(&text, &origin, &config)),
            move |session, checked| {
                if let Ok(checked) = checked {
                    session.accept_check((first, version), checked);
                }
            },
        );
    }

    fn accept_check(&mut self, (first, version): (u64, u64), checked: Checked) {
        let Some(open) = self.opened_as(first) else {
            return;
        };
        if version <= open.checked {
            return;
        }
        open.checked = version;
        open.took = checked.took;
        open.mistakes = checked.mistakes;
        if let Some(meaning) = checked.meaning {
            open.good = Some(Arc::new(meaning));
        }
    }

    /// Measures the open text once it has been unchanged for a moment.
    pub(super) fn refresh_editor(&mut self) {
        let now = against(&self.experiment.draft);
        let Some(open) = &mut self.editor.open else {
            return;
        };
        if open.against != now {
            let text = open.text.clone();
            return self.edit_plugin(text);
        }
        if open.due() != Some(Duration::ZERO) || open.measuring {
            return;
        }
        open.measured_of = open.version;
        open.measuring = true;
        let (first, text) = (open.first, open.text.clone());
        self.task(
            move |sources| sources.disk().measure_plugin(&text),
            move |session, measured| {
                if let Some(open) = session.opened_as(first) {
                    open.measuring = false;
                    open.measured.fill(measured.map(Arc::new));
                }
            },
        );
    }

    /// Returns a free name for a copy of a plugin.
    fn free_name(&self, plugin: &PluginView) -> String {
        let first = match plugin.path {
            None => tr!("editor-default-name-of", name = plugin.title()),
            Some(_) => tr!("editor-default-name-copy", name = plugin.title()),
        };
        let taken = |name: &str| {
            let name = name.to_lowercase();
            self.inventory.plugins.iter().any(|own| own.name == name)
        };
        let numbered = (2..).map(|number| format!("{first} {number}"));
        let mut names = std::iter::once(first.clone()).chain(numbered);
        names.find(|name| !taken(name)).unwrap_or(first)
    }
}

/// Returns a plugin's text with its name replaced.
fn renamed(text: &str, name: &str) -> String {
    let mut named = text.to_owned();
    if let Some(span) = name_span(text) {
        let name = name.replace(['"', '\\'], "");
        named.replace_range(span, &format!("\"{name}\""));
    }
    named
}

/// Returns the range of the name in a text, including quotes.
pub fn name_span(text: &str) -> Option<Range<usize>> {
    let all = marks(text).into_iter();
    let mut named = all.filter(|marked| marked.path == "name" && marked.mark == Mark::Text);
    named.next().map(|marked| marked.span)
}

/// Returns the settings that affect the check of a plugin: backbone and blocks.
fn against(config: &RunConfig) -> (String, String) {
    (config.backbone.clone(), format!("{:?}", config.blocks))
}

#[cfg(test)]
mod tests;

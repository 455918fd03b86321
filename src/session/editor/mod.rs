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
use meaning::{CompiledPlugin, PluginCheck, PluginFileStates, PluginMeasurements};

/// How long the text must be unchanged before a plugin is measured.
const MEASURE_DELAY: Duration = Duration::from_millis(500);

/// Returns the initial text of a new plugin.
fn new_plugin_text() -> &'static str {
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
    pub closed: Vec<StoredText>,
    /// The state of the trial that compares the plugin with Adapter.
    pub trial: TrialState,
    /// A plugin to select on Experiment once it is listed.
    pub(super) pending_selection: Option<String>,
    /// Whether the plugin was selected, so that Experiment must be shown.
    was_selected: bool,
    /// The state of the plugin files at the last check.
    file_states: Option<PluginFileStates>,
    is_checking_files: bool,
    last_version: u64,
    /// Number of saves so far.
    save_count: u64,
}

/// The open text of a plugin.
#[derive(Clone, Debug, Default)]
pub struct OpenPlugin {
    /// The text.
    pub text: String,
    /// Number of the text, different for every change.
    pub version: u64,
    /// The version of the text when it was opened.
    pub first_version: u64,
    /// Where it is saved; `None` before the first save.
    pub file: Option<PathBuf>,
    /// The content of `file` when it was last read or written.
    pub saved: Option<String>,
    /// The text that another program wrote to `file` while there were unsaved changes.
    pub disk_text: Option<String>,
    /// The file to install, if the text comes from a dropped file.
    pub install_from: Option<PathBuf>,
    /// Whether it may replace a built-in plugin.
    pub may_replace_builtin: bool,
    /// Errors of the last checked version, each with its line and column (from 1).
    pub errors: Vec<((usize, usize), Diagnostic)>,
    /// The last checked version; 0 before the first check.
    pub checked_version: u64,
    /// Duration of the last check.
    pub check_duration: Duration,
    /// The result of the last version without errors.
    pub last_valid: Option<Arc<CompiledPlugin>>,
    /// Measurements of `last_valid`, or of an earlier version until they are computed.
    pub measurements: Fetch<Arc<PluginMeasurements>>,
    /// Whether the plugin is being measured.
    pub is_measuring: bool,
    /// Why the text could not be saved.
    pub problem: Option<Problem>,
    /// The plugin's name as written in the text.
    pub name: Option<String>,
    changed_at: Option<Instant>,
    /// The backbone and blocks of the last check.
    check_target: (String, String),
    measured_version: u64,
    is_saving: bool,
}

/// A text to store when the window closes, and to reopen later.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredText {
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
    pub fn has_unsaved_changes(&self) -> bool {
        self.saved.as_ref() != Some(&self.text)
    }

    /// Returns whether the newest version was checked and has no errors.
    pub fn is_valid(&self) -> bool {
        self.checked_version == self.version && self.errors.is_empty()
    }

    fn to_stored_text(&self) -> StoredText {
        StoredText {
            text: self.text.clone(),
            name: self.name.clone(),
            file: self.file.clone(),
            from: self.install_from.clone(),
        }
    }

    /// Returns the built-in plugin with the same name, which this plugin would replace.
    pub fn replaced_builtin(&self) -> Option<&'static str> {
        built_in(self.name.as_ref()?)
    }

    /// Returns the time until the next measurement; `None` if no measurement is due.
    pub fn time_until_measurement(&self) -> Option<Duration> {
        let is_due = self.is_valid() && self.measured_version != self.version;
        let since = self.changed_at.map_or(MEASURE_DELAY, |changed| changed.elapsed());
        is_due.then(|| MEASURE_DELAY.saturating_sub(since))
    }
}

impl Session {
    /// Opens a copy of a plugin under another name.
    pub fn edit_copy(&mut self, name: &str) {
        let plugins = self.inventory.plugins.iter();
        let Some(plugin) = plugins.clone().find(|plugin| plugin.name == name).cloned() else {
            return;
        };
        let title = self.free_name(&plugin);
        self.open_text(StoredText {
            text: replace_name(&plugin.text, &title),
            ..StoredText::default()
        });
    }

    /// Opens the file of a plugin.
    pub fn edit_file(&mut self, name: &str) {
        let plugins = self.inventory.plugins.iter();
        let found = plugins.clone().find(|plugin| plugin.name == name);
        if let Some((plugin, file)) = found.and_then(|plugin| Some((plugin, plugin.path.clone()?)))
        {
            let text = plugin.text.clone();
            self.open_text(StoredText {
                text: text.clone(),
                file: Some(file),
                ..StoredText::default()
            });
            self.accept_disk_text(text);
        }
    }

    /// Opens the initial text of a new plugin.
    pub fn create_plugin(&mut self) {
        self.open_text(StoredText { text: new_plugin_text().to_owned(), ..StoredText::default() });
    }

    /// Reopens the text that was open when the window closed.
    pub fn open_stored_text(&mut self, stored: StoredText) {
        let has_file = stored.file.is_some();
        self.open_text(stored);
        if has_file {
            self.editor.file_states = None;
        }
    }

    /// Returns the open text for storage.
    pub fn stored_text(&self) -> Option<StoredText> {
        self.editor.open.as_ref().map(OpenPlugin::to_stored_text)
    }

    /// Reopens the text that was closed last without being saved.
    pub fn reopen_closed_text(&mut self) {
        if let Some(closed) = self.editor.closed.pop() {
            self.open_stored_text(closed);
        }
    }

    /// Replaces the open text by another one.
    pub(super) fn open_text(&mut self, stored: StoredText) {
        self.close_plugin();
        // The results of trying another text do not apply to this text.
        if let TrialState::Requested(job) = std::mem::take(&mut self.editor.trial) {
            self.cancel_job(job);
        }
        self.editor.open = Some(OpenPlugin {
            first_version: self.editor.last_version + 1,
            file: stored.file,
            install_from: stored.from,
            ..OpenPlugin::default()
        });
        self.edit_plugin(stored.text);
    }

    /// Returns the open text if its first version is `first_version`, that is, if it was not replaced.
    fn open_version(&mut self, first_version: u64) -> Option<&mut OpenPlugin> {
        self.editor.open.as_mut().filter(|open| open.first_version == first_version)
    }

    /// Closes the text. If it has unsaved changes, it can be reopened.
    pub fn close_plugin(&mut self) {
        let open = self.editor.open.take();
        if let Some(open) = open.filter(OpenPlugin::has_unsaved_changes) {
            self.editor.closed.push(open.to_stored_text());
        }
    }

    /// Replaces the content of the open text and starts a check.
    pub fn edit_plugin(&mut self, text: String) {
        self.editor.last_version += 1;
        let version = self.editor.last_version;
        let Some(open) = &mut self.editor.open else {
            return;
        };
        open.text.clone_from(&text);
        open.name = stated_name(&text);
        open.version = version;
        let first = open.first_version;
        open.changed_at = Some(Instant::now());
        let file = open.file.as_ref().or(open.install_from.as_ref());
        let file = file.and_then(|file| file.file_name());
        let origin = file.map_or_else(
            || tr!("notices-this-text").into(),
            |name| name.to_string_lossy().into_owned(),
        );
        let config = self.experiment.draft.clone();
        open.check_target = check_target(&config);
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

    fn accept_check(&mut self, (first, version): (u64, u64), checked: PluginCheck) {
        let Some(open) = self.open_version(first) else {
            return;
        };
        if version <= open.checked_version {
            return;
        }
        open.checked_version = version;
        open.check_duration = checked.duration;
        open.errors = checked.errors;
        if let Some(meaning) = checked.compiled {
            open.last_valid = Some(Arc::new(meaning));
        }
    }

    /// Measures the open text once it has been unchanged for a moment.
    pub(super) fn refresh_editor(&mut self) {
        let target = check_target(&self.experiment.draft);
        let Some(open) = &mut self.editor.open else {
            return;
        };
        if open.check_target != target {
            let text = open.text.clone();
            return self.edit_plugin(text);
        }
        if open.time_until_measurement() != Some(Duration::ZERO) || open.is_measuring {
            return;
        }
        open.measured_version = open.version;
        open.is_measuring = true;
        let (first, text) = (open.first_version, open.text.clone());
        self.task(
            move |sources| sources.disk().measure_plugin(&text),
            move |session, measured| {
                if let Some(open) = session.open_version(first) {
                    open.is_measuring = false;
                    open.measurements.fill(measured.map(Arc::new));
                }
            },
        );
    }

    /// Returns a free name for a copy of a plugin.
    fn free_name(&self, plugin: &PluginView) -> String {
        let base_name = match plugin.path {
            None => tr!("editor-default-name-of", name = plugin.title()),
            Some(_) => tr!("editor-default-name-copy", name = plugin.title()),
        };
        let is_taken = |name: &str| {
            let name = name.to_lowercase();
            self.inventory.plugins.iter().any(|listed| listed.name == name)
        };
        let numbered = (2..).map(|number| format!("{base_name} {number}"));
        let mut names = std::iter::once(base_name.clone()).chain(numbered);
        names.find(|name| !is_taken(name)).unwrap_or(base_name)
    }
}

/// Returns a plugin's text with its name replaced.
fn replace_name(text: &str, name: &str) -> String {
    let mut result = text.to_owned();
    if let Some(span) = name_span(text) {
        let name = name.replace(['"', '\\'], "");
        result.replace_range(span, &format!("\"{name}\""));
    }
    result
}

/// Returns the range of the name in a text, including quotes.
pub fn name_span(text: &str) -> Option<Range<usize>> {
    let all = marks(text).into_iter();
    let mut named = all.filter(|marked| marked.path == "name" && marked.mark == Mark::Text);
    named.next().map(|marked| marked.span)
}

/// Returns the settings that affect the check of a plugin: backbone and blocks.
fn check_target(config: &RunConfig) -> (String, String) {
    (config.backbone.clone(), format!("{:?}", config.blocks))
}

#[cfg(test)]
mod tests;

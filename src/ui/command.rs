//! Everything the window can be told to do, as one enum; buttons, shortcuts and the command palette
//! all end here.

use std::path::PathBuf;
use std::sync::Arc;

use egui::{Key, KeyboardShortcut, Modifiers};

use super::settings::ThemeChoice;
use crate::logging::Level;
use crate::run::config::RunConfig;
use crate::run::event::Picture;
use crate::run::job::JobId;
use crate::session::Session;
use crate::session::jobs::Wanted;
use crate::session::presets::{Preset, presets};

/// The pages, in the order of their tabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    /// Set up a run.
    #[default]
    Experiment,
    /// Watch it.
    Train,
    /// Lay runs side by side.
    Compare,
    /// Ask a run about an image.
    Predict,
    /// See the PET plugins.
    Plugins,
}

impl Page {
    /// Every page with its title and number key.
    pub const ALL: [(Self, &'static str, Key); 5] = [
        (Self::Experiment, "Experiment", Key::Num1),
        (Self::Train, "Train", Key::Num2),
        (Self::Compare, "Compare", Key::Num3),
        (Self::Predict, "Predict", Key::Num4),
        (Self::Plugins, "Plugins", Key::Num5),
    ];
}

/// Something to do.
#[derive(Clone, Debug)]
pub enum UiCommand {
    /// Show a page.
    Show(Page),
    /// Train the settings on the Experiment page.
    Start,
    /// Train these settings one after the other.
    Train(Vec<RunConfig>),
    /// Put these settings on the Experiment page.
    SetUp(Box<RunConfig>),
    /// Set up exactly what a run had.
    Repeat(Box<RunConfig>),
    /// Set up again what a window that crashed had.
    UseFormer,
    /// Forget what a window that crashed had.
    DropFormer,
    /// Choose a data set.
    ChooseData(String),
    /// Choose a weight file as the backbone.
    ChooseWeights(String),
    /// Ask for a file or folder.
    Pick(Wanted),
    /// Put the command that does the same into the clipboard.
    CopyCommand,
    /// Put text into the clipboard.
    CopyText(String),
    /// Pause the run, or let it go on.
    PauseOrGoOn,
    /// Ask whether to stop the run.
    Stop,
    /// Take a job out of the line.
    TakeOut(JobId),
    /// Move a job that waits to another place in line.
    MoveInLine(JobId, usize),
    /// Keep the jobs in line from beginning, or let them go.
    HoldLine(bool),
    /// Continue a stopped run, on another device where one is given.
    Resume(PathBuf, Option<String>),
    /// Open a stored run on Train.
    Open(PathBuf),
    /// Show the live run on Train again.
    CloseOpened,
    /// Ask whether to move a run to the trash.
    Trash(PathBuf),
    /// Ask this run on Predict.
    PredictWith(PathBuf),
    /// Predict an image file.
    PredictFile(PathBuf),
    /// Predict a picture; the second part is its true class, where known.
    PredictPicture(Arc<Picture>, Option<String>),
    /// Ask about what was drawn.
    PredictDrawing(Arc<Picture>),
    /// Predict what the clipboard holds.
    Paste,
    /// Choose the device of new runs.
    ChooseDevice(String),
    /// Light, dark, system.
    Theme(ThemeChoice),
    /// Read the plugin files again.
    ReloadPlugins,
    /// Read the list of runs again.
    ReloadRuns,
    /// Open or close the command palette.
    Palette,
    /// Open or close the list of notices.
    Notices,
    /// Show or hide the line with frame times.
    FrameTimes,
    /// Show what a report of a problem would hold.
    Report,
    /// Save the report on show at this place.
    SaveReport(PathBuf),
    /// Keep so much in the log from now on.
    LogLevel(Level),
}

impl Preset {
    /// What choosing it does: a pair of runs begins, a single one is set up.
    pub fn command(&self) -> UiCommand {
        match &self.then {
            Some(then) => UiCommand::Train(vec![self.run.clone(), then.clone()]),
            None => UiCommand::SetUp(Box::new(self.run.clone())),
        }
    }
}

/// Shortcuts that work on every page.
pub fn shortcuts() -> Vec<(KeyboardShortcut, UiCommand)> {
    let ctrl = |key| KeyboardShortcut::new(Modifiers::COMMAND, key);
    let mut all: Vec<_> = Page::ALL
        .iter()
        .map(|(page, _, key)| (ctrl(*key), UiCommand::Show(*page)))
        .collect();
    all.push((ctrl(Key::K), UiCommand::Palette));
    all.push((ctrl(Key::Enter), UiCommand::Start));
    all.push((ctrl(Key::Period), UiCommand::Stop));
    all
}

/// A line of the command palette.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it does.
    pub title: String,
    /// Its shortcut, as text.
    pub keys: String,
    /// What is done.
    pub command: UiCommand,
    /// Whether it can be done now.
    pub enabled: bool,
}

/// All lines of the command palette as things stand.
pub fn entries(session: &Session) -> Vec<Entry> {
    let entry = |title: &str, keys: &str, command: UiCommand, enabled: bool| Entry {
        title: title.into(),
        keys: keys.into(),
        command,
        enabled,
    };
    let training = session.is_training();
    let ready = session.plan.problems.is_empty() && session.data.ready().is_some();
    let mut all: Vec<Entry> = (1..)
        .zip(Page::ALL)
        .map(|(i, (page, title, _))| {
            let command = UiCommand::Show(page);
            entry(
                &format!("Go to {title}"),
                &format!("Ctrl+{i}"),
                command,
                true,
            )
        })
        .collect();
    all.push(entry(
        "Start training",
        "Ctrl+Enter",
        UiCommand::Start,
        ready,
    ));
    for preset in presets() {
        let title = format!("Preset: {}", preset.title);
        all.push(entry(&title, "", preset.command(), true));
    }
    all.extend([
        entry(
            "Pause or go on",
            "Space on Train",
            UiCommand::PauseOrGoOn,
            training,
        ),
        entry(
            "Stop the run and save it",
            "Ctrl+.",
            UiCommand::Stop,
            training,
        ),
        entry(
            "Let the runs in line go on",
            "",
            UiCommand::HoldLine(false),
            session.waiting().any(|job| job.held),
        ),
        entry(
            "Choose a data folder…",
            "",
            UiCommand::Pick(Wanted::DataFolder),
            true,
        ),
        entry(
            "Choose a weight file…",
            "",
            UiCommand::Pick(Wanted::Weights),
            true,
        ),
        entry(
            "Open an image to predict…",
            "",
            UiCommand::Pick(Wanted::Image),
            true,
        ),
        entry("Copy as command", "", UiCommand::CopyCommand, true),
        entry("Reload plugins", "", UiCommand::ReloadPlugins, true),
        entry("Reload runs", "", UiCommand::ReloadRuns, true),
        entry("Show notices", "", UiCommand::Notices, true),
        entry(
            "Theme: follow the system",
            "",
            UiCommand::Theme(ThemeChoice::System),
            true,
        ),
        entry(
            "Theme: light",
            "",
            UiCommand::Theme(ThemeChoice::Light),
            true,
        ),
        entry("Theme: dark", "", UiCommand::Theme(ThemeChoice::Dark), true),
        entry("Show frame times", "", UiCommand::FrameTimes, true),
        entry("Report a problem…", "", UiCommand::Report, true),
    ]);
    all
}

/// Whether all letters of `wanted` occur in `title` in that order.
pub fn fuzzy(title: &str, wanted: &str) -> bool {
    let mut letters = title.chars().flat_map(char::to_lowercase);
    wanted
        .chars()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .all(|c| letters.any(|l| l == c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_finds_by_letters_in_order() {
        assert!(fuzzy("Go to Predict", "gpred"));
        assert!(fuzzy("Theme: dark", "the dark"));
        assert!(!fuzzy("Go to Train", "predict"));
    }

    #[test]
    fn no_shortcut_is_given_twice() {
        let keys: Vec<_> = shortcuts().into_iter().map(|(keys, _)| keys).collect();
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key), "{key:?}");
        }
    }
}

//! The entries of the command palette: all available commands, sorted by their match with the typed text.

use egui::KeyboardShortcut;
use egui::gui_zoom::kb_shortcuts::ZOOM_RESET;

use crate::data::export::ExportFormat;
use crate::data::{builtin, published};
use crate::method::lae;
use crate::session::Session;
use crate::session::collection::Purpose;
use crate::session::file_dialog::{DataExportKind, DialogPurpose};
use crate::session::formatting::run_time_text;
use crate::session::grids::{grid_title, shipped_grids};
use crate::session::presets::presets;
use crate::session::views::{RunRow, RunState};
use crate::session::window_terms::title_of;
use crate::texts::Language;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::keys;
use crate::ui::pages::experiment::grid_keys;
use crate::ui::pages::predict::prediction_runs;
use crate::ui::settings::ThemeChoice;

/// Maximum number of stored runs listed for each command.
const MAX_RUNS: usize = 12;

/// Returns the entries that match the typed text, best match first.
pub fn matching_entries(session: &Session, typed: &str) -> Vec<PaletteEntry> {
    let candidates = entries(session).into_iter();
    let mut ranked: Vec<(usize, PaletteEntry)> =
        candidates.filter_map(|entry| Some((entry.rank(typed)?, entry))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, entry)| entry).collect()
}

fn change_entry(
    title: impl Into<String>,
    change: impl FnOnce(&mut Session) + 'static,
) -> PaletteEntry {
    entry(title, UiCommand::change(change))
}

fn pick_entry(title: &str, purpose: DialogPurpose) -> PaletteEntry {
    entry(title, UiCommand::pick(purpose))
}

/// Returns all entries that are available now.
fn entries(session: &Session) -> Vec<PaletteEntry> {
    let mut all = page_entries();
    all.extend(experiment_entries(session));
    all.extend(grid_entries(session));
    all.extend(current_run_entries(session));
    all.extend(stored_run_entries(session));
    all.extend(window_entries(session));
    all
}

fn page_entries() -> Vec<PaletteEntry> {
    let pages = Page::ALL.into_iter().map(|(page, ..)| {
        let title = tr!("entries-go-to", page = page.title());
        entry(title, UiCommand::Show(page)).with_shortcut(page.shortcut())
    });
    pages.collect()
}

fn experiment_entries(session: &Session) -> Vec<PaletteEntry> {
    let (ready, has_grid) = (session.can_start(), session.has_grid());
    let start = match session.trains_baseline() {
        true => tr!("experiment-start-both"),
        false => tr!("experiment-start"),
    };
    let trains_baseline = session.experiment.with_baseline;
    let baseline_title = match trains_baseline {
        true => tr!("entries-train-alone"),
        false => tr!("entries-train-with-baseline"),
    };
    let mut all = vec![
        entry(start, UiCommand::Start)
            .with_keywords("entries-start-keywords")
            .with_shortcut(keys::START)
            .enabled_if(ready),
        entry(tr!("experiment-three-class-orders"), UiCommand::TrainOrders)
            .enabled_if(ready && !has_grid),
        change_entry(baseline_title, move |s| {
            s.experiment.with_baseline = !trains_baseline;
        })
        .enabled_if(!has_grid && session.experiment.draft.method != lae::BASELINE.key),
    ];
    for preset in presets() {
        let title = tr!("entries-preset", preset = preset.title());
        let set_up = entry(title, UiCommand::from(preset));
        all.push(set_up.with_keywords("entries-preset-keywords"));
    }
    for name in builtin::names().chain(published::PUBLISHED.map(|dataset| dataset.name)) {
        let title = tr!("entries-choose-data", title = name);
        all.push(entry(title, UiCommand::ChooseData(name.into())));
    }
    let has_data = session.experiment.data.ready().is_some();
    let export = |form| {
        let title = match form {
            ExportFormat::Project => tr!("entries-export-teachable-machine"),
            ExportFormat::Folder => tr!("entries-export-folder"),
        };
        pick_entry(title, DialogPurpose::DataExport(DataExportKind::Data, form))
            .enabled_if(has_data)
    };
    let open =
        |title, purpose| pick_entry(title, purpose).with_keywords("entries-open-file-keywords");
    all.extend([
        open(tr!("entries-choose-data-folder"), DialogPurpose::DataFolder),
        entry(tr!("entries-create-dataset"), UiCommand::Collect(Purpose::Data))
            .with_keywords("entries-create-dataset-keywords"),
        export(ExportFormat::Project),
        export(ExportFormat::Folder),
        change_entry(tr!("entries-reload-dataset"), Session::reload_data),
        open(tr!("entries-choose-weights"), DialogPurpose::Weights),
        open(tr!("entries-choose-class-order"), DialogPurpose::Order),
        open(tr!("experiment-pet-start"), DialogPurpose::PetStart),
    ]);
    all.extend([
        entry(tr!("entries-redo"), UiCommand::Redo)
            .with_shortcut(keys::REDO)
            .on_page(Page::Experiment),
        entry(tr!("entries-undo"), UiCommand::Undo)
            .with_shortcut(keys::UNDO)
            .on_page(Page::Experiment),
        entry(tr!("experiment-copy-command"), UiCommand::CopyCommand),
        entry(tr!("entries-restore-settings"), UiCommand::RestoreSettings)
            .enabled_if(session.former.is_pending()),
        change_entry(tr!("entries-discard-settings"), |s| s.former.discard())
            .enabled_if(session.former.is_pending())
            .destructive(),
    ]);
    all
}

fn current_run_entries(session: &Session) -> Vec<PaletteEntry> {
    let training = session.is_training();
    let is_held = session.waiting().any(|job| job.held);
    let has_waiting = session.waiting().next().is_some();
    let hold_entry = |title, paused| change_entry(title, move |session| session.hold_queue(paused));
    let mut all = vec![
        entry(tr!("entries-pause-or-resume"), UiCommand::PauseOrResume)
            .with_shortcut(keys::PAUSE)
            .on_page(Page::Train)
            .enabled_if(training),
        entry(tr!("entries-stop"), UiCommand::Stop)
            .with_shortcut(keys::STOP)
            .enabled_if(training)
            .destructive(),
        hold_entry(tr!("entries-resume-queue"), false).enabled_if(is_held),
        hold_entry(tr!("entries-pause-queue"), true).enabled_if(has_waiting && !is_held),
        change_entry(tr!("entries-show-run"), Session::close_opened_run)
            .enabled_if(session.train.opened.is_some()),
    ];
    for (position, job) in session.waiting().enumerate() {
        let (number, title, job) = (position + 1, job.title.as_str(), job.id);
        if position > 0 {
            let label = tr!("entries-train-next", number, title);
            all.push(change_entry(label, move |session| {
                session.move_in_queue(job, 0);
            }));
        }
        let label = tr!("entries-remove-from-queue", number, title);
        all.push(entry(label, UiCommand::RemoveJob(job)).destructive());
    }
    all
}

fn stored_run_entries(session: &Session) -> Vec<PaletteEntry> {
    let run_label = |row: &RunRow| format!("{}, {}", row.title(), run_time_text(&row.name));
    let mut all = Vec::new();
    let readable = session.rows().filter(|row| row.header.is_some());
    for row in readable.take(MAX_RUNS) {
        let (label, folder) = (run_label(row), row.folder.clone());
        let name = label.as_str();
        if matches!(row.state, RunState::Unfinished(_)) && row.read_only_reason().is_none() {
            let resume = UiCommand::Resume(folder.clone(), None);
            let resume = entry(tr!("entries-resume-run", run = name), resume);
            all.push(resume.with_keywords("entries-resume-keywords"));
        }
        let open = UiCommand::Open(folder.clone());
        all.push(entry(tr!("entries-open-run", run = name), open));
        if let Some(header) = &row.header {
            let duplicate = UiCommand::LoadSettings(Box::new(header.config.clone()));
            let duplicate = entry(tr!("entries-duplicate-run", run = name), duplicate);
            all.push(duplicate.with_keywords("entries-duplicate-keywords"));
        }
        if row.read_only_reason().is_some() {
            continue;
        }
        let describe = UiCommand::Describe(folder.clone());
        let describe = entry(tr!("entries-name-run", run = name), describe);
        all.push(describe.with_keywords("entries-name-keywords"));
        if row.state != RunState::Busy {
            let delete = UiCommand::Delete(vec![folder]);
            all.push(entry(tr!("entries-delete-run", run = name), delete).destructive());
        }
    }
    for (folder, title) in prediction_runs(session).take(MAX_RUNS) {
        let predict = UiCommand::PredictWith(folder);
        all.push(entry(tr!("entries-predict-with-run", run = title), predict));
    }
    all.extend([
        pick_entry(tr!("entries-predict-image"), DialogPurpose::Image),
        pick_entry(tr!("entries-predict-folder"), DialogPurpose::ImageFolder),
        entry(tr!("entries-deleted-runs"), UiCommand::ShowDeleted)
            .with_keywords("entries-deleted-runs-keywords"),
        entry(tr!("entries-run-folders"), UiCommand::ShowFolders)
            .with_keywords("entries-run-folders-keywords"),
        entry(tr!("entries-paste-image"), UiCommand::Paste)
            .with_shortcut(keys::PASTE)
            .on_page(Page::Predict),
        change_entry(tr!("entries-reload-runs"), Session::list_runs),
    ]);
    all
}

fn window_entries(session: &Session) -> Vec<PaletteEntry> {
    let mut all = vec![
        change_entry(tr!("entries-reload-plugins"), Session::read_plugins),
        entry(tr!("entries-notices"), UiCommand::Notices),
        entry(tr!("entries-device-auto"), UiCommand::ChooseDevice("auto".into())),
    ];
    for device in &session.inventory.devices {
        let choose = UiCommand::ChooseDevice(device.key.clone());
        let title = tr!("entries-device", device = device.title.as_str());
        all.push(entry(title, choose));
    }
    for view in &session.machines.list {
        let name = view.machine.name.clone();
        let title = tr!("entries-device", device = name.as_str());
        let choose = change_entry(title, move |session| session.select_machine(Some(name)));
        all.push(choose.with_keywords("entries-place-keywords"));
    }
    for (choice, title) in [
        (ThemeChoice::System, tr!("entries-theme-system")),
        (ThemeChoice::Light, tr!("entries-theme-light")),
        (ThemeChoice::Dark, tr!("entries-theme-dark")),
    ] {
        all.push(entry(title, UiCommand::Theme(choice)));
    }
    for (language, name) in Language::ALL {
        let title = tr!("entries-language", language = name);
        all.push(
            entry(title, UiCommand::SetLanguage(language))
                .with_keywords("entries-language-keywords"),
        );
    }
    for (percent, shortcut) in [(100, Some(ZOOM_RESET)), (125, None), (150, None), (200, None)] {
        let zoom = UiCommand::Zoom(percent as f32 / 100.0);
        let zoom = entry(tr!("entries-zoom", percent), zoom);
        all.push(PaletteEntry { shortcut, ..zoom.with_keywords("entries-zoom-keywords") });
    }
    for (title, reduce) in
        [(tr!("entries-reduce-motion"), true), (tr!("entries-allow-motion"), false)]
    {
        all.push(
            entry(title, UiCommand::ReduceMotion(reduce)).with_keywords("entries-motion-keywords"),
        );
    }
    all.extend([
        entry(tr!("entries-help"), UiCommand::Help)
            .with_keywords("entries-help-keywords")
            .with_shortcut(keys::HELP),
        entry(tr!("entries-tour"), UiCommand::Tour).with_keywords("entries-tour-keywords"),
        entry(tr!("entries-glossary"), UiCommand::Glossary)
            .with_keywords("entries-glossary-keywords"),
        entry(tr!("entries-presenter-view"), UiCommand::Present)
            .with_keywords("entries-presenter-view-keywords")
            .with_shortcut(keys::PRESENT),
        entry(tr!("entries-report-problem"), UiCommand::ReportProblem)
            .with_keywords("entries-report-problem-keywords"),
        entry(tr!("entries-frame-times"), UiCommand::FrameTimes),
    ]);
    all
}

fn grid_entries(session: &Session) -> Vec<PaletteEntry> {
    let grid = &session.experiment.grid;
    let mut all = vec![
        pick_entry(tr!("entries-open-grid"), DialogPurpose::Grid)
            .with_keywords("entries-open-grid-keywords"),
        pick_entry(tr!("entries-save-grid"), DialogPurpose::SaveGrid)
            .enabled_if(grid.view.ready().is_some()),
        pick_entry(tr!("entries-check-packed"), DialogPurpose::Packed)
            .with_keywords("entries-check-packed-keywords"),
        change_entry(tr!("experiment-use-single-values"), Session::close_grid)
            .enabled_if(session.has_grid()),
    ];
    for key in grid_keys(&session.experiment.draft) {
        let title = tr!("entries-several-values", setting = title_of(key));
        let vary = UiCommand::change_on(Page::Experiment, move |session| session.vary(key));
        let vary = entry(title, vary).with_keywords("entries-several-values-keywords");
        all.push(vary.enabled_if(!grid.varying.has(key)));
    }
    for (name, title) in shipped_grids() {
        let title = tr!("entries-open-named-grid", title = grid_title(title));
        let open = move |session: &mut Session| session.open_grid((*name).into());
        all.push(entry(title, UiCommand::change_on(Page::Experiment, open)));
    }
    all
}

/// An entry of the command palette.
pub struct PaletteEntry {
    /// Its title.
    pub title: String,
    /// Additional search terms, which are matched by initial letters.
    keywords: &'static str,
    /// Its shortcut.
    pub shortcut: Option<KeyboardShortcut>,
    /// The page on which the shortcut applies; `None` for every page.
    pub page: Option<Page>,
    /// The command.
    pub command: UiCommand,
    /// Whether it is available.
    pub enabled: bool,
    /// Whether it ends or removes something. Such an entry matches only the start of its title.
    is_destructive: bool,
}

/// Returns an available entry for all pages without a shortcut.
fn entry(title: impl Into<String>, command: UiCommand) -> PaletteEntry {
    PaletteEntry {
        title: title.into(),
        keywords: "",
        shortcut: None,
        page: None,
        command,
        enabled: true,
        is_destructive: false,
    }
}

impl PaletteEntry {
    fn with_shortcut(self, keys: KeyboardShortcut) -> Self {
        let shortcut = Some(keys);
        Self { shortcut, ..self }
    }

    fn on_page(self, page: Page) -> Self {
        let page = Some(page);
        Self { page, ..self }
    }

    /// Adds the words of this message as search terms.
    fn with_keywords(self, id: &'static str) -> Self {
        let keywords = tr!(id);
        Self { keywords, ..self }
    }

    fn enabled_if(self, enabled: bool) -> Self {
        Self { enabled, ..self }
    }

    fn destructive(self) -> Self {
        let is_destructive = true;
        Self { is_destructive, ..self }
    }

    /// Returns how well the entry matches the typed text (0 is the best match); `None` if it does not match.
    fn rank(&self, typed: &str) -> Option<usize> {
        let (title, typed) = (self.title.to_lowercase(), typed.trim().to_lowercase());
        let terms: Vec<&str> = typed.split_whitespace().collect();
        let matches_words = |words: &str| {
            let mut words = words.split_whitespace();
            terms
                .iter()
                .all(|term| words.any(|word| trim_leading_punctuation(word).starts_with(term)))
        };
        let rank = if title.starts_with(&typed) {
            0
        } else if self.is_destructive {
            return None;
        } else if !self.keywords.is_empty() && matches_words(self.keywords) {
            0
        } else if matches_words(&title) {
            2
        } else if title.contains(&typed) {
            3
        } else if matches_initials(&title, &typed) {
            4
        } else {
            return None;
        };
        // Unavailable entries come after available ones.
        Some(rank + if self.enabled { 0 } else { 10 })
    }
}

/// Returns a word without punctuation at its start.
fn trim_leading_punctuation(word: &str) -> &str {
    word.trim_start_matches(|c: char| !c.is_alphanumeric())
}

/// Returns whether the typed letters occur in this order in the title. The first letter must be at the start of a word.
/// Each further letter must follow the previous one directly or be at the start of a later word.
fn matches_initials(title: &str, typed: &str) -> bool {
    let letters: Vec<char> = title.chars().collect();
    let starts_word = |index: usize| index == 0 || !letters[index - 1].is_alphanumeric();
    let mut positions = vec![];
    for (i, letter) in typed.chars().filter(|c| !c.is_whitespace()).enumerate() {
        let is_match = |index: &usize| {
            let follows = positions.iter().any(|&previous| {
                *index == previous + 1 || (*index > previous && starts_word(*index))
            });
            letters[*index] == letter && if i == 0 { starts_word(*index) } else { follows }
        };
        positions = (0..letters.len()).filter(is_match).collect();
        if positions.is_empty() {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(title: &str, typed: &str) -> Option<usize> {
        entry(title, UiCommand::Palette).rank(typed)
    }

    #[test]
    fn prefix_ranks_before_word_and_initials() {
        let best = rank("Predict with digits", "pred");
        let word = rank("Go to Predict", "pred");
        let letters = rank("Go to Predict", "gtp");
        assert!(best < word && word < letters, "{best:?} {word:?} {letters:?}");
        assert!(rank("Theme: dark", "the dark").is_some());
        assert_eq!(rank("Go to Train", "predict"), None);
        // Letters in the middle of words do not match.
        assert_eq!(rank("Copy as command", "oa"), None);
    }

    #[test]
    fn destructive_entry_matches_only_the_start_of_its_title() {
        let stop = entry("Stop run and save", UiCommand::Stop).destructive();
        assert_eq!(stop.rank("run"), None);
        assert_eq!(stop.rank("s t"), None);
        assert_eq!(stop.rank("sto"), Some(0));
    }
}

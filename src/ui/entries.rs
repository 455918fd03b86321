//! The entries of the command palette: all available commands, sorted by their match with the typed text.

use egui::KeyboardShortcut;
use egui::gui_zoom::kb_shortcuts::ZOOM_RESET;

use crate::data::export::Form;
use crate::data::published;
use crate::session::Session;
use crate::session::chooser::{DataExportKind, DialogPurpose};
use crate::session::collection::Purpose;
use crate::session::grids::{grid_title, shipped_grids};
use crate::session::plain::title_of;
use crate::session::presets::presets;
use crate::session::views::{RunRow, RunState};
use crate::session::words::time_text;
use crate::texts::Language;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::keys;
use crate::ui::pages::experiment::grid_keys;
use crate::ui::pages::predict::askable;
use crate::ui::settings::ThemeChoice;

/// Maximum number of stored runs listed for each command.
const RUNS: usize = 12;

/// Returns the entries that match the typed text, best match first.
pub fn found(session: &Session, typed: &str) -> Vec<PaletteEntry> {
    let fitting = entries(session).into_iter();
    let mut fitting: Vec<(usize, PaletteEntry)> = fitting
        .filter_map(|entry| Some((entry.fit(typed)?, entry)))
        .collect();
    fitting.sort_by_key(|(fit, _)| *fit);
    fitting.into_iter().map(|(_, entry)| entry).collect()
}

fn change(title: impl Into<String>, change: impl FnOnce(&mut Session) + 'static) -> PaletteEntry {
    entry(title, UiCommand::change(change))
}

fn pick(title: &str, wanted: DialogPurpose) -> PaletteEntry {
    entry(title, UiCommand::pick(wanted))
}

/// Returns all entries that are available now.
fn entries(session: &Session) -> Vec<PaletteEntry> {
    let mut all = of_pages();
    all.extend(of_experiment(session));
    all.extend(of_grids(session));
    all.extend(of_run_at_work(session));
    all.extend(of_stored_runs(session));
    all.extend(of_window(session));
    all
}

fn of_pages() -> Vec<PaletteEntry> {
    let pages = Page::ALL.into_iter().map(|(page, ..)| {
        let title = tr!("entries-go-to", page = page.title());
        entry(title, UiCommand::Show(page)).keys(page.shortcut())
    });
    pages.collect()
}

fn of_experiment(session: &Session) -> Vec<PaletteEntry> {
    let ready = session.can_start();
    let start = match session.with_baseline() {
        true => tr!("experiment-start-both"),
        false => tr!("experiment-start"),
    };
    let is_beside = session.experiment.beside;
    let beside = match is_beside {
        true => tr!("entries-train-alone"),
        false => tr!("entries-train-with-baseline"),
    };
    let mut all = vec![
        entry(start, UiCommand::Start)
            .also("entries-start-keywords")
            .keys(keys::START)
            .when(ready),
        entry(tr!("experiment-three-class-orders"), UiCommand::TrainOrders).when(ready),
        change(beside, move |s| s.experiment.beside = !is_beside),
    ];
    for preset in presets() {
        let title = tr!("entries-preset", preset = preset.title());
        let set_up = entry(title, UiCommand::from(preset));
        all.push(set_up.also("entries-preset-keywords"));
    }
    for name in ["digits", "letters", "cifar-10", "cifar-100", "imagenet-r"] {
        let title = published::published(name).map_or(name, |set| set.name);
        let title = tr!("entries-choose-data", title);
        all.push(entry(title, UiCommand::ChooseData(name.into())));
    }
    let there = session.experiment.data.ready().is_some();
    let export = |form| {
        let title = match form {
            Form::Project => tr!("entries-export-teachable-machine"),
            Form::Folder => tr!("entries-export-folder"),
        };
        pick(title, DialogPurpose::DataExport(DataExportKind::Data, form)).when(there)
    };
    let open = |title, wanted| pick(title, wanted).also("entries-open-file-keywords");
    all.extend([
        open(tr!("entries-choose-data-folder"), DialogPurpose::DataFolder),
        entry(
            tr!("entries-create-dataset"),
            UiCommand::Collect(Purpose::Data),
        )
        .also("entries-create-dataset-keywords"),
        export(Form::Project),
        export(Form::Folder),
        change(tr!("entries-reload-dataset"), Session::read_data_again),
        open(tr!("entries-choose-weights"), DialogPurpose::Weights),
        open(tr!("entries-choose-class-order"), DialogPurpose::Order),
        open(tr!("experiment-pet-start"), DialogPurpose::PetStart),
    ]);
    all.extend([
        entry(tr!("entries-redo"), UiCommand::Redo).keys(keys::REDO),
        entry(tr!("entries-undo"), UiCommand::Undo).keys(keys::UNDO),
        entry(tr!("experiment-copy-command"), UiCommand::CopyCommand),
        entry(tr!("entries-restore-settings"), UiCommand::RestoreSettings)
            .when(session.former.waits()),
        change(tr!("entries-discard-settings"), |s| s.former.forget())
            .when(session.former.waits())
            .careful(),
    ]);
    all
}

fn of_run_at_work(session: &Session) -> Vec<PaletteEntry> {
    let training = session.is_training();
    let held = session.waiting().any(|job| job.held);
    let waits = session.waiting().next().is_some();
    let hold = |title, held| change(title, move |session| session.hold_queue(held));
    let mut all = vec![
        entry(tr!("entries-pause-or-resume"), UiCommand::PauseOrResume)
            .keys(keys::PAUSE)
            .on(Page::Train)
            .when(training),
        entry(tr!("entries-stop"), UiCommand::Stop)
            .keys(keys::STOP)
            .when(training)
            .careful(),
        hold(tr!("entries-resume-queue"), false).when(held),
        hold(tr!("entries-pause-queue"), true).when(waits && !held),
        change(tr!("entries-show-run"), Session::close_opened).when(session.train.opened.is_some()),
    ];
    for (place, job) in session.waiting().enumerate() {
        let (number, title, job) = (place + 1, job.title.as_str(), job.id);
        if place > 0 {
            let words = tr!("entries-train-next", number, title);
            all.push(change(words, move |session| session.move_in_queue(job, 0)));
        }
        let words = tr!("entries-remove-from-queue", number, title);
        all.push(entry(words, UiCommand::RemoveJob(job)).careful());
    }
    all
}

fn of_stored_runs(session: &Session) -> Vec<PaletteEntry> {
    let called = |row: &RunRow| format!("{}, {}", row.title(), time_text(&row.name));
    let mut all = Vec::new();
    let readable = session.rows().filter(|row| row.header.is_some());
    for row in readable.take(RUNS) {
        let (called, folder) = (called(row), row.folder.clone());
        let name = called.as_str();
        if matches!(row.state, RunState::Unfinished(_)) && row.read_only_reason().is_none() {
            let resume = UiCommand::Resume(folder.clone(), None);
            let resume = entry(tr!("entries-resume-run", run = name), resume);
            all.push(resume.also("entries-resume-keywords"));
        }
        let open = UiCommand::Open(folder.clone());
        all.push(entry(tr!("entries-open-run", run = name), open));
        if let Some(header) = &row.header {
            let again = UiCommand::LoadSettings(Box::new(header.config.clone()));
            let again = entry(tr!("entries-duplicate-run", run = name), again);
            all.push(again.also("entries-duplicate-keywords"));
        }
        if row.read_only_reason().is_some() {
            continue;
        }
        let name_it = UiCommand::Describe(folder.clone());
        let name_it = entry(tr!("entries-name-run", run = name), name_it);
        all.push(name_it.also("entries-name-keywords"));
        if row.state != RunState::Busy {
            let delete = UiCommand::Delete(vec![folder]);
            all.push(entry(tr!("entries-delete-run", run = name), delete).careful());
        }
    }
    for (folder, title) in askable(session).take(RUNS) {
        let ask = UiCommand::PredictWith(folder);
        all.push(entry(tr!("entries-predict-with-run", run = title), ask));
    }
    all.extend([
        pick(tr!("entries-predict-image"), DialogPurpose::Image),
        pick(tr!("entries-predict-folder"), DialogPurpose::Pictures),
        entry(tr!("entries-deleted-runs"), UiCommand::Deleted)
            .also("entries-deleted-runs-keywords"),
        entry(tr!("entries-run-folders"), UiCommand::Folders).also("entries-run-folders-keywords"),
        entry(tr!("entries-paste-image"), UiCommand::Paste)
            .keys(keys::PASTE)
            .on(Page::Predict),
        change(tr!("entries-reload-runs"), Session::list_runs),
    ]);
    all
}

fn of_window(session: &Session) -> Vec<PaletteEntry> {
    let mut all = vec![
        change(tr!("entries-reload-plugins"), Session::read_plugins),
        entry(tr!("entries-notices"), UiCommand::Notices),
        entry(
            tr!("entries-device-auto"),
            UiCommand::ChooseDevice("auto".into()),
        ),
    ];
    for device in &session.inventory.devices {
        let choose = UiCommand::ChooseDevice(device.key.clone());
        let title = tr!("entries-device", device = device.title.as_str());
        all.push(entry(title, choose));
    }
    for view in &session.places.list {
        let name = view.place.name.clone();
        let title = tr!("entries-device", device = name.as_str());
        let choose = change(title, move |session| session.choose_place(Some(name)));
        all.push(choose.also("entries-place-keywords"));
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
        all.push(entry(title, UiCommand::SetLanguage(language)).also("entries-language-keywords"));
    }
    for (percent, shortcut) in [
        (100, Some(ZOOM_RESET)),
        (125, None),
        (150, None),
        (200, None),
    ] {
        let zoom = UiCommand::Zoom(percent as f32 / 100.0);
        let zoom = entry(tr!("entries-zoom", percent), zoom);
        all.push(PaletteEntry {
            shortcut,
            ..zoom.also("entries-zoom-keywords")
        });
    }
    for (title, still) in [
        (tr!("entries-reduce-motion"), true),
        (tr!("entries-allow-motion"), false),
    ] {
        all.push(entry(title, UiCommand::ReduceMotion(still)).also("entries-motion-keywords"));
    }
    all.extend([
        entry(tr!("entries-help"), UiCommand::Help)
            .also("entries-help-keywords")
            .keys(keys::HELP),
        entry(tr!("entries-tour"), UiCommand::Tour).also("entries-tour-keywords"),
        entry(tr!("entries-glossary"), UiCommand::Glossary).also("entries-glossary-keywords"),
        entry(tr!("entries-presenter-view"), UiCommand::Present)
            .also("entries-presenter-view-keywords")
            .keys(keys::PRESENT),
        entry(tr!("entries-report-problem"), UiCommand::ReportProblem)
            .also("entries-report-problem-keywords"),
        entry(tr!("entries-frame-times"), UiCommand::FrameTimes),
    ]);
    all
}

fn of_grids(session: &Session) -> Vec<PaletteEntry> {
    let grid = &session.experiment.grid;
    let mut all = vec![
        pick(tr!("entries-open-grid"), DialogPurpose::Grid).also("entries-open-grid-keywords"),
        pick(tr!("entries-save-grid"), DialogPurpose::SaveGrid).when(grid.view.ready().is_some()),
        pick(tr!("entries-check-packed"), DialogPurpose::Packed)
            .also("entries-check-packed-keywords"),
        change(tr!("experiment-use-single-values"), Session::close_grid).when(session.has_grid()),
    ];
    for key in grid_keys(&session.experiment.draft) {
        let title = tr!("entries-several-values", setting = title_of(key));
        let vary = UiCommand::change_on(Page::Experiment, move |session| session.vary(key));
        let vary = entry(title, vary).also("entries-several-values-keywords");
        all.push(vary.when(!grid.several.has(key)));
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
    also: &'static str,
    /// Its shortcut.
    pub shortcut: Option<KeyboardShortcut>,
    /// The page on which the shortcut applies; `None` for every page.
    pub on: Option<Page>,
    /// The command.
    pub command: UiCommand,
    /// Whether it is available.
    pub enabled: bool,
    /// Whether it ends or removes something. Such an entry matches only the start of its title.
    careful: bool,
}

/// Returns an available entry for all pages without a shortcut.
fn entry(title: impl Into<String>, command: UiCommand) -> PaletteEntry {
    PaletteEntry {
        title: title.into(),
        also: "",
        shortcut: None,
        on: None,
        command,
        enabled: true,
        careful: false,
    }
}

impl PaletteEntry {
    fn keys(self, keys: KeyboardShortcut) -> Self {
        let shortcut = Some(keys);
        Self { shortcut, ..self }
    }

    fn on(self, page: Page) -> Self {
        let on = Some(page);
        Self { on, ..self }
    }

    /// Adds the words of this message as search terms.
    fn also(self, id: &'static str) -> Self {
        let also = tr!(id);
        Self { also, ..self }
    }

    fn when(self, enabled: bool) -> Self {
        Self { enabled, ..self }
    }

    fn careful(self) -> Self {
        let careful = true;
        Self { careful, ..self }
    }

    /// Returns how well the entry matches the typed text (0 is the best match); `None` if it does not match.
    fn fit(&self, typed: &str) -> Option<usize> {
        let (title, typed) = (self.title.to_lowercase(), typed.trim().to_lowercase());
        let wanted: Vec<&str> = typed.split_whitespace().collect();
        let begins = |words: &str| {
            let mut words = words.split_whitespace();
            wanted
                .iter()
                .all(|want| words.any(|word| bare(word).starts_with(want)))
        };
        let place = if title.starts_with(&typed) {
            0
        } else if self.careful {
            return None;
        } else if !self.also.is_empty() && begins(self.also) {
            0
        } else if begins(&title) {
            2
        } else if title.contains(&typed) {
            3
        } else if initials(&title, &typed) {
            4
        } else {
            return None;
        };
        // Unavailable entries come after available ones.
        Some(place + if self.enabled { 0 } else { 10 })
    }
}

/// Returns a word without punctuation at its start.
fn bare(word: &str) -> &str {
    word.trim_start_matches(|c: char| !c.is_alphanumeric())
}

/// Returns whether the typed letters occur in this order in the title. The first letter must be at the start of a word.
/// Each further letter must follow the previous one directly or be at the start of a later word.
fn initials(title: &str, typed: &str) -> bool {
    let letters: Vec<char> = title.chars().collect();
    let starts = |at: usize| at == 0 || !letters[at - 1].is_alphanumeric();
    let mut reached = vec![];
    for (i, want) in typed.chars().filter(|c| !c.is_whitespace()).enumerate() {
        let fits = |at: &usize| {
            let follows = reached
                .iter()
                .any(|&before| *at == before + 1 || (*at > before && starts(*at)));
            letters[*at] == want && if i == 0 { starts(*at) } else { follows }
        };
        reached = (0..letters.len()).filter(fits).collect();
        if reached.is_empty() {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(title: &str, typed: &str) -> Option<usize> {
        entry(title, UiCommand::Palette).fit(typed)
    }

    #[test]
    fn what_begins_so_comes_before_what_only_holds_the_letters() {
        let best = fit("Predict with digits", "pred");
        let word = fit("Go to Predict", "pred");
        let letters = fit("Go to Predict", "gtp");
        assert!(
            best < word && word < letters,
            "{best:?} {word:?} {letters:?}"
        );
        assert!(fit("Theme: dark", "the dark").is_some());
        assert_eq!(fit("Go to Train", "predict"), None);
        // Letters in the middle of words do not match.
        assert_eq!(fit("Copy as command", "oa"), None);
    }

    #[test]
    fn what_ends_something_is_found_by_its_own_first_word_alone() {
        let stop = entry("Stop run and save", UiCommand::Stop).careful();
        assert_eq!(stop.fit("run"), None);
        assert_eq!(stop.fit("s t"), None);
        assert_eq!(stop.fit("sto"), Some(0));
    }
}

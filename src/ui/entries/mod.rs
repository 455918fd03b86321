//! The entries of the command palette: all available commands, and their order for the typed text.

mod entry;
mod grids;

use egui::gui_zoom::kb_shortcuts::ZOOM_RESET;

use crate::data::export::Form;
use crate::data::named;
use crate::session::Session;
use crate::session::chooser::DialogPurpose;
use crate::session::collection::Purpose;
use crate::session::data_export::DataExportKind;
use crate::session::presets::presets;
use crate::session::views::{RunRow, RunState};
use crate::session::words::time_text;
use crate::texts::Language;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::keys;
use crate::ui::page_commands::PlaceCommand;
use crate::ui::pages::predict::askable;
use crate::ui::settings::ThemeChoice;
pub use entry::PaletteEntry;

/// Maximum number of stored runs listed per command.
const RUNS: usize = 12;

/// Returns the matching entries, best first.
pub fn found(session: &Session, typed: &str) -> Vec<PaletteEntry> {
    let fitting = entries(session).into_iter();
    let mut fitting: Vec<(usize, PaletteEntry)> = fitting
        .filter_map(|entry| Some((entry.fit(typed)?, entry)))
        .collect();
    fitting.sort_by_key(|(fit, _)| *fit);
    fitting.into_iter().map(|(_, entry)| entry).collect()
}

/// Returns all entries.
fn entries(session: &Session) -> Vec<PaletteEntry> {
    let mut all = of_pages();
    all.extend(of_experiment(session));
    all.extend(grids::of_grids(session));
    all.extend(of_run_at_work(session));
    all.extend(of_stored_runs(session));
    all.extend(of_window(session));
    all
}

fn of_pages() -> Vec<PaletteEntry> {
    let pages = Page::ALL.into_iter().map(|(page, ..)| {
        let title = tr!("entries-go-to", page = page.title());
        PaletteEntry::new(title, UiCommand::Show(page)).keys(page.shortcut())
    });
    pages.collect()
}

fn of_experiment(session: &Session) -> Vec<PaletteEntry> {
    let ready = session.can_start();
    let start = match session.with_baseline() {
        true => tr!("experiment-start-both"),
        false => tr!("experiment-start"),
    };
    let mut all = vec![
        PaletteEntry::new(start, UiCommand::Start)
            .also("entries-start-keywords")
            .keys(keys::START)
            .when(ready),
        PaletteEntry::new(tr!("experiment-three-class-orders"), UiCommand::TrainOrders).when(ready),
        match session.experiment.beside {
            true => PaletteEntry::new(tr!("entries-train-alone"), UiCommand::Beside(false)),
            false => PaletteEntry::new(tr!("entries-train-with-baseline"), UiCommand::Beside(true)),
        },
    ];
    for preset in presets() {
        let title = tr!("entries-preset", preset = preset.title());
        let set_up = PaletteEntry::new(title, UiCommand::from(preset));
        all.push(set_up.also("entries-preset-keywords"));
    }
    for name in ["digits", "letters", "cifar-10", "cifar-100", "imagenet-r"] {
        let title = named::published(name).map_or(name, |set| set.name);
        all.push(PaletteEntry::new(
            tr!("entries-choose-data", title = title),
            UiCommand::ChooseData(name.into()),
        ));
    }
    let there = session.experiment.data.ready().is_some();
    let export = |form| {
        let title = match form {
            Form::Project => tr!("entries-export-teachable-machine"),
            Form::Folder => tr!("entries-export-folder"),
        };
        PaletteEntry::new(
            title,
            UiCommand::Pick(DialogPurpose::DataExport(DataExportKind::Data, form)),
        )
        .when(there)
    };
    let pick = |title, wanted| {
        let pick = PaletteEntry::new(title, UiCommand::Pick(wanted));
        pick.also("entries-open-file-keywords")
    };
    all.extend([
        pick(tr!("entries-choose-data-folder"), DialogPurpose::DataFolder),
        PaletteEntry::new(
            tr!("entries-create-dataset"),
            UiCommand::Collect(Purpose::Data),
        )
        .also("entries-create-dataset-keywords"),
        export(Form::Project),
        export(Form::Folder),
        PaletteEntry::new(tr!("entries-reload-dataset"), UiCommand::ReadDataAgain),
        pick(tr!("entries-choose-weights"), DialogPurpose::Weights),
        pick(tr!("entries-choose-class-order"), DialogPurpose::Order),
        pick(tr!("experiment-pet-start"), DialogPurpose::PetStart),
    ]);
    all.extend([
        PaletteEntry::new(tr!("entries-redo"), UiCommand::Redo).keys(keys::REDO),
        PaletteEntry::new(tr!("entries-undo"), UiCommand::Undo).keys(keys::UNDO),
        PaletteEntry::new(tr!("experiment-copy-command"), UiCommand::CopyCommand),
        PaletteEntry::new(tr!("entries-restore-settings"), UiCommand::UseFormer)
            .when(session.former.waits()),
        PaletteEntry::new(tr!("entries-discard-settings"), UiCommand::DropFormer)
            .when(session.former.waits())
            .careful(),
    ]);
    all
}

fn of_run_at_work(session: &Session) -> Vec<PaletteEntry> {
    let training = session.is_training();
    let held = session.waiting().any(|job| job.held);
    let waits = session.waiting().next().is_some();
    let mut all = vec![
        PaletteEntry::new(tr!("entries-pause-or-resume"), UiCommand::PauseOrGoOn)
            .keys(keys::PAUSE)
            .on(Page::Train)
            .when(training),
        PaletteEntry::new(tr!("entries-stop"), UiCommand::Stop)
            .keys(keys::STOP)
            .when(training)
            .careful(),
        PaletteEntry::new(tr!("entries-resume-queue"), UiCommand::HoldQueue(false)).when(held),
        PaletteEntry::new(tr!("entries-pause-queue"), UiCommand::HoldQueue(true))
            .when(waits && !held),
        PaletteEntry::new(tr!("entries-show-run"), UiCommand::CloseOpened)
            .when(session.train.opened.is_some()),
    ];
    for (place, job) in session.waiting().enumerate() {
        let (number, title) = (place + 1, job.title.as_str());
        if place > 0 {
            let command = UiCommand::MoveInQueue(job.id, 0);
            let words = tr!("entries-train-next", number = number, title = title);
            all.push(PaletteEntry::new(words, command));
        }
        let command = UiCommand::TakeOut(job.id);
        let words = tr!("entries-remove-from-queue", number = number, title = title);
        all.push(PaletteEntry::new(words, command).careful());
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
        if matches!(row.state, RunState::Unfinished(_)) && row.fixed().is_none() {
            let resume = UiCommand::Resume(folder.clone(), None);
            let resume = PaletteEntry::new(tr!("entries-resume-run", run = name), resume);
            all.push(resume.also("entries-resume-keywords"));
        }
        let open = UiCommand::Open(folder.clone());
        all.push(PaletteEntry::new(tr!("entries-open-run", run = name), open));
        if let Some(header) = &row.header {
            let again = UiCommand::Repeat(Box::new(header.config.clone()));
            let again = PaletteEntry::new(tr!("entries-duplicate-run", run = name), again);
            all.push(again.also("entries-duplicate-keywords"));
        }
        if row.fixed().is_some() {
            continue;
        }
        let name_it = UiCommand::Describe(folder.clone());
        let name_it = PaletteEntry::new(tr!("entries-name-run", run = name), name_it);
        all.push(name_it.also("entries-name-keywords"));
        if row.state != RunState::Busy {
            let delete = UiCommand::Delete(vec![folder]);
            all.push(PaletteEntry::new(tr!("entries-delete-run", run = name), delete).careful());
        }
    }
    for (folder, title) in askable(session).take(RUNS) {
        let ask = UiCommand::PredictWith(folder);
        all.push(PaletteEntry::new(
            tr!("entries-predict-with-run", run = title),
            ask,
        ));
    }
    let reload = PaletteEntry::new(tr!("entries-reload-runs"), UiCommand::ReloadRuns);
    all.extend([
        PaletteEntry::new(
            tr!("entries-predict-image"),
            UiCommand::Pick(DialogPurpose::Image),
        ),
        PaletteEntry::new(
            tr!("entries-predict-folder"),
            UiCommand::Pick(DialogPurpose::Pictures),
        ),
        PaletteEntry::new(tr!("entries-deleted-runs"), UiCommand::Deleted)
            .also("entries-deleted-runs-keywords"),
        PaletteEntry::new(tr!("entries-run-folders"), UiCommand::Folders)
            .also("entries-run-folders-keywords"),
        PaletteEntry::new(tr!("entries-paste-image"), UiCommand::Paste)
            .keys(keys::PASTE)
            .on(Page::Predict),
        reload,
    ]);
    all
}

fn of_window(session: &Session) -> Vec<PaletteEntry> {
    let mut all = vec![
        PaletteEntry::new(tr!("entries-reload-plugins"), UiCommand::ReloadPlugins),
        PaletteEntry::new(tr!("entries-notices"), UiCommand::Notices),
        PaletteEntry::new(
            tr!("entries-device-auto"),
            UiCommand::ChooseDevice("auto".into()),
        ),
    ];
    for device in &session.inventory.devices {
        let choose = UiCommand::ChooseDevice(device.key.clone());
        let title = tr!("entries-device", device = device.title.as_str());
        all.push(PaletteEntry::new(title, choose));
    }
    for view in &session.places.list {
        let name = view.place.name.clone();
        let choose = UiCommand::OnPlace(PlaceCommand::Choose(name.clone()));
        let entry = PaletteEntry::new(tr!("entries-device", device = name), choose);
        all.push(entry.also("entries-place-keywords"));
    }
    for (choice, _) in ThemeChoice::ALL {
        let title = match choice {
            ThemeChoice::System => tr!("entries-theme-system"),
            ThemeChoice::Light => tr!("entries-theme-light"),
            ThemeChoice::Dark => tr!("entries-theme-dark"),
        };
        all.push(PaletteEntry::new(title, UiCommand::Theme(choice)));
    }
    for (language, name) in Language::ALL {
        let title = tr!("entries-language", language = name);
        let entry = PaletteEntry::new(title, UiCommand::Speak(language));
        all.push(entry.also("entries-language-keywords"));
    }
    for (percent, shortcut) in [
        (100, Some(ZOOM_RESET)),
        (125, None),
        (150, None),
        (200, None),
    ] {
        let zoom = UiCommand::Zoom(percent as f32 / 100.0);
        let entry = PaletteEntry::new(tr!("entries-zoom", percent = percent), zoom);
        all.push(PaletteEntry {
            shortcut,
            ..entry.also("entries-zoom-keywords")
        });
    }
    for (title, still) in [
        (tr!("entries-reduce-motion"), true),
        (tr!("entries-allow-motion"), false),
    ] {
        let entry = PaletteEntry::new(title, UiCommand::StandStill(still));
        all.push(entry.also("entries-motion-keywords"));
    }
    let help = PaletteEntry::new(tr!("entries-help"), UiCommand::Help);
    all.push(help.also("entries-help-keywords").keys(keys::HELP));
    let tour = PaletteEntry::new(tr!("entries-tour"), UiCommand::Tour);
    all.push(tour.also("entries-tour-keywords"));
    let glossary = PaletteEntry::new(tr!("entries-glossary"), UiCommand::Glossary);
    all.push(glossary.also("entries-glossary-keywords"));
    let present = PaletteEntry::new(tr!("entries-presenter-view"), UiCommand::Present);
    all.push(
        present
            .also("entries-presenter-view-keywords")
            .keys(keys::PRESENT),
    );
    let report = PaletteEntry::new(tr!("entries-report-problem"), UiCommand::ReportProblem);
    all.push(report.also("entries-report-problem-keywords"));
    all.push(PaletteEntry::new(
        tr!("entries-frame-times"),
        UiCommand::FrameTimes,
    ));
    all
}

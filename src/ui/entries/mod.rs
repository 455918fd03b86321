//! The lines of the command palette: everything the window can be told to do as things stand, and
//! which of them come first for what is typed.

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
use crate::ui::command::{Page, UiCommand};
use crate::ui::keys;
use crate::ui::page_commands::PlaceCommand;
use crate::ui::pages::predict::askable;
use crate::ui::settings::ThemeChoice;
pub use entry::PaletteEntry;

/// Stored runs that are listed, for each thing to do with them.
const RUNS: usize = 12;

/// The lines that fit what is typed, best first.
pub fn found(session: &Session, typed: &str) -> Vec<PaletteEntry> {
    let fitting = entries(session).into_iter();
    let mut fitting: Vec<(usize, PaletteEntry)> = fitting
        .filter_map(|entry| Some((entry.fit(typed)?, entry)))
        .collect();
    fitting.sort_by_key(|(fit, _)| *fit);
    fitting.into_iter().map(|(_, entry)| entry).collect()
}

/// All lines as things stand.
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
    let line = |(page, title, _): (Page, _, _)| {
        PaletteEntry::new(format!("Go to {title}"), UiCommand::Show(page)).keys(page.shortcut())
    };
    Page::ALL.into_iter().map(line).collect()
}

fn of_experiment(session: &Session) -> Vec<PaletteEntry> {
    let ready = session.can_start();
    let start = if session.with_baseline() {
        "Start both runs"
    } else {
        "Start training"
    };
    let mut all = vec![
        PaletteEntry::new(start, UiCommand::Start)
            .also("run train begin go")
            .keys(keys::START)
            .when(ready),
        PaletteEntry::new("Run 3 class orders", UiCommand::TrainOrders).when(ready),
        match session.experiment.beside {
            true => PaletteEntry::new("Train without Baseline beside it", UiCommand::Beside(false)),
            false => PaletteEntry::new("Train with Baseline beside it", UiCommand::Beside(true)),
        },
    ];
    for preset in presets() {
        let title = format!("Set up: {}", preset.title);
        all.push(PaletteEntry::new(title, UiCommand::from(preset)).also("preset"));
    }
    for name in ["digits", "letters", "cifar-10", "cifar-100", "imagenet-r"] {
        let title = named::published(name).map_or(name, |set| set.name);
        all.push(PaletteEntry::new(
            format!("Choose the data set {title}"),
            UiCommand::ChooseData(name.into()),
        ));
    }
    let there = session.experiment.data.ready().is_some();
    let export = |form| {
        let title = match form {
            Form::Project => "Export the data set for Teachable Machine…",
            Form::Folder => "Export the data set as a zip of folders…",
        };
        PaletteEntry::new(
            title,
            UiCommand::Pick(DialogPurpose::DataExport(DataExportKind::Data, form)),
        )
        .when(there)
    };
    let pick = |title, wanted| PaletteEntry::new(title, UiCommand::Pick(wanted)).also("open file");
    all.extend([
        pick("Choose a data folder…", DialogPurpose::DataFolder),
        PaletteEntry::new("Make a data set…", UiCommand::Collect(Purpose::Data))
            .also("draw gather pictures new"),
        export(Form::Project),
        export(Form::Folder),
        PaletteEntry::new("Read the data set again", UiCommand::ReadDataAgain),
        pick("Choose a weight file…", DialogPurpose::Weights),
        pick("Choose a class order…", DialogPurpose::Order),
    ]);
    all.extend([
        PaletteEntry::new("Redo the change of the settings", UiCommand::Redo).keys(keys::REDO),
        PaletteEntry::new("Undo the last change of the settings", UiCommand::Undo).keys(keys::UNDO),
        PaletteEntry::new("Copy as command", UiCommand::CopyCommand),
        PaletteEntry::new("Set up what the last window had", UiCommand::UseFormer)
            .when(session.former.waits()),
        PaletteEntry::new("Forget what the last window had", UiCommand::DropFormer)
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
        PaletteEntry::new("Pause or resume", UiCommand::PauseOrGoOn)
            .keys(keys::PAUSE)
            .on(Page::Train)
            .when(training),
        PaletteEntry::new("Stop the run and save it", UiCommand::Stop)
            .keys(keys::STOP)
            .when(training)
            .careful(),
        PaletteEntry::new("Resume the queue", UiCommand::HoldQueue(false)).when(held),
        PaletteEntry::new("Hold the queue", UiCommand::HoldQueue(true)).when(waits && !held),
        PaletteEntry::new("Show the run at work", UiCommand::CloseOpened)
            .when(session.train.opened.is_some()),
    ];
    for (place, job) in session.waiting().enumerate() {
        let (number, title) = (place + 1, &job.title);
        if place > 0 {
            let command = UiCommand::MoveInQueue(job.id, 0);
            all.push(PaletteEntry::new(
                format!("Train next: {number}, {title}"),
                command,
            ));
        }
        let command = UiCommand::TakeOut(job.id);
        all.push(
            PaletteEntry::new(format!("Remove from the queue: {number}, {title}"), command)
                .careful(),
        );
    }
    all
}

fn of_stored_runs(session: &Session) -> Vec<PaletteEntry> {
    let called = |row: &RunRow| format!("{}, {}", row.title(), time_text(&row.name));
    let mut all = Vec::new();
    let readable = session.rows().filter(|row| row.header.is_some());
    for row in readable.take(RUNS) {
        let (name, folder) = (called(row), row.folder.clone());
        if matches!(row.state, RunState::Unfinished(_)) && row.fixed().is_none() {
            let resume = UiCommand::Resume(folder.clone(), None);
            all.push(PaletteEntry::new(format!("Resume {name}"), resume).also("continue go on"));
        }
        let open = UiCommand::Open(folder.clone());
        all.push(PaletteEntry::new(format!("Open the run {name}"), open));
        if let Some(header) = &row.header {
            let again = UiCommand::Repeat(Box::new(header.config.clone()));
            all.push(
                PaletteEntry::new(format!("Duplicate {name}"), again).also("repeat set up again"),
            );
        }
        if row.fixed().is_some() {
            continue;
        }
        let name_it = UiCommand::Describe(folder.clone());
        all.push(PaletteEntry::new(format!("Name {name}…"), name_it).also("rename tag note"));
        if row.state != RunState::Busy {
            let delete = UiCommand::Delete(vec![folder]);
            all.push(PaletteEntry::new(format!("Delete {name}"), delete).careful());
        }
    }
    for (folder, title) in askable(session).take(RUNS) {
        let ask = UiCommand::PredictWith(folder);
        all.push(PaletteEntry::new(format!("Predict with {title}"), ask));
    }
    let reload = PaletteEntry::new("Reload runs", UiCommand::ReloadRuns);
    all.extend([
        PaletteEntry::new(
            "Open an image to predict…",
            UiCommand::Pick(DialogPurpose::Image),
        ),
        PaletteEntry::new(
            "Predict a folder of pictures…",
            UiCommand::Pick(DialogPurpose::Pictures),
        ),
        PaletteEntry::new("List deleted runs…", UiCommand::Deleted).also("trash restore undo"),
        PaletteEntry::new("List runs of other folders…", UiCommand::Folders).also("open"),
        PaletteEntry::new("Paste an image to predict", UiCommand::Paste)
            .keys(keys::PASTE)
            .on(Page::Predict),
        reload,
    ]);
    all
}

fn of_window(session: &Session) -> Vec<PaletteEntry> {
    let mut all = vec![
        PaletteEntry::new("Reload plugins", UiCommand::ReloadPlugins),
        PaletteEntry::new("Show notices", UiCommand::Notices),
        PaletteEntry::new("Device: automatic", UiCommand::ChooseDevice("auto".into())),
    ];
    for device in &session.inventory.devices {
        let choose = UiCommand::ChooseDevice(device.key.clone());
        all.push(PaletteEntry::new(
            format!("Device: {}", device.title),
            choose,
        ));
    }
    for view in &session.places.list {
        let name = view.place.name.clone();
        let choose = UiCommand::OnPlace(PlaceCommand::Choose(name.clone()));
        let entry = PaletteEntry::new(format!("Device: {name}"), choose);
        all.push(entry.also("place machine ssh elsewhere"));
    }
    for (choice, title) in ThemeChoice::ALL {
        let title = match choice {
            ThemeChoice::System => "follow the system".to_string(),
            _ => title.to_lowercase(),
        };
        all.push(PaletteEntry::new(
            format!("Theme: {title}"),
            UiCommand::Theme(choice),
        ));
    }
    for (percent, shortcut) in [
        (100, Some(ZOOM_RESET)),
        (125, None),
        (150, None),
        (200, None),
    ] {
        let zoom = UiCommand::Zoom(percent as f32 / 100.0);
        let entry = PaletteEntry::new(format!("Zoom: {percent}\u{a0}%"), zoom);
        all.push(PaletteEntry {
            shortcut,
            ..entry.also("size larger smaller")
        });
    }
    for (title, still) in [("Reduce motion", true), ("Allow motion", false)] {
        let entry = PaletteEntry::new(title, UiCommand::StandStill(still));
        all.push(entry.also("animation still accessibility"));
    }
    let help = PaletteEntry::new("Help", UiCommand::Help);
    all.push(help.also("guide shortcuts keys").keys(keys::HELP));
    let tour = PaletteEntry::new("Take the tour", UiCommand::Tour);
    all.push(tour.also("help introduction begin learn"));
    let glossary = PaletteEntry::new("Look up a term", UiCommand::Glossary);
    all.push(glossary.also("glossary words meaning formula"));
    let present = PaletteEntry::new("Present the run in large letters", UiCommand::Present);
    all.push(present.also("full screen projector").keys(keys::PRESENT));
    all.push(PaletteEntry::new("Report a problem…", UiCommand::ReportProblem).also("bug log"));
    all.push(PaletteEntry::new("Show frame times", UiCommand::FrameTimes));
    all
}

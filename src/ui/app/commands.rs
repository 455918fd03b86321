//! Executes the commands of the window.

use std::path::Path;
use std::time::{Duration, Instant};

use egui::{ColorImage, Context};

use super::StudioApp;
use crate::data::scenario::Scenario;
use crate::problem::Problem;
use crate::run::config::RunConfig;
use crate::run::event::ControlRequest;
use crate::session::collection::Purpose;
use crate::session::dataset_settings::dataset_location;
use crate::session::presets;
use crate::session::run_view::Stage;
use crate::store::figure::Figure;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages;
use crate::ui::shell::{AboutDraft, Question, TagsDraft, warning};
use crate::ui::widgets::figure_menu::FigureAction;

/// Maximum time that a start waits for the plan of the settings.
const PLAN_TIMEOUT: Duration = Duration::from_secs(5);

impl StudioApp {
    /// Executes a command. If it ends or loses something, the user is asked for confirmation first.
    pub fn execute(&mut self, ctx: &Context, command: UiCommand) {
        if !matches!(command, UiCommand::Load(_)) {
            // A user action lets closed parts be drawn again.
            self.error_boundaries.after_action();
            self.shell.palette.invalidate();
        }
        let places = self.unapproved_locations(&command);
        if !places.is_empty() {
            self.shell.question = Some(Question::Access(places, Box::new(command)));
            return;
        }
        if warning(&self.session, &command).is_some() {
            self.shell.question = Some(Question::Do(Box::new(command)));
            return;
        }
        self.execute_confirmed(ctx, command);
    }

    /// Executes a command without confirmation.
    // A new command without an arm here does not compile.
    #[deny(clippy::wildcard_enum_match_arm)]
    pub(super) fn execute_confirmed(&mut self, ctx: &Context, command: UiCommand) {
        match command {
            UiCommand::Change(change, page) => {
                change(&mut self.session);
                if let Some(page) = page {
                    self.show_page(page);
                }
            }
            UiCommand::Show(page) => self.show_page(page),
            UiCommand::Start => {
                self.start_requested = Some(Instant::now());
                ctx.request_repaint();
            }
            UiCommand::Train(configs) => self.train(configs),
            UiCommand::TrainOrders => self.train_orders(),
            UiCommand::LoadPreset(preset, config) => self.load_preset(preset, *config),
            UiCommand::SetTasks(scenario) => self.set_tasks(*scenario),
            UiCommand::LoadSettings(config) => {
                let corrected = config.corrected.clone();
                self.load_settings(*config);
                self.session.use_corrected_labels(corrected);
            }
            UiCommand::RestoreSettings => self.restore_settings(),
            UiCommand::ChooseData(key) => self.choose_data(&key),
            UiCommand::ChooseWeights(path) => {
                self.session.choose_weights(path);
                self.pages.experiment.choosing_weights = false;
            }
            UiCommand::ExportFigure(action, figure) => self.export_figure(ctx, action, *figure),
            UiCommand::TypePath(purpose) => self.type_path(purpose, ""),
            UiCommand::CancelPath => self.pages.experiment.cancel_choice(),
            UiCommand::UsePath(purpose, path) => self.use_path(ctx, purpose, path),
            UiCommand::Undo => self.undo_or_redo(true),
            UiCommand::Redo => self.undo_or_redo(false),
            UiCommand::CopyCommand => self.copy_command(ctx),
            UiCommand::CopyText(text) => ctx.copy_text(text),
            UiCommand::PauseOrResume => self.pause_or_resume(),
            UiCommand::Stop if self.session.is_training() => {
                self.shell.question = self.session.running_job().map(Question::Stop);
            }
            UiCommand::Stop => {}
            UiCommand::RemoveJob(job) => self.session.remove_job(job),
            UiCommand::Resume(folder, device) => self.resume(&folder, device),
            UiCommand::Open(folder) => {
                self.session.open_run(folder);
                self.show_page(Page::Train);
            }
            UiCommand::AddTask(folder) => {
                self.session.drop_task_preview();
                self.shell.adding_to = Some(folder);
            }
            UiCommand::AddExaminedTask => self.add_task(),
            UiCommand::Collect(purpose) => self.shell.collect.open(purpose),
            UiCommand::SaveCollection(purpose) => self.save_collection(purpose),
            UiCommand::Describe(folder) => {
                self.shell.about = Some(AboutDraft::new(&self.session, folder));
            }
            UiCommand::Tag(folders) => {
                self.shell.tags = Some(TagsDraft::new(&self.session, folders));
            }
            UiCommand::Delete(folders) => {
                self.pages.compare.selection.remove(&folders);
                self.session.delete(folders);
            }
            UiCommand::Erase(places, _) => self.session.erase(places),
            UiCommand::ShowDeleted => {
                self.shell.deleted = true;
                self.session.list_trash();
            }
            UiCommand::ShowFolders => self.shell.folders.open = true,
            UiCommand::PredictWith(folder) => {
                self.session.pin_predictor(folder);
                self.show_page(Page::Predict);
            }
            UiCommand::PredictFile(path) => self.predict_file(path),
            UiCommand::PredictFolder(request) => {
                if self.session.predict_folder(request) {
                    self.pages.predict.begin_prediction_table();
                }
            }
            UiCommand::PredictFiles(files) => self.predict_files(ctx, files),
            UiCommand::PredictImage(image, truth) => {
                self.pages.predict.show_image();
                self.session.predict_image(image, truth);
            }
            UiCommand::Paste => self.request_paste(ctx),
            UiCommand::ChooseDevice(key) => self.choose_device(key),
            UiCommand::Theme(choice) => self.choose_theme(ctx, choice),
            UiCommand::SetLanguage(language) => self.set_language(language),
            UiCommand::Help => self.shell.help = !self.shell.help,
            UiCommand::Tour => self.open_tour(),
            UiCommand::Glossary => {
                self.session.open_lesson(None);
                self.pages.learn.glossary.requested = true;
                self.show_page(Page::Learn);
            }
            UiCommand::ReduceMotion(reduce) => self.reduce_motion(ctx, reduce),
            UiCommand::Zoom(factor) => self.zoom(ctx, factor),
            UiCommand::Present => self.pages.present.toggle(),
            UiCommand::Palette => self.shell.palette.toggle(),
            UiCommand::Notices => self.shell.notices.toggle(self.session.notices.total),
            UiCommand::FrameTimes => self.shell.frame_times = !self.shell.frame_times,
            UiCommand::ReportProblem => {
                self.shell.report.open();
                self.session.gather_bug_report(self.settings_file.clone());
            }
            UiCommand::LogLevel(level) => self.choose_log_level(level),
            UiCommand::StopAt(place, job) => self.session.stop_on_machine(&place, job),
            UiCommand::RemoveJobAt(place, job) => self.session.remove_machine_job(&place, job),
            UiCommand::CancelOnCluster(folder) => self.session.cancel_submission(folder),
            UiCommand::ClosePredictionTable => self.session.close_prediction_table(),
            UiCommand::LeaveTour => self.session.leave_tour(),
            UiCommand::RestartLesson(again) => {
                self.session.restart_lesson(again);
                self.pages.learn.to_top = true;
            }
            UiCommand::DiscardClosedText => drop(self.session.editor.closed.pop()),
            UiCommand::Load(load) => load(&mut self.session),
        }
    }

    /// Shows a page and ends a presentation.
    pub(super) fn show_page(&mut self, page: Page) {
        self.page = page;
        self.pages.present.is_open = false;
        self.error_boundaries.after_page_change();
        self.session.retry_data();
        match page {
            Page::Compare => self.session.list_runs(),
            Page::Train => {
                self.session.check_opened_run();
                self.session.watch_clusters();
            }
            _ => {}
        }
        if page == Page::Predict && self.session.predict.run.is_none() {
            let newest = pages::predict::prediction_runs(&self.session).next();
            if let Some((folder, _)) = newest {
                self.session.choose_predictor(folder);
            }
        }
    }

    /// Starts the planned run or grid once the plan is up to date, because recent changes may still be planned.
    pub(super) fn start_when_planned(&mut self) {
        let Some(since) = self.start_requested else {
            return;
        };
        if !self.session.is_planned() && since.elapsed() < PLAN_TIMEOUT {
            return;
        }
        self.start_requested = None;
        if self.session.is_planned() && self.session.can_start() {
            if self.session.start() {
                self.show_page(Page::Train);
            }
        } else {
            self.show_page(Page::Experiment);
        }
    }

    fn train(&mut self, mut configs: Vec<RunConfig>) {
        for config in &mut configs {
            config.device = self.session.experiment.draft.device.clone();
        }
        if self.session.train_all(configs) {
            self.show_page(Page::Train);
        }
    }

    fn train_orders(&mut self) {
        let draft = &self.session.experiment.draft;
        let data = self.session.experiment.data.ready();
        let paper = presets::find_paper_dataset(draft, data.map_or(0, |view| view.classes.len()));
        self.train(presets::repeat_over_orders(draft, paper, 3));
    }

    fn load_preset(&mut self, preset: &'static str, mut config: RunConfig) {
        // If the user has their own copy of the paper's data, its path is kept.
        let data = self.session.experiment.data.ready();
        let class_count = data.map(|view| view.classes.len());
        let has_same_classes =
            class_count.is_some() && class_count == presets::paper_class_count(&config);
        if has_same_classes && config.data != self.session.experiment.draft.data {
            let current_data = self.session.experiment.draft.data.clone();
            let (mine, its) = (current_data.as_str(), config.data.as_str());
            self.show_notice(&tr!("shell-still-using-dataset", mine, its));
            config.data = current_data;
        }
        self.load_settings(config);
        let found = presets::presets().iter().find(|candidate| candidate.name == preset);
        self.session.experiment.with_baseline =
            found.is_some_and(|candidate| candidate.comparison.is_some());
        self.session.experiment.preset = Some(preset.to_string());
    }

    fn load_settings(&mut self, mut config: RunConfig) {
        config.device = self.session.experiment.draft.device.clone();
        self.session.load_run_settings(config);
        self.show_page(Page::Experiment);
    }

    /// Returns the places on other computers that a command would access because a run's settings name them.
    fn unapproved_locations(&self, command: &UiCommand) -> Vec<String> {
        let config = match command {
            UiCommand::LoadSettings(config) => Some(&**config),
            UiCommand::Resume(folder, _) | UiCommand::AddTask(folder) => {
                self.session.header_of(folder).map(|header| &header.config)
            }
            _ => None,
        };
        config.map_or_else(Vec::new, |config| self.session.unapproved_locations(config))
    }

    fn restore_settings(&mut self) {
        self.session.open_former_folders();
        let several = std::mem::take(&mut self.session.former.varying);
        if let Some(config) = self.session.former.config.take() {
            self.load_settings(config);
            self.session.experiment.grid.varying = several;
        }
    }

    fn choose_data(&mut self, key: &str) {
        self.pages.experiment.choosing_folder = false;
        if dataset_location(key) == self.session.experiment.draft.data {
            self.session.reload_data();
        } else {
            self.session.choose_data(key);
        }
    }

    fn export_figure(&mut self, ctx: &Context, action: FigureAction, figure: Figure) {
        match action {
            FigureAction::CopyImage => self.session.copy_figure(figure),
            FigureAction::CopyNumbers => {
                ctx.copy_text(figure.to_table().to_tsv());
                self.show_notice(tr!("shell-copied-numbers"));
            }
            FigureAction::Save(format) => self.session.pick_figure(figure, format),
        }
    }

    /// Copies a figure to the clipboard once it is drawn.
    pub(super) fn copy_finished_figure(&mut self, ctx: &Context) {
        if let Some(pixels) = self.session.take_copy() {
            let image = ColorImage::from_rgba_unmultiplied(pixels.size, &pixels.rgba);
            ctx.copy_image(image);
            self.show_notice(tr!("shell-copied-image"));
        }
    }

    /// Saves the collected images and shows the page that uses them.
    fn save_collection(&mut self, purpose: Purpose) {
        self.show_page(match purpose {
            Purpose::Data => Page::Experiment,
            Purpose::AddedTask(_) => Page::Train,
        });
        self.pages.experiment.choosing_folder = false;
        self.session.save_collection(purpose);
    }

    /// Requests the content of the clipboard, which arrives as an event one frame later. It is requested in the next
    /// frame, because in the frame after a command of the palette, egui still reports the palette as an open dialog.
    fn request_paste(&mut self, ctx: &Context) {
        if self.page != Page::Predict && !self.shell.collect.is_open() {
            self.show_page(Page::Predict);
        }
        self.paste_requested = true;
        ctx.request_repaint();
    }

    fn copy_command(&mut self, ctx: &Context) {
        let (command, exact) = self.session.shell_command();
        ctx.copy_text(command);
        self.show_notice(match exact {
            true => tr!("shell-copied-command"),
            false => tr!("shell-copied-command-current-labels"),
        });
    }

    fn pause_or_resume(&mut self) {
        match self.session.train.live.as_ref().map(|run| run.stage) {
            Some(Stage::Running) => self.session.control_run(ControlRequest::Pause),
            Some(Stage::Paused) => self.session.control_run(ControlRequest::Run),
            Some(Stage::Finished | Stage::Stopped | Stage::Failed) | None => {}
        }
    }

    fn resume(&mut self, folder: &Path, device: Option<String>) {
        if self.session.former.interrupted.as_deref() == Some(folder) {
            self.session.former.interrupted = None;
        }
        self.session.resume(folder, device);
        self.show_page(Page::Train);
    }

    fn open_tour(&mut self) {
        if self.session.learn.tour.is_none() {
            self.pages.learn.tour = Default::default();
            self.session.begin_tour();
        }
        self.show_page(Page::Learn);
    }

    fn show_notice(&mut self, text: &str) {
        self.session.notify(Problem::new(text), false);
    }

    /// Records the set-up for [`UiCommand::Undo`](crate::ui::command::UiCommand::Undo) once it has not changed for a
    /// moment.
    pub(super) fn record_setup(&mut self, ctx: &Context) {
        if self.session.awaits_suitable_settings() {
            // The selection of a dataset and of its suitable settings is one change.
            return;
        }
        let experiment = &self.session.experiment;
        let is_unchanged = self
            .recorded_setup
            .as_ref()
            .is_some_and(|recorded| experiment.matches_set_up(recorded));
        if is_unchanged && !self.history.is_in_flux() {
            return;
        }
        let setup = experiment.set_up();
        self.recorded_setup = Some(setup.clone());
        self.history.feed_state(ctx.input(|i| i.time), &setup.without_dataset_labels());
        if self.history.is_in_flux() {
            ctx.request_repaint_after(Duration::from_millis(1_100));
        }
    }

    /// Undoes or redoes a change of the set-up.
    pub(super) fn undo_or_redo(&mut self, is_undo: bool) {
        let current = self.session.experiment.set_up().without_dataset_labels();
        let target = match is_undo {
            true => self.history.undo(&current),
            false => self.history.redo(&current),
        };
        if let Some(setup) = target.cloned() {
            self.session.restore_set_up(setup);
            let device = &self.session.experiment.draft.device;
            self.settings.device.clone_from(device);
        }
    }

    /// Sets these tasks. Each move of a class becomes a separate change, even if the moves follow quickly.
    pub(super) fn set_tasks(&mut self, scenario: Scenario) {
        self.history.add_undo(&self.session.experiment.set_up().without_dataset_labels());
        self.session.set_scenario(scenario);
    }
}

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
use crate::session::dataset_settings::data_place;
use crate::session::presets;
use crate::session::run_view::Stage;
use crate::store::figure::Figure;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages;
use crate::ui::shell::{AboutDraft, Question, TagsDraft, warning};
use crate::ui::widgets::figure::FigureWish;

/// Maximum time that a start waits for the plan of the settings.
const PATIENCE: Duration = Duration::from_secs(5);

impl StudioApp {
    /// Executes a command. If it ends or loses something, the user is asked for confirmation first.
    pub fn act(&mut self, ctx: &Context, command: UiCommand) {
        if !matches!(command, UiCommand::Load(_)) {
            // A user action lets closed parts be drawn again.
            self.fences.after_action();
            self.shell.palette.renew();
        }
        let places = self.unvisited(&command);
        if !places.is_empty() {
            self.shell.question = Some(Question::Visit(places, Box::new(command)));
            return;
        }
        if warning(&self.session, &command).is_some() {
            self.shell.question = Some(Question::Do(Box::new(command)));
            return;
        }
        self.carry_out(ctx, command);
    }

    /// Executes a command without confirmation.
    // A new command without an arm here does not compile.
    #[deny(clippy::wildcard_enum_match_arm)]
    pub(super) fn carry_out(&mut self, ctx: &Context, command: UiCommand) {
        match command {
            UiCommand::Change(change, page) => {
                change(&mut self.session);
                if let Some(page) = page {
                    self.show(page);
                }
            }
            UiCommand::Show(page) => self.show(page),
            UiCommand::Start => {
                self.starting = Some(Instant::now());
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
                self.pages.experiment.weights = false;
            }
            UiCommand::ExportFigure(wish, figure) => self.export_figure(ctx, wish, *figure),
            UiCommand::TypePath(wanted) => self.type_path(wanted, ""),
            UiCommand::CancelPath => self.pages.experiment.leave(),
            UiCommand::Picked(wanted, path) => self.picked(ctx, wanted, path),
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
                self.show(Page::Train);
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
            UiCommand::Deleted => {
                self.shell.deleted = true;
                self.session.list_trash();
            }
            UiCommand::Folders => self.shell.folders.open = true,
            UiCommand::PredictWith(folder) => {
                self.session.pin_predictor(folder);
                self.show(Page::Predict);
            }
            UiCommand::PredictFile(path) => self.predict_file(path),
            UiCommand::PredictFolder(wanted) => {
                if self.session.predict_folder(wanted) {
                    self.pages.predict.begin_sheet();
                }
            }
            UiCommand::PredictFiles(files) => self.predict_files(ctx, files),
            UiCommand::PredictPicture(picture, truth) => {
                self.pages.predict.show_picture();
                self.session.predict_picture(picture, truth);
            }
            // A pasted image arrives as an event; this command requests the event.
            UiCommand::Paste => ctx.send_viewport_cmd(egui::ViewportCommand::RequestPaste),
            UiCommand::ChooseDevice(key) => self.choose_device(key),
            UiCommand::Theme(choice) => self.choose_theme(ctx, choice),
            UiCommand::SetLanguage(language) => self.set_language(language),
            UiCommand::Help => self.shell.help = !self.shell.help,
            UiCommand::Tour => self.tour(),
            UiCommand::Glossary => {
                self.session.open_unit(None);
                self.pages.learn.glossary.wanted = true;
                self.show(Page::Learn);
            }
            UiCommand::ReduceMotion(reduce) => self.reduce_motion(ctx, reduce),
            UiCommand::Zoom(factor) => self.zoom(ctx, factor),
            UiCommand::Present => self.pages.present.toggle(),
            UiCommand::Palette => self.shell.palette.toggle(),
            UiCommand::Notices => self.shell.news.toggle(self.session.notices.total),
            UiCommand::FrameTimes => self.shell.frame_times = !self.shell.frame_times,
            UiCommand::ReportProblem => {
                self.shell.report.open();
                self.session.gather_bug_report(self.settings_file.clone());
            }
            UiCommand::LogLevel(level) => self.choose_log_level(level),
            UiCommand::StopAt(place, job) => self.session.stop_at(&place, job),
            UiCommand::RemoveJobAt(place, job) => self.session.remove_job_at(&place, job),
            UiCommand::CancelOnCluster(folder) => self.session.cancel_on_cluster(folder),
            UiCommand::LeaveSheet => self.session.leave_sheet(),
            UiCommand::LeaveTour => self.session.leave_tour(),
            UiCommand::RestartLesson(again) => {
                self.session.restart_unit(again);
                self.pages.learn.to_top = true;
            }
            UiCommand::DropClosedText => drop(self.session.editor.left.pop()),
            UiCommand::Load(load) => load(&mut self.session),
        }
    }

    /// Shows a page and ends a presentation.
    pub(super) fn show(&mut self, page: Page) {
        self.page = page;
        self.pages.present.on = false;
        self.fences.after_page_change();
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
            let newest = pages::predict::askable(&self.session).next();
            if let Some((folder, _)) = newest {
                self.session.choose_predictor(folder);
            }
        }
    }

    /// Starts the planned run or grid once the plan is up to date, because recent changes may still be planned.
    pub(super) fn start_when_planned(&mut self) {
        let Some(since) = self.starting else { return };
        if !self.session.is_planned() && since.elapsed() < PATIENCE {
            return;
        }
        self.starting = None;
        if self.session.is_planned() && self.session.can_start() {
            if self.session.start() {
                self.show(Page::Train);
            }
        } else {
            self.show(Page::Experiment);
        }
    }

    fn train(&mut self, mut configs: Vec<RunConfig>) {
        for config in &mut configs {
            config.device = self.session.experiment.draft.device.clone();
        }
        if self.session.train_all(configs) {
            self.show(Page::Train);
        }
    }

    fn train_orders(&mut self) {
        let draft = &self.session.experiment.draft;
        let data = self.session.experiment.data.ready();
        let paper = presets::paper_of(draft, data.map_or(0, |view| view.classes.len()));
        self.train(presets::over_orders(draft, paper, 3));
    }

    fn load_preset(&mut self, preset: &'static str, mut config: RunConfig) {
        // If the user has their own copy of the paper's data, its path is kept.
        let data = self.session.experiment.data.ready();
        let here = data.map(|view| view.classes.len());
        let same = here.is_some() && here == presets::classes_of(&config);
        if same && config.data != self.session.experiment.draft.data {
            let (mine, its) = (self.session.experiment.draft.data.clone(), &config.data);
            let its = its.as_str();
            self.tell(&tr!("shell-still-using-dataset", mine = mine.as_str(), its));
            config.data = mine;
        }
        self.load_settings(config);
        let pair = presets::presets().iter().find(|known| known.name == preset);
        self.session.experiment.beside = pair.is_some_and(|known| known.then.is_some());
        self.session.experiment.preset = Some(preset.to_string());
    }

    fn load_settings(&mut self, mut config: RunConfig) {
        config.device = self.session.experiment.draft.device.clone();
        self.session.load_run_settings(config);
        self.show(Page::Experiment);
    }

    /// Returns the places on other computers that a command would access because a run's settings name them.
    fn unvisited(&self, command: &UiCommand) -> Vec<String> {
        let config = match command {
            UiCommand::LoadSettings(config) => Some(&**config),
            UiCommand::Resume(folder, _) | UiCommand::AddTask(folder) => {
                self.session.header_of(folder).map(|header| &header.config)
            }
            _ => None,
        };
        config.map_or_else(Vec::new, |config| self.session.unvisited(config))
    }

    fn restore_settings(&mut self) {
        self.session.open_former_folders();
        let several = std::mem::take(&mut self.session.former.several);
        if let Some(config) = self.session.former.config.take() {
            self.load_settings(config);
            self.session.experiment.grid.several = several;
        }
    }

    fn choose_data(&mut self, key: &str) {
        self.pages.experiment.folder = false;
        if data_place(key) == self.session.experiment.draft.data {
            self.session.read_data_again();
        } else {
            self.session.choose_data(key);
        }
    }

    fn export_figure(&mut self, ctx: &Context, wish: FigureWish, figure: Figure) {
        match wish {
            FigureWish::CopyPicture => self.session.copy_figure(figure),
            FigureWish::CopyNumbers => {
                ctx.copy_text(figure.table().tabs());
                self.tell(tr!("shell-copied-numbers"));
            }
            FigureWish::Save(format) => self.session.pick_figure(figure, format),
        }
    }

    /// Copies a figure to the clipboard once it is drawn.
    pub(super) fn take_copy(&mut self, ctx: &Context) {
        if let Some(pixels) = self.session.take_copy() {
            let picture = ColorImage::from_rgba_unmultiplied(pixels.size, &pixels.rgba);
            ctx.copy_image(picture);
            self.tell(tr!("shell-copied-image"));
        }
    }

    /// Saves the collected images and shows the page that uses them.
    fn save_collection(&mut self, purpose: Purpose) {
        self.show(match purpose {
            Purpose::Data => Page::Experiment,
            Purpose::AddedTask(_) => Page::Train,
        });
        self.pages.experiment.folder = false;
        self.session.save_collection(purpose);
    }

    fn copy_command(&mut self, ctx: &Context) {
        let (command, exact) = self.session.command();
        ctx.copy_text(command);
        self.tell(match exact {
            true => tr!("shell-copied-command"),
            false => tr!("shell-copied-command-current-labels"),
        });
    }

    fn pause_or_resume(&mut self) {
        match self.session.train.live.as_ref().map(|run| run.stage) {
            Some(Stage::Running) => self.session.request(ControlRequest::Pause),
            Some(Stage::Paused) => self.session.request(ControlRequest::Run),
            Some(Stage::Finished | Stage::Stopped | Stage::Failed) | None => {}
        }
    }

    fn resume(&mut self, folder: &Path, device: Option<String>) {
        if self.session.former.interrupted.as_deref() == Some(folder) {
            self.session.former.interrupted = None;
        }
        self.session.resume(folder, device);
        self.show(Page::Train);
    }

    fn tour(&mut self) {
        if self.session.learn.tour.is_none() {
            self.pages.learn.tour = Default::default();
            self.session.begin_tour();
        }
        self.show(Page::Learn);
    }

    fn tell(&mut self, text: &str) {
        self.session.notify(Problem::new(text), false);
    }

    /// Records the set-up for [`UiCommand::Undo`](crate::ui::command::UiCommand::Undo) once it has not changed for a
    /// moment.
    pub(super) fn record_set_up(&mut self, ctx: &Context) {
        if self.session.awaits_suitable_settings() {
            // The selection of a dataset and of its suitable settings is one change.
            return;
        }
        let experiment = &self.session.experiment;
        let same = self
            .noted
            .as_ref()
            .is_some_and(|noted| experiment.is(noted));
        if same && !self.history.is_in_flux() {
            return;
        }
        let now = self.noted.insert(experiment.set_up());
        self.history.feed_state(ctx.input(|i| i.time), now);
        if self.history.is_in_flux() {
            ctx.request_repaint_after(Duration::from_millis(1_100));
        }
    }

    /// Undoes or redoes a change of the set-up.
    pub(super) fn undo_or_redo(&mut self, back: bool) {
        let now = self.session.experiment.set_up();
        let other = match back {
            true => self.history.undo(&now),
            false => self.history.redo(&now),
        };
        if let Some(before) = other.cloned() {
            self.session.restore_set_up(before);
            let device = &self.session.experiment.draft.device;
            self.settings.device.clone_from(device);
        }
    }

    /// Sets these tasks. Each move of a class becomes a separate change, even if the moves follow quickly.
    pub(super) fn set_tasks(&mut self, scenario: Scenario) {
        self.history.add_undo(&self.session.experiment.set_up());
        self.session.arrange(scenario);
    }
}

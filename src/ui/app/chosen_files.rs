//! Handles the results of file dialogs, dropped files, and images to predict.

use std::path::{Path, PathBuf};

use egui::Context;

use super::StudioApp;
use crate::backbone::weights::EXTENSIONS as WEIGHTS;
use crate::problem::Problem;
use crate::run::config::Setting;
use crate::session::file_dialog::{DialogPurpose, IMAGES};
use crate::session::prediction_table::PredictionTableView;
use crate::store::is_packed;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::predict::prediction_table;

impl StudioApp {
    /// Opens the dialog for typing a path. `reason` explains why there is no file dialog.
    pub(super) fn type_path(&mut self, purpose: DialogPurpose, reason: &'static str) {
        self.session.abandon_dialog();
        let location = self.session.dialog_folder(purpose);
        self.shell.path.open(purpose, location, reason);
    }

    /// Uses several files that the user chose.
    pub(super) fn use_paths(&mut self, ctx: &Context, purpose: DialogPurpose, files: Vec<PathBuf>) {
        match purpose {
            DialogPurpose::Image => self.execute(ctx, UiCommand::PredictFiles(files)),
            _ => files.into_iter().for_each(|file| self.use_path(ctx, purpose, file)),
        }
    }

    /// Uses a file or folder that the user chose.
    pub(super) fn use_path(&mut self, ctx: &Context, purpose: DialogPurpose, path: PathBuf) {
        let text = path.display().to_string();
        match purpose {
            DialogPurpose::DataFolder => self.execute(ctx, UiCommand::ChooseData(text)),
            DialogPurpose::Weights => self.execute(ctx, UiCommand::ChooseWeights(text)),
            DialogPurpose::CollectedImage => self.session.collect_file(path),
            DialogPurpose::Order => self.session.set("order", Some(Setting::Text(text.into()))),
            DialogPurpose::PetStart => {
                self.session.set("pet_start", Some(Setting::Text(text.into())));
            }
            DialogPurpose::Image => self.execute(ctx, UiCommand::PredictFiles(vec![path])),
            DialogPurpose::BugReport => self.shell.report.save_path = Some(text),
            DialogPurpose::AddedTask => self.preview_task(text),
            DialogPurpose::Runs => self.session.add_folder(path),
            DialogPurpose::ImageFolder if self.is_classifying() => self.classify(ctx, &[path]),
            DialogPurpose::ImageFolder => {
                self.pages.predict.prediction_table.choose_folder(&path);
                self.show_page(Page::Predict);
            }
            DialogPurpose::Grid => self.open_grid(text),
            DialogPurpose::SaveGrid => self.session.save_grid(path),
            DialogPurpose::Pack(_) => self.session.pack(&path),
            DialogPurpose::Model(format, _) => self.session.export_model(format, &path),
            DialogPurpose::Packed => {
                self.session.check(path, false);
                self.show_page(Page::Train);
            }
            DialogPurpose::DataExport(kind, form) => self.session.export_data(kind, form, path),
            DialogPurpose::Results(format, _) => self.session.export_results(format, path),
            DialogPurpose::Figure(_, format, _) => self.session.save_figure(format, path),
        }
    }

    pub(super) fn predict_file(&mut self, path: PathBuf) {
        if self.pages.predict.show_image() {
            // An earlier drawing or image is removed, because it is not the image of this file.
            self.session.predict.clear_image();
        }
        self.session.predict_file(path);
        self.show_page(Page::Predict);
    }

    /// Predicts images on Predict, or classifies them if the page Start classifies images.
    pub(super) fn predict_files(&mut self, ctx: &Context, mut files: Vec<PathBuf>) {
        match files.len() {
            0 => {}
            _ if self.is_classifying() => self.classify(ctx, &files),
            1 => self.predict_file(files.remove(0)),
            _ => match self.pages.predict.prediction_table.choose_files(&files) {
                Ok(()) => self.show_page(Page::Predict),
                Err(problem) => self.session.notify(problem, true),
            },
        }
    }

    /// Returns whether the page Start shows the steps for classifying images.
    pub(super) fn is_classifying(&self) -> bool {
        self.page == Page::Start && self.pages.start.classify
    }

    /// Classifies a folder or some images with the model on Start. The table is written to its default path.
    pub(super) fn classify(&mut self, ctx: &Context, files: &[PathBuf]) {
        let Some(model) = self.session.model().map(|row| row.folder.clone()) else {
            let problem = Problem::new(tr!("classify-no-model"));
            self.session.notify(problem.advise(tr!("classify-no-model-advice")), true);
            return;
        };
        let current_table = self.session.predict.prediction_table.as_ref();
        if current_table.is_some_and(PredictionTableView::is_working) {
            let problem = Problem::new(tr!("predict-many-other-table"));
            self.session.notify(problem, true);
            return;
        }
        let mut table = prediction_table::State::default();
        let result = match files {
            [folder] if folder.is_dir() => {
                table.choose_folder(folder);
                Ok(())
            }
            files => table.choose_files(files),
        };
        if let Err(problem) = result {
            self.session.notify(problem, true);
            return;
        }
        self.session.pin_predictor(model);
        self.execute(ctx, UiCommand::PredictFolder(table.request()));
    }

    pub(super) fn open_grid(&mut self, file: String) {
        self.session.open_grid(file);
        self.show_page(Page::Experiment);
    }

    /// Handles files that are dropped anywhere on the window. Paths for open dialogs are used directly; for all others,
    /// a helper thread first checks which are folders.
    pub(super) fn handle_drop(&mut self, ctx: &Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        let mut unchecked = Vec::new();
        for file in dropped {
            let path = file.path().to_path_buf();
            // A packed run is neither an image nor a class, so open dialogs do not receive it.
            if is_packed(&path) {
                unchecked.push(path);
            } else if self.shell.collect.is_open() {
                self.session.collect_file(path);
            } else if self.shell.adding_to.is_some() {
                self.preview_task(path.display().to_string());
            } else {
                unchecked.push(path);
            }
        }
        if !unchecked.is_empty() {
            let page = Page::ALL.iter().position(|(page, ..)| *page == self.page);
            self.session.check_dropped_path(page.unwrap_or_default(), unchecked);
        }
    }

    /// Handles paths dropped on a page, after their types were checked. A single image is predicted; several images are
    /// predicted to a table; weight files become the backbone; packed runs are unpacked; grids are opened; plugins are
    /// shown before they are installed; a LoRA of peft becomes the initial PET. Anything else is used as a dataset. On
    /// Predict it is used as an image, and on Start, if images are classified there, as a folder of new images.
    pub(super) fn handle_checked_drops(&mut self, ctx: &Context) {
        // Only one dataset and one backbone can be selected, so the last of several files is used.
        let (mut weights, mut data) = (None, None);
        let (mut packed, mut images) = (Vec::new(), Vec::new());
        for dropped in std::mem::take(&mut self.session.file_selection.dropped) {
            let (path, is_folder) = (dropped.path, dropped.is_folder);
            let page = Page::ALL.get(dropped.page).map_or(self.page, |(page, ..)| *page);
            let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
            let has_extension =
                |extensions: &[&str]| extensions.iter().any(|candidate| extension == *candidate);
            let text = path.display().to_string();
            if is_packed(&path) && !is_folder {
                packed.push(path);
            } else if dropped.is_plugin {
                self.session.open_dropped_plugin(path);
                self.show_page(Page::Plugins);
            } else if dropped.is_pet_start {
                self.use_path(ctx, DialogPurpose::PetStart, path);
                self.show_page(Page::Experiment);
            } else if extension == "toml" && !is_folder {
                self.open_grid(text);
            } else if page == Page::Compare && is_folder {
                self.session.add_folder(path);
            } else if page == Page::Predict && is_folder {
                self.pages.predict.prediction_table.choose_folder(&path);
            } else if page == Page::Start
                && is_folder
                && self.pages.start.classify
                && self.session.model().is_some()
            {
                self.classify(ctx, &[path]);
            } else if page == Page::Predict || (has_extension(IMAGES) && !is_folder) {
                images.push(path);
            } else if has_extension(WEIGHTS) && !is_record_file(&path) && !is_folder {
                weights = Some(text);
            } else {
                data = Some(text);
            }
        }
        if !packed.is_empty() {
            self.session.unpack_runs(packed);
            self.show_page(Page::Compare);
        }
        if !images.is_empty() {
            self.execute(ctx, UiCommand::PredictFiles(images));
        }
        if let Some(path) = weights {
            self.execute(ctx, UiCommand::ChooseWeights(path));
            self.show_page(Page::Experiment);
        }
        if let Some(source) = data {
            self.execute(ctx, UiCommand::ChooseData(source));
            match self.page {
                Page::Start => self.pages.start.classify = true,
                _ => self.show_page(Page::Experiment),
            }
        }
    }
}

/// Returns whether the file has the name of a CIFAR record file. PyTorch weights use the same extension.
fn is_record_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name == "train.bin" || name == "test.bin" || name.contains("_batch")
}

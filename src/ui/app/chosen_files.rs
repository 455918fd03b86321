//! Handles the results of file dialogs, dropped files, and images to predict.

use std::path::{Path, PathBuf};

use egui::Context;

use super::StudioApp;
use crate::problem::Problem;
use crate::run::config::Setting;
use crate::session::chooser::{DialogPurpose, IMAGES, WEIGHTS};
use crate::session::sheet::SheetView;
use crate::store::is_packed;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::predict::sheet;

impl StudioApp {
    /// Opens the dialog for typing a path. `why` explains why there is no file dialog.
    pub(super) fn type_path(&mut self, wanted: DialogPurpose, why: &'static str) {
        self.session.leave_dialog();
        let place = self.session.place_of(wanted);
        self.shell.path.open(wanted, place, why);
    }

    /// Uses several files that the user chose.
    pub(super) fn picked_several(
        &mut self,
        ctx: &Context,
        wanted: DialogPurpose,
        files: Vec<PathBuf>,
    ) {
        match wanted {
            DialogPurpose::Image => self.act(ctx, UiCommand::PredictFiles(files)),
            _ => files
                .into_iter()
                .for_each(|file| self.picked(ctx, wanted, file)),
        }
    }

    /// Uses a file or folder that the user chose.
    pub(super) fn picked(&mut self, ctx: &Context, wanted: DialogPurpose, path: PathBuf) {
        let text = path.display().to_string();
        match wanted {
            DialogPurpose::DataFolder => self.act(ctx, UiCommand::ChooseData(text)),
            DialogPurpose::Weights => self.act(ctx, UiCommand::ChooseWeights(text)),
            DialogPurpose::Piece => self.session.collect_file(path),
            DialogPurpose::Order => self.session.set("order", Some(Setting::Text(text.into()))),
            DialogPurpose::PetStart => {
                self.session
                    .set("pet_start", Some(Setting::Text(text.into())));
            }
            DialogPurpose::Image => self.act(ctx, UiCommand::PredictFiles(vec![path])),
            DialogPurpose::BugReport => self.shell.report.place = Some(text),
            DialogPurpose::AddedTask => self.preview_task(text),
            DialogPurpose::Runs => self.session.add_folder(path),
            DialogPurpose::Pictures if self.page == Page::Start => self.classify(ctx, &[path]),
            DialogPurpose::Pictures => {
                self.pages.predict.sheet.choose(&path);
                self.show(Page::Predict);
            }
            DialogPurpose::Grid => self.open_grid(text),
            DialogPurpose::SaveGrid => self.session.save_grid(path),
            DialogPurpose::Pack(_) => self.session.pack(&path),
            DialogPurpose::Model(format, _) => self.session.export_model(format, &path),
            DialogPurpose::Packed => {
                self.session.check(path, false);
                self.show(Page::Train);
            }
            DialogPurpose::DataExport(kind, form) => self.session.export_data(kind, form, path),
            DialogPurpose::Results(format, _) => self.session.export_results(format, path),
            DialogPurpose::Figure(_, format, _) => self.session.save_figure(format, path),
        }
    }

    pub(super) fn predict_file(&mut self, path: PathBuf) {
        if self.pages.predict.show_picture() {
            // An earlier drawing or image is removed, because it is not the image of this file.
            self.session.predict.forget_picture();
        }
        self.session.predict_file(path);
        self.show(Page::Predict);
    }

    /// Predicts images on Predict, or classifies them if the page Start classifies images.
    pub(super) fn predict_files(&mut self, ctx: &Context, mut files: Vec<PathBuf>) {
        match files.len() {
            0 => {}
            _ if self.page == Page::Start && self.pages.start.classify => {
                self.classify(ctx, &files);
            }
            1 => self.predict_file(files.remove(0)),
            _ => match self.pages.predict.sheet.choose_files(&files) {
                Ok(()) => self.show(Page::Predict),
                Err(problem) => self.session.notify(problem, true),
            },
        }
    }

    /// Classifies a folder or some images with the model on Start. The table is written to its default path.
    pub(super) fn classify(&mut self, ctx: &Context, files: &[PathBuf]) {
        let Some(model) = self.session.model().map(|row| row.folder.clone()) else {
            let problem = Problem::new(tr!("classify-no-model"));
            self.session
                .notify(problem.advise(tr!("classify-no-model-advice")), true);
            return;
        };
        let asked = self.session.predict.sheet.as_ref();
        if asked.is_some_and(SheetView::is_working) {
            let problem = Problem::new(tr!("predict-many-other-table"));
            self.session.notify(problem, true);
            return;
        }
        let mut sheet = sheet::State::default();
        let chosen = match files {
            [folder] if folder.is_dir() => {
                sheet.choose(folder);
                Ok(())
            }
            files => sheet.choose_files(files),
        };
        if let Err(problem) = chosen {
            self.session.notify(problem, true);
            return;
        }
        self.pages.start.classify = true;
        self.session.pin_predictor(model);
        self.act(ctx, UiCommand::PredictFolder(sheet.wanted()));
    }

    pub(super) fn open_grid(&mut self, file: String) {
        self.session.open_grid(file);
        self.show(Page::Experiment);
    }

    /// Handles files that are dropped anywhere on the window. Paths for open dialogs are used directly; for all others,
    /// a helper thread first checks which are folders.
    pub(super) fn take_drop(&mut self, ctx: &Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        let mut unseen = Vec::new();
        for file in dropped {
            let path = file.path().to_path_buf();
            // A packed run is neither an image nor a class, so open dialogs do not receive it.
            if is_packed(&path) {
                unseen.push(path);
            } else if self.shell.collect.is_open() {
                self.session.collect_file(path);
            } else if self.shell.adding_to.is_some() {
                self.preview_task(path.display().to_string());
            } else {
                unseen.push(path);
            }
        }
        if !unseen.is_empty() {
            let page = Page::ALL.iter().position(|(page, ..)| *page == self.page);
            self.session
                .check_dropped_path(page.unwrap_or_default(), unseen);
        }
    }

    /// Handles paths dropped on a page, after their types were checked. A single image is predicted; several images are
    /// predicted to a table; weight files become the backbone; packed runs are unpacked; grids are opened; plugins are
    /// shown before they are installed; a LoRA of peft becomes the initial PET. Anything else is used as a dataset. On
    /// Predict it is used as an image, and on Start, if images are classified there, as a folder of new images.
    pub(super) fn take_dropped(&mut self, ctx: &Context) {
        // Only one dataset and one backbone can be selected, so the last of several files is used.
        let (mut weights, mut data) = (None, None);
        let (mut packed, mut pictures) = (Vec::new(), Vec::new());
        for dropped in std::mem::take(&mut self.session.choosing.dropped) {
            let (path, is_folder) = (dropped.path, dropped.is_folder);
            let page = Page::ALL
                .get(dropped.page)
                .map_or(self.page, |(page, ..)| *page);
            let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
            let one_of = |known: &[&str]| known.iter().any(|known| ending == *known);
            let text = path.display().to_string();
            if is_packed(&path) && !is_folder {
                packed.push(path);
            } else if dropped.is_plugin {
                self.session.reread_plugin(path);
                self.show(Page::Plugins);
            } else if dropped.is_start {
                self.picked(ctx, DialogPurpose::PetStart, path);
                self.show(Page::Experiment);
            } else if ending == "toml" && !is_folder {
                self.open_grid(text);
            } else if page == Page::Compare && is_folder {
                self.session.add_folder(path);
            } else if page == Page::Predict && is_folder {
                self.pages.predict.sheet.choose(&path);
            } else if page == Page::Start
                && is_folder
                && self.pages.start.classify
                && self.session.model().is_some()
            {
                self.classify(ctx, &[path]);
            } else if page == Page::Predict || (one_of(IMAGES) && !is_folder) {
                pictures.push(path);
            } else if one_of(WEIGHTS) && !is_record_file(&path) && !is_folder {
                weights = Some(text);
            } else {
                data = Some(text);
            }
        }
        if !packed.is_empty() {
            self.session.unpack_runs(packed);
            self.show(Page::Compare);
        }
        if !pictures.is_empty() {
            self.act(ctx, UiCommand::PredictFiles(pictures));
        }
        if let Some(path) = weights {
            self.act(ctx, UiCommand::ChooseWeights(path));
            self.show(Page::Experiment);
        }
        if let Some(place) = data {
            self.act(ctx, UiCommand::ChooseData(place));
            match self.page {
                Page::Start => self.pages.start.classify = true,
                _ => self.show(Page::Experiment),
            }
        }
    }
}

/// Returns whether the file has the name of a CIFAR record file. PyTorch weights use the same extension.
fn is_record_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name == "train.bin" || name == "test.bin" || name.contains("_batch")
}

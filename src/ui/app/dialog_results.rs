//! Handles the results of file dialogs, and images to predict.

use std::path::PathBuf;

use egui::Context;

use super::StudioApp;
use crate::problem::Problem;
use crate::run::config::Setting;
use crate::session::chooser::DialogPurpose;
use crate::session::sheet::SheetView;
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
            DialogPurpose::BugReport => self.shell.report.goes_to(text),
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

    pub(super) fn predict_with(&mut self, folder: PathBuf) {
        self.session.pin_predictor(folder);
        self.show(Page::Predict);
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
}

//! Handles files that are dropped on the window.

use std::path::Path;

use egui::Context;

use super::StudioApp;
use crate::session::chooser::{DialogPurpose, IMAGES, WEIGHTS};
use crate::store::is_packed;
use crate::ui::command::{Page, UiCommand};

impl StudioApp {
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

//! Figures that are drawn on a helper thread for files and the clipboard.

use std::path::PathBuf;

use super::Session;
use super::chooser::{DialogPurpose, FigureKind};
use crate::problem::Problem;
use crate::store::export::Format;
use crate::store::figure::{Figure, FigureContent, Pixels};
use crate::store::write_file;
use crate::tr;

/// Figures being exported.
#[derive(Default)]
pub struct FigureExport {
    /// The figure that the open dialog will save.
    to_save: Option<Figure>,
    /// The image that the window must copy to the clipboard.
    to_copy: Option<Pixels>,
}

impl Session {
    /// Draws a figure for the clipboard.
    pub fn copy_figure(&mut self, figure: Figure) {
        self.task_or_notify(
            move |_| figure.pixels(),
            |session, pixels| session.figures.to_copy = Some(pixels),
        );
    }

    /// Returns the image drawn for the clipboard since the last call, once.
    pub fn take_copy(&mut self) -> Option<Pixels> {
        self.figures.to_copy.take()
    }

    /// Opens the dialog that asks where to save a figure.
    pub fn pick_figure(&mut self, figure: Figure, format: Format) {
        let kind = match figure.content {
            FigureContent::Page(_) => FigureKind::Summary,
            _ => FigureKind::Figure,
        };
        self.tickets += 1;
        self.figures.to_save = Some(figure);
        self.pick(DialogPurpose::Figure(kind, format, self.tickets));
    }

    /// Saves the figure of the dialog to this path. The extension of the format is appended if it is missing.
    pub fn save_figure(&mut self, format: Format, path: PathBuf) {
        let Some(figure) = self.figures.to_save.take() else {
            return;
        };
        let to = format.ended(path);
        self.task_or_notify(
            move |_| {
                let bytes = match format {
                    Format::Png => figure.png()?,
                    Format::Pdf => figure.pdf()?,
                    _ => figure.svg().into_bytes(),
                };
                write_file(&to, &bytes)?;
                Ok(to)
            },
            |session, to| {
                let told = Problem::new(tr!("story-figure-saved"));
                session.notify(told.at_path(&to), false);
            },
        );
    }
}

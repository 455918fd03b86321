//! Tables, figures and reports of runs, written to a file.

use std::path::PathBuf;

use super::Session;
use crate::problem::Problem;
use crate::store::export::Format;

/// What the file is called unless the person says otherwise.
pub(super) fn file_name(format: Format) -> String {
    let day = jiff::Zoned::now().strftime("%Y-%m-%d_%H-%M-%S").to_string();
    format!("runs-{day}.{}", format.endings().concat())
}

impl Session {
    /// Writes a table, figure or report of the runs that one was asked for to this place; an ending that says another form, or none, gets this one's. A report is then shown by the
    /// desktop's browser.
    pub fn export_results(&mut self, format: Format, mut path: PathBuf) {
        if Format::of(&path).ok() != Some(format) {
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(format!(".{}", format.endings().concat()));
            path.set_file_name(name);
        }
        let runs = std::mem::take(&mut self.compare.to_export);
        let to = path.clone();
        self.task_or_tell(
            move |sources| sources.export_results(&runs, format, &to),
            move |session, ()| {
                let told = match format {
                    Format::Html => "the report is written",
                    Format::Svg => "the figure is written",
                    _ => "the table is written",
                };
                session.notify(Problem::new(told).at_path(&path), false);
                if format == Format::Html {
                    session.task_or_tell(move |sources| sources.show_file(&path), |_, ()| {});
                }
            },
        );
    }
}

//! The data set of the settings, or the pictures being gathered, as one file for other programs.

use std::path::{Path, PathBuf};

use super::Session;
use super::collection::Collection;
use super::jobs::{Ask, DataAsk};
use crate::counts::counted;
use crate::data::export::{Form, Packed};
use crate::problem::{Problem, Result, listed};

/// What is passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goods {
    /// The data set of the settings.
    Data,
    /// The pictures being gathered.
    Collection,
}

/// What is written to a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Export {
    /// A data set.
    Data(DataAsk),
    /// Gathered pictures.
    Collection(Box<Collection>),
}

/// What the file is called unless the person says otherwise.
pub(super) fn file_name(form: Form) -> String {
    let day = jiff::Zoned::now().strftime("%Y-%m-%d_%H-%M-%S").to_string();
    format!("pictures-{day}.{}", form.ending())
}

impl Session {
    /// Writes the data set, or what was gathered, to this place; an ending that says nothing of the
    /// form gets the form's own.
    pub fn export(&mut self, goods: Goods, form: Form, mut path: PathBuf) {
        if Form::of(&path).is_err() {
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(format!(".{}", form.ending()));
            path.set_file_name(name);
        }
        let export = match goods {
            Goods::Data => Export::Data(self.draft_data(false)),
            Goods::Collection => Export::Collection(Box::new(self.collection.clone())),
        };
        self.ask(Ask::Export(export, path));
    }

    pub(super) fn take_exported(&mut self, path: &Path, answer: Result<Packed>) {
        let told = match answer {
            Ok(done) => told(&done).at_path(path),
            Err(problem) => return self.notify(problem, true),
        };
        self.notify(told, false);
    }
}

fn told(done: &Packed) -> Problem {
    let told = Problem::new(format!(
        "{} of {} are in one file now",
        counted(done.pictures, "picture"),
        counted(done.classes, "class")
    ));
    if done.renamed.is_empty() {
        return told;
    }
    let renamed = done.renamed.iter();
    let renamed: Vec<String> = renamed.map(|(a, b)| format!("{a} as {b}")).collect();
    told.advise(format!(
        "not every system takes these names of classes, so they are written differently: {}",
        listed(&renamed, 8)
    ))
}

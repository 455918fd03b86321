//! A data set of this machine, carried to another one: only files that are not there yet, each told by its hash.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{News, Remote};
use crate::experiment::Along;
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::job::Own;
use crate::run::wire::{Ask, FileMark, MOST_FILES, PIECE, Told};
use crate::serve::files::{files_below, inner_name, sha256_of};
use crate::texts::Message;

/// Pieces that are under way at a time.
const UNDER_WAY: usize = 16;
/// How often it looks whether to go on.
const OFTEN: Duration = Duration::from_millis(100);

/// A data set on its way.
struct Carrying<'a> {
    remote: &'a Remote,
    folder: PathBuf,
    marks: Vec<FileMark>,
    set: String,
    /// Files that are not there, the last of them first, and where each goes on.
    lacks: Vec<(usize, u64)>,
    under_way: usize,
}

impl Remote {
    /// Carries there what a run needs of this machine; gives what its job says of it then. `tell` learns of what so many
    /// files are to be sent.
    ///
    /// # Errors
    /// As [`Remote::carry`].
    pub fn carry_along(
        &self,
        along: Along,
        go_on: &dyn Fn() -> bool,
        tell: &dyn Fn(Message, usize),
    ) -> Result<Own> {
        let Along {
            mut own,
            data,
            weights,
            starts,
        } = along;
        let there = |path: PathBuf, what| {
            self.carry(&path, go_on, &mut |files| tell(message!(what), files))
        };
        for (name, path) in data {
            own.data.insert(name, there(path, "carry-data")?);
        }
        for (name, path) in weights {
            own.weights
                .insert(name, there(path, "carry-backbone")?.into());
        }
        for (name, path) in starts {
            own.starts
                .insert(name, there(path, "carry-adapter")?.into());
        }
        Ok(own)
    }

    /// Carries a file or a folder of pictures there, as far as it is not there yet; gives its path there. Waits, and
    /// takes up connections that break; `tell` learns how many files are to be sent.
    ///
    /// # Errors
    /// A Problem when something cannot be read here or written there, or `go_on` says no.
    pub fn carry(
        &self,
        path: &Path,
        go_on: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(usize),
    ) -> Result<String> {
        let marks = marks_of(path)?;
        let folder = match path.is_dir() {
            true => path.to_path_buf(),
            false => path.parent().unwrap_or(Path::new("")).to_path_buf(),
        };
        let mut carrying = Carrying {
            remote: self,
            folder,
            marks,
            set: String::new(),
            lacks: Vec::new(),
            under_way: 0,
        };
        carrying.list();
        let mut told = false;
        loop {
            if !go_on() {
                return Err(Problem::new(message!("place-carry-stopped")));
            }
            match self.recv(OFTEN)? {
                Some(News::Here(_)) => carrying.list(),
                Some(News::Lost(problem) | News::Answer(Told::Refused(problem), _)) => {
                    return Err(problem);
                }
                Some(News::Answer(Told::Lacks { set, folder, files }, _)) => {
                    if files.is_empty() {
                        let only = carrying.marks.first().filter(|_| !path.is_dir());
                        return Ok(
                            only.map_or(folder.clone(), |mark| format!("{folder}/{}", mark.path))
                        );
                    }
                    if !std::mem::replace(&mut told, true) {
                        tell(files.len());
                    }
                    carrying.begin(set, files)?;
                }
                Some(News::Answer(Told::Kept { .. }, _)) => carrying.arrived()?,
                _ => {}
            }
        }
    }
}

impl Carrying<'_> {
    /// Asks what is not there yet.
    fn list(&mut self) {
        self.lacks.clear();
        self.under_way = 0;
        let files = self.marks.clone();
        self.remote.ask(Ask::Missing { files }, Vec::new());
    }

    fn begin(&mut self, set: String, lacks: Vec<(usize, u64)>) -> Result<()> {
        self.set = set;
        self.lacks = lacks;
        self.lacks.reverse();
        self.go_on()
    }

    fn arrived(&mut self) -> Result<()> {
        // One that was under way on an earlier connection may still be told.
        self.under_way = self.under_way.saturating_sub(1);
        if self.lacks.is_empty() && self.under_way == 0 {
            // Once more, to be sure of all of them.
            self.list();
            return Ok(());
        }
        self.go_on()
    }

    /// Sends pieces, as many as may be under way.
    fn go_on(&mut self) -> Result<()> {
        while self.under_way < UNDER_WAY
            && let Some((index, from)) = self.lacks.last().copied()
        {
            let Some(file) = self.marks.get(index).cloned() else {
                return Err(Problem::new(message!("place-carry-unknown")));
            };
            let piece = piece_of(&self.folder.join(&file.path), from)?;
            let next = from + piece.len() as u64;
            if next > file.bytes || (piece.is_empty() && from < file.bytes) {
                return Err(Problem::new(message!("place-carry-changes"))
                    .at_path(self.folder.join(&file.path)));
            }
            if next == file.bytes {
                self.lacks.pop();
            } else if let Some(last) = self.lacks.last_mut() {
                last.1 = next;
            }
            self.under_way += 1;
            let set = self.set.clone();
            self.remote.ask(Ask::Put { set, file, from }, piece);
        }
        Ok(())
    }
}

/// The files of a data set with their hashes.
fn marks_of(path: &Path) -> Result<Vec<FileMark>> {
    let io = |path: &Path, error| Problem::io("read the data set", path, &error);
    let (folder, paths) = match path.is_dir() {
        true => (path, files_below(path)),
        false => (
            path.parent().unwrap_or(Path::new("")),
            vec![path.to_path_buf()],
        ),
    };
    if paths.is_empty() || paths.len() >= MOST_FILES {
        return Err(Problem::new(message!("place-carry-files")).at_path(path));
    }
    let mark = |file: PathBuf| {
        let name = inner_name(&file, folder);
        let name = name.ok_or_else(|| Problem::new(message!("place-carry-name")).at_path(&file))?;
        Ok(FileMark {
            path: name,
            bytes: files::length(&file).map_err(|error| io(&file, error))?,
            sha256: sha256_of(&file).map_err(|error| io(&file, error))?,
        })
    };
    crate::store::on_all_cores(paths, mark)
        .into_iter()
        .collect()
}

fn piece_of(path: &Path, from: u64) -> Result<Vec<u8>> {
    let io = |error| Problem::io("read the data set", path, &error);
    files::read_from(path, from, PIECE as u64).map_err(io)
}

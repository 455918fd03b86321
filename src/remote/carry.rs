//! Uploads a dataset of this computer to another one: only the files that are missing there, each identified by its
//! hash.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{News, Remote};
use crate::data::listing::{DataFiles, files_of};
use crate::data::{Watch, table_and_column};
use crate::experiment::RunAttachments;
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::job::JobAttachments;
use crate::run::wire::{ClientRequest, FileMark, MOST_FILES, PIECE, ServerMessage};
use crate::serve::files::{inner_name, set_of, sha256_of};
use crate::texts::Message;

/// Maximum number of unconfirmed pieces.
const UNDER_WAY: usize = 16;
/// Interval between two checks whether to continue.
const OFTEN: Duration = Duration::from_millis(100);
/// Maximum number of files per question, and of bytes of their names, so that a question fits into a frame.
const MOST_ASKED: usize = 1 << 14;
const MOST_NAMES: usize = 4 << 20;

/// Returns whether to continue; called from any thread.
type ContinueCallback<'a> = &'a (dyn Fn() -> bool + Sync);

/// A dataset that is being uploaded.
struct DatasetUpload<'a> {
    remote: &'a Remote,
    folder: PathBuf,
    marks: Vec<FileMark>,
    /// The identifier of the dataset.
    set: String,
    /// The files of the last question, and the number of that question.
    part: Range<usize>,
    asked: u64,
    /// Missing files in reverse order, each with the offset from which it is resumed.
    lacks: Vec<(usize, u64)>,
    /// Unconfirmed pieces in the order of sending: the file, and the end of the piece.
    under_way: VecDeque<(usize, u64)>,
}

impl Remote {
    /// Uploads the files that a run needs from this computer to `place`; returns what its job has to contain then.
    /// `tell` gets messages about the files being sent.
    ///
    /// # Errors
    /// See [`Remote::carry`].
    pub fn upload_attachments(
        &self,
        attachments: RunAttachments,
        place: &str,
        go_on: ContinueCallback<'_>,
        tell: &dyn Fn(Message),
    ) -> Result<JobAttachments> {
        let RunAttachments {
            mut own,
            data,
            weights,
            starts,
        } = attachments;
        let there = |path: PathBuf, what| {
            self.carry(&path, go_on, &mut |n| {
                let what = message!(what);
                tell(message!("doing-copying-files", n, what, place));
            })
        };
        for (name, path) in data {
            own.data.insert(name, there(path, "copied-dataset")?);
        }
        for (name, path) in weights {
            own.weights
                .insert(name, there(path, "copied-backbone")?.into());
        }
        for (name, path) in starts {
            own.starts
                .insert(name, there(path, "copied-adapter")?.into());
        }
        Ok(own)
    }

    /// Uploads a file or a folder of images as far as it is missing on the other computer; returns its path there.
    /// Blocks, and restores broken connections; `tell` gets the number of files to send.
    ///
    /// # Errors
    /// Returns a Problem if something cannot be read here or written there, or `go_on` returned false.
    fn carry(
        &self,
        path: &Path,
        go_on: ContinueCallback<'_>,
        tell: &mut dyn FnMut(usize),
    ) -> Result<String> {
        let (table, column) = match path.to_str().and_then(table_and_column) {
            Some((table, column)) => (table, Some(column)),
            None => (path, None),
        };
        let found = files_of(table, column, &Watch::new(&|_, _, _| go_on()))?;
        let marks = marks_of(&found, go_on)?;
        let mut entry = name_of(&found.opened, &found.folder)?;
        if let Some(column) = column {
            entry += &format!("#{column}");
        }
        let mut carrying = DatasetUpload {
            remote: self,
            folder: found.folder,
            set: set_of(&marks),
            marks,
            part: 0..0,
            asked: 0,
            lacks: Vec::new(),
            under_way: VecDeque::new(),
        };
        carrying.list();
        let mut announced = false;
        loop {
            if !go_on() {
                return Err(stopped());
            }
            match self.recv(OFTEN)? {
                Some(News::Here(_)) => carrying.list(),
                Some(News::Lost(problem) | News::Refused(problem)) => return Err(problem),
                // An answer to an earlier connection's question is ignored, because everything is asked again.
                Some(News::Answer(ServerMessage::Lacks {
                    number,
                    folder,
                    files,
                    ..
                })) if number == carrying.asked => {
                    if !carrying.add_missing(files)? {
                        continue;
                    }
                    if carrying.lacks.is_empty() {
                        return Ok(match entry.as_str() {
                            "" => folder,
                            entry => format!("{folder}/{entry}"),
                        });
                    }
                    if !std::mem::replace(&mut announced, true) {
                        tell(carrying.lacks.len());
                    }
                    carrying.send_pieces()?;
                }
                Some(News::Answer(ServerMessage::Kept { bytes, .. })) => carrying.arrived(bytes)?,
                _ => {}
            }
        }
    }
}

impl DatasetUpload<'_> {
    /// Starts over with the question which files are missing.
    fn list(&mut self) {
        self.part = 0..0;
        self.lacks.clear();
        self.under_way.clear();
        self.ask();
    }

    /// Asks which of the next files are missing.
    fn ask(&mut self) {
        self.part = next_part(&self.marks, self.part.end);
        let (set, files) = (self.set.clone(), self.marks[self.part.clone()].to_vec());
        self.asked += 1;
        let number = self.asked;
        self.remote
            .queue_request(ClientRequest::Missing { number, set, files }, Vec::new());
    }

    /// Handles the answer to the current question. Returns whether all files were asked about.
    fn add_missing(&mut self, files: Vec<(usize, u64)>) -> Result<bool> {
        if files.iter().any(|(index, _)| *index >= self.part.len()) {
            return Err(Problem::new(message!("place-requested-file-missing")));
        }
        let first = self.part.start;
        let files = files.into_iter().map(|(index, from)| (first + index, from));
        self.lacks.extend(files);
        if self.part.end < self.marks.len() {
            self.ask();
            return Ok(false);
        }
        self.lacks.reverse();
        Ok(true)
    }

    /// Handles the confirmation of the oldest unconfirmed piece; `bytes` is the size of its file on the other
    /// computer.
    fn arrived(&mut self, bytes: u64) -> Result<()> {
        // A piece from before the last restart may still be confirmed.
        let Some((index, end)) = self.under_way.pop_front() else {
            return Ok(());
        };
        // Another client may have uploaded more of the same file.
        if let Some((next, from)) = self.lacks.last_mut().filter(|(next, _)| *next == index) {
            *from = bytes.max(*from);
            if *from >= self.marks[*next].bytes {
                self.lacks.pop();
            }
        }
        // Another client may also have completed and moved the file, so that earlier pieces are missing for this one.
        let is_missing = bytes < end;
        // Asks again at the end, to be sure that nothing is missing.
        if is_missing || (self.lacks.is_empty() && self.under_way.is_empty()) {
            self.list();
            return Ok(());
        }
        self.send_pieces()
    }

    /// Sends pieces up to the maximum number of unconfirmed ones.
    fn send_pieces(&mut self) -> Result<()> {
        while self.under_way.len() < UNDER_WAY
            && let Some((index, from)) = self.lacks.last().copied()
        {
            let Some(file) = self.marks.get(index).cloned() else {
                return Err(Problem::new(message!("place-requested-file-missing")));
            };
            let path = self.folder.join(&file.path);
            let io = |error| Problem::io("read the dataset", &path, &error);
            let piece = files::read_from(&path, from, PIECE as u64).map_err(io)?;
            let next = from + piece.len() as u64;
            if next > file.bytes || (piece.is_empty() && from < file.bytes) {
                let changed = message!("place-dataset-changed-while-copying");
                return Err(Problem::new(changed).at_path(path));
            }
            if next == file.bytes {
                self.lacks.pop();
            } else if let Some(last) = self.lacks.last_mut() {
                last.1 = next;
            }
            self.under_way.push_back((index, next));
            let set = self.set.clone();
            self.remote
                .queue_request(ClientRequest::Put { set, file, from }, piece);
        }
        Ok(())
    }
}

/// Returns the files of a dataset with their hashes.
fn marks_of(found: &DataFiles, go_on: ContinueCallback<'_>) -> Result<Vec<FileMark>> {
    let folder = &found.folder;
    if found.files.is_empty() || found.files.len() >= MOST_FILES {
        return Err(Problem::new(message!("place-folder-not-copyable")).at_path(&found.opened));
    }
    let mark = |file: PathBuf| {
        if !go_on() {
            return Err(stopped());
        }
        let io = |error| Problem::io("read the dataset", &file, &error);
        Ok(FileMark {
            path: name_of(&file, folder)?,
            bytes: files::length(&file).map_err(io)?,
            sha256: sha256_of(&file).map_err(io)?,
        })
    };
    crate::store::on_all_cores(found.files.clone(), mark)
        .into_iter()
        .collect()
}

/// Returns the files from `from` on that fit into one question.
fn next_part(marks: &[FileMark], from: usize) -> Range<usize> {
    let mut names = 0;
    let fits = |mark: &&FileMark| {
        names += mark.path.len();
        names <= MOST_NAMES
    };
    let rest = marks[from..].iter().take(MOST_ASKED);
    let count = rest.take_while(fits).count().max(1);
    from..(from + count).min(marks.len())
}

fn name_of(file: &Path, folder: &Path) -> Result<String> {
    let name = inner_name(file, folder);
    name.ok_or_else(|| Problem::new(message!("place-file-name-invalid")).at_path(file))
}

fn stopped() -> Problem {
    Problem::new(message!("place-copying-stopped"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::wire::{ClientMessage, Frame};

    #[test]
    fn any_number_of_files_is_asked_about_in_frames_that_can_be_sent() {
        let marks = |count: usize, name: usize| -> Vec<FileMark> {
            let mark = |number| FileMark {
                path: format!("{number:0name$}.jpg"),
                bytes: 1 << 20,
                sha256: "0123456789abcdef".repeat(4),
            };
            (0..count).map(mark).collect()
        };
        for marks in [marks(600_000, 60), marks(5_000, 4_000), marks(1, 9)] {
            let mut part = 0..0;
            while part.end < marks.len() {
                part = next_part(&marks, part.end);
                assert!(!part.is_empty());
                let files = marks[part.clone()].to_vec();
                let (set, client, number) = (set_of(&files), 1, 1);
                let ask = ClientRequest::Missing { number, set, files };
                let said = ClientMessage {
                    client,
                    number,
                    ask,
                };
                Frame::new(said, &[]).unwrap();
            }
            assert_eq!(part.end, marks.len());
        }
    }
}

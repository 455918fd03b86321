//! Uploads a dataset of this computer to another one: only the files that are missing there, each identified by its
//! hash.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Remote, RemoteEvent};
use crate::data::listing::{DataFiles, list_files};
use crate::data::{ProgressReporter, split_table_and_column};
use crate::experiment::RunAttachments;
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::job::JobAttachments;
use crate::run::wire::{CHUNK_BYTES, ClientRequest, FileEntry, MAX_FILES, ServerMessage};
use crate::serve::files::{dataset_id, file_sha256, relative_name};
use crate::texts::Message;

/// Maximum number of unconfirmed pieces.
const MAX_PENDING: usize = 16;
/// Interval between two checks whether to continue.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Maximum number of files per question, and of bytes of their names, so that a question fits into a frame.
const MAX_FILES_PER_REQUEST: usize = 1 << 14;
const MAX_NAME_BYTES: usize = 4 << 20;

/// Returns whether to continue; called from any thread.
type ContinueCallback<'a> = &'a (dyn Fn() -> bool + Sync);

/// A dataset that is being uploaded.
struct DatasetUpload<'a> {
    remote: &'a Remote,
    folder: PathBuf,
    files: Vec<FileEntry>,
    /// The identifier of the dataset.
    set: String,
    /// The files of the last question, and the number of that question.
    range: Range<usize>,
    request_number: u64,
    /// Missing files in reverse order, each with the offset from which it is resumed.
    missing: Vec<(usize, u64)>,
    /// Unconfirmed pieces in the order of sending: the file, and the end of the piece.
    pending: VecDeque<(usize, u64)>,
}

impl Remote {
    /// Uploads the files that a run needs from this computer to `place`; returns what its job has to contain then.
    /// `report` gets messages about the files being sent.
    ///
    /// # Errors
    /// See [`Remote::upload`].
    pub fn upload_attachments(
        &self,
        attachments: RunAttachments,
        place: &str,
        should_continue: ContinueCallback<'_>,
        report: &dyn Fn(Message),
    ) -> Result<JobAttachments> {
        let RunAttachments { inline: mut job_attachments, data, weights, starts } = attachments;
        let upload_path = |path: PathBuf, what| {
            self.upload(&path, should_continue, &mut |n| {
                let what = message!(what);
                report(message!("doing-copying-files", n, what, place));
            })
        };
        for (name, path) in data {
            job_attachments.data.insert(name, upload_path(path, "copied-dataset")?);
        }
        for (name, path) in weights {
            job_attachments.weights.insert(name, upload_path(path, "copied-backbone")?.into());
        }
        for (name, path) in starts {
            job_attachments.starts.insert(name, upload_path(path, "copied-adapter")?.into());
        }
        Ok(job_attachments)
    }

    /// Uploads a file or a folder of images as far as it is missing on the other computer; returns its path there.
    /// Blocks, and restores broken connections; `report` gets the number of files to send.
    ///
    /// # Errors
    /// Returns a Problem if something cannot be read here or written there, or `should_continue` returned false.
    fn upload(
        &self,
        path: &Path,
        should_continue: ContinueCallback<'_>,
        report: &mut dyn FnMut(usize),
    ) -> Result<String> {
        let (table, column) = match path.to_str().and_then(split_table_and_column) {
            Some((table, column)) => (table, Some(column)),
            None => (path, None),
        };
        let data_files =
            list_files(table, column, &ProgressReporter::new(&|_, _, _| should_continue()))?;
        let files = hash_files(&data_files, should_continue)?;
        let mut entry = dataset_file_name(&data_files.opened, &data_files.folder)?;
        if let Some(column) = column {
            entry += &format!("#{column}");
        }
        let mut upload = DatasetUpload {
            remote: self,
            folder: data_files.folder,
            set: dataset_id(&files),
            files,
            range: 0..0,
            request_number: 0,
            missing: Vec::new(),
            pending: VecDeque::new(),
        };
        upload.restart();
        let mut announced = false;
        loop {
            if !should_continue() {
                return Err(cancelled_problem());
            }
            match self.recv(POLL_INTERVAL)? {
                Some(RemoteEvent::Connected(_)) => upload.restart(),
                Some(RemoteEvent::Lost(problem) | RemoteEvent::RequestFailed(problem)) => {
                    return Err(problem);
                }
                // An answer to an earlier connection's question is ignored, because everything is asked again.
                Some(RemoteEvent::Response(ServerMessage::Lacks {
                    number, folder, files, ..
                })) if number == upload.request_number => {
                    if !upload.add_missing(files)? {
                        continue;
                    }
                    if upload.missing.is_empty() {
                        return Ok(match entry.as_str() {
                            "" => folder,
                            entry => format!("{folder}/{entry}"),
                        });
                    }
                    if !std::mem::replace(&mut announced, true) {
                        report(upload.missing.len());
                    }
                    upload.send_pieces()?;
                }
                Some(RemoteEvent::Response(ServerMessage::Kept { bytes, .. })) => {
                    upload.confirm_piece(bytes)?;
                }
                _ => {}
            }
        }
    }
}

impl DatasetUpload<'_> {
    /// Starts over with the question which files are missing.
    fn restart(&mut self) {
        self.range = 0..0;
        self.missing.clear();
        self.pending.clear();
        self.request_missing();
    }

    /// Asks which of the next files are missing.
    fn request_missing(&mut self) {
        self.range = next_range(&self.files, self.range.end);
        let (set, files) = (self.set.clone(), self.files[self.range.clone()].to_vec());
        self.request_number += 1;
        let number = self.request_number;
        self.remote.queue_request(ClientRequest::Missing { number, set, files }, Vec::new());
    }

    /// Handles the answer to the current question. Returns whether all files were asked about.
    fn add_missing(&mut self, files: Vec<(usize, u64)>) -> Result<bool> {
        if files.iter().any(|(index, _)| *index >= self.range.len()) {
            return Err(Problem::new(message!("place-requested-file-missing")));
        }
        let first = self.range.start;
        let files = files.into_iter().map(|(index, from)| (first + index, from));
        self.missing.extend(files);
        if self.range.end < self.files.len() {
            self.request_missing();
            return Ok(false);
        }
        self.missing.reverse();
        Ok(true)
    }

    /// Handles the confirmation of the oldest unconfirmed piece; `bytes` is the size of its file on the other
    /// computer.
    fn confirm_piece(&mut self, bytes: u64) -> Result<()> {
        // A piece from before the last restart may still be confirmed.
        let Some((index, end)) = self.pending.pop_front() else {
            return Ok(());
        };
        // Another client may have uploaded more of the same file.
        if let Some((next, from)) = self.missing.last_mut().filter(|(next, _)| *next == index) {
            *from = bytes.max(*from);
            if *from >= self.files[*next].bytes {
                self.missing.pop();
            }
        }
        // Another client may also have completed and moved the file, so that earlier pieces are missing for this one.
        let is_missing = bytes < end;
        // Asks again at the end, to be sure that nothing is missing.
        if is_missing || (self.missing.is_empty() && self.pending.is_empty()) {
            self.restart();
            return Ok(());
        }
        self.send_pieces()
    }

    /// Sends pieces up to the maximum number of unconfirmed ones.
    fn send_pieces(&mut self) -> Result<()> {
        while self.pending.len() < MAX_PENDING
            && let Some((index, from)) = self.missing.last().copied()
        {
            let Some(file) = self.files.get(index).cloned() else {
                return Err(Problem::new(message!("place-requested-file-missing")));
            };
            let path = self.folder.join(&file.path);
            let io = |error| Problem::io("read the dataset", &path, &error);
            let piece = files::read_from(&path, from, CHUNK_BYTES as u64).map_err(io)?;
            let next = from + piece.len() as u64;
            if next > file.bytes || (piece.is_empty() && from < file.bytes) {
                let changed = message!("place-dataset-changed-while-copying");
                return Err(Problem::new(changed).at_path(path));
            }
            if next == file.bytes {
                self.missing.pop();
            } else if let Some(last) = self.missing.last_mut() {
                last.1 = next;
            }
            self.pending.push_back((index, next));
            let set = self.set.clone();
            self.remote.queue_request(ClientRequest::Put { set, file, from }, piece);
        }
        Ok(())
    }
}

/// Returns the files of a dataset with their hashes.
fn hash_files(
    data_files: &DataFiles,
    should_continue: ContinueCallback<'_>,
) -> Result<Vec<FileEntry>> {
    let folder = &data_files.folder;
    if data_files.files.is_empty() || data_files.files.len() >= MAX_FILES {
        return Err(Problem::new(message!("place-folder-not-copyable")).at_path(&data_files.opened));
    }
    let entry = |file: PathBuf| {
        if !should_continue() {
            return Err(cancelled_problem());
        }
        let io = |error| Problem::io("read the dataset", &file, &error);
        Ok(FileEntry {
            path: dataset_file_name(&file, folder)?,
            bytes: files::length(&file).map_err(io)?,
            sha256: file_sha256(&file).map_err(io)?,
        })
    };
    crate::store::map_parallel(data_files.files.clone(), entry).into_iter().collect()
}

/// Returns the files from `from` on that fit into one question.
fn next_range(files: &[FileEntry], from: usize) -> Range<usize> {
    let mut names = 0;
    let fits = |file: &&FileEntry| {
        names += file.path.len();
        names <= MAX_NAME_BYTES
    };
    let rest = files[from..].iter().take(MAX_FILES_PER_REQUEST);
    let count = rest.take_while(fits).count().max(1);
    from..(from + count).min(files.len())
}

fn dataset_file_name(file: &Path, folder: &Path) -> Result<String> {
    let name = relative_name(file, folder);
    name.ok_or_else(|| Problem::new(message!("place-file-name-invalid")).at_path(file))
}

fn cancelled_problem() -> Problem {
    Problem::new(message!("place-copying-stopped"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::wire::{ClientMessage, Frame};

    #[test]
    fn requests_for_missing_files_fit_into_frames() {
        let entries = |count: usize, name: usize| -> Vec<FileEntry> {
            let entry = |number| FileEntry {
                path: format!("{number:0name$}.jpg"),
                bytes: 1 << 20,
                sha256: "0123456789abcdef".repeat(4),
            };
            (0..count).map(entry).collect()
        };
        for entries in [entries(600_000, 60), entries(5_000, 4_000), entries(1, 9)] {
            let mut range = 0..0;
            while range.end < entries.len() {
                range = next_range(&entries, range.end);
                assert!(!range.is_empty());
                let files = entries[range.clone()].to_vec();
                let (set, client, number) = (dataset_id(&files), 1, 1);
                let request = ClientRequest::Missing { number, set, files };
                let message = ClientMessage { client, number, ask: request };
                Frame::new(message, &[]).unwrap();
            }
            assert_eq!(range.end, entries.len());
        }
    }
}

//! The figures of runs as event files of TensorBoard, one folder a run, for comparison in TensorBoard.
//!
//! An event file is a list of TFRecords (length, its CRC, bytes, their CRC), each of them a protocol buffer `Event`; of
//! that format only what scalars need is written: <https://github.com/tensorflow/tensorboard/tree/master/tensorboard/compat/proto>.

use std::path::Path;

use super::groups::none_measured;
use super::listing::instant;
use super::summary::RunSummary;
use super::table::FIGURES;
use crate::files::write::write_file;
use crate::problem::{Problem, Result};

/// What TensorBoard knows such a file by.
const FILE: &str = "events.out.tfevents.lae-studio";

/// Writes a folder for each of these runs into `folder`, with the accuracy of each expert and of each task, losses and the
/// method's own measurements after every task, and the closing figures. A file that is there is replaced.
///
/// # Errors
/// Returns a Problem if no run has a finished task, or one cannot be written.
pub fn write_events(runs: &[RunSummary], folder: &Path) -> Result<()> {
    let measured: Vec<&RunSummary> = runs.iter().filter(|run| run.saved() > 0).collect();
    if measured.is_empty() {
        return Err(none_measured());
    }
    for run in measured {
        let place = folder.join(&run.header.run);
        std::fs::create_dir_all(&place)
            .map_err(|error| Problem::io("create the folder", &place, &error))?;
        write_file(&place.join(FILE), &events(run))?;
    }
    Ok(())
}

/// The whole file of one run.
fn events(run: &RunSummary) -> Vec<u8> {
    let began = instant(&run.header.started);
    let mut time = began.map_or(0.0, |time| time.as_millisecond() as f64 / 1e3);
    let mut file = Events::begin(time);
    let (histories, reports) = (run.histories(), run.reports());
    let mut passes = 0;
    for report in &reports {
        let task = report.task;
        time += report.seconds;
        let mut scalar = |tag: &str, value: f64| file.scalar(time, task + 1, tag, value);
        for expert in histories.experts() {
            let of = histories.of(expert).accuracy.get(task);
            let tag = format!("accuracy/{}", expert.name());
            scalar(&tag, of.map_or(f64::NAN, |share| share * 100.0));
        }
        let row = histories.answer().matrix.get(task).into_iter().flatten();
        for (of, share) in row.enumerate() {
            scalar(&format!("accuracy_of_task/{:03}", of + 1), share * 100.0);
        }
        scalar("images_per_second", report.images_per_second);
        for (name, value) in &report.measurements {
            scalar(&format!("measured/{name}"), *value);
        }
        for loss in &report.losses {
            passes += 1;
            file.scalar(time, passes, "loss_by_pass", *loss);
        }
    }
    let figures = run.figures(&histories);
    for figure in &FIGURES {
        if let Some(value) = (figure.of)(&figures) {
            file.scalar(time, reports.len(), &format!("final/{}", figure.key), value);
        }
    }
    file.bytes
}

/// A file of events.
struct Events {
    bytes: Vec<u8>,
}

impl Events {
    fn begin(time: f64) -> Self {
        let mut event = double(1, time);
        event.extend(bytes(3, b"brain.Event:2"));
        let mut events = Self { bytes: Vec::new() };
        events.record(&event);
        events
    }

    /// Adds a value at a step; one that is not a number is left out.
    fn scalar(&mut self, time: f64, step: usize, tag: &str, value: f64) {
        if !value.is_finite() {
            return;
        }
        let mut scalar = bytes(1, tag.as_bytes());
        scalar.push(2 << 3 | 5);
        scalar.extend((value as f32).to_le_bytes());
        let mut event = double(1, time);
        event.push(2 << 3);
        varint(&mut event, step as u64);
        event.extend(bytes(5, &bytes(1, &scalar)));
        self.record(&event);
    }

    fn record(&mut self, data: &[u8]) {
        let length = (data.len() as u64).to_le_bytes();
        for part in [&length[..], data] {
            self.bytes.extend(part);
            self.bytes.extend(masked_crc(part).to_le_bytes());
        }
    }
}

/// The checksum as TFRecords have it: turned and shifted, so that one over data that holds checksums is no special case.
fn masked_crc(data: &[u8]) -> u32 {
    crc32c::crc32c(data)
        .rotate_right(15)
        .wrapping_add(0xa282_ead8)
}

/// A field of eight bytes.
fn double(field: u8, value: f64) -> Vec<u8> {
    let mut out = vec![field << 3 | 1];
    out.extend(value.to_le_bytes());
    out
}

/// A field with its length before it.
fn bytes(field: u8, value: &[u8]) -> Vec<u8> {
    let mut out = vec![field << 3 | 2];
    varint(&mut out, value.len() as u64);
    out.extend(value);
    out
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_as_tensorboard_reads_them() {
        let mut events = Events::begin(0.0);
        let first = events.bytes.len();
        assert_eq!(first, 8 + 4 + 24 + 4);
        events.scalar(1.5, 300, "a", 50.0);
        let event = &events.bytes[first + 12..events.bytes.len() - 4];
        let by_hand = [
            &[0x09][..],
            &1.5_f64.to_le_bytes(),
            &[
                0x10, 0xac, 0x02, 0x2a, 0x0a, 0x0a, 0x08, 0x0a, 0x01, b'a', 0x15,
            ],
            &50.0_f32.to_le_bytes(),
        ]
        .concat();
        assert_eq!(event, by_hand);
        // The masked checksum of no bytes, as the format's other writers have it.
        assert_eq!(masked_crc(b""), 0xa282_ead8);
        let before = events.bytes.len();
        events.scalar(1.5, 300, "a", f64::NAN);
        assert_eq!(events.bytes.len(), before);
    }
}

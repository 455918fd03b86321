//! Batches of images, decoded and augmented by threads that run ahead of the device.
//!
//! Every random choice depends only on the run's seed, the epoch and the image (`rng.rs`), and batches arrive in order,
//! so the stream is the same for any number of threads. Thread *b* mod *T* produces batch *b* and sends it through its
//! own bounded channel; there is no other coordination. Dropping an [`ImageLoader`] stops its threads.

mod inputs;

use std::any::Any;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::cache::PixelCache;
use super::rng::{Purpose, Rng};
use super::source::Sample;
use super::transform::{Augment, InputSpec};
use crate::message;
use crate::problem::{Problem, Result};
pub use inputs::{augmented, input_of, inputs_of};
use inputs::{crop_of, inference_input};

/// Number of finished batches that each thread's channel holds.
const READY: usize = 2;
/// Wait time per call if the caller has nothing else to do.
const LONG: Duration = Duration::from_secs(3600);

/// Images and their labels, ready for the device.
#[derive(Clone, Debug, Default)]
pub struct ImageBatch {
    /// N×H×W×3 bytes.
    pub pixels: Vec<u8>,
    /// H = W.
    pub size: usize,
    /// N labels: positions in the class order, the logits.
    pub labels: Vec<i64>,
    /// N indices into the samples given to the loader.
    pub indices: Vec<usize>,
    /// Images that could not be read, from this batch or from preceding batches without readable images.
    pub unreadable: Vec<(usize, Problem)>,
}

impl ImageBatch {
    /// Returns the number of images.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Returns whether none of its images could be read.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }
}

/// How a loader iterates over its samples.
#[derive(Clone)]
pub struct LoaderOptions {
    /// The network's input.
    pub input: InputSpec,
    /// Augmentation; `None` for the inference transform.
    pub augment: Option<Augment>,
    /// Images per batch.
    pub batch: usize,
    /// Drops an incomplete last batch.
    pub drop_last: bool,
    /// Shuffles the images.
    pub shuffle: bool,
    /// Maximum number of images, from the start of their order; `None` for all.
    pub most: Option<usize>,
    /// The run's seed.
    pub seed: u64,
    /// Number of the epoch within the whole run, so that no two epochs have the same augmentation.
    pub epoch: u64,
    /// Cache of decoded images, kept over epochs and tasks.
    pub cache: Option<Arc<PixelCache>>,
    /// Number of threads; 0 for one per core.
    pub threads: usize,
}

impl LoaderOptions {
    /// Returns options for the inference transform in the given order, each image once.
    pub fn inference(input: InputSpec, batch: usize) -> Self {
        Self {
            input,
            augment: None,
            batch,
            drop_last: false,
            shuffle: false,
            most: None,
            seed: 0,
            epoch: 0,
            cache: None,
            threads: 0,
        }
    }
}

/// State shared by the threads.
struct LoaderQueue {
    samples: Arc<Vec<(Sample, i64)>>,
    order: Vec<u32>,
    options: LoaderOptions,
    batches: usize,
    stop: AtomicBool,
}

/// An iterator over the batches of one epoch.
pub struct ImageLoader {
    work: Arc<LoaderQueue>,
    channels: Vec<Receiver<ImageBatch>>,
    threads: Vec<JoinHandle<()>>,
    next: usize,
    left_over: Vec<(usize, Problem)>,
}

/// Returns the maximum size in bytes of all batches that are finished or in progress. Saturates, because settings may
/// be passed before they are checked.
pub fn buffered(batch: usize, size: usize) -> u64 {
    let batches = thread_count(0) as u64 * (READY as u64 + 1);
    let picture = (size as u64).saturating_mul(size as u64).saturating_mul(3);
    picture.saturating_mul(batch as u64).saturating_mul(batches)
}

impl ImageLoader {
    /// Starts the threads.
    ///
    /// # Errors
    /// Returns a Problem if the batch size is 0, the input or augmentation is out of range, or a thread could not be
    /// started.
    pub fn new(samples: Arc<Vec<(Sample, i64)>>, options: LoaderOptions) -> Result<Self> {
        options.input.checked()?;
        options.augment.map(Augment::checked).transpose()?;
        if options.batch == 0 {
            return Err(Problem::new(message!("problem-batch-size-zero")).at("batch"));
        }
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        if options.shuffle {
            Rng::new(Purpose::Shuffle, options.seed, options.epoch, 0).shuffle(&mut order);
        }
        order.truncate(options.most.unwrap_or(usize::MAX));
        let batches = if options.drop_last {
            order.len() / options.batch
        } else {
            order.len().div_ceil(options.batch)
        };
        let threads = thread_count(options.threads).min(batches.max(1));
        let mut loader = Self {
            work: Arc::new(LoaderQueue {
                samples,
                order,
                options,
                batches,
                stop: AtomicBool::new(false),
            }),
            channels: Vec::with_capacity(threads),
            threads: Vec::with_capacity(threads),
            next: 0,
            left_over: Vec::new(),
        };
        for number in 0..threads {
            let (sender, receiver) = sync_channel(READY);
            let work = Arc::clone(&loader.work);
            let thread = std::thread::Builder::new()
                .name(format!("loader {number}"))
                .spawn(move || work.run(number, threads, &sender))
                .map_err(|error| Problem::no_thread(&error))?;
            loader.channels.push(receiver);
            loader.threads.push(thread);
        }
        Ok(loader)
    }

    /// Returns the number of the next batch, from 0; batches without a readable image are counted and skipped.
    pub fn position(&self) -> usize {
        self.next
    }

    /// Returns the unreadable images of batches after the last returned one, none of whose images could be read.
    pub fn take_left_over(&mut self) -> Vec<(usize, Problem)> {
        std::mem::take(&mut self.left_over)
    }
}

/// The result of waiting for a batch.
pub enum Next {
    /// A batch; empty if none of its images could be read.
    Batch(ImageBatch),
    /// No batch yet.
    Waiting,
    /// There are no more batches.
    End,
}

impl ImageLoader {
    /// Returns the next batch, unless it takes longer than this.
    ///
    /// # Panics
    /// Panics if a loader thread panicked, with the same payload, so that an incomplete epoch is never taken for a
    /// complete one.
    pub fn next_within(&mut self, patience: Duration) -> Next {
        if self.next >= self.work.batches {
            return Next::End;
        }
        let channel = &self.channels[self.next % self.channels.len()];
        match channel.recv_timeout(patience) {
            Ok(batch) => {
                self.next += 1;
                Next::Batch(batch)
            }
            Err(RecvTimeoutError::Timeout) => Next::Waiting,
            // A thread ends before its last batch only if it panics.
            Err(RecvTimeoutError::Disconnected) => match self.end().pop() {
                Some(panic) => resume_unwind(panic),
                None => Next::End,
            },
        }
    }
}

impl Iterator for ImageLoader {
    type Item = ImageBatch;

    /// Returns the next batch with at least one readable image.
    ///
    /// # Panics
    /// As [`ImageLoader::next_within`].
    fn next(&mut self) -> Option<ImageBatch> {
        loop {
            let mut batch = match self.next_within(LONG) {
                Next::Batch(batch) => batch,
                Next::Waiting => continue,
                Next::End => return None,
            };
            self.left_over.append(&mut batch.unreadable);
            if !batch.is_empty() {
                batch.unreadable = self.take_left_over();
                return Some(batch);
            }
        }
    }
}

impl ImageLoader {
    /// Asks the threads to end.
    fn stop(&mut self) {
        self.work.stop.store(true, Ordering::Relaxed);
        // A thread that waits to send wakes up when its channel is dropped.
        self.channels.clear();
    }

    /// Ends the threads; returns the panics that ended them.
    fn end(&mut self) -> Vec<Box<dyn Any + Send>> {
        self.stop();
        let ended = self.threads.drain(..).map(JoinHandle::join);
        ended.filter_map(std::result::Result::err).collect()
    }
}

impl Drop for ImageLoader {
    fn drop(&mut self) {
        self.stop();
        let threads = self.threads.drain(..).collect();
        leave(threads, PATIENCE);
    }
}

/// Longest wait for threads to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// Waits for these threads, except for one that is blocked by a disk that does not respond: it ends later by itself,
/// and only holds images until then.
fn leave(threads: Vec<JoinHandle<()>>, patience: Duration) {
    let end = Instant::now() + patience;
    for thread in threads {
        while !thread.is_finished() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        if thread.is_finished() {
            let _ = thread.join();
        }
    }
}

fn thread_count(wanted: usize) -> usize {
    let cores = || std::thread::available_parallelism().map_or(2, usize::from);
    if wanted == 0 {
        cores().min(16)
    } else {
        wanted.min(256)
    }
}

impl LoaderQueue {
    fn run(&self, start: usize, step: usize, sender: &SyncSender<ImageBatch>) {
        for number in (start..self.batches).step_by(step) {
            let Some(batch) = self.make(number) else {
                return;
            };
            if sender.send(batch).is_err() {
                return;
            }
        }
    }

    /// Returns a batch; `None` if stopped.
    fn make(&self, number: usize) -> Option<ImageBatch> {
        let options = &self.options;
        let from = number * options.batch;
        let to = (from + options.batch).min(self.order.len());
        let bytes = options.input.bytes();
        let mut batch = ImageBatch {
            pixels: Vec::with_capacity((to - from) * bytes),
            size: options.input.size,
            ..ImageBatch::default()
        };
        for &index in &self.order[from..to] {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            let index = index as usize;
            let (sample, label) = &self.samples[index];
            let start = batch.pixels.len();
            batch.pixels.resize(start + bytes, 0);
            match self.fill(index, sample, &mut batch.pixels[start..]) {
                Ok(()) => {
                    batch.labels.push(*label);
                    batch.indices.push(index);
                }
                Err(problem) => {
                    batch.pixels.truncate(start);
                    batch.unreadable.push((index, problem));
                }
            }
        }
        Some(batch)
    }

    fn fill(&self, index: usize, sample: &Sample, out: &mut [u8]) -> Result<()> {
        let options = &self.options;
        let cache = options.cache.as_deref();
        let Some(augment) = options.augment else {
            return inference_input(sample, options.input, cache, out);
        };
        let picture = match cache {
            Some(cache) => cache.picture(sample)?,
            None => Arc::new(sample.hold()?),
        };
        let picture = &picture.picture;
        let drawn = (index, options.seed, options.epoch);
        crop_of(picture, drawn, options.input, augment, out).map(drop)
    }
}

#[cfg(test)]
mod tests;

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
pub use inputs::{augmented_input, inference_inputs, write_file_input};
use inputs::{write_augmented_input, write_inference_input};

/// Number of finished batches that each thread's channel holds.
const BATCHES_PER_THREAD: usize = 2;
/// Wait time per call if the caller has nothing else to do.
const MAX_WAIT: Duration = Duration::from_secs(3600);

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
    pub batch_size: usize,
    /// Drops an incomplete last batch.
    pub drop_last: bool,
    /// Shuffles the images.
    pub shuffle: bool,
    /// Maximum number of images, from the start of their order; `None` for all.
    pub max_images: Option<usize>,
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
    pub fn inference(input: InputSpec, batch_size: usize) -> Self {
        Self {
            input,
            augment: None,
            batch_size,
            drop_last: false,
            shuffle: false,
            max_images: None,
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
    queue: Arc<LoaderQueue>,
    channels: Vec<Receiver<ImageBatch>>,
    threads: Vec<JoinHandle<()>>,
    next: usize,
    pending_unreadable: Vec<(usize, Problem)>,
}

/// Returns the maximum size in bytes of all batches that are finished or in progress. Saturates, because settings may
/// be passed before they are checked.
pub fn max_buffered_bytes(batch_size: usize, size: usize) -> u64 {
    let batches = thread_count(0) as u64 * (BATCHES_PER_THREAD as u64 + 1);
    let image_bytes = (size as u64).saturating_mul(size as u64).saturating_mul(3);
    image_bytes.saturating_mul(batch_size as u64).saturating_mul(batches)
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
        if options.batch_size == 0 {
            return Err(Problem::new(message!("problem-batch-size-zero")).at("batch"));
        }
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        if options.shuffle {
            Rng::new(Purpose::Shuffle, options.seed, options.epoch, 0).shuffle(&mut order);
        }
        order.truncate(options.max_images.unwrap_or(usize::MAX));
        let batches = if options.drop_last {
            order.len() / options.batch_size
        } else {
            order.len().div_ceil(options.batch_size)
        };
        let threads = thread_count(options.threads).min(batches.max(1));
        let mut loader = Self {
            queue: Arc::new(LoaderQueue {
                samples,
                order,
                options,
                batches,
                stop: AtomicBool::new(false),
            }),
            channels: Vec::with_capacity(threads),
            threads: Vec::with_capacity(threads),
            next: 0,
            pending_unreadable: Vec::new(),
        };
        for number in 0..threads {
            let (sender, receiver) = sync_channel(BATCHES_PER_THREAD);
            let queue = Arc::clone(&loader.queue);
            let thread = std::thread::Builder::new()
                .name(format!("loader {number}"))
                .spawn(move || queue.run(number, threads, &sender))
                .map_err(|error| Problem::thread_not_started(&error))?;
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
    pub fn take_unreadable(&mut self) -> Vec<(usize, Problem)> {
        std::mem::take(&mut self.pending_unreadable)
    }
}

/// The result of waiting for a batch.
pub enum NextBatch {
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
    pub fn next_timeout(&mut self, timeout: Duration) -> NextBatch {
        if self.next >= self.queue.batches {
            return NextBatch::End;
        }
        let channel = &self.channels[self.next % self.channels.len()];
        match channel.recv_timeout(timeout) {
            Ok(batch) => {
                self.next += 1;
                NextBatch::Batch(batch)
            }
            Err(RecvTimeoutError::Timeout) => NextBatch::Waiting,
            // A thread ends before its last batch only if it panics.
            Err(RecvTimeoutError::Disconnected) => match self.end().pop() {
                Some(panic) => resume_unwind(panic),
                None => NextBatch::End,
            },
        }
    }
}

impl Iterator for ImageLoader {
    type Item = ImageBatch;

    /// Returns the next batch with at least one readable image.
    ///
    /// # Panics
    /// As [`ImageLoader::next_timeout`].
    fn next(&mut self) -> Option<ImageBatch> {
        loop {
            let mut batch = match self.next_timeout(MAX_WAIT) {
                NextBatch::Batch(batch) => batch,
                NextBatch::Waiting => continue,
                NextBatch::End => return None,
            };
            self.pending_unreadable.append(&mut batch.unreadable);
            if !batch.is_empty() {
                batch.unreadable = self.take_unreadable();
                return Some(batch);
            }
        }
    }
}

impl ImageLoader {
    /// Asks the threads to end.
    fn stop(&mut self) {
        self.queue.stop.store(true, Ordering::Relaxed);
        // A thread that waits to send wakes up when its channel is dropped.
        self.channels.clear();
    }

    /// Ends the threads; returns the panics that ended them.
    fn end(&mut self) -> Vec<Box<dyn Any + Send>> {
        self.stop();
        let results = self.threads.drain(..).map(JoinHandle::join);
        results.filter_map(std::result::Result::err).collect()
    }
}

impl Drop for ImageLoader {
    fn drop(&mut self) {
        self.stop();
        let threads = self.threads.drain(..).collect();
        join_within(threads, JOIN_TIMEOUT);
    }
}

/// Longest wait for threads to end.
const JOIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Waits for these threads, except for one that is blocked by a disk that does not respond: it ends later by itself,
/// and only holds images until then.
fn join_within(threads: Vec<JoinHandle<()>>, timeout: Duration) {
    let deadline = Instant::now() + timeout;
    for thread in threads {
        while !thread.is_finished() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        if thread.is_finished() {
            let _ = thread.join();
        }
    }
}

fn thread_count(requested: usize) -> usize {
    let cores = || std::thread::available_parallelism().map_or(2, usize::from);
    if requested == 0 { cores().min(16) } else { requested.min(256) }
}

impl LoaderQueue {
    fn run(&self, start: usize, step: usize, sender: &SyncSender<ImageBatch>) {
        for number in (start..self.batches).step_by(step) {
            let Some(batch) = self.make_batch(number) else {
                return;
            };
            if sender.send(batch).is_err() {
                return;
            }
        }
    }

    /// Returns a batch; `None` if stopped.
    fn make_batch(&self, number: usize) -> Option<ImageBatch> {
        let options = &self.options;
        let from = number * options.batch_size;
        let to = (from + options.batch_size).min(self.order.len());
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
            match self.fill_input(index, sample, &mut batch.pixels[start..]) {
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

    fn fill_input(&self, index: usize, sample: &Sample, out: &mut [u8]) -> Result<()> {
        let options = &self.options;
        let cache = options.cache.as_deref();
        let Some(augment) = options.augment else {
            return write_inference_input(sample, options.input, cache, out);
        };
        let decoded = match cache {
            Some(cache) => cache.image(sample)?,
            None => Arc::new(sample.decode_budgeted()?),
        };
        let image = &decoded.image;
        let key = (index, options.seed, options.epoch);
        write_augmented_input(image, key, options.input, augment, out).map(drop)
    }
}

#[cfg(test)]
mod tests;

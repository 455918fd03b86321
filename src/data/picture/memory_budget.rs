//! Memory limits shared by all images that are read at the same time, so that large images wait for each other instead
//! of filling the memory with one image per thread. Files and decoded images have separate limits.

use std::sync::{Condvar, Mutex, PoisonError};

use super::decoding_memory::USUALLY;

/// Memory for decoded images and their decoders, in bytes. An image that needs more is decoded alone.
const SHARED: u64 = USUALLY;
/// Smaller images do not wait, because there is at most one per thread.
const SMALL: u64 = 8 << 20;
/// Memory for image files, in bytes. A larger file is read alone.
const FILES_SHARED: u64 = 256 << 20;
/// Smaller files do not wait.
const SMALL_FILE: u64 = 1 << 20;

static PIXELS: Shared = Shared::of(SHARED);
static FILES: Shared = Shared::of(FILES_SHARED);

/// A shared amount of memory.
struct Shared {
    most: u64,
    taken: Mutex<u64>,
    freed: Condvar,
}

impl Shared {
    const fn of(most: u64) -> Self {
        Self {
            most,
            taken: Mutex::new(0),
            freed: Condvar::new(),
        }
    }

    /// Waits until `bytes` bytes are free, or no thread uses any.
    fn wait_for(&'static self, bytes: u64) -> Room {
        // A poisoned lock is used anyway, because a panic cannot leave the number inconsistent.
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |taken: &mut u64| *taken > 0 && *taken + bytes > self.most;
        let waited = self.freed.wait_while(taken, full);
        *waited.unwrap_or_else(PoisonError::into_inner) += bytes;
        Room { of: self, bytes }
    }

    fn give_back(&self, bytes: u64) {
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) -= bytes;
        self.freed.notify_all();
    }
}

/// Reserved memory for an image or file; released when dropped.
pub(super) struct Room {
    of: &'static Shared,
    bytes: u64,
}

impl Room {
    /// Releases all but `bytes` bytes, when the decoder no longer needs its memory.
    pub fn shrink_to(&mut self, bytes: u64) {
        let back = self.bytes.saturating_sub(bytes);
        self.bytes -= back;
        self.of.give_back(back);
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.of.give_back(self.bytes);
    }
}

/// Reserves `bytes` bytes for pixels and waits until they are free. A thread that holds some must not reserve more,
/// because it would wait for itself.
pub(super) fn for_pixels(bytes: u64) -> Option<Room> {
    (bytes > SMALL).then(|| PIXELS.wait_for(bytes))
}

/// Reserves `bytes` bytes for a file and waits until they are free. A thread that holds some may only call
/// [`for_pixels`].
pub(super) fn for_file(bytes: u64) -> Option<Room> {
    (bytes > SMALL_FILE).then(|| FILES.wait_for(bytes))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn large_images_share_budget_and_huge_run_alone() {
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for number in 0..16u64 {
                let bytes = if number == 7 { 2 * SHARED } else { SHARED / 3 };
                let (now, most) = (&now, &most);
                scope.spawn(move || {
                    let _room = for_pixels(bytes);
                    most.fetch_max(
                        now.fetch_add(bytes, Ordering::SeqCst) + bytes,
                        Ordering::SeqCst,
                    );
                    std::thread::sleep(std::time::Duration::from_millis(2));
                    now.fetch_sub(bytes, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(most.load(Ordering::SeqCst), 2 * SHARED);
        assert!(for_pixels(1000).is_none() && for_file(1000).is_none());
    }
}

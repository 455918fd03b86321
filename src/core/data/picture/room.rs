//! The memory that all pictures being decoded at a time share, so that large ones wait for each
//! other instead of filling it, one per core.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes that pictures may take at a time. One that needs more is decoded alone.
const SHARED: u64 = 1 << 30;
/// Smaller pictures do not wait: there is one per core at most.
const SMALL: u64 = 8 << 20;
/// Files of more bytes are read one at a time.
const LARGE_FILE: u64 = 64 << 20;

static TAKEN: Mutex<u64> = Mutex::new(0);
static FREED: Condvar = Condvar::new();
static LARGE: Mutex<()> = Mutex::new(());

/// Room for one picture; given back when dropped.
pub(super) struct Room(u64);

/// Waits until there is room for so many bytes. Whoever has it must not wait for anything else.
pub(super) fn for_pixels(bytes: u64) -> Option<Room> {
    if bytes <= SMALL {
        return None;
    }
    // Whoever panicked with the lock had only added or subtracted.
    let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    let full = |taken: &mut u64| *taken > 0 && *taken + bytes > SHARED;
    let mut taken = (FREED.wait_while(taken, full)).unwrap_or_else(PoisonError::into_inner);
    *taken += bytes;
    Some(Room(bytes))
}

impl Drop for Room {
    fn drop(&mut self) {
        *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) -= self.0;
        FREED.notify_all();
    }
}

/// Waits until no other large file is in memory; small ones need not wait.
pub(super) fn for_file(bytes: u64) -> Option<MutexGuard<'static, ()>> {
    (bytes > LARGE_FILE).then(|| LARGE.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn large_pictures_wait_for_each_other_and_a_huge_one_is_alone() {
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

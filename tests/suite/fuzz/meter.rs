//! Memory and processor time of one thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

/// The system's allocator, with a count of what each thread holds.
struct CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

thread_local! {
    /// Bytes allocated minus bytes freed on this thread; what another thread freed or
    /// handed over makes it wrong, so measured code works on one thread.
    static HELD: Cell<isize> = const { Cell::new(0) };
    /// The most that was held since the measurement began.
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn record_change(change: isize) {
    // A thread that is ending has no cells any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + change);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

#[allow(unsafe_code, reason = "the interface of allocators; everything is passed on")]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        record_change(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        record_change(layout.size() as isize);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        record_change(-(layout.size() as isize));
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // For a moment both may be there.
        record_change(size as isize);
        record_change(-(layout.size() as isize));
        unsafe { System.realloc(place, layout, size) }
    }
}

/// A measurement on the thread that began it.
pub struct Meter {
    held: isize,
    time: Duration,
}

impl Meter {
    pub fn start() -> Self {
        let held = HELD.get();
        MOST.set(held);
        Self { held, time: thread_time() }
    }

    /// Most bytes held at a time since the start, and processor time.
    pub fn stop(self) -> (usize, Duration) {
        let peak = MOST.get() - self.held;
        let time = thread_time().saturating_sub(self.time);
        (usize::try_from(peak).unwrap_or(0), time)
    }
}

/// Processor time of this thread; on systems that do not report it, none passes.
fn thread_time() -> Duration {
    // The first number is the time on a processor, in nanoseconds.
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split_whitespace().next();
    Duration::from_nanos(first.and_then(|time| time.parse().ok()).unwrap_or(0))
}

#[test]
fn meter_measures_memory_and_time_of_own_thread() {
    let meter = Meter::start();
    let block = vec![1u8; 5 << 20];
    let sum: u64 = (0..20).map(|_| block.iter().map(|&b| u64::from(b)).sum::<u64>()).sum();
    drop(block);
    let (memory, time) = meter.stop();
    assert_eq!(sum, 100 << 20);
    assert!((5 << 20..6 << 20).contains(&memory), "{memory}");
    let is_supported = std::path::Path::new("/proc/thread-self/schedstat").exists();
    assert!(!is_supported || (time > Duration::ZERO && time < Duration::from_secs(60)));
    // Other threads are not counted.
    let meter = Meter::start();
    std::thread::spawn(|| drop(vec![0u8; 50 << 20])).join().unwrap();
    assert!(meter.stop().0 < 1 << 20);
}

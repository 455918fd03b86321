//! Thread pools per calling thread.

use std::cell::OnceCell;

use rayon::{ThreadPool, ThreadPoolBuilder};

thread_local! {
    static OWN: OnceCell<Option<ThreadPool>> = const { OnceCell::new() };
}

/// Runs work that consists of many short computations in a thread pool, so that they are not passed to the pool one
/// at a time. Each calling thread has its own pool. While a thread of a pool waits for others, it must not start work
/// of another caller, which might need a lock that this work holds.
pub fn together<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if rayon::current_thread_index().is_some() {
        return work();
    }
    let started = || {
        let threads = rayon::current_num_threads();
        let name = |index| format!("compute {index}");
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        builder.thread_name(name).build().ok()
    };
    OWN.with(|own| match own.get_or_init(started) {
        Some(threads) => threads.install(work),
        None => work(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_its_own_thread_pool() {
        let ids = || together(|| rayon::broadcast(|_| std::thread::current().id()));
        let (first, again) = (ids(), ids());
        assert_eq!(first.len(), rayon::current_num_threads());
        assert_eq!(first, again);
        let other = std::thread::spawn(ids).join();
        let other = other.unwrap_or_default();
        assert_eq!(other.len(), first.len());
        assert!(other.iter().all(|id| !first.contains(id)));
        // Nested work stays in the same pool.
        let inside = together(|| {
            let here = std::thread::current().id();
            together(|| here == std::thread::current().id())
        });
        assert!(inside);
    }

    #[test]
    #[should_panic(expected = "inside")]
    fn together_propagates_panics() {
        together(|| panic!("inside"));
    }
}

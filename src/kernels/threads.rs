//! Thread pools per calling thread.

use std::cell::OnceCell;

use rayon::{ThreadPool, ThreadPoolBuilder};

thread_local! {
    static POOL: OnceCell<Option<ThreadPool>> = const { OnceCell::new() };
}

/// Runs work that consists of many short computations in a thread pool, so that they are not passed to the pool one
/// at a time. Each calling thread has its own pool. While a thread of a pool waits for others, it must not start work
/// of another caller, which might need a lock that this work holds.
pub fn run_in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if rayon::current_thread_index().is_some() {
        return work();
    }
    let build_pool = || {
        let threads = rayon::current_num_threads();
        let name = |index| format!("compute {index}");
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        builder.thread_name(name).build().ok()
    };
    POOL.with(|cell| match cell.get_or_init(build_pool) {
        Some(pool) => pool.install(work),
        None => work(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_its_own_thread_pool() {
        let thread_ids = || run_in_pool(|| rayon::broadcast(|_| std::thread::current().id()));
        let (first, second) = (thread_ids(), thread_ids());
        assert_eq!(first.len(), rayon::current_num_threads());
        assert_eq!(first, second);
        let other = std::thread::spawn(thread_ids).join();
        let other = other.unwrap_or_default();
        assert_eq!(other.len(), first.len());
        assert!(other.iter().all(|id| !first.contains(id)));
        // Nested work stays in the same pool.
        let stays_in_pool = run_in_pool(|| {
            let outer = std::thread::current().id();
            run_in_pool(|| outer == std::thread::current().id())
        });
        assert!(stays_in_pool);
    }

    #[test]
    #[should_panic(expected = "inside")]
    fn run_in_pool_propagates_panics() {
        run_in_pool(|| panic!("inside"));
    }
}

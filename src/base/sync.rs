//! Locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, even if a thread panicked while it held the lock. Use it for values that a panic cannot leave
/// inconsistent.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn locks_a_poisoned_mutex() {
        let value = Arc::new(Mutex::new(1));
        let shared = Arc::clone(&value);
        let thread = std::thread::spawn::<_, ()>(move || {
            let _guard = lock(&shared);
            panic!("poisons the mutex");
        });
        assert!(thread.join().is_err());
        assert!(value.is_poisoned());
        assert_eq!(*lock(&value), 1);
    }
}

//! Tests that cannot run on this machine say why, and the last line of all says how many they were.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Reasons, and how many tests each stopped.
static SKIPPED: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

/// Notes that a test, or what it does beyond its other checks, was left out.
pub fn skip(why: &str) {
    eprintln!("skipped: {why}");
    let mut skipped = SKIPPED.lock().unwrap_or_else(PoisonError::into_inner);
    if skipped.is_empty() {
        // The harness prints its result and exits: only what runs at exit comes after that.
        #[allow(unsafe_code)]
        // SAFETY: the function takes nothing, catches its own failures, and lives as long as the program.
        unsafe {
            libc::atexit(last_line);
        }
    }
    *skipped.entry(why.to_string()).or_default() += 1;
}

extern "C" fn last_line() {
    let skipped = SKIPPED.lock().unwrap_or_else(PoisonError::into_inner);
    let count: usize = skipped.values().sum();
    let why: Vec<String> = skipped
        .iter()
        .map(|(why, count)| format!("{count} × {why}"))
        .collect();
    eprintln!("skipped on this machine: {count} ({})\n", why.join("; "));
}

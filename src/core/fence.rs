//! The fence around every job: what panics inside ends that job and not the thread.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::problem::{Problem, Result};
use crate::tensors::device_problem;

/// Runs a job; a panic inside becomes a Problem.
pub(crate) fn fenced<T>(job: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
            .unwrap_or_else(|| "unknown cause".into());
        let device = ["wgpu", "device", "memory", "buffer"];
        Err(if device.iter().any(|word| text.contains(word)) {
            device_problem(&text)
        } else {
            Problem::new(format!("an internal error ended this job: {text}"))
                .advise("what was saved is kept: continue the run; if it fails again, report it")
        })
    })
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    /// `Cargo.toml` keeps the check in every build: a wrong sum would be a wrong figure.
    #[test]
    fn a_sum_that_overflows_is_a_problem() {
        let images = black_box(u32::MAX);
        let counted = fenced(|| Ok(images + black_box(1)));
        let told = counted.map_err(|problem| problem.what);
        assert!(
            matches!(&told, Err(what) if what.contains("overflow")),
            "{told:?}"
        );
    }
}

//! Converts panics into errors, so that they end only the current work and not the thread.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::message;
use crate::problem::{Problem, Result};
use crate::tensors::{device_problem, is_out_of_memory};

/// Runs work and returns a panic in it as an error. Changes that the work made before the panic remain; the caller
/// must ensure that they do no harm.
///
/// # Errors
/// Returns the message of the panic.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
            .unwrap_or_else(|| "unknown cause".into())
    })
}

/// Runs a job; a panic in it becomes a Problem.
pub fn catch_panic_as_problem<T>(job: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_panic(job).unwrap_or_else(|text| {
        Err(if is_device_error(&text) {
            device_problem(&text, None)
        } else {
            Problem::new(message!("problem-internal-error", text))
                .advise(message!("advice-resume-or-report-error"))
        })
    })
}

/// Returns whether a panic with this message comes from a device. The words "memory" and "buffer" do not suffice,
/// because panics of other code contain them, too.
fn is_device_error(text: &str) -> bool {
    let text = text.to_lowercase();
    let names = ["wgpu", "cubecl", "device"];
    names.iter().any(|name| text.contains(name)) || is_out_of_memory(&text)
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    /// `Cargo.toml` enables overflow checks in every build, because a wrong sum would give a wrong figure.
    #[test]
    fn integer_overflow_becomes_problem() {
        let images = black_box(u32::MAX);
        let counted = catch_panic_as_problem(|| Ok(images + black_box(1)));
        let is_overflow = |problem: &Problem| {
            problem.is("problem-internal-error") && problem.what.contains("overflow")
        };
        assert!(matches!(&counted, Err(problem) if is_overflow(problem)), "{counted:?}");
    }

    #[test]
    fn is_device_error_matches_device_errors_only() {
        let device_errors =
            ["wgpu error: Validation Error", "Parent device is lost", "Out of memory"];
        assert!(device_errors.into_iter().all(is_device_error));
        let others = ["the replay memory is empty", "range end 9 out of range for buffer"];
        assert!(!others.into_iter().any(is_device_error));
    }
}

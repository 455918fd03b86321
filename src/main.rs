//! LAE Studio: opens the window, or does what the arguments say.

use std::process::ExitCode;

/// Frees and reuses the large buffers of CPU inference much faster than the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Some parts of the framework ask for its default device, which would be a GPU that may not
    // be there; this makes it the CPU. Nothing here relies on the default otherwise.
    #[allow(
        unsafe_code,
        reason = "no other thread runs yet, so nobody reads the environment meanwhile"
    )]
    unsafe {
        std::env::set_var("BURN_DEVICE", "flex");
    }
    lae_studio::cli::run()
}

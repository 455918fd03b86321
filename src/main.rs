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
        #[cfg(target_os = "linux")]
        if let Some(folder) = runtime_folder() {
            std::env::set_var("XDG_RUNTIME_DIR", folder);
        }
    }
    lae_studio::cli::run()
}

/// Where a Linux desktop keeps its sockets, if nobody says so. Graphics drivers look for one there
/// and complain on standard error where the variable is missing; a folder that does not exist they
/// silently treat as no desktop.
#[cfg(target_os = "linux")]
fn runtime_folder() -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let given = std::env::var_os("XDG_RUNTIME_DIR");
    if given.is_some_and(|folder| std::path::Path::new(&folder).is_absolute()) {
        return None;
    }
    let user = std::fs::metadata("/proc/self").ok()?.uid();
    Some(format!("/run/user/{user}"))
}

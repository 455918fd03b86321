//! LAE Studio: opens the window, or executes the command in its arguments.

use std::process::ExitCode;

/// mimalloc frees and reuses the large buffers of CPU inference much faster than the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Some parts of the framework use its default device, which would be a GPU that may be missing. This makes the CPU
    // the default. The program itself never relies on the default.
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

/// Returns the folder of this user's sockets on a Linux desktop; `None` if the environment already names one. Graphics
/// drivers search for a socket there. They complain on standard error if the variable is missing, but ignore a folder
/// that does not exist.
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

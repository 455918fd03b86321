//! The console of Windows, which opens for a program that was started from the desktop. Other systems have no such
//! console.

use std::process::Command;

/// Returns whether the console was opened only for this program.
pub fn is_own() -> bool {
    #[cfg(windows)]
    {
        use windows_sys::Win32::System::Console::GetConsoleProcessList;
        let mut there = [0; 2];
        #[allow(
            unsafe_code,
            reason = "the list has the two places that are named; the answer is how many programs there are"
        )]
        let count = unsafe { GetConsoleProcessList(there.as_mut_ptr(), 2) };
        count == 1
    }
    #[cfg(not(windows))]
    false
}

/// Closes a console that was opened only for this program; later output is lost.
pub fn close_own() {
    #[cfg(windows)]
    if is_own() {
        use windows_sys::Win32::System::Console::FreeConsole;
        #[allow(unsafe_code, reason = "it takes nothing; a console that does not go stays visible")]
        unsafe {
            FreeConsole();
        }
    }
}

/// Hides the console of a child process: Windows opens one for each child of a program without a console.
pub fn hide_for(child: &mut Command) -> &mut Command {
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt;
        use windows_sys::Win32::System::Threading::CREATE_NO_WINDOW;
        child.creation_flags(CREATE_NO_WINDOW);
    }
    child
}

//! The console of Windows, which opens for a program that was started from the desktop. Other systems have no such
//! console.

use std::process::Command;

/// Whether a console opened for this program alone.
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

/// Closes a console that opened for this program alone; what is printed from then on is lost.
pub fn close_own() {
    #[cfg(windows)]
    if is_own() {
        use windows_sys::Win32::System::Console::FreeConsole;
        #[allow(
            unsafe_code,
            reason = "it takes nothing; a console that does not go stays visible"
        )]
        unsafe {
            FreeConsole();
        }
    }
}

/// Keeps a child's console out of sight: Windows opens one for each child of a program that has none.
pub fn hide_for(child: &mut Command) -> &mut Command {
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt;
        use windows_sys::Win32::System::Threading::CREATE_NO_WINDOW;
        child.creation_flags(CREATE_NO_WINDOW);
    }
    child
}

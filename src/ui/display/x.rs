//! Whether the X server that DISPLAY names lets this program in.
//!
//! The window library only says that it could not connect, and the library below it writes the server's own words on
//! standard error. So a connection is made once beforehand.

use std::fmt;
use std::sync::mpsc;
use std::time::Duration;

use x11rb::errors::ConnectError;
use x11rb::rust_connection::RustConnection;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nobody listens, or does not answer.
    Nobody,
    /// It wants a password that is not known here.
    Refuses,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nobody => "no X server answers at",
            Self::Refuses => "the X server lets nobody in without its cookie (XAUTHORITY) at",
        })
    }
}

/// Connects to the server of this display. A bare server that loses its last connection begins anew, so it is kept
/// until the window has its own; none where the window library may know more than this one.
///
/// # Errors
/// Nobody answers, or the cookie at hand is not accepted.
pub fn greet(display: &str) -> Result<Option<RustConnection>, Why> {
    let (tell, told) = mpsc::channel();
    let display = display.to_owned();
    // On a thread of its own, for the library waits without end.
    std::thread::spawn(move || {
        // Nobody hears an answer that comes too late.
        let _ = tell.send(RustConnection::connect(Some(&display)));
    });
    match told.recv_timeout(PATIENCE) {
        Ok(Ok((connection, _))) => Ok(Some(connection)),
        Ok(Err(ConnectError::SetupFailed(_))) => Err(Why::Refuses),
        Ok(Err(ConnectError::IoError(_))) | Err(_) => Err(Why::Nobody),
        Ok(Err(_)) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_not_there_is_nobody() {
        assert_eq!(greet(":65000").err(), Some(Why::Nobody));
        assert!(greet("nonsense").is_ok());
    }
}

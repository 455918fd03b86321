//! Checks whether the X server named by DISPLAY accepts a connection.
//!
//! The window library only reports that it could not connect, and the library below it prints the server's message to
//! standard error. A separate connection allows a better message.

use std::fmt;
use std::sync::mpsc;
use std::time::Duration;

use x11rb::errors::ConnectError;
use x11rb::rust_connection::RustConnection;

/// Time-out for the server's response.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionFailure {
    /// No server responds.
    Nobody,
    /// The server requires authentication.
    Refuses,
}

impl fmt::Display for ConnectionFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nobody => "no X server is responding at",
            Self::Refuses => "the X server requires its cookie (XAUTHORITY) at",
        })
    }
}

/// Connects to the X server of this display. The connection must be kept until the window has its own, because some
/// servers reset when their last client disconnects. Returns `None` if this check cannot connect but the window library
/// may be able to.
///
/// # Errors
/// Returns an error if no server responds or the server requires authentication.
pub fn greet(display: &str) -> Result<Option<RustConnection>, ConnectionFailure> {
    let (tell, told) = mpsc::channel();
    let display = display.to_owned();
    // A separate thread is used because the library waits without a time-out.
    std::thread::spawn(move || {
        // Sending fails if the response arrives after the time-out.
        let _ = tell.send(RustConnection::connect(Some(&display)));
    });
    match told.recv_timeout(PATIENCE) {
        Ok(Ok((connection, _))) => Ok(Some(connection)),
        Ok(Err(ConnectError::SetupFailed(_))) => Err(ConnectionFailure::Refuses),
        Ok(Err(ConnectError::IoError(_))) | Err(_) => Err(ConnectionFailure::Nobody),
        Ok(Err(_)) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_not_there_is_nobody() {
        assert_eq!(greet(":65000").err(), Some(ConnectionFailure::Nobody));
        assert!(greet("nonsense").is_ok());
    }
}

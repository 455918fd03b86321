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
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Why there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionFailure {
    /// No server responds.
    NoResponse,
    /// The server requires authentication.
    AuthenticationRequired,
}

impl fmt::Display for ConnectionFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoResponse => "no X server is responding at",
            Self::AuthenticationRequired => "the X server requires its cookie (XAUTHORITY) at",
        })
    }
}

/// Connects to the X server of this display. The connection must be kept until the window has its own, because some
/// servers reset when their last client disconnects. Returns `None` if this check cannot connect but the window library
/// may be able to.
///
/// # Errors
/// Returns an error if no server responds or the server requires authentication.
pub fn connect(display: &str) -> Result<Option<RustConnection>, ConnectionFailure> {
    let (sender, receiver) = mpsc::channel();
    let display = display.to_owned();
    // A separate thread is used because the library waits without a time-out.
    std::thread::spawn(move || {
        // Sending fails if the response arrives after the time-out.
        let _ = sender.send(RustConnection::connect(Some(&display)));
    });
    match receiver.recv_timeout(RESPONSE_TIMEOUT) {
        Ok(Ok((connection, _))) => Ok(Some(connection)),
        Ok(Err(ConnectError::SetupFailed(_))) => Err(ConnectionFailure::AuthenticationRequired),
        Ok(Err(ConnectError::IoError(_))) | Err(_) => Err(ConnectionFailure::NoResponse),
        Ok(Err(_)) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_server_gives_no_response() {
        assert_eq!(connect(":65000").err(), Some(ConnectionFailure::NoResponse));
        assert!(connect("nonsense").is_ok());
    }
}

//! Who answers at a place.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{News, Peer, Remote};
use crate::problem::{Problem, Result};
use crate::run::places::Place;
use crate::run::wire::Hello;

/// How long a place may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who answers at a place; runs would be kept in `root` here. Waits.
///
/// # Errors
/// A Problem when nobody does, or a program of another version.
pub fn check(place: &Place, root: &Path) -> Result<Hello> {
    let peer = Peer::Ssh {
        place: place.clone(),
        root: root.to_path_buf(),
    };
    let remote = Remote::start(peer, true, Arc::new(|| {}))?;
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        match remote.recv(Duration::from_millis(200))? {
            Some(News::Here(hello)) => return Ok(hello),
            Some(News::Lost(problem)) => return Err(problem),
            _ => {}
        }
    }
    Err(Problem::new(format!("nothing answers at {}", place.name))
        .advise("try `ssh` to this host by hand"))
}

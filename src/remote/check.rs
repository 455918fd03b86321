//! Checks whether a place responds.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{News, Peer, Remote};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::places::RemoteMachine;
use crate::run::wire::{Hello, ServerMessage};
use crate::store;

/// Maximum time until a place responds.
const PATIENCE: Duration = Duration::from_secs(60);

/// The response of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteAnswers {
    /// The program there, with its version and machine.
    pub hello: Hello,
    /// Number of runs there that were not downloaded.
    pub not_here: usize,
}

/// Checks which program responds at a place; runs are stored in the local folder `root`. Blocks.
///
/// # Errors
/// Returns a Problem if no program responds, or one of another version.
pub fn check(place: &RemoteMachine, root: &Path) -> Result<RemoteAnswers> {
    let peer = Peer::Ssh {
        place: place.clone(),
        root: root.to_path_buf(),
    };
    let remote = Remote::start(peer, true, Arc::new(|| {}))?;
    let (end, mut found) = (Instant::now() + PATIENCE, None);
    while Instant::now() < end {
        match remote.recv(Duration::from_millis(200))? {
            Some(News::Here(hello)) => {
                found = Some(hello);
                remote.list();
            }
            Some(News::Answer(ServerMessage::Runs(there), _)) => {
                if let Some(hello) = found {
                    let not_here = not_here(&place.name, &there, root);
                    return Ok(RemoteAnswers { hello, not_here });
                }
            }
            Some(News::Lost(problem)) => return Err(problem),
            _ => {}
        }
    }
    Err(Problem::new(message!(
        "place-not-responding",
        place = place.name.as_str()
    ))
    .advise(message!("place-run-ssh-advice")))
}

/// Returns how many of these runs were not downloaded.
fn not_here(place: &str, there: &[String], root: &Path) -> usize {
    let home = store::run_folders(root).into_iter();
    let home = home.filter(|folder| store::about(folder).0.place == place);
    let home: HashSet<String> = home
        .map(|folder| store::remote_name(&folder, place))
        .collect();
    there.iter().filter(|run| !home.contains(*run)).count()
}

//! Prepares the next piece of work while the current one is used.

use std::ops::ControlFlow;

use crate::message;
use crate::problem::{Problem, Result};

/// Prepares each of `pieces` with `ready` on another thread while `then` uses the previous one, in order, until
/// `then` breaks.
///
/// # Errors
/// Returns the Problem of `then`, or one that says that `ready` panicked.
pub(super) fn one_ahead<P: Send, R: Send>(
    mut pieces: impl Iterator<Item = P>,
    ready: impl Fn(P) -> R + Sync,
    mut then: impl FnMut(R) -> Result<ControlFlow<()>>,
) -> Result<ControlFlow<()>> {
    let mut next = pieces.next().map(&ready);
    while let Some(piece) = next.take() {
        let ahead = pieces.next();
        let (used, made) = std::thread::scope(|scope| {
            let ahead = ahead.map(|piece| scope.spawn(|| ready(piece)));
            (then(piece), ahead.map(std::thread::ScopedJoinHandle::join))
        });
        next = match made {
            Some(Err(_)) => return Err(Problem::new(message!("problem-reading-images-failed"))),
            other => other.and_then(std::result::Result::ok),
        };
        if used?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_in_order_and_a_break_or_an_error_ends_them() {
        let mut seen = Vec::new();
        let mut with = |end: Option<Result<ControlFlow<()>>>| {
            seen.clear();
            let mut end = end;
            let ended = one_ahead(
                0..5,
                |piece| piece * 10,
                |piece| {
                    seen.push(piece);
                    match piece {
                        20 => end.take().unwrap_or(Ok(ControlFlow::Continue(()))),
                        _ => Ok(ControlFlow::Continue(())),
                    }
                },
            );
            (ended.map(|flow| flow.is_break()).ok(), seen.clone())
        };
        assert_eq!(with(None), (Some(false), vec![0, 10, 20, 30, 40]));
        let end = Ok(ControlFlow::Break(()));
        assert_eq!(with(Some(end)), (Some(true), vec![0, 10, 20]));
        let lost = Err(Problem::new("lost"));
        assert_eq!(with(Some(lost)), (None, vec![0, 10, 20]));
        let none = one_ahead(0..0, |piece: i32| piece, |_| Ok(ControlFlow::Break(())));
        assert!(none.is_ok_and(|flow| flow.is_continue()));
    }

    #[test]
    fn a_panic_while_one_is_made_ready_is_a_problem() {
        let ready = |piece: i32| {
            assert!(piece < 2, "no third one");
            piece
        };
        let ended = one_ahead(0..5, ready, |_| Ok(ControlFlow::Continue(())));
        assert!(ended.is_err());
    }
}

//! Prepares the next piece of work while the current one is used.

use std::ops::ControlFlow;

use crate::message;
use crate::problem::{Problem, Result};

/// Prepares each of `pieces` with `prepare` on another thread while `consume` uses the previous one, in order,
/// until `consume` breaks.
///
/// # Errors
/// Returns the Problem of `consume`, or one that says that `prepare` panicked.
pub(super) fn process_with_prefetch<P: Send, R: Send>(
    mut pieces: impl Iterator<Item = P>,
    prepare: impl Fn(P) -> R + Sync,
    mut consume: impl FnMut(R) -> Result<ControlFlow<()>>,
) -> Result<ControlFlow<()>> {
    let mut next = pieces.next().map(&prepare);
    while let Some(piece) = next.take() {
        let upcoming = pieces.next();
        let (flow, prepared) = std::thread::scope(|scope| {
            let handle = upcoming.map(|piece| scope.spawn(|| prepare(piece)));
            (consume(piece), handle.map(std::thread::ScopedJoinHandle::join))
        });
        next = match prepared {
            Some(Err(_)) => return Err(Problem::new(message!("problem-reading-images-failed"))),
            other => other.and_then(std::result::Result::ok),
        };
        if flow?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_arrive_in_order_until_break_or_error() {
        let mut consumed = Vec::new();
        let mut run = |end: Option<Result<ControlFlow<()>>>| {
            consumed.clear();
            let mut end = end;
            let result = process_with_prefetch(
                0..5,
                |piece| piece * 10,
                |piece| {
                    consumed.push(piece);
                    match piece {
                        20 => end.take().unwrap_or(Ok(ControlFlow::Continue(()))),
                        _ => Ok(ControlFlow::Continue(())),
                    }
                },
            );
            (result.map(|flow| flow.is_break()).ok(), consumed.clone())
        };
        assert_eq!(run(None), (Some(false), vec![0, 10, 20, 30, 40]));
        let end = Ok(ControlFlow::Break(()));
        assert_eq!(run(Some(end)), (Some(true), vec![0, 10, 20]));
        let error = Err(Problem::new("lost"));
        assert_eq!(run(Some(error)), (None, vec![0, 10, 20]));
        let empty = process_with_prefetch(0..0, |piece: i32| piece, |_| Ok(ControlFlow::Break(())));
        assert!(empty.is_ok_and(|flow| flow.is_continue()));
    }

    #[test]
    fn panic_while_preparing_becomes_problem() {
        let prepare = |piece: i32| {
            assert!(piece < 2, "no third one");
            piece
        };
        let result = process_with_prefetch(0..5, prepare, |_| Ok(ControlFlow::Continue(())));
        assert!(result.is_err());
    }
}

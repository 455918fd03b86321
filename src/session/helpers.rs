//! The threads that do errands.
//!
//! The session sends an [`Ask`]; the answer, a [`Found`], comes back through a channel and wakes
//! the window. What an errand does is a plain function, so tests can put their own in place.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::jobs::{Ask, Found, Lost};
use crate::problem::Problem;

/// Does an errand.
pub type Answer = Arc<dyn Fn(Ask) -> Found + Send + Sync>;
/// Wakes the window.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Threads that do the errands in line.
const READERS: usize = 4;

/// Runs errands, each on a thread of its own; those that come by the thousand, when so many files are dropped, wait in
/// line for a few threads.
pub struct Jobs {
    errands: Errands,
    receiver: Receiver<Found>,
    line: Arc<Mutex<Line>>,
    waiting: usize,
}

/// What a thread needs to do errands.
#[derive(Clone)]
struct Errands {
    answer: Answer,
    wake: Wake,
    sender: Sender<Found>,
}

/// Errands that wait for a thread, and the threads there are for them.
#[derive(Default)]
struct Line {
    asks: VecDeque<Ask>,
    readers: usize,
}

impl Errands {
    /// Does an errand and sends the answer.
    fn run(&self, ask: Ask) {
        let lost = ask.lost();
        let work = std::panic::AssertUnwindSafe(|| (self.answer)(ask));
        let found = std::panic::catch_unwind(work).unwrap_or_else(|_| {
            lost(
                Problem::new("reading this failed inside the program")
                    .advise("try another file; the running work is not affected"),
            )
        });
        // The window may be gone by now; then nobody needs the answer.
        if self.sender.send(found).is_ok() {
            (self.wake)();
        }
    }
}

impl Jobs {
    /// Errands are done by `answer`; `wake` is called when one is done.
    pub fn new(answer: Answer, wake: Wake) -> Self {
        let (sender, receiver) = channel();
        Self {
            errands: Errands {
                answer,
                wake,
                sender,
            },
            receiver,
            line: Arc::default(),
            waiting: 0,
        }
    }

    /// Begins an errand.
    pub fn ask(&mut self, ask: Ask) {
        self.waiting += 1;
        if matches!(ask, Ask::Picture(_) | Ask::Collect(..) | Ask::AddFolder(..)) {
            self.line_up(ask);
            return;
        }
        let errands = self.errands.clone();
        let lost = ask.lost();
        if let Err(error) = thread(move || errands.run(ask)) {
            self.fail(&lost, &error);
        }
    }

    /// Puts an errand in line. Of pictures to be shown only the newest is waited for.
    fn line_up(&mut self, ask: Ask) {
        let begun = {
            let mut line = line_of(&self.line);
            if matches!(ask, Ask::Picture(_)) {
                let before = line.asks.len();
                line.asks
                    .retain(|waiting| !matches!(waiting, Ask::Picture(_)));
                self.waiting -= before - line.asks.len();
            }
            line.asks.push_back(ask);
            if line.readers == READERS {
                return;
            }
            line.readers += 1;
            let (errands, line) = (self.errands.clone(), self.line.clone());
            thread(move || {
                while let Some(ask) = next(&line) {
                    errands.run(ask);
                }
            })
        };
        let Err(error) = begun else { return };
        let left: Vec<Ask> = {
            let mut line = line_of(&self.line);
            line.readers -= 1;
            match line.readers {
                0 => line.asks.drain(..).collect(),
                // The others will come to it.
                _ => Vec::new(),
            }
        };
        for ask in left {
            self.fail(&ask.lost(), &error);
        }
    }

    /// Answers an errand that no thread could be started for.
    fn fail(&mut self, lost: &Lost, error: &std::io::Error) {
        let problem = Problem::new(format!("no helper thread could be started: {error}"));
        if self.errands.sender.send(lost(problem)).is_err() {
            self.waiting -= 1;
        }
    }

    /// The next answer, if one is there.
    pub fn try_recv(&mut self) -> Option<Found> {
        let found = self.receiver.try_recv().ok()?;
        self.waiting = self.waiting.saturating_sub(1);
        Some(found)
    }

    /// Whether errands are under way.
    pub fn busy(&self) -> bool {
        self.waiting > 0
    }
}

fn thread(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let named = std::thread::Builder::new().name("errand".into());
    named.spawn(work).map(drop)
}

fn line_of(line: &Mutex<Line>) -> MutexGuard<'_, Line> {
    // Whoever panicked with the lock had only added or taken.
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next errand in line; without one the thread that asks is no reader any more.
fn next(line: &Mutex<Line>) -> Option<Ask> {
    let mut line = line_of(line);
    let ask = line.asks.pop_front();
    line.readers -= usize::from(ask.is_none());
    ask
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    /// Asks all at once; how many were answered, and how many were read at a time.
    fn dropped(asks: impl Iterator<Item = Ask>) -> (usize, usize) {
        let counts = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let shared = counts.clone();
        let answer = move |ask: Ask| {
            let (now, most) = &*shared;
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_micros(200));
            now.fetch_sub(1, Ordering::SeqCst);
            ask.lost()(Problem::new("read"))
        };
        let mut jobs = Jobs::new(Arc::new(answer), Arc::new(|| {}));
        asks.for_each(|ask| jobs.ask(ask));
        let mut answers = 0;
        while jobs.busy() {
            match jobs.try_recv() {
                Some(_) => answers += 1,
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        (answers, counts.1.load(Ordering::SeqCst))
    }

    #[test]
    fn a_thousand_dropped_files_are_read_a_few_at_a_time() {
        let (answers, most) = dropped((0..1000).map(|n| Ask::Collect(n, PathBuf::new())));
        assert_eq!(answers, 1000);
        assert!(most <= READERS, "{most}");
        // Of pictures to be shown only the last one counts, beside those that are being read.
        let (answers, most) = dropped((0..1000).map(|_| Ask::Picture(PathBuf::new())));
        assert!((1..500).contains(&answers) && most <= READERS, "{answers}");
    }
}

//! Tasks: work that touches files or decodes images, done on helper threads so that no page ever waits.
//!
//! A task is two closures. The first works with the [`Sources`] on a helper thread; the second takes what the first
//! returned into the session, on the window's thread. A task that panics, or that no thread could be started for,
//! gives the second one a Problem. Each has a thread of its own, so tasks may end in another order than they began.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::backend::Backend;
use super::sources::Sources;
use super::{Session, Wake};
use crate::problem::{Problem, Result};
use crate::run::places::Place;
use crate::texts::Language;
use crate::tr;

/// Takes what a task returned into the session.
pub(super) type Taken = Box<dyn FnOnce(&mut Session) + Send>;

/// A task; without the sources it returns the Problem given instead of working.
type Task = Box<dyn FnOnce(Result<&dyn Sources>) -> Taken + Send>;

/// Of queued tasks with the same key only the newest is worth waiting for.
pub(super) type Key = &'static str;

/// Threads that do queued tasks.
const THREADS: usize = 4;

impl Session {
    /// Begins a task: `work` is done on a helper thread, `take` gets what it returned.
    pub(super) fn task<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&dyn Sources) -> Result<T> + Send + 'static,
        take: impl FnOnce(&mut Self, Result<T>) + Send + 'static,
    ) {
        self.tasks.begin(task_of(work, take));
    }

    /// Begins a task; where it fails the person is told, and nothing is taken.
    pub(super) fn task_or_tell<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&dyn Sources) -> Result<T> + Send + 'static,
        take: impl FnOnce(&mut Self, T) + Send + 'static,
    ) {
        self.task(work, |session, result| match result {
            Ok(found) => take(session, found),
            Err(problem) => session.notify(problem, true),
        });
    }

    /// Queues a task of a kind that comes by the thousand, as when so many files are dropped: a few threads do them in
    /// turn. One with a key takes the place of those waiting that have the same key.
    pub(super) fn queued_task<T: Send + 'static>(
        &mut self,
        key: Option<Key>,
        work: impl FnOnce(&dyn Sources) -> Result<T> + Send + 'static,
        take: impl FnOnce(&mut Self, Result<T>) + Send + 'static,
    ) {
        self.tasks.queue(key, task_of(work, take));
    }
}

fn task_of<T: Send + 'static>(
    work: impl FnOnce(&dyn Sources) -> Result<T> + Send + 'static,
    take: impl FnOnce(&mut Session, Result<T>) + Send + 'static,
) -> Task {
    // What a task says, it says to the person at the window.
    let language = Language::spoken();
    Box::new(move |sources| {
        language.speak();
        let guarded = move |sources| {
            catch_unwind(AssertUnwindSafe(|| work(sources))).unwrap_or_else(|_| {
                Err(Problem::new(tr!("notices-task-failed"))
                    .advise(tr!("notices-task-failed-advice")))
            })
        };
        let result = sources.and_then(guarded);
        Box::new(move |session| take(session, result))
    })
}

/// The tasks under way.
pub(super) struct Tasks {
    worker: Worker,
    receiver: Receiver<Taken>,
    queue: Arc<Mutex<Queue>>,
    under_way: usize,
}

/// What a thread needs to do tasks.
#[derive(Clone)]
struct Worker {
    sources: Arc<dyn Sources>,
    wake: Wake,
    sender: Sender<Taken>,
}

/// Tasks that wait for a thread, and how many threads there are for them.
#[derive(Default)]
struct Queue {
    tasks: VecDeque<(Option<Key>, Task)>,
    threads: usize,
}

impl Worker {
    fn run(&self, task: Task) {
        self.send(task(Ok(&*self.sources)));
    }

    /// Ends a task that no thread could be started for.
    fn fail(&self, task: Task, error: &std::io::Error) {
        let problem = Problem::new(tr!("notices-no-thread", why = error.to_string()));
        self.send(task(Err(problem)));
    }

    fn send(&self, taken: Taken) {
        // The window may be gone by now; then nobody needs it.
        if self.sender.send(taken).is_ok() {
            (self.wake)();
        }
    }
}

impl Tasks {
    /// Tasks that work with these sources; `wake` is called when one is done.
    pub fn new(sources: Arc<dyn Sources>, wake: Wake) -> Self {
        let (sender, receiver) = channel();
        Self {
            worker: Worker {
                sources,
                wake,
                sender,
            },
            receiver,
            queue: Arc::default(),
            under_way: 0,
        }
    }

    /// Makes ready to have jobs done at a place; never waits.
    pub fn place(&self, place: &Place) -> Result<Box<dyn Backend>> {
        let Worker { sources, wake, .. } = &self.worker;
        sources.place(place, wake.clone())
    }

    fn begin(&mut self, task: Task) {
        self.under_way += 1;
        // A thread that cannot be started takes what it was given with it; the task has to stay.
        let slot = Arc::new(Mutex::new(Some(task)));
        let (worker, given) = (self.worker.clone(), slot.clone());
        let started = thread(move || {
            if let Some(task) = locked(&given).take() {
                worker.run(task);
            }
        });
        if let Err(error) = started
            && let Some(task) = locked(&slot).take()
        {
            self.worker.fail(task, &error);
        }
    }

    fn queue(&mut self, key: Option<Key>, task: Task) {
        self.under_way += 1;
        let mut queue = locked(&self.queue);
        if key.is_some() {
            let before = queue.tasks.len();
            queue.tasks.retain(|(waiting, _)| *waiting != key);
            self.under_way -= before - queue.tasks.len();
        }
        queue.tasks.push_back((key, task));
        if queue.threads == THREADS {
            return;
        }
        let (worker, shared) = (self.worker.clone(), self.queue.clone());
        let started = thread(move || {
            while let Some(task) = next(&shared) {
                worker.run(task);
            }
        });
        match started {
            Ok(()) => queue.threads += 1,
            // Threads that are there will come to it.
            Err(_) if queue.threads > 0 => {}
            Err(error) => {
                for (_, task) in queue.tasks.drain(..) {
                    self.worker.fail(task, &error);
                }
            }
        }
    }

    /// What a task returned, if one has ended.
    pub fn try_recv(&mut self) -> Option<Taken> {
        let taken = self.receiver.try_recv().ok()?;
        self.under_way = self.under_way.saturating_sub(1);
        Some(taken)
    }

    /// What tasks work with; what takes long is for a task alone.
    pub fn sources(&self) -> &dyn Sources {
        &*self.worker.sources
    }

    /// Whether tasks are under way.
    pub fn busy(&self) -> bool {
        self.under_way > 0
    }
}

fn thread(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let named = std::thread::Builder::new().name("task".into());
    named.spawn(work).map(drop)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whoever panicked with the lock had only put in or taken out.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next queued task; without one the thread that asks ends.
fn next(queue: &Mutex<Queue>) -> Option<Task> {
    let mut queue = locked(queue);
    let task = queue.tasks.pop_front();
    queue.threads -= usize::from(task.is_none());
    task.map(|(_, task)| task)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::session::sources::Disk;

    fn tasks() -> Tasks {
        Tasks::new(Arc::new(Disk::nowhere()), Arc::new(|| {}))
    }

    /// Waits for all tasks; how many have ended.
    fn ended(tasks: &mut Tasks) -> usize {
        let mut ended = 0;
        while tasks.busy() {
            match tasks.try_recv() {
                Some(_) => ended += 1,
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        ended
    }

    /// Queues a thousand tasks at once; how many ended, and how many were done at a time.
    fn queued(key: Option<Key>) -> (usize, usize) {
        let counts = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let mut tasks = tasks();
        for _ in 0..1000 {
            let shared = counts.clone();
            let work = move |_: &dyn Sources| {
                let (now, most) = &*shared;
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_micros(200));
                now.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            };
            tasks.queue(key, task_of(work, |_, _| {}));
        }
        (ended(&mut tasks), counts.1.load(Ordering::SeqCst))
    }

    #[test]
    fn a_thousand_dropped_files_are_read_a_few_at_a_time() {
        let (ended, most) = queued(None);
        assert_eq!(ended, 1000);
        assert!(most <= THREADS, "{most}");
        // Of pictures to be shown only the last one counts, beside those that are being read.
        let (ended, most) = queued(Some("picture"));
        assert!((1..500).contains(&ended) && most <= THREADS, "{ended}");
    }

    #[test]
    fn a_task_that_panics_ends_with_a_problem() {
        let told = Arc::new(Mutex::new(None));
        let noted = told.clone();
        let mut session = Session::with(
            Box::new(crate::session::backend::Recorded::default()),
            Disk::nowhere(),
            Default::default(),
            Arc::new(|| {}),
        );
        session.task(
            |_| -> Result<()> { panic!("a fault of a reader") },
            move |_, result| *locked(&noted) = result.err(),
        );
        while session.busy() {
            session.drain();
            std::thread::sleep(Duration::from_millis(1));
        }
        let told = locked(&told).take().map(|problem| problem.what);
        assert_eq!(
            told.as_deref(),
            Some("reading failed because of an internal error")
        );
    }
}

//! Tasks: work that reads files or decodes images. Helper threads do it, so that no page has to wait.
//!
//! A task consists of two closures. The first uses the [`Sources`] on a helper thread; the second applies its result to
//! the session on the window's thread. If a task panics or no thread can be started for it, the second closure receives
//! a Problem. Tasks can end in another order than they started.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use super::backend::Backend;
use super::sources::Sources;
use super::{Session, Wake};
use crate::problem::{Problem, Result};
use crate::run::remote_machines::RemoteMachine;
use crate::sync::lock;
use crate::texts::Language;
use crate::tr;

/// A closure that applies a task's result to the session.
pub(super) type TaskResult = Box<dyn FnOnce(&mut Session) + Send>;

/// A task. If it receives a Problem instead of sources, it passes the Problem on.
type Task = Box<dyn FnOnce(Result<&dyn Sources>) -> TaskResult + Send>;

/// The key of a queued task. Only the newest of the waiting tasks with the same key is run.
pub(super) type Key = &'static str;

/// Maximum number of threads for queued tasks.
const THREADS: usize = 4;

impl Session {
    /// Starts a task: `work` runs on a helper thread, `on_result` receives its result.
    pub(super) fn task<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&dyn Sources) -> Result<T> + Send + 'static,
        on_result: impl FnOnce(&mut Self, Result<T>) + Send + 'static,
    ) {
        self.tasks.start(new_task(work, on_result));
    }

    /// Starts a task. If it fails, the user is notified and `on_success` is not called.
    pub(super) fn task_or_notify<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&dyn Sources) -> Result<T> + Send + 'static,
        on_success: impl FnOnce(&mut Self, T) + Send + 'static,
    ) {
        self.task(work, |session, result| match result {
            Ok(value) => on_success(session, value),
            Err(problem) => session.notify(problem, true),
        });
    }

    /// Queues a task, for kinds of tasks that can come in thousands, for example when many files are dropped. A few
    /// threads process the queue. A task with a key replaces a waiting task with the same key.
    pub(super) fn queued_task<T: Send + 'static>(
        &mut self,
        key: Option<Key>,
        work: impl FnOnce(&dyn Sources) -> Result<T> + Send + 'static,
        on_result: impl FnOnce(&mut Self, Result<T>) + Send + 'static,
    ) {
        self.tasks.queue(key, new_task(work, on_result));
    }
}

fn new_task<T: Send + 'static>(
    work: impl FnOnce(&dyn Sources) -> Result<T> + Send + 'static,
    on_result: impl FnOnce(&mut Session, Result<T>) + Send + 'static,
) -> Task {
    // A task creates texts in the window's language.
    let language = Language::spoken();
    Box::new(move |sources| {
        language.speak();
        let guarded = move |sources| {
            catch_unwind(AssertUnwindSafe(|| work(sources))).unwrap_or_else(|_| {
                Err(Problem::new(tr!("notices-reading-failed"))
                    .advise(tr!("notices-reading-failed-advice")))
            })
        };
        let result = sources.and_then(guarded);
        Box::new(move |session| on_result(session, result))
    })
}

/// The tasks in progress.
pub(super) struct Tasks {
    worker: Worker,
    receiver: Receiver<TaskResult>,
    queue: Arc<Mutex<Queue>>,
    active_tasks: usize,
}

/// The state that a thread needs to run tasks.
#[derive(Clone)]
struct Worker {
    sources: Arc<dyn Sources>,
    wake: Wake,
    sender: Sender<TaskResult>,
}

/// The queued tasks, and the number of threads that process them.
#[derive(Default)]
struct Queue {
    tasks: VecDeque<(Option<Key>, Task)>,
    threads: usize,
}

impl Worker {
    fn run(&self, task: Task) {
        self.send(task(Ok(&*self.sources)));
    }

    /// Passes an error to a task for which no thread could be started.
    fn fail(&self, task: Task, error: &std::io::Error) {
        self.send(task(Err(Problem::thread_not_started(error))));
    }

    fn send(&self, result: TaskResult) {
        // Sending fails if the window is closed; then the result is not needed.
        if self.sender.send(result).is_ok() {
            (self.wake)();
        }
    }
}

impl Tasks {
    /// Returns a task runner with these sources. `wake` is called when a task ends.
    pub fn new(sources: Arc<dyn Sources>, wake: Wake) -> Self {
        let (sender, receiver) = channel();
        Self {
            worker: Worker { sources, wake, sender },
            receiver,
            queue: Arc::default(),
            active_tasks: 0,
        }
    }

    /// Prepares a connection to a remote machine, without blocking.
    pub fn connect_machine(&self, machine: &RemoteMachine) -> Result<Box<dyn Backend>> {
        let Worker { sources, wake, .. } = &self.worker;
        sources.connect_machine(machine, wake.clone())
    }

    fn start(&mut self, task: Task) {
        self.active_tasks += 1;
        // If a thread fails to start, its closure is dropped; the slot keeps the task.
        let slot = Arc::new(Mutex::new(Some(task)));
        let (worker, shared_slot) = (self.worker.clone(), slot.clone());
        let started = spawn_thread(move || {
            if let Some(task) = lock(&shared_slot).take() {
                worker.run(task);
            }
        });
        if let Err(error) = started
            && let Some(task) = lock(&slot).take()
        {
            self.worker.fail(task, &error);
        }
    }

    fn queue(&mut self, key: Option<Key>, task: Task) {
        self.active_tasks += 1;
        let mut queue = lock(&self.queue);
        if key.is_some() {
            let count_before = queue.tasks.len();
            queue.tasks.retain(|(waiting, _)| *waiting != key);
            self.active_tasks -= count_before - queue.tasks.len();
        }
        queue.tasks.push_back((key, task));
        if queue.threads == THREADS {
            return;
        }
        let (worker, shared) = (self.worker.clone(), self.queue.clone());
        let started = spawn_thread(move || {
            while let Some(task) = next_task(&shared) {
                worker.run(task);
            }
        });
        match started {
            Ok(()) => queue.threads += 1,
            // The existing threads will process the task.
            Err(_) if queue.threads > 0 => {}
            Err(error) => {
                for (_, task) in queue.tasks.drain(..) {
                    self.worker.fail(task, &error);
                }
            }
        }
    }

    /// Returns the result of the next task that has ended, if any.
    pub fn try_recv(&mut self) -> Option<TaskResult> {
        let result = self.receiver.try_recv().ok()?;
        self.active_tasks = self.active_tasks.saturating_sub(1);
        Some(result)
    }

    /// Returns the sources. Slow functions must be called in a task.
    pub fn sources(&self) -> &dyn Sources {
        &*self.worker.sources
    }

    /// Returns whether tasks are in progress.
    pub fn is_busy(&self) -> bool {
        self.active_tasks > 0
    }
}

fn spawn_thread(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let builder = std::thread::Builder::new().name("task".into());
    builder.spawn(work).map(drop)
}

/// Returns the next queued task. If there is none, the calling thread is counted as ended.
fn next_task(queue: &Mutex<Queue>) -> Option<Task> {
    let mut queue = lock(queue);
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

    /// Waits for all tasks and returns the number of those that ended.
    fn finish_tasks(tasks: &mut Tasks) -> usize {
        let mut ended = 0;
        while tasks.is_busy() {
            match tasks.try_recv() {
                Some(_) => ended += 1,
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        ended
    }

    /// Queues a thousand tasks at once. Returns how many ended, and the maximum number of simultaneous tasks.
    fn run_queued(key: Option<Key>) -> (usize, usize) {
        let counts = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let mut tasks = tasks();
        for _ in 0..1000 {
            let shared = counts.clone();
            let work = move |_: &dyn Sources| {
                let (active, max) = &*shared;
                max.fetch_max(active.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_micros(200));
                active.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            };
            tasks.queue(key, new_task(work, |_, _| {}));
        }
        (finish_tasks(&mut tasks), counts.1.load(Ordering::SeqCst))
    }

    #[test]
    fn thousand_queued_tasks_share_few_threads() {
        let (ended, most) = run_queued(None);
        assert_eq!(ended, 1000);
        assert!(most <= THREADS, "{most}");
        // With a key, only the last waiting task is run, in addition to those in progress.
        let (ended, most) = run_queued(Some("picture"));
        assert!((1..500).contains(&ended) && most <= THREADS, "{ended}");
    }

    #[test]
    fn panicking_task_reports_problem() {
        let problem = Arc::new(Mutex::new(None));
        let shared = problem.clone();
        let (mut session, _) = Session::for_test(Default::default());
        session.task(
            |_| -> Result<()> { panic!("a fault of a reader") },
            move |_, result| *lock(&shared) = result.err(),
        );
        session.wait_until_idle();
        let text = lock(&problem).take().map(|problem| problem.what);
        assert_eq!(text.as_deref(), Some(tr!("notices-reading-failed")));
    }
}

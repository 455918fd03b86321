//! Tables of whole folders, and searches for doubtful labels: a piece processes a few images.
//!
//! A helper thread reads the images and uses the answers: it writes the table, or compares labels with features. It
//! sends each piece to the engine's thread as a function of the predictor, and waits for the result.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, sync_channel};

use super::helper::{Helper, Outbox};
use super::scheduler::{Priority, Request, Resources, Slot, Step};
use super::{PATIENCE, wait_for};
use crate::data::transform::InputSpec;
use crate::experiment::ResourceCache;
use crate::experiment::label_noise;
use crate::experiment::predict::Predictor;
use crate::experiment::prediction_table::{Columns, ImageSelection, write_table};
use crate::experiment::predictor_cache::SnapshotKey;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::Event;
use crate::run::label_noise::{LabelCheckRequest, LabelCheckState};
use crate::run::prediction_table::{
    PredictionTableCount, PredictionTableJob, PredictionTableState,
};

/// Contents of a table.
#[derive(Clone)]
pub(super) enum TableKind {
    /// The images of a folder.
    PredictionTable(PredictionTableJob),
    /// Training images that look like another class.
    LabelCheck(LabelCheckRequest),
}

/// A message from a helper thread.
enum Message {
    Piece(Piece),
    Progress(Event),
    End(Event),
}

/// A piece for the engine's thread to compute.
type Piece = Box<dyn FnOnce(&Predictor) + Send>;

/// A request for a table.
pub(super) struct TableRequest {
    kind: TableKind,
    ticket: u64,
    key: SnapshotKey,
    stop: Arc<AtomicBool>,
    piece: Option<Piece>,
    /// `None` until the predictor is loaded.
    helper: Option<Helper<Message>>,
}

impl TableRequest {
    pub fn new(kind: TableKind) -> Self {
        let (ticket, run, task) = match &kind {
            TableKind::PredictionTable(request) => (request.ticket, &request.run, request.task),
            TableKind::LabelCheck(request) => (request.ticket, &request.run, request.task),
        };
        Self {
            key: SnapshotKey::new(run, task),
            ticket,
            kind,
            stop: Arc::default(),
            piece: None,
            helper: None,
        }
    }

    /// Returns the last event of a request that failed, or that was stopped if there is no Problem.
    fn end_event(&self, problem: Option<Problem>) -> Event {
        let ticket = self.ticket;
        match &self.kind {
            TableKind::PredictionTable(_) => {
                let state =
                    problem.map_or(PredictionTableState::Stopped, PredictionTableState::Failed);
                Event::Sheet { ticket, state }
            }
            TableKind::LabelCheck(_) => {
                let state = problem.map_or(LabelCheckState::Stopped, LabelCheckState::Failed);
                Event::Doubts { ticket, state }
            }
        }
    }

    /// Starts the helper thread.
    fn start(
        &self,
        predictor: &Predictor,
        cache: &ResourceCache,
        engine: &Sender<super::Message>,
    ) -> Helper<Message> {
        let (ticket, stop) = (self.ticket, self.stop.clone());
        let work: Work = match self.kind.clone() {
            TableKind::PredictionTable(request) => {
                let columns = Columns::new(predictor, request.threshold, request.all_columns);
                Box::new(move |worker| worker.write_table(&request, &columns))
            }
            TableKind::LabelCheck(request) => {
                let (input, cache) = (predictor.input(), cache.clone());
                Box::new(move |worker| worker.check_labels(&request, input, &cache))
            }
        };
        Helper::spawn(engine, move |outbox| {
            let last_event = work(&Worker { outbox, ticket, stop })?;
            outbox.send(Message::End(last_event));
            Ok(())
        })
    }
}

impl Request for TableRequest {
    fn priority(&self) -> Priority {
        Priority::Table
    }

    fn slot(&self) -> Option<Slot> {
        None
    }

    fn step(&mut self, resources: &mut Resources) -> Result<Step> {
        if let (None, Some(helper)) = (&self.piece, &self.helper) {
            match helper.poll().transpose()? {
                None => return Ok(Step::Wait),
                Some(Message::Piece(piece)) => self.piece = Some(piece),
                Some(Message::Progress(event)) => return Ok(Step::Continue(Some(event))),
                Some(Message::End(event)) => return Ok(Step::Done(Some(event))),
            }
        }
        let cache = &resources.cache;
        let Some(predictor) = resources.predictors.predictor(&self.key, cache)? else {
            return Ok(Step::Load(self.key.clone()));
        };
        match self.piece.take() {
            Some(piece) => piece(predictor),
            None => self.helper = Some(self.start(predictor, cache, &resources.engine)),
        }
        Ok(Step::Continue(None))
    }

    fn cancel(&mut self, ticket: u64) -> Option<Event> {
        if self.ticket != ticket {
            return None;
        }
        self.stop.store(true, Ordering::Relaxed);
        // A helper that has started sends the last event.
        self.helper.is_none().then(|| self.end_event(None))
    }

    fn fail(&self, problem: Problem) -> Event {
        self.end_event(Some(problem))
    }
}

impl Drop for TableRequest {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.piece = None;
        let thread = self.helper.take().and_then(Helper::close);
        // The helper deletes the unfinished table, which takes no longer than a piece.
        if let (TableKind::PredictionTable(_), Some(thread)) = (&self.kind, thread) {
            wait_for(thread, PATIENCE);
        }
    }
}

/// The work of a helper thread; returns the last event.
type Work = Box<dyn FnOnce(&Worker<'_>) -> Result<Event> + Send>;

/// A helper thread's connection to the engine.
struct Worker<'a> {
    outbox: &'a Outbox<Message>,
    ticket: u64,
    stop: Arc<AtomicBool>,
}

impl Worker<'_> {
    /// Has the engine's thread compute a piece. Returns an error if the request was dropped.
    fn compute<T: Send + 'static>(
        &self,
        answer: impl FnOnce(&Predictor) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, replies) = sync_channel(1);
        self.outbox.send(Message::Piece(Box::new(move |predictor| {
            // The request may have been stopped meanwhile.
            let _ = reply.send(answer(predictor));
        })));
        replies.recv().map_err(|_| Problem::new(message!("problem-engine-stopped")))?
    }

    fn is_running(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    fn report(&self, event: Event) -> ControlFlow<()> {
        match self.is_running() && self.outbox.send(Message::Progress(event)) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    fn write_table(&self, request: &PredictionTableJob, columns: &Columns) -> Result<Event> {
        let ticket = self.ticket;
        let mut predict =
            |images: Vec<u8>| self.compute(move |predictor| predictor.predict_batch(&images));
        let mut report_progress = |count: PredictionTableCount| {
            let state = PredictionTableState::Working(count);
            self.report(Event::Sheet { ticket, state })
        };
        let selection = ImageSelection { folder: &request.folder, only: &request.only };
        let count =
            write_table(columns, selection, &request.csv, &mut predict, &mut report_progress)?;
        let state = count.map_or(PredictionTableState::Stopped, PredictionTableState::Done);
        Ok(Event::Sheet { ticket, state })
    }

    fn check_labels(
        &self,
        request: &LabelCheckRequest,
        input: InputSpec,
        cache: &ResourceCache,
    ) -> Result<Event> {
        let ticket = self.ticket;
        let mut compute_features =
            |images: Vec<u8>| self.compute(move |predictor| predictor.backbone_features(&images));
        let mut report_progress = |done, total| {
            let state = LabelCheckState::Working((done, total));
            self.report(Event::Doubts { ticket, state })
        };
        let snapshot = (request.run.as_path(), request.task);
        let should_continue = || self.is_running();
        let found = label_noise::cross_validate(
            snapshot,
            input,
            cache,
            &mut compute_features,
            &mut report_progress,
            &should_continue,
        )?;
        let state =
            found.map_or(LabelCheckState::Stopped, |found| LabelCheckState::Done(Box::new(found)));
        Ok(Event::Doubts { ticket, state })
    }
}

//! The thread that communicates with another process. `connection` opens and reopens the connection, and `job_events`
//! downloads runs that are trained on another machine.

mod connection;
mod job_events;

use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::download::Mirror;
use super::link::{Link, LinkEvent};
use super::{Peer, RemoteEvent, Wake};
use crate::message;
use crate::problem::Problem;
use crate::run::event::{Command, Event};
use crate::run::job::JobId;
use crate::run::prediction_table::WorkState;
use crate::run::queue::JobEvent;
use crate::run::wire::{
    self, ClientMessage, ClientRequest, Frame, MAX_RAW_BYTES, ServerMessage, TransferableMessage,
};

/// Interval of checks for due work.
const TICK_INTERVAL: Duration = Duration::from_millis(50);
/// Delay before the connection is reopened after the first break.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// A message in the inbox of the thread.
pub(super) enum Message {
    /// A message to send.
    ClientRequest(ClientRequest, Vec<u8>),
    /// A run to download, and the job that is training it.
    FetchRun(String, Option<JobId>),
    /// A job whose run is to be downloaded.
    Expect(JobId),
    /// The events of a connection, by its number.
    LinkEvent(u64, LinkEvent),
    /// The handle was dropped.
    End,
}

/// A request about a run that is answered once for each of its tasks, or once for a table; it fails if the child process
/// dies.
struct Ticket {
    number: u64,
    answers: usize,
    failure_event: fn(u64, Problem) -> Event,
}

impl Ticket {
    fn from_command(command: &Command) -> Option<Self> {
        Some(match command {
            Command::Predict(request) => Self {
                number: request.ticket,
                answers: request.tasks.len(),
                failure_event: |ticket, problem| Event::NotPredicted { ticket, problem },
            },
            Command::Inside(request) => Self {
                number: request.ticket,
                answers: request.tasks.len(),
                failure_event: |ticket, problem| Event::NotInside { ticket, problem },
            },
            Command::Sheet(request) => Self {
                number: request.ticket,
                answers: 1,
                failure_event: |ticket, problem| Event::Sheet {
                    ticket,
                    state: WorkState::Failed(problem),
                },
            },
            Command::Doubts(request) => Self {
                number: request.ticket,
                answers: 1,
                failure_event: |ticket, problem| Event::Doubts {
                    ticket,
                    state: WorkState::Failed(problem),
                },
            },
            _ => return None,
        })
    }
}

/// A run that is being downloaded, the job that trains it, and that job's last event.
struct FollowedRun {
    job: Option<JobId>,
    mirror: Mirror,
    end: Option<JobEvent>,
}

/// Events of jobs in their original order: events of the next job follow the end of the previous one.
enum PendingEvent {
    Ready(JobEvent),
    /// The run with this name there is completely downloaded.
    AwaitingDownload(String),
}

struct Worker {
    peer: Peer,
    self_sender: Sender<Message>,
    outbox: Sender<RemoteEvent>,
    wake: Wake,
    link: Option<Link>,
    /// Number of the current connection.
    connection: u64,
    /// Whether the connection is ready.
    is_connected: bool,
    /// Identity of the process whose events are known, and the number of the last one.
    instance: u64,
    last_event: u64,
    client: u64,
    sent_count: u64,
    unacknowledged: VecDeque<(ClientMessage, Vec<u8>)>,
    retry_at: Option<Instant>,
    retry_delay: Duration,
    tries: usize,
    break_reported: bool,
    /// Jobs that were requested by this process.
    own_jobs: HashSet<JobId>,
    /// The running job there and its run.
    running: Option<(JobId, String)>,
    followed_runs: Vec<FollowedRun>,
    pending_events: VecDeque<PendingEvent>,
    tickets: Vec<Ticket>,
}

/// Runs until the handle is dropped.
pub(super) fn run_worker(
    peer: Peer,
    connect_now: bool,
    inbox: &Receiver<Message>,
    self_sender: Sender<Message>,
    outbox: Sender<RemoteEvent>,
    wake: Wake,
) {
    let mut worker = Worker {
        peer,
        self_sender,
        outbox,
        wake,
        link: None,
        connection: 0,
        is_connected: false,
        instance: 0,
        last_event: 0,
        client: crate::serve::random_instance_id(),
        sent_count: 0,
        unacknowledged: VecDeque::new(),
        retry_at: connect_now.then(Instant::now),
        retry_delay: RETRY_DELAY,
        tries: 0,
        break_reported: false,
        own_jobs: HashSet::new(),
        running: None,
        followed_runs: Vec::new(),
        pending_events: VecDeque::new(),
        tickets: Vec::new(),
    };
    loop {
        match inbox.recv_timeout(TICK_INTERVAL) {
            Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => return,
            Ok(message) => worker.dispatch_message(message),
            Err(RecvTimeoutError::Timeout) => {}
        }
        worker.tick();
    }
}

impl Worker {
    fn emit(&self, event: RemoteEvent) {
        // The receiver may have been dropped.
        let _ = self.outbox.send(event);
        (self.wake)();
    }

    fn send_event(&self, job: Option<JobId>, event: Event) {
        self.emit(RemoteEvent::Event(Box::new(JobEvent { job, event })));
    }

    fn is_child(&self) -> bool {
        matches!(self.peer, Peer::Child { .. })
    }

    fn dispatch_message(&mut self, message: Message) {
        match message {
            Message::ClientRequest(request, raw) => self.send_until_acknowledged(request, raw),
            Message::FetchRun(run, job) => self.fetch_run(&run, job),
            Message::Expect(job) => drop(self.own_jobs.insert(job)),
            Message::LinkEvent(connection, event) if connection == self.connection => match event {
                LinkEvent::Message(server_message, raw) => self.handle_message(server_message, raw),
                LinkEvent::Ended(problem) => self.handle_disconnect(problem),
            },
            Message::LinkEvent(..) | Message::End => {}
        }
    }

    fn tick(&mut self) {
        if self.retry_at.is_some_and(|at| Instant::now() >= at) {
            self.retry_at = None;
            self.connect();
        }
        if !self.is_connected {
            return;
        }
        // One request at a time, because an error does not identify its request among those without a number.
        if self.followed_runs.iter().any(|f| f.mirror.is_asking()) {
            return;
        }
        let mut followed = self.followed_runs.iter_mut();
        if let Some(request) = followed.find_map(|following| following.mirror.next_request()) {
            self.send_request(request, &[]);
        }
    }

    /// Sends a message that is sent again until it is acknowledged; requests about files are repeated by their caller.
    fn send_until_acknowledged(&mut self, mut request: ClientRequest, raw: Vec<u8>) {
        match &mut request {
            ClientRequest::Command(command) => {
                let ticket = Ticket::from_command(command);
                let bytes: usize = command.pixels().into_iter().map(|pixels| pixels.len()).sum();
                if let Some(ticket) = ticket.as_ref().filter(|_| bytes > MAX_RAW_BYTES as usize) {
                    let problem = Problem::new(message!("engine-image-too-large"))
                        .advise(message!("engine-image-too-large-advice"));
                    return self.send_event(None, (ticket.failure_event)(ticket.number, problem));
                }
                self.tickets.extend(ticket);
            }
            ClientRequest::ControlRunning(_) | ClientRequest::ControlJob(..) => {}
            _ => return self.send_request(request, &raw),
        }
        self.own_jobs.extend(queued_job(&request));
        self.sent_count += 1;
        let message = ClientMessage { client: self.client, number: self.sent_count, ask: request };
        let message = wire::with_relative_runs(message, self.peer.root());
        self.unacknowledged.push_back((message.clone(), raw.clone()));
        if self.is_connected {
            self.write(message, &raw);
        } else if self.link.is_none() && self.retry_at.is_none() {
            self.retry_at = Some(Instant::now());
        }
    }

    fn send_request(&mut self, request: ClientRequest, raw: &[u8]) {
        let message = ClientMessage { client: self.client, number: 0, ask: request };
        if self.is_connected {
            self.write(message, raw);
        }
    }

    /// Sends a message. A message that is too large for a frame is reported and not sent again.
    fn write(&mut self, message: ClientMessage, raw: &[u8]) {
        let number = message.number;
        let job = queued_job(&message.ask);
        let problem = match (Frame::new(message, raw), &mut self.link) {
            (Ok(frame), Some(link)) => return link.send(&frame),
            (Ok(_), None) => return,
            (Err(problem), _) => problem,
        };
        self.unacknowledged.retain(|(message, _)| message.number != number);
        match job {
            Some(id) => self.fail_job(id, problem),
            None => self.emit(RemoteEvent::RequestFailed(problem)),
        }
    }

    fn handle_message(&mut self, message: ServerMessage, raw: Vec<u8>) {
        match message {
            ServerMessage::Hello(hello) => self.handle_hello(hello),
            ServerMessage::Took(number) => {
                self.unacknowledged.retain(|(queued, _)| queued.number > number);
                if number == 0 {
                    self.emit(RemoteEvent::CaughtUp);
                }
            }
            ServerMessage::Event { number, event } => {
                if number > self.last_event {
                    self.last_event = number;
                    self.handle_event(*event);
                }
            }
            ServerMessage::Files { run, files } => {
                self.continue_download(&run, |mirror| mirror.receive_files(files));
            }
            ServerMessage::Piece { run, path, from } => {
                self.continue_download(&run, |mirror| mirror.receive_piece(&path, from, &raw));
            }
            ServerMessage::Refused { number, mut problem } => {
                self.add_place_name(&mut problem);
                // The requests of downloads have no number.
                let asking = self.followed_runs.iter().position(|f| f.mirror.is_asking());
                match asking.filter(|_| number == 0) {
                    Some(index) => self.handle_download_failure(index, problem),
                    None => self.emit(RemoteEvent::RequestFailed(problem)),
                }
            }
            ServerMessage::Runs(_) | ServerMessage::Lacks { .. } | ServerMessage::Kept { .. } => {
                self.emit(RemoteEvent::Response(message));
            }
        }
    }

    /// Reports that a job failed before it started.
    fn fail_job(&self, id: JobId, problem: Problem) {
        let run = String::new();
        for event in [Event::Began(id), Event::Failed { run, problem }] {
            self.send_event(Some(id), event);
        }
    }

    /// Reports that the running job and the requests failed.
    fn end_jobs(&mut self, problem: &Problem) {
        let followed_runs = std::mem::take(&mut self.followed_runs);
        for pending in std::mem::take(&mut self.pending_events) {
            let end_event = match pending {
                PendingEvent::Ready(event) => Some(event),
                PendingEvent::AwaitingDownload(run) => {
                    let end = followed_runs.iter().find(|f| f.mirror.run == run);
                    let end = end.and_then(|f| f.end.clone());
                    end.map(|end| job_events::to_download_failure(end, problem.clone()))
                }
            };
            if let Some(JobEvent { job, event }) = end_event {
                self.send_event(job, event);
            }
        }
        if let Some((id, run)) = self.running.take() {
            let problem = problem.clone();
            self.send_event(Some(id), Event::Failed { run, problem });
        }
        for ticket in std::mem::take(&mut self.tickets) {
            let event = (ticket.failure_event)(ticket.number, problem.clone());
            self.send_event(None, event);
        }
    }
}

/// Returns the job that a message queues.
fn queued_job(request: &ClientRequest) -> Option<JobId> {
    let ClientRequest::Command(command) = request else {
        return None;
    };
    match &**command {
        Command::Queue(job) => Some(job.id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::label_noise::LabelCheckRequest;

    #[test]
    fn label_check_fails_with_the_process() {
        let request = LabelCheckRequest { ticket: 7, run: "r".into(), task: 0 };
        let ticket = Ticket::from_command(&Command::Doubts(request)).unwrap();
        let event = (ticket.failure_event)(ticket.number, Problem::new("the process ended"));
        assert!(matches!(event, Event::Doubts { ticket: 7, state: WorkState::Failed(_) }));
    }
}

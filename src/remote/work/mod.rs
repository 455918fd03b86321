//! The thread that communicates with another process. `connection` opens and reopens the connection, and `home`
//! downloads runs that are trained on another machine.

mod connection;
mod home;

use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::link::{Link, LinkEvent};
use super::mirror::Mirror;
use super::{News, Peer, Wake};
use crate::message;
use crate::problem::Problem;
use crate::run::event::{Command, Event};
use crate::run::job::JobId;
use crate::run::queue::JobEvent;
use crate::run::wire::{
    self, ClientMessage, ClientRequest, Frame, MOST_RAW, ServerMessage, TransferableMessage,
};

/// Interval of checks for due work.
const OFTEN: Duration = Duration::from_millis(50);
/// Delay before the connection is reopened after the first break.
const SOON: Duration = Duration::from_millis(100);

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

/// A request about a run that is answered once for each of its tasks; it fails if the child process dies.
struct Ticket {
    number: u64,
    answers: usize,
    failed: fn(u64, Problem) -> Event,
}

impl Ticket {
    fn from_command(command: &Command) -> Option<Self> {
        Some(match command {
            Command::Predict(request) => Self {
                number: request.ticket,
                answers: request.tasks.len(),
                failed: |ticket, problem| Event::NotPredicted { ticket, problem },
            },
            Command::Inside(request) => Self {
                number: request.ticket,
                answers: request.tasks.len(),
                failed: |ticket, problem| Event::NotInside { ticket, problem },
            },
            _ => return None,
        })
    }
}

/// A run that is being downloaded, the job that trains it, and that job's last event.
struct Following {
    job: Option<JobId>,
    mirror: Mirror,
    end: Option<JobEvent>,
}

/// Events of jobs in their original order: events of the next job follow the end of the previous one.
enum PendingEvent {
    Now(JobEvent),
    /// The run with this name there is completely downloaded.
    Home(String),
}

struct Work {
    peer: Peer,
    own: Sender<Message>,
    outbox: Sender<News>,
    wake: Wake,
    link: Option<Link>,
    /// Number of the current connection.
    connection: u64,
    /// Whether the connection is ready.
    is_here: bool,
    /// Identity of the process whose events are known, and the number of the last one.
    instance: u64,
    last: u64,
    client: u64,
    sent: u64,
    waiting: VecDeque<(ClientMessage, Vec<u8>)>,
    retry: Option<Instant>,
    pause: Duration,
    tries: usize,
    told_broken: bool,
    /// Jobs that were requested by this process.
    mine: HashSet<JobId>,
    /// The running job there and its run.
    running: Option<(JobId, String)>,
    following: Vec<Following>,
    due: VecDeque<PendingEvent>,
    tickets: Vec<Ticket>,
}

/// Runs until the handle is dropped.
pub(super) fn work(
    peer: Peer,
    at_once: bool,
    inbox: &Receiver<Message>,
    own: Sender<Message>,
    outbox: Sender<News>,
    wake: Wake,
) {
    let mut work = Work {
        peer,
        own,
        outbox,
        wake,
        link: None,
        connection: 0,
        is_here: false,
        instance: 0,
        last: 0,
        client: crate::serve::random_instance_id(),
        sent: 0,
        waiting: VecDeque::new(),
        retry: at_once.then(Instant::now),
        pause: SOON,
        tries: 0,
        told_broken: false,
        mine: HashSet::new(),
        running: None,
        following: Vec::new(),
        due: VecDeque::new(),
        tickets: Vec::new(),
    };
    loop {
        match inbox.recv_timeout(OFTEN) {
            Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => return,
            Ok(message) => work.dispatch_message(message),
            Err(RecvTimeoutError::Timeout) => {}
        }
        work.tick();
    }
}

impl Work {
    fn send_news(&self, news: News) {
        // The receiver may have been dropped.
        let _ = self.outbox.send(news);
        (self.wake)();
    }

    fn send_event(&self, job: Option<JobId>, event: Event) {
        self.send_news(News::Event(Box::new(JobEvent { job, event })));
    }

    fn is_child(&self) -> bool {
        matches!(self.peer, Peer::Child { .. })
    }

    fn dispatch_message(&mut self, message: Message) {
        match message {
            Message::ClientRequest(ask, raw) => self.send_until_acknowledged(ask, raw),
            Message::FetchRun(run, job) => self.fetch_run(&run, job),
            Message::Expect(job) => drop(self.mine.insert(job)),
            Message::LinkEvent(connection, heard) if connection == self.connection => match heard {
                LinkEvent::Told(told, raw) => self.handle_message(told, raw),
                LinkEvent::Ended(problem) => self.ended(problem),
            },
            Message::LinkEvent(..) | Message::End => {}
        }
    }

    fn tick(&mut self) {
        if self.retry.is_some_and(|at| Instant::now() >= at) {
            self.retry = None;
            self.connect();
        }
        if !self.is_here {
            return;
        }
        // One request at a time, because an error does not identify its request.
        if self.following.iter().any(|f| f.mirror.is_asking()) {
            return;
        }
        let mut following = self.following.iter_mut();
        if let Some(ask) = following.find_map(|following| following.mirror.due()) {
            self.send_request(ask, &[]);
        }
    }

    /// Sends a message that is sent again until it is acknowledged; requests about files are repeated by their caller.
    fn send_until_acknowledged(&mut self, mut ask: ClientRequest, raw: Vec<u8>) {
        match &mut ask {
            ClientRequest::Command(command) => {
                let ticket = Ticket::from_command(command);
                let bytes: usize = command.pixels().into_iter().map(|own| own.len()).sum();
                if let Some(ticket) = ticket.as_ref().filter(|_| bytes > MOST_RAW as usize) {
                    let problem = Problem::new(message!("engine-image-too-large"))
                        .advise(message!("engine-image-too-large-advice"));
                    return self.send_event(None, (ticket.failed)(ticket.number, problem));
                }
                self.tickets.extend(ticket);
            }
            ClientRequest::ControlRunning(_) | ClientRequest::ControlJob(..) => {}
            _ => return self.send_request(ask, &raw),
        }
        self.mine.extend(queued(&ask));
        self.sent += 1;
        let said = ClientMessage {
            client: self.client,
            number: self.sent,
            ask,
        };
        let said = wire::with_relative_runs(said, self.peer.root());
        self.waiting.push_back((said.clone(), raw.clone()));
        if self.is_here {
            self.write(said, &raw);
        } else if self.link.is_none() && self.retry.is_none() {
            self.retry = Some(Instant::now());
        }
    }

    fn send_request(&mut self, ask: ClientRequest, raw: &[u8]) {
        let said = ClientMessage {
            client: self.client,
            number: 0,
            ask,
        };
        if self.is_here {
            self.write(said, raw);
        }
    }

    /// Sends a message. A message that is too large for a frame is reported and not sent again.
    fn write(&mut self, said: ClientMessage, raw: &[u8]) {
        let number = said.number;
        let job = queued(&said.ask);
        let problem = match (Frame::new(said, raw), &mut self.link) {
            (Ok(frame), Some(link)) => return link.send(&frame),
            (Ok(_), None) => return,
            (Err(problem), _) => problem,
        };
        self.waiting.retain(|(said, _)| said.number != number);
        match job {
            Some(id) => self.fail_job(id, problem),
            None => self.send_news(News::Refused(problem)),
        }
    }

    fn handle_message(&mut self, told: ServerMessage, raw: Vec<u8>) {
        match told {
            ServerMessage::Hello(hello) => self.greet(hello),
            ServerMessage::Took(number) => {
                self.waiting.retain(|(said, _)| said.number > number);
                if number == 0 {
                    self.send_news(News::Caught);
                }
            }
            ServerMessage::Event { number, event } => {
                if number > self.last {
                    self.last = number;
                    self.handle_event(*event);
                }
            }
            ServerMessage::Files { run, files } => {
                self.step(&run, |mirror| mirror.receive_files(files));
            }
            ServerMessage::Piece { run, path, from } => {
                self.step(&run, |mirror| mirror.receive_piece(&path, from, &raw));
            }
            ServerMessage::Refused(mut problem) => {
                self.name_place(&mut problem);
                match self.following.iter().position(|f| f.mirror.is_asking()) {
                    Some(at) => self.fail(at, problem),
                    None => self.send_news(News::Refused(problem)),
                }
            }
            ServerMessage::Runs(_) | ServerMessage::Lacks { .. } | ServerMessage::Kept { .. } => {
                self.send_news(News::Answer(told));
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
        let following = std::mem::take(&mut self.following);
        for due in std::mem::take(&mut self.due) {
            let known = match due {
                PendingEvent::Now(told) => Some(told),
                PendingEvent::Home(run) => {
                    let end = following.iter().find(|f| f.mirror.run == run);
                    let end = end.and_then(|f| f.end.clone());
                    end.map(|end| home::unbrought(end, problem.clone()))
                }
            };
            if let Some(JobEvent { job, event }) = known {
                self.send_event(job, event);
            }
        }
        if let Some((id, run)) = self.running.take() {
            let problem = problem.clone();
            self.send_event(Some(id), Event::Failed { run, problem });
        }
        for ticket in std::mem::take(&mut self.tickets) {
            let event = (ticket.failed)(ticket.number, problem.clone());
            self.send_event(None, event);
        }
    }
}

/// Returns the job that a message queues.
fn queued(ask: &ClientRequest) -> Option<JobId> {
    let ClientRequest::Command(command) = ask else {
        return None;
    };
    match &**command {
        Command::Queue(job) => Some(job.id),
        _ => None,
    }
}

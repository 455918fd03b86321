//! Requests about runs that are answered once; if the child process dies, they fail.

use super::Work;
use crate::message;
use crate::problem::Problem;
use crate::run::event::{Command, Event};
use crate::run::wire::{MOST_RAW, TransferableMessage};

/// A request that is not completely answered.
pub(super) struct Ticket {
    pub(super) number: u64,
    answers: usize,
    pub(super) failed: fn(u64, Problem) -> Event,
}

impl Work {
    pub(super) fn note(&mut self, command: &Command) {
        let mut ticket = |number, answers, failed| {
            self.tickets.push(Ticket {
                number,
                answers,
                failed,
            });
        };
        match command {
            Command::Queue(job) => drop(self.mine.insert(job.id)),
            Command::Predict(request) => {
                ticket(request.ticket, request.tasks.len(), |ticket, problem| {
                    Event::NotPredicted { ticket, problem }
                });
            }
            Command::Inside(request) => {
                ticket(request.ticket, request.tasks.len(), |ticket, problem| {
                    Event::NotInside { ticket, problem }
                });
            }
            _ => {}
        }
    }

    pub(super) fn answered(&mut self, number: u64, answers: usize) {
        for ticket in self
            .tickets
            .iter_mut()
            .filter(|ticket| ticket.number == number)
        {
            ticket.answers = ticket.answers.saturating_sub(answers);
        }
        self.tickets.retain(|ticket| ticket.answers > 0);
    }
}

/// Returns the failure of a request whose image is too large for a frame; `None` if it fits.
pub(super) fn too_large(command: &mut Command) -> Option<Event> {
    let bytes: usize = command.pixels().into_iter().map(|own| own.len()).sum();
    if bytes <= MOST_RAW as usize {
        return None;
    }
    let problem = Problem::new(message!("engine-image-too-large"))
        .advise(message!("engine-image-too-large-advice"));
    match command {
        Command::Predict(request) => Some(Event::NotPredicted {
            ticket: request.ticket,
            problem,
        }),
        Command::Inside(request) => Some(Event::NotInside {
            ticket: request.ticket,
            problem,
        }),
        _ => None,
    }
}

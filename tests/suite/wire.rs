//! Every command and event roundtrips through the protocol between processes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lae_studio::metrics::{Answers, Expert};
use lae_studio::problem::Problem;
use lae_studio::run::check_result::{self, Report};
use lae_studio::run::doubt::{DoubtRequest, DoubtState};
use lae_studio::run::event::{
    ClassPrediction, Command, ControlRequest, Event, Phase, Picture, PredictRequest, Prediction,
    RunHeader, RunProgress,
};
use lae_studio::run::grid::{CellStanding, GridLine, GridStanding};
use lae_studio::run::inside::{
    AttentionKind, AttentionMap, FeatureMap, InsideContent, InsideRequest, InsideTarget, Insight,
    Movement, PictureInside, ProbeInside, RunInside,
};
use lae_studio::run::job::{GridWork, Job, JobAttachments, JobId, JobWork, SearchBy};
use lae_studio::run::queue::JobEvent;
use lae_studio::run::search_result::{ChosenEnd, ContestEnd, EdgeEnd, SearchResult};
use lae_studio::run::sheet::{SheetCount, SheetRequest, SheetState};
use lae_studio::run::trial_result::{Trial, TriedMethod};
use lae_studio::run::wire::{self, ClientMessage, ClientRequest, ServerMessage};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Random values, often extreme ones.
struct RandomValues(StdRng);

impl RandomValues {
    fn whole(&mut self) -> usize {
        match self.0.random_range(0..6) {
            0 => 0,
            1 => usize::MAX,
            _ => self.0.random_range(0..100_000),
        }
    }

    fn real(&mut self) -> f64 {
        match self.0.random_range(0..6) {
            0 => 0.0,
            1 => f64::MIN_POSITIVE,
            2 => -f64::MAX,
            _ => self.0.random::<f64>() - 0.5,
        }
    }

    fn share(&mut self) -> f32 {
        match self.0.random_range(0..5) {
            0 => f32::MAX,
            1 => f32::from_bits(1),
            _ => self.0.random(),
        }
    }

    fn bytes(&mut self) -> Vec<u8> {
        let length = self.0.random_range(0..300);
        (0..length).map(|_| self.0.random()).collect()
    }

    fn shares(&mut self) -> Vec<f32> {
        let length = self.0.random_range(0..5);
        (0..length).map(|_| self.share()).collect()
    }

    fn text(&mut self) -> String {
        let letters = ['a', '"', '\\', '猫', '\n', '\u{1b}', '/', ' '];
        let length = self.0.random_range(0..12);
        (0..length)
            .map(|_| letters[self.0.random_range(0..letters.len())])
            .collect()
    }

    fn run(&mut self) -> PathBuf {
        Path::new("/runs").join(format!("2026_{}", self.0.random_range(0..99)))
    }

    fn picture(&mut self) -> Picture {
        Picture {
            name: self.text(),
            width: self.whole(),
            height: self.whole(),
            rgb: self.bytes(),
        }
    }

    fn problem(&mut self) -> Problem {
        Problem::new(self.text())
            .at(self.text())
            .advise(self.text())
    }

    fn job(&mut self, work: JobWork) -> Job {
        Job {
            work,
            ..Job::resume(self.run(), None, self.text())
        }
    }

    fn standings(&mut self) -> [CellStanding; 6] {
        [
            CellStanding::Done(self.run()),
            CellStanding::Stopped {
                saved: self.whole(),
                tasks: self.whole(),
            },
            CellStanding::AtWork,
            CellStanding::Elsewhere,
            CellStanding::ToDo,
            CellStanding::Refused(self.problem()),
        ]
    }

    fn grid(&mut self) -> GridStanding {
        let lines = self.standings().map(|standing| GridLine {
            row: self.text(),
            order: self.text(),
            seed: self.whole() as u64,
            seconds: self.real(),
            standing,
        });
        GridStanding {
            title: self.text(),
            about: self.text(),
            lines: lines.to_vec(),
            rows: self.whole(),
            measured: true,
            memory: self.whole() as u64,
            disk: self.whole() as u64,
        }
    }

    fn checked(&mut self) -> Report {
        let found = check_result::Difference::new(check_result::Part::Answer, Some(1), self.text());
        Report {
            run: self.text(),
            equal: vec![self.text()],
            differences: vec![found],
            ..Report::default()
        }
    }

    fn tried(&mut self) -> Trial {
        let method = TriedMethod {
            method: self.text(),
            title: self.text(),
            config: crate::store::header().config,
            right: Some(self.real()),
            forgotten: None,
            p: Some(self.real()),
            seconds: self.real(),
            memory: Some(self.whole() as u64),
            problem: None,
            losses: vec![0.5, 0.25],
        };
        Trial {
            data: self.text(),
            train_images: self.whole(),
            judged_images: self.whole(),
            bounds: vec![self.text().into()],
            methods: vec![method],
            seconds: self.real(),
        }
    }

    fn searched(&mut self) -> SearchResult {
        let chosen = ChosenEnd {
            title: self.text(),
            mean: self.real(),
            second: Some((self.text(), self.real())),
            level: vec![self.text()],
            runs: self.whole(),
            edges: vec![EdgeEnd {
                setting: self.text(),
                is_highest: true,
            }],
        };
        let contest = ContestEnd {
            title: self.text(),
            tried: self.whole(),
            chosen: Some(chosen),
            unranked: vec![self.text()],
        };
        SearchResult {
            contests: vec![contest],
            file: self.text().into(),
        }
    }

    fn jobs(&mut self) -> Vec<Job> {
        let config = crate::store::header().config;
        let mut held = Job::train(config, self.text());
        held.held = true;
        held.own = JobAttachments {
            plugins: vec![self.text(), self.text()],
            backbones: vec![self.text()],
            weights: [(self.text(), self.text().into())].into(),
            starts: [(self.text(), self.text().into())].into(),
            data: [(self.text(), self.text())].into(),
            corrected: [(self.text(), Vec::new())].into(),
        };
        let (run, train) = (self.run(), true);
        let check = JobWork::Check { run, train };
        let (run, source) = (self.run(), self.text());
        let teach = JobWork::Teach { run, source };
        let grid = GridWork {
            name: self.text(),
            text: self.text(),
            runs: self.whole(),
            search: Some(SearchBy::Halving),
            cells: vec![self.whole(), self.whole()],
            data: vec![(self.text(), self.text())],
        };
        vec![
            held,
            Job::resume(self.run(), Some(self.text()), self.text()),
            self.job(teach),
            self.job(check),
            self.job(JobWork::Grid(Box::new(grid))),
            self.job(JobWork::Try(Box::new(crate::store::header().config))),
        ]
    }

    fn map(&mut self) -> AttentionMap {
        AttentionMap {
            kind: AttentionKind::Length,
            rows: self.whole(),
            columns: self.whole(),
            values: self.shares(),
            rest: self.share(),
        }
    }

    fn insights(&mut self) -> [InsideContent; 2] {
        let expert = Expert::OFFLINE;
        let probe = ProbeInside {
            places: vec![(self.whole(), self.whole())],
            labels: vec![self.whole()],
            given: vec![self.whole()],
            known: self.whole(),
            maps: vec![FeatureMap {
                expert,
                anchor: self.whole(),
                shares: [self.share(), self.share()],
                points: vec![[self.share(), self.share()]],
            }],
            energies: vec![(expert, self.shares())],
            strangeness: vec![(expert, self.shares())],
        };
        let run = RunInside {
            probe: Some(probe),
            problem: Some(self.problem()),
            movement: Movement {
                since_start: vec![(expert, vec![(self.whole(), self.real())])],
                distance: vec![(self.whole(), self.real())],
            },
        };
        let picture = PictureInside {
            attention_maps: vec![(expert, self.map())],
            before: Some(self.map()),
            seen: self.bytes(),
            seen_size: self.whole(),
        };
        [
            InsideContent::Run(Box::new(run)),
            InsideContent::Picture(Box::new(picture)),
        ]
    }

    fn prediction(&mut self) -> Prediction {
        Prediction {
            ticket: self.whole() as u64,
            run: self.run(),
            task: self.whole(),
            classes: vec![self.text(), self.text()],
            opinions: vec![ClassPrediction {
                expert: Expert::ENSEMBLE,
                class: self.whole(),
                probabilities: self.shares(),
                energy: Some(self.share()),
            }],
            decided_by: Expert::ONLINE,
            seen: self.bytes(),
            seen_size: self.whole(),
        }
    }
}

/// Returns at least one command of each kind.
pub fn commands(seed: u64) -> Vec<Command> {
    let mut chance = RandomValues(StdRng::seed_from_u64(seed));
    let c = &mut chance;
    let queued = c
        .jobs()
        .into_iter()
        .map(|job| Command::Queue(Box::new(job)));
    let mut all: Vec<Command> = queued.collect();
    let looks = [
        InsideTarget::Run { anchor: c.whole() },
        InsideTarget::Picture(c.picture()),
    ];
    all.extend(looks.map(|look| {
        Command::Inside(InsideRequest {
            ticket: c.whole() as u64,
            run: c.run(),
            look,
            tasks: vec![c.whole()],
        })
    }));
    all.extend([
        Command::Stop(JobId::fresh()),
        Command::Move {
            job: JobId::fresh(),
            place: c.whole(),
        },
        Command::Hold(true),
        Command::Release(JobId::fresh()),
        Command::Predict(PredictRequest {
            ticket: c.whole() as u64,
            about: c.whole() as u64,
            run: c.run(),
            picture: c.picture(),
            tasks: vec![c.whole(), c.whole()],
        }),
        Command::Sheet(Box::new(SheetRequest {
            only: vec!["inner/a.png".into()],
            ticket: c.whole() as u64,
            run: c.run(),
            task: c.whole(),
            folder: "/pictures".into(),
            csv: c.text().into(),
            all_columns: true,
            threshold: Some(c.share()),
        })),
        Command::Doubts(DoubtRequest {
            ticket: c.whole() as u64,
            run: c.run(),
            task: c.whole(),
        }),
        Command::StopSheet(c.whole() as u64),
        Command::ForgetData,
        Command::Shutdown,
    ]);
    all
}

/// Returns at least one event of each kind.
pub fn events(seed: u64) -> Vec<JobEvent> {
    let mut chance = RandomValues(StdRng::seed_from_u64(seed));
    let c = &mut chance;
    let mut all = Vec::new();
    for job in c.jobs() {
        let (job, place) = (Box::new(job), c.whole());
        all.push(Event::Queued { job, place });
    }
    let phases = [
        Phase::Preparing(c.text().into()),
        Phase::Training {
            task: c.whole(),
            epoch: c.whole(),
            frozen: true,
        },
        Phase::Measuring { task: c.whole() },
        Phase::Evaluating { task: c.whole() },
        Phase::Paused,
    ];
    all.extend(phases.map(|phase| Event::Phase {
        run: c.text(),
        phase,
    }));
    all.extend(c.insights().map(|seen| {
        Event::Inside(Box::new(Insight {
            ticket: 3,
            run: "/runs/a".into(),
            task: 1,
            seen,
        }))
    }));
    let count = SheetCount {
        done: c.whole(),
        unreadable: 1,
        of: 2,
    };
    let sheets = [
        SheetState::Working(count),
        SheetState::Done(count),
        SheetState::Stopped,
        SheetState::Failed(c.problem()),
    ];
    all.extend(sheets.map(|state| Event::Sheet { ticket: 1, state }));
    let report = crate::store::report(1);
    let doubts = [
        DoubtState::Working((1, c.whole())),
        DoubtState::Done(Box::new(Answers::clone(&report.answers))),
        DoubtState::Stopped,
        DoubtState::Failed(c.problem()),
    ];
    all.extend(doubts.map(|state| Event::Doubts { ticket: 1, state }));
    let header = RunHeader {
        folder: c.run(),
        ..crate::store::header()
    };
    let progress = RunProgress {
        losses: c.shares(),
        done: c.real(),
        images_per_second: c.real(),
        seconds_left: Some(c.real()),
        measured: [(c.text(), c.real())].into(),
        ..RunProgress::default()
    };
    let run = c.text();
    all.extend(c.standings().map(|standing| Event::Cell {
        cell: 3,
        standing,
        seconds_left: 1.5,
    }));
    all.extend([
        Event::Grid(Box::new(c.grid())),
        Event::Checked(Box::new(c.checked())),
        Event::Tried(Box::new(c.tried())),
        Event::Searched(Box::new(c.searched())),
        Event::Speed(c.real()),
        Event::Began(JobId::fresh()),
        Event::Removed(JobId::fresh()),
        Event::Started(Box::new(header)),
        Event::Progress {
            run: run.clone(),
            progress,
        },
        Event::TaskEvaluated {
            run: run.clone(),
            report: Box::new(report.clone()),
        },
        Event::TakenUp {
            run: run.clone(),
            reports: vec![report],
        },
        Event::Saved {
            run: run.clone(),
            what: c.text(),
            bytes: u64::MAX,
        },
        Event::Assumed(vec![c.text().into()]),
        Event::Remark {
            run: run.clone(),
            problem: c.problem(),
        },
        Event::Predicted(Box::new(c.prediction())),
        Event::NotPredicted {
            ticket: u64::MAX,
            problem: c.problem(),
        },
        Event::NotInside {
            ticket: 0,
            problem: c.problem(),
        },
        Event::Finished { run: run.clone() },
        Event::Stopped { run: run.clone() },
        Event::Failed {
            run,
            problem: c.problem(),
        },
    ]);
    let job = Some(JobId::fresh());
    all.into_iter()
        .map(|event| JobEvent { job, event })
        .collect()
}

/// Returns the kind of a command. The exhaustive match is a reminder to add new kinds above.
fn kind_of_command(command: &Command) -> usize {
    match command {
        Command::Queue(_) => 0,
        Command::Stop(_) => 1,
        Command::Move { .. } => 2,
        Command::Hold(_) => 3,
        Command::Predict(_) => 4,
        Command::Inside(_) => 5,
        Command::Sheet(_) => 6,
        Command::Doubts(_) => 7,
        Command::StopSheet(_) => 8,
        Command::ForgetData => 9,
        Command::Shutdown => 10,
        Command::Release(_) => 11,
    }
}

fn kind_of_event(event: &Event) -> usize {
    match event {
        Event::Queued { .. } => 0,
        Event::Began(_) => 1,
        Event::Removed(_) => 2,
        Event::Started(_) => 3,
        Event::Phase { .. } => 4,
        Event::Progress { .. } => 5,
        Event::TaskEvaluated { .. } => 6,
        Event::TakenUp { .. } => 7,
        Event::Saved { .. } => 8,
        Event::Assumed(_) => 9,
        Event::Remark { .. } => 10,
        Event::Predicted(_) => 11,
        Event::NotPredicted { .. } => 12,
        Event::Inside(_) => 13,
        Event::NotInside { .. } => 14,
        Event::Sheet { .. } => 15,
        Event::Doubts { .. } => 16,
        Event::Finished { .. } => 17,
        Event::Stopped { .. } => 18,
        Event::Failed { .. } => 19,
        Event::Grid(_) => 20,
        Event::Cell { .. } => 21,
        Event::Checked(_) => 22,
        Event::Tried(_) => 23,
        Event::Searched(_) => 24,
        Event::Speed(_) => 25,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn commands_roundtrip(seed: u64, client: u64, number: u64) {
        let (here, there) = (Path::new("/runs"), Path::new("/scratch/me/lae"));
        let all = commands(seed);
        let kinds: BTreeSet<usize> = all.iter().map(kind_of_command).collect();
        prop_assert_eq!(kinds.len(), 12);
        for command in all {
            let before = format!("{command:?}");
            let ask = ClientRequest::Command(Box::new(command));
            let said = wire::with_relative_runs(ClientMessage { client, number, ask }, here);
            let mut bytes = Vec::new();
            wire::write(&mut bytes, said, &[1, 2]).unwrap();
            // Pixels are sent as bytes, not as JSON.
            prop_assert!(bytes.len() < 4000, "{} bytes", bytes.len());
            let (said, raw) = wire::read::<ClientMessage>(&mut bytes.as_slice()).unwrap().unwrap();
            prop_assert_eq!((said.client, said.number, raw), (client, number, vec![1, 2]));
            let ClientRequest::Command(command) = said.ask else { panic!("not a command") };
            // Paths are relative to the runs folder of each side.
            let there = wire::with_absolute_runs(*command, there, false).unwrap();
            let back = wire::with_relative_runs(there, Path::new("/scratch/me/lae"));
            let back = wire::with_absolute_runs(back, here, false).unwrap();
            prop_assert_eq!(format!("{back:?}"), before);
        }
    }

    #[test]
    fn events_roundtrip(seed: u64, number: u64) {
        let here = Path::new("/runs");
        let all = events(seed);
        let kinds: BTreeSet<usize> = all.iter().map(|told| kind_of_event(&told.event)).collect();
        prop_assert_eq!(kinds.len(), 26);
        let mut bytes = Vec::new();
        for told in &all {
            let event = Box::new(wire::with_relative_runs(told.clone(), here));
            wire::write(&mut bytes, ServerMessage::Event { number, event }, &[]).unwrap();
        }
        let mut rest = bytes.as_slice();
        for told in all {
            let (heard, raw) = wire::read::<ServerMessage>(&mut rest).unwrap().unwrap();
            prop_assert!(raw.is_empty());
            let ServerMessage::Event { number: heard_number, event } = heard else { panic!("not an event") };
            prop_assert_eq!(heard_number, number);
            prop_assert_eq!(wire::with_absolute_runs(*event, here, false).unwrap(), told);
        }
        prop_assert!(wire::read::<ServerMessage>(&mut rest).unwrap().is_none());
    }
}

#[test]
fn control_requests_roundtrip() {
    for wish in [
        ControlRequest::Run,
        ControlRequest::Pause,
        ControlRequest::Stop,
    ] {
        let mut bytes = Vec::new();
        let (client, number, ask) = (1, 2, ClientRequest::ControlRunning(wish));
        wire::write(
            &mut bytes,
            ClientMessage {
                client,
                number,
                ask,
            },
            &[],
        )
        .unwrap();
        let (said, _) = wire::read::<ClientMessage>(&mut bytes.as_slice())
            .unwrap()
            .unwrap();
        assert!(matches!(said.ask, ClientRequest::ControlRunning(heard) if heard == wish));
    }
}

//! Every command and event roundtrips through the protocol between processes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lae_studio::metrics::{Expert, Predictions};
use lae_studio::problem::Problem;
use lae_studio::run::check_result::{self, CheckReport};
use lae_studio::run::event::{
    ClassPrediction, Command, ControlRequest, Event, NamedImage, Phase, PredictRequest, Prediction,
    RunHeader, RunProgress,
};
use lae_studio::run::grid::{CellState, GridRun, GridState};
use lae_studio::run::inside::{
    AttentionKind, AttentionMap, FeatureMap, ImageInspection, Inspection, InspectionContent,
    InspectionRequest, InspectionTarget, Movement, ProbeInspection, RunInspection,
};
use lae_studio::run::job::{GridWork, Job, JobAttachments, JobId, JobWork, SearchBy};
use lae_studio::run::label_noise::{LabelCheckRequest, LabelCheckState};
use lae_studio::run::prediction_table::{
    PredictionTableCount, PredictionTableJob, PredictionTableState,
};
use lae_studio::run::queue::JobEvent;
use lae_studio::run::search_result::{ChosenRow, ContestSummary, EdgeSetting, SearchResult};
use lae_studio::run::trial_result::{Trial, TriedMethod};
use lae_studio::run::wire::{self, ClientMessage, ClientRequest, ServerMessage};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Random values, often extreme ones.
struct RandomValues(StdRng);

impl RandomValues {
    fn integer(&mut self) -> usize {
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

    fn fraction(&mut self) -> f32 {
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

    fn fractions(&mut self) -> Vec<f32> {
        let length = self.0.random_range(0..5);
        (0..length).map(|_| self.fraction()).collect()
    }

    fn text(&mut self) -> String {
        let letters = ['a', '"', '\\', '猫', '\n', '\u{1b}', '/', ' '];
        let length = self.0.random_range(0..12);
        (0..length).map(|_| letters[self.0.random_range(0..letters.len())]).collect()
    }

    fn run(&mut self) -> PathBuf {
        Path::new("/runs").join(format!("2026_{}", self.0.random_range(0..99)))
    }

    fn picture(&mut self) -> NamedImage {
        NamedImage {
            name: self.text(),
            width: self.integer(),
            height: self.integer(),
            rgb: self.bytes(),
        }
    }

    fn problem(&mut self) -> Problem {
        Problem::new(self.text()).at(self.text()).advise(self.text())
    }

    fn job(&mut self, work: JobWork) -> Job {
        Job { work, ..Job::resume(self.run(), None, self.text()) }
    }

    fn cell_states(&mut self) -> [CellState; 6] {
        [
            CellState::Done(self.run()),
            CellState::Stopped { saved: self.integer(), tasks: self.integer() },
            CellState::AtWork,
            CellState::Elsewhere,
            CellState::ToDo,
            CellState::Refused(self.problem()),
        ]
    }

    fn grid(&mut self) -> GridState {
        let lines = self.cell_states().map(|standing| GridRun {
            row: self.text(),
            order: self.text(),
            seed: self.integer() as u64,
            seconds: self.real(),
            standing,
        });
        GridState {
            title: self.text(),
            about: self.text(),
            lines: lines.to_vec(),
            rows: self.integer(),
            measured: true,
            memory: self.integer() as u64,
            disk: self.integer() as u64,
        }
    }

    fn check_report(&mut self) -> CheckReport {
        let difference =
            check_result::Difference::new(check_result::Part::Answer, Some(1), self.text());
        CheckReport {
            run: self.text(),
            equal: vec![self.text()],
            differences: vec![difference],
            ..CheckReport::default()
        }
    }

    fn trial(&mut self) -> Trial {
        let method = TriedMethod {
            method: self.text(),
            title: self.text(),
            config: crate::store::header().config,
            right: Some(self.real()),
            forgotten: None,
            p: Some(self.real()),
            seconds: self.real(),
            memory: Some(self.integer() as u64),
            problem: None,
            losses: vec![0.5, 0.25],
        };
        Trial {
            data: self.text(),
            train_images: self.integer(),
            judged_images: self.integer(),
            bounds: vec![self.text().into()],
            methods: vec![method],
            seconds: self.real(),
        }
    }

    fn search_result(&mut self) -> SearchResult {
        let chosen = ChosenRow {
            title: self.text(),
            mean: self.real(),
            second: Some((self.text(), self.real())),
            level: vec![self.text()],
            runs: self.integer(),
            edges: vec![EdgeSetting { setting: self.text(), is_highest: true }],
        };
        let contest = ContestSummary {
            title: self.text(),
            tried: self.integer(),
            chosen: Some(chosen),
            unranked: vec![self.text()],
        };
        SearchResult { contests: vec![contest], file: self.text().into() }
    }

    fn jobs(&mut self) -> Vec<Job> {
        let config = crate::store::header().config;
        let mut held_job = Job::train(config, self.text());
        held_job.held = true;
        held_job.own = JobAttachments {
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
            runs: self.integer(),
            search: Some(SearchBy::Halving),
            cells: vec![self.integer(), self.integer()],
            data: vec![(self.text(), self.text())],
        };
        vec![
            held_job,
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
            rows: self.integer(),
            columns: self.integer(),
            values: self.fractions(),
            rest: self.fraction(),
        }
    }

    fn insights(&mut self) -> [InspectionContent; 2] {
        let expert = Expert::OFFLINE;
        let probe = ProbeInspection {
            places: vec![(self.integer(), self.integer())],
            labels: vec![self.integer()],
            given: vec![self.integer()],
            known: self.integer(),
            maps: vec![FeatureMap {
                expert,
                anchor: self.integer(),
                shares: [self.fraction(), self.fraction()],
                points: vec![[self.fraction(), self.fraction()]],
            }],
            energies: vec![(expert, self.fractions())],
            strangeness: vec![(expert, self.fractions())],
        };
        let run = RunInspection {
            probe: Some(probe),
            problem: Some(self.problem()),
            movement: Movement {
                since_start: vec![(expert, vec![(self.integer(), self.real())])],
                distance: vec![(self.integer(), self.real())],
            },
        };
        let picture = ImageInspection {
            attention_maps: vec![(expert, self.map())],
            before: Some(self.map()),
            seen: self.bytes(),
            seen_size: self.integer(),
        };
        [InspectionContent::Run(Box::new(run)), InspectionContent::Picture(Box::new(picture))]
    }

    fn prediction(&mut self) -> Prediction {
        Prediction {
            ticket: self.integer() as u64,
            run: self.run(),
            task: self.integer(),
            classes: vec![self.text(), self.text()],
            opinions: vec![ClassPrediction {
                expert: Expert::ENSEMBLE,
                class: self.integer(),
                probabilities: self.fractions(),
                energy: Some(self.fraction()),
            }],
            decided_by: Expert::ONLINE,
            seen: self.bytes(),
            seen_size: self.integer(),
        }
    }
}

/// Returns at least one command of each kind.
pub fn commands(seed: u64) -> Vec<Command> {
    let mut random = RandomValues(StdRng::seed_from_u64(seed));
    let c = &mut random;
    let queued = c.jobs().into_iter().map(|job| Command::Queue(Box::new(job)));
    let mut result: Vec<Command> = queued.collect();
    let targets =
        [InspectionTarget::Run { anchor: c.integer() }, InspectionTarget::Picture(c.picture())];
    result.extend(targets.map(|look| {
        Command::Inside(InspectionRequest {
            ticket: c.integer() as u64,
            run: c.run(),
            look,
            tasks: vec![c.integer()],
        })
    }));
    result.extend([
        Command::Stop(JobId::generate()),
        Command::Move { job: JobId::generate(), place: c.integer() },
        Command::Hold(true),
        Command::Release(JobId::generate()),
        Command::Predict(PredictRequest {
            ticket: c.integer() as u64,
            about: c.integer() as u64,
            run: c.run(),
            picture: c.picture(),
            tasks: vec![c.integer(), c.integer()],
        }),
        Command::Sheet(Box::new(PredictionTableJob {
            only: vec!["inner/a.png".into()],
            ticket: c.integer() as u64,
            run: c.run(),
            task: c.integer(),
            folder: "/pictures".into(),
            csv: c.text().into(),
            all_columns: true,
            threshold: Some(c.fraction()),
        })),
        Command::Doubts(LabelCheckRequest {
            ticket: c.integer() as u64,
            run: c.run(),
            task: c.integer(),
        }),
        Command::StopSheet(c.integer() as u64),
        Command::ForgetData,
        Command::Shutdown,
    ]);
    result
}

/// Returns at least one event of each kind.
pub fn events(seed: u64) -> Vec<JobEvent> {
    let mut random = RandomValues(StdRng::seed_from_u64(seed));
    let c = &mut random;
    let mut result = Vec::new();
    for job in c.jobs() {
        let (job, place) = (Box::new(job), c.integer());
        result.push(Event::Queued { job, place });
    }
    let phases = [
        Phase::Preparing(c.text().into()),
        Phase::Training { task: c.integer(), epoch: c.integer(), frozen: true },
        Phase::Measuring { task: c.integer() },
        Phase::Evaluating { task: c.integer() },
        Phase::Paused,
    ];
    result.extend(phases.map(|phase| Event::Phase { run: c.text(), phase }));
    result.extend(c.insights().map(|seen| {
        Event::Inside(Box::new(Inspection { ticket: 3, run: "/runs/a".into(), task: 1, seen }))
    }));
    let count = PredictionTableCount { done: c.integer(), unreadable: 1, of: 2 };
    let sheets = [
        PredictionTableState::Working(count),
        PredictionTableState::Done(count),
        PredictionTableState::Stopped,
        PredictionTableState::Failed(c.problem()),
    ];
    result.extend(sheets.map(|state| Event::Sheet { ticket: 1, state }));
    let report = crate::store::report(1);
    let doubts = [
        LabelCheckState::Working((1, c.integer())),
        LabelCheckState::Done(Box::new(Predictions::clone(&report.answers))),
        LabelCheckState::Stopped,
        LabelCheckState::Failed(c.problem()),
    ];
    result.extend(doubts.map(|state| Event::Doubts { ticket: 1, state }));
    let header = RunHeader { folder: c.run(), ..crate::store::header() };
    let progress = RunProgress {
        losses: c.fractions(),
        done: c.real(),
        images_per_second: c.real(),
        seconds_left: Some(c.real()),
        measured: [(c.text(), c.real())].into(),
        ..RunProgress::default()
    };
    let run = c.text();
    result.extend(c.cell_states().map(|standing| Event::Cell {
        cell: 3,
        standing,
        seconds_left: 1.5,
    }));
    result.extend([
        Event::Grid(Box::new(c.grid())),
        Event::Checked(Box::new(c.check_report())),
        Event::Tried(Box::new(c.trial())),
        Event::Searched(Box::new(c.search_result())),
        Event::Speed(c.real()),
        Event::Began(JobId::generate()),
        Event::Removed(JobId::generate()),
        Event::Started(Box::new(header)),
        Event::Progress { run: run.clone(), progress },
        Event::TaskEvaluated { run: run.clone(), report: Box::new(report.clone()) },
        Event::TakenUp { run: run.clone(), reports: vec![report] },
        Event::Saved { run: run.clone(), what: c.text(), bytes: u64::MAX },
        Event::Assumed(vec![c.text().into()]),
        Event::Remark { run: run.clone(), problem: c.problem() },
        Event::Predicted(Box::new(c.prediction())),
        Event::NotPredicted { ticket: u64::MAX, problem: c.problem() },
        Event::NotInside { ticket: 0, problem: c.problem() },
        Event::Finished { run: run.clone() },
        Event::Stopped { run: run.clone() },
        Event::Failed { run, problem: c.problem() },
    ]);
    let job = Some(JobId::generate());
    result.into_iter().map(|event| JobEvent { job, event }).collect()
}

/// Returns the kind of a command. The exhaustive match is a reminder to add new kinds above.
fn command_kind(command: &Command) -> usize {
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

fn event_kind(event: &Event) -> usize {
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
        let kinds: BTreeSet<usize> = all.iter().map(command_kind).collect();
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
            // Paths are relative to the folder of runs of each side.
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
        let kinds: BTreeSet<usize> = all.iter().map(|told| event_kind(&told.event)).collect();
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
    for request in [ControlRequest::Run, ControlRequest::Pause, ControlRequest::Stop] {
        let mut bytes = Vec::new();
        let (client, number, ask) = (1, 2, ClientRequest::ControlRunning(request));
        wire::write(&mut bytes, ClientMessage { client, number, ask }, &[]).unwrap();
        let (message, _) = wire::read::<ClientMessage>(&mut bytes.as_slice()).unwrap().unwrap();
        assert!(
            matches!(message.ask, ClientRequest::ControlRunning(received) if received == request)
        );
    }
}

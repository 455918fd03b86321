//! Measures the cost of running the engine in a separate process instead of a thread: a run and predictions.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lae_studio::run::config::RunConfig;
use lae_studio::run::event::Picture;
use lae_studio::session::Session;
use lae_studio::session::backend::EngineHost;
use lae_studio::session::run_view::Stage;

/// Number of measurements of each kind.
const TURNS: usize = 3;
/// Number of sequential predictions.
const ASKED: usize = 100;

fn wait_until(session: &mut Session, mut done: impl FnMut(&Session) -> bool) -> Duration {
    let begun = Instant::now();
    while !done(session) {
        session.drain();
        assert!(begun.elapsed() < crate::PATIENCE, "timed out");
        std::thread::sleep(Duration::from_micros(200));
    }
    begun.elapsed()
}

/// Returns the seconds of a run of five tasks and the sorted seconds of predictions with its last snapshot.
fn measure(root: &Path, whose: EngineHost) -> (f64, Vec<f64>) {
    let draft = RunConfig::default();
    let mut session = Session::open(root.into(), draft, whose, Arc::new(|| {})).unwrap();
    wait_until(&mut session, |s| {
        !s.busy() && s.compare.runs.ready().is_some()
    });
    session.start();
    let trained = wait_until(&mut session, |s| {
        s.train
            .live
            .as_ref()
            .is_some_and(|run| run.stage == Stage::Finished)
    });
    wait_until(&mut session, |s| s.predict.run.is_some() && !s.busy());
    let asked = (0..ASKED).map(|number| {
        let shade = number as u8;
        let picture = Picture {
            name: format!("picture {number}"),
            width: 28,
            height: 28,
            rgb: [shade, 255 - shade, 40].repeat(28 * 28),
        };
        session.predict_picture(Arc::new(picture), None);
        let last = session.predict.task;
        let ticket = session.predict.ticket;
        wait_until(&mut session, |s| {
            s.predict.answers.get(last).is_some_and(|answer| {
                answer
                    .as_ref()
                    .is_some_and(|answer| answer.ticket == ticket)
            })
        })
        .as_secs_f64()
    });
    let mut asked: Vec<f64> = asked.collect();
    asked.sort_by(f64::total_cmp);
    (trained.as_secs_f64(), asked)
}

#[test]
#[ignore = "a measurement"]
fn cost_of_engine_process_is_measured() {
    for turn in 0..TURNS {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_lae-studio"));
        for (name, whose) in [
            ("thread", EngineHost::Thread),
            ("process", EngineHost::Process(program)),
        ] {
            let root = tempfile::tempdir().unwrap();
            let (trained, asked) = measure(root.path(), whose);
            eprintln!(
                "{turn}, {name}: trained in {trained:.2} s; a prediction {:.1} ms, 95 of 100 at most {:.1} ms",
                asked[ASKED / 2] * 1e3,
                asked[ASKED * 95 / 100] * 1e3,
            );
        }
    }
}

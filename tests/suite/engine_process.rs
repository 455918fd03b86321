//! Measures the cost of running the engine in a separate process instead of a thread: a run and predictions.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lae_studio::run::config::RunConfig;
use lae_studio::run::event::NamedImage;
use lae_studio::session::Session;
use lae_studio::session::backend::EngineHost;
use lae_studio::session::run_view::Stage;

/// Number of measurements of each kind.
const REPETITIONS: usize = 3;
/// Number of sequential predictions.
const PREDICTIONS: usize = 100;

fn wait_until(session: &mut Session, mut done: impl FnMut(&Session) -> bool) -> Duration {
    let start = Instant::now();
    while !done(session) {
        session.drain();
        assert!(start.elapsed() < crate::TIMEOUT, "timed out");
        std::thread::sleep(Duration::from_micros(200));
    }
    start.elapsed()
}

/// Returns the seconds of a run of five tasks and the sorted seconds of predictions with its last snapshot.
fn measure(root: &Path, host: EngineHost) -> (f64, Vec<f64>) {
    let config = RunConfig::default();
    let mut session = Session::open(root.into(), config, host, Arc::new(|| {})).unwrap();
    wait_until(&mut session, |s| !s.is_busy() && s.compare.runs.ready().is_some());
    session.start();
    let training_time = wait_until(&mut session, |s| {
        s.train.live.as_ref().is_some_and(|run| run.stage == Stage::Finished)
    });
    wait_until(&mut session, |s| s.predict.run.is_some() && !s.is_busy());
    let prediction_times = (0..PREDICTIONS).map(|number| {
        let shade = number as u8;
        let image = NamedImage {
            name: format!("picture {number}"),
            width: 28,
            height: 28,
            rgb: [shade, 255 - shade, 40].repeat(28 * 28),
        };
        session.predict_image(Arc::new(image), None);
        let last = session.predict.task;
        let ticket = session.predict.ticket;
        wait_until(&mut session, |s| {
            s.predict
                .predictions
                .get(last)
                .is_some_and(|answer| answer.as_ref().is_some_and(|answer| answer.ticket == ticket))
        })
        .as_secs_f64()
    });
    let mut prediction_times: Vec<f64> = prediction_times.collect();
    prediction_times.sort_by(f64::total_cmp);
    (training_time.as_secs_f64(), prediction_times)
}

#[test]
#[ignore = "a measurement"]
fn cost_of_engine_process_is_measured() {
    for repetition in 0..REPETITIONS {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_lae-studio"));
        for (name, host) in
            [("thread", EngineHost::Thread), ("process", EngineHost::Process(program))]
        {
            let root = tempfile::tempdir().unwrap();
            let (training_seconds, prediction_seconds) = measure(root.path(), host);
            eprintln!(
                "{repetition}, {name}: trained in {training_seconds:.2} s; a prediction {:.1} ms, 95 of 100 at most {:.1} ms",
                prediction_seconds[PREDICTIONS / 2] * 1e3,
                prediction_seconds[PREDICTIONS * 95 / 100] * 1e3,
            );
        }
    }
}

//! Run folders: listed, loaded, summed up, exported, resumed.

use std::path::Path;

use lae_studio::data::{ClassFingerprints, Split};
use lae_studio::metrics::SlotCounts;
use lae_studio::run::annotations::Annotations;
use lae_studio::store::export::{Format, export};
use lae_studio::store::figure::RunFigure;
use lae_studio::store::{self, Checkpoint, Provenance, QueueFile, RunFolder};
use lae_studio::tensors::{GeneratedTensors, HostTensor, NamedTensors};

use super::bytes::Dice;
use super::headers::vary_header;
use super::{Case, Target, fuzz, read_case};
use crate::store::{header, report};

const WORDS: &[&[u8]] = &[
    b"[facts]\n",
    b"[facts.method]\n",
    b"[settings]\n",
    b"name = \"\\u001b[2J\"\n",
    b"tags = [7]\n",
    b"task_sizes = [2, 2]\n",
    b"task_sizes = []\n",
    b"train_images = [1, 1]\n",
    b"test_images = [1, 1]\n",
    b"class_order = [\"a\", \"b\"]\n",
    b"format = 2\n",
    b"format = 1\n",
    b"started = \"2026-01-01T00:00:00Z\"\n",
    b"experts = [\"online\"]\n",
    b"experts = []\n",
    b"[\"answer\"]",
    b"uses_pet = true\n",
    b"uses_pet = false\n",
    b"method = \"baseline\"\n",
    b"learning = false\n",
    b"online",
    b"offline",
    b"ensemble",
    b"answer",
    b"\n",
    b",",
    b",,",
    b"\"",
    b"nan",
    b"inf",
    b"-1",
    b"1e400",
    b"0,",
    b"task,images,online\n",
    b"drift=0.5 ",
    b"=",
    b"task,slot,images,chosen,right\n",
    b"1,1,2,1,1\n",
];

struct RunFolders;

fn test_tensors() -> NamedTensors {
    let tensor = HostTensor { shape: vec![2], values: vec![1.0, -1.0] };
    NamedTensors::from([("online.a".to_string(), tensor)])
}

impl Target for RunFolders {
    const NAME: &'static str = "runs";

    fn valid_cases(&self) -> Vec<Case> {
        let root = tempfile::tempdir().unwrap();
        let mut header = header();
        let folder = RunFolder::create(root.path(), &mut header, "name = \"adapter\"\n").unwrap();
        let prints = ClassFingerprints {
            split: Split::Test,
            class: "a".into(),
            images: 2,
            prints: "0123456789ab".into(),
        };
        folder.save_provenance(&Provenance::default(), &[prints]).unwrap();
        let mut first = report(0);
        first.slots = vec![SlotCounts::zeros(1)];
        folder.save_task(&first, &test_tensors()).unwrap();
        folder.save_task(&report(1), &test_tensors()).unwrap();
        let checkpoint = Checkpoint {
            task: 1,
            epochs_done: 3,
            tensors: test_tensors(),
            ..Checkpoint::default()
        };
        folder.save_checkpoint(&checkpoint, GeneratedTensors::new()).unwrap();
        let path = folder.path().to_path_buf();
        drop(folder);
        let about = Annotations {
            name: "first".into(),
            tags: vec!["a".into(), "b".into()],
            note: "two\nlines".into(),
            ..Annotations::default()
        };
        store::set_annotations(&path, &about).unwrap();
        let complete: Case = read_case(&path)
            .into_iter()
            .map(|(name, bytes)| (format!("run/{name}"), bytes))
            .collect();
        let mut unfinished = complete.clone();
        let row = "run/metrics.csv";
        let text = String::from_utf8(unfinished[row].clone()).unwrap();
        let first: Vec<&str> = text.split_inclusive('\n').take(2).collect();
        unfinished.insert(row.into(), first.concat().into_bytes());
        vec![complete, unfinished]
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        let mut case = dice.vary(valid, WORDS);
        let tensors = "run/resume/checkpoint.safetensors";
        if dice.one_in(3)
            && let Some(bytes) = valid[0].get(tensors)
        {
            let varied = vary_header(
                bytes,
                dice,
                &[b"\"task\":\"9\"", b"\"epochs_done\":\"", b"counter.", b"bulk."],
            );
            case.insert(tensors.into(), varied);
        }
        case
    }

    fn read(&self, folder: &Path) -> bool {
        let listed = store::list_runs(folder);
        let (mut summaries, mut stores) = (Vec::new(), Vec::new());
        for entry in &listed {
            assert!(entry.about.validate().is_ok(), "{:?}", entry.about);
            if let Err(problem) = &entry.summary {
                // A list shows a panic as a Problem.
                assert!(!problem.mentions("problem-run-reading-internal-error"), "{problem}");
            }
        }
        for run in listed.into_iter().filter_map(|entry| entry.summary.ok()) {
            let folder = &run.header.folder;
            // The stored summary equals one made from the other files.
            assert_eq!(store::summarise(folder).unwrap().saved_tasks(), run.saved_tasks());
            if let Ok(stored) = store::load_run(folder) {
                let _ = store::verify_files(&stored, None);
                stores.push(stored);
            }
            serde_json::to_string(&run.for_scripts()).unwrap();
            let _ = (store::load_provenance(folder), store::load_image_prints(folder));
            for task in 0..run.saved_tasks() {
                let _ = store::load_snapshot(folder, task);
            }
            summaries.push(run);
        }
        let kinds = Format::ALL;
        let exported = kinds
            .map(|kind| export(&summaries, (kind, RunFigure::default()), &|_| Vec::new()).is_ok());
        let _ = store::summary_of_orders(&stores);
        let _ = (store::find_run(folder, "latest"), store::find_run(folder, "r"));
        if let Ok(open_run) = RunFolder::open(&folder.join("run")) {
            let _ = (open_run.load_checkpoint(), open_run.load_bulk("a"));
        }
        !summaries.is_empty() && exported[0]
    }
}

/// The queue of waiting runs.
struct Queue;

impl Target for Queue {
    const NAME: &'static str = "queue";

    fn valid_cases(&self) -> Vec<Case> {
        use lae_studio::run::config::RunConfig;
        use lae_studio::run::job::Job;
        let root = tempfile::tempdir().unwrap();
        let first = Job::train(RunConfig::default(), "a run".into());
        let second = Job::resume("/some/run".into(), None, "it".into());
        let mut file = QueueFile::local(root.path());
        file.save(&[&first, &second]).unwrap();
        drop(file);
        let mut case = read_case(root.path());
        case.remove("queue.lock");
        vec![case]
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        dice.vary(
            valid,
            &[
                b"[[job]]\n",
                b"[job]\n",
                b"id = 0\n",
                b"held = true\n",
                b"\"\"\"",
                b"[",
                b"]",
                b"{",
                b"}",
                b"=",
            ],
        )
    }

    fn read(&self, folder: &Path) -> bool {
        let mut file = QueueFile::local(folder);
        let (jobs, problem) = file.load();
        let jobs: Vec<_> = jobs.iter().collect();
        let saved = file.save(&jobs);
        assert!(
            saved.is_ok() || problem.is_some(),
            "a queue that was read cannot be saved: {saved:?}"
        );
        problem.is_none()
    }

    fn allowed_leftovers(&self) -> &'static [&'static str] {
        &["queue."]
    }
}

#[test]
fn fuzz_runs() {
    fuzz(RunFolders);
}

#[test]
fn fuzz_queue() {
    fuzz(Queue);
}

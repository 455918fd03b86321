//! Checks of the plugin editor while typing: fast for every plugin, bounded for hostile ones.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lae_studio::experiment::ResourceCache;
use lae_studio::experiment::pet_costs::measure_pet_costs;
use lae_studio::experiment::trial::try_pet;
use lae_studio::expression::HighlightKind;
use lae_studio::memory::peak_bytes;
use lae_studio::pet::diagnosis::{diagnose, diagnose_blocks};
use lae_studio::pet::gradients::{Learns, gradients};
use lae_studio::pet::highlight::{Mark, declared_parameters, marks};
use lae_studio::pet::library::BUILT_IN;
use lae_studio::pet::notes::PluginNotes;
use lae_studio::pet::view::Blocks;
use lae_studio::pet::{BlockKind, PetSettings, PetSpec, PluginLibrary, Site};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::Control;
use lae_studio::run::job::JobAttachments;
use lae_studio::session::Disk;
use lae_studio::session::editor::completion::candidates;
use lae_studio::store::{PluginSave, save_plugin};

use crate::fuzz::meter::Meter;
use crate::skip::skip;

/// Time limit of a check while typing.
const MAX_CHECK_TIME: Duration = Duration::from_millis(200);
/// Limit of the processor time for hostile texts.
const MAX_TIME: Duration = Duration::from_secs(30);

#[test]
fn built_in_plugins_are_checked_within_200_ms() {
    let disk = Disk::new(PathBuf::from("nowhere"));
    let mut slowest = Duration::ZERO;
    for text in BUILT_IN {
        let best = (0..3).map(|_| {
            // Processor time, because other processes may run on this machine.
            let meter = Meter::start();
            let checked = disk.check_plugin(text, "mine.toml", &RunConfig::default());
            assert!(checked.errors.is_empty() && checked.compiled.is_some());
            meter.stop().1
        });
        slowest = slowest.max(best.min().unwrap());
    }
    eprintln!("the slowest of {} took {slowest:?}", BUILT_IN.len());
    assert!(slowest < MAX_CHECK_TIME, "{slowest:?}");
}

/// Returns a plugin with this equation and one parameter.
fn plugin_text(equation: &str, shape: &str) -> String {
    format!(
        "name = \"X\"\nsites = [\"block\"]\n[sizes]\nn = {{ default = 1024, max = 1048576 }}\n[parameters]\n\
         w = {{ shape = {shape}, init = \"normal(1)\" }}\n[equations]\nblock = \"{equation}\"\n"
    )
}

fn hostile_texts() -> Vec<(String, String)> {
    let nested = format!("{}h{}", "(".repeat(20_000), ")".repeat(20_000));
    let product = vec!["w"; 120].join(" @ ");
    let inline = format!("a = {}", "{a=".repeat(20_000));
    let names = (0..8000).map(|n| format!("p{n} = 1\n")).collect::<String>();
    let steps: String = (0..31).map(|n| format!("s{n} = \"w @ w + {n}\"\n")).collect();
    let texts = [
        ("nesting", plugin_text(&nested, "[1, \"d\"]")),
        ("products", plugin_text(&format!("h + 0 * sum({product})"), "[\"n\", \"n\"]")),
        ("sizes", plugin_text("h + 0 * w", "[8192, 8192]")),
        ("huge sizes", plugin_text("h + 0 * w", "[99999999999999999999, 1]")),
        ("numbers", plugin_text("h * 1e308 * 1e308 + w", "[1, \"d\"]")),
        ("inline tables", inline),
        ("a head of all letters", format!("[{}]\n{}", "x".repeat(30_000), "a = 1\n".repeat(5000))),
        ("names", format!("[parameters]\n{names}")),
        ("brackets", "[".repeat(65_000)),
        ("quotes", "\"".repeat(65_001)),
        (
            "steps",
            format!(
                "{}{steps}",
                plugin_text("", "[1024, 1024]")
                    .replace("block = \"\"\n", "[equations.block]\n")
                    .replace("[equations]\n", "")
            ),
        ),
        ("no text of ours", "\u{0}\u{202e}\r\n=\u{1f600}".repeat(5000)),
        ("too long", "x".repeat(3_000_000)),
    ];
    texts.map(|(name, text)| (name.to_string(), text)).into()
}

/// Collects the plugin files in a folder of hostile inputs.
fn collect_plugin_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let kind = entry.file_type();
        if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
            collect_plugin_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "toml") {
            found.push(path);
        }
    }
}

#[test]
fn hostile_texts_are_checked_within_time_limit() {
    let mut texts = hostile_texts();
    let extra_folder = std::env::var_os("LAE_HOSTILE").map(PathBuf::from);
    match &extra_folder {
        None => skip("LAE_HOSTILE is not set"),
        Some(folder) => {
            let mut found = Vec::new();
            collect_plugin_files(folder, &mut found);
            let read_text = |path: PathBuf| {
                let text = std::fs::read(&path).ok()?;
                let text = String::from_utf8_lossy(&text[..text.len().min(1 << 20)]).into_owned();
                Some((path.display().to_string(), text))
            };
            texts.extend(found.into_iter().filter_map(read_text));
        }
    }
    let disk = Disk::new(PathBuf::from("nowhere"));
    for (name, text) in &texts {
        let meter = Meter::start();
        let checked = disk.check_plugin(text, "mine.toml", &RunConfig::default());
        for (_, mistake) in &checked.errors {
            assert!(text.get(mistake.span.clone()).is_some(), "{name}: {mistake:?}");
        }
        if checked.errors.is_empty() {
            // Measured or rejected, without a panic.
            let _ = disk.measure_plugin(text);
        }
        assert!(marks(text).iter().all(|marked| text.get(marked.span.clone()).is_some()));
        let middle = text.floor_char_boundary(text.len() / 2);
        let _ = candidates(text, middle, None);
        let (_, elapsed) = meter.stop();
        eprintln!("{name}: {elapsed:?}, {} mistakes", checked.errors.len());
        assert!(elapsed < MAX_TIME, "{name}: {elapsed:?}");
    }
    // Valid only in a separate process, because other tests use memory, too.
    if let (Some(_), Some(peak)) = (extra_folder, peak_bytes()) {
        eprintln!("{} MB at most", peak / 1_000_000);
        assert!(peak < 500_000_000, "{peak}");
    }
}

#[test]
fn built_in_parameters_learn_unless_fixed() {
    for text in BUILT_IN {
        let spec = PetSpec::parse(text, "built in").unwrap();
        let found = gradients(&spec).unwrap();
        assert!(!found.is_empty());
        for entry in found {
            let fixed = spec.parameters.iter().any(|parameter| {
                parameter.fixed && entry.name.split(" at ").next() == Some(&parameter.name)
            });
            let variant_fixed = &spec.variants[0].fixed;
            let fixed = fixed
                || variant_fixed
                    .iter()
                    .any(|fixed_name| entry.name.split(" at ").next() == Some(fixed_name));
            assert_eq!(entry.learns == Learns::Fixed, fixed, "{} {entry:?}", spec.name);
            assert_ne!(entry.learns, Learns::Never, "{} {entry:?}", spec.name);
        }
    }
}

#[test]
fn reports_parameters_without_gradient() {
    let text = "name = \"X\"\nsites = [\"mlp\"]\n[parameters]\na = { shape = [\"d\", \"d\"], init = \"zeros\" }\nb = { shape = [1, \"d\"], init = \"ones\" }\nc = { shape = [1, \"d\"], init = \"ones\", fixed = true }\n[equations]\nmlp = \"h + (e @ a) * detach(b) * c\"\n";
    let spec = PetSpec::parse(text, "mine.toml").unwrap();
    let gradient_state = |name: &str| {
        let found = gradients(&spec).unwrap().into_iter();
        found.filter(|entry| entry.name == name).map(|entry| entry.learns).next()
    };
    assert_eq!(gradient_state("a"), Some(Learns::Immediately));
    assert_eq!(gradient_state("b"), Some(Learns::Never));
    assert_eq!(gradient_state("c"), Some(Learns::Fixed));
}

#[test]
fn training_step_costs_more_than_prediction() {
    let spec = PluginLibrary::with_folders(Vec::new()).get("adapter").unwrap();
    let costs = measure_pet_costs(&spec).unwrap();
    assert!(costs.prediction.iter().all(|ms| *ms > 0.0));
    assert!(costs.step[1] > costs.prediction[1], "{costs:?}");
}

#[test]
fn tries_attached_pet_against_adapter() {
    let attachments = JobAttachments {
        plugins: vec![BUILT_IN[3].replace("\"AdaptFormer\"", "\"Mine\"")],
        ..JobAttachments::default()
    };
    let cache = ResourceCache::default().with_attachments(&attachments);
    let config = RunConfig { pet: "mine".into(), device: "cpu".into(), ..RunConfig::default() };
    let mut events = Vec::new();
    let trial = try_pet(&config, &cache, &mut events, &Control::default());
    let trial = trial.unwrap().unwrap();
    let titles: Vec<&str> = trial.methods.iter().map(|method| method.title.as_str()).collect();
    assert_eq!(titles, ["Mine", "Adapter"]);
    for method in &trial.methods {
        assert!(method.problem.is_none(), "{method:?}");
        assert!(method.right.unwrap() > 20.0, "{method:?}");
        // On a slow machine, the trial takes fewer steps and reports it.
        let is_truncated = !trial.bounds.is_empty();
        assert!(method.losses.len() > 10 || is_truncated, "{method:?}");
    }
}

fn texts_with_mark(text: &str, expected: Mark) -> Vec<&str> {
    let spans = marks(text).into_iter();
    let found = spans.filter(|marked| marked.mark == expected);
    found.map(|marked| &text[marked.span]).collect()
}

#[test]
fn marks_every_token_of_incomplete_text() {
    let text = "# mine\nname = \"Mine\"\n[parameters]\ndown = { shape = [\"d\", \"r / 2\"], init = \"zeros\" }\n[equations]\nmlp = \"h + gelu(e @ down\"\nblock = \"h ? ";
    assert_eq!(texts_with_mark(text, Mark::Comment), ["# mine"]);
    assert_eq!(texts_with_mark(text, Mark::Table), ["[parameters]", "[equations]"]);
    let keys = ["name", "down", "shape", "init", "mlp", "block"];
    assert_eq!(texts_with_mark(text, Mark::Key), keys);
    assert_eq!(texts_with_mark(text, Mark::Equation(HighlightKind::Function)), ["gelu"]);
    let names = ["d", "r", "h", "e", "down", "h"];
    assert_eq!(texts_with_mark(text, Mark::Equation(HighlightKind::Name)), names);
    assert_eq!(texts_with_mark(text, Mark::Equation(HighlightKind::Number)), ["2"]);
    assert!(texts_with_mark(text, Mark::Text).contains(&"\"zeros\""));
    assert_eq!(declared_parameters(text), ["down"]);
}

#[test]
fn marks_are_ordered_in_truncated_plugins() {
    for text in BUILT_IN {
        let ends = (0..text.len()).step_by(37);
        for end in ends.chain([text.len()]) {
            let part = &text[..text.floor_char_boundary(end)];
            let mut position = 0;
            for marked in marks(part) {
                assert!(marked.span.start >= position, "{part}");
                position = marked.span.end;
                assert!(part.get(marked.span).is_some());
            }
        }
    }
    let declaration = "[parameters.down]\nshape = [1, \"d\"]\n";
    assert_eq!(declared_parameters(declaration), ["down"]);
}

#[test]
fn reports_shape_of_each_equation_part() {
    let text = BUILT_IN[0];
    let spec = diagnose(text, "mine.toml").spec.unwrap();
    let shapes = [BlockKind::VIT.shape()];
    let settings = PetSettings::with_size(5);
    let blocks = Blocks { shapes: &shapes, chosen: &[0], settings: &settings };
    let block_facts = diagnose_blocks(&spec, blocks, 17).unwrap();
    assert_eq!(block_facts.sites, [Site::Attention]);
    assert_eq!(block_facts.trained_count, 2 * 192 * 5 + 192 + 5 + 1);
    let shape = |text: &str| {
        let part = block_facts.parts.iter().find(|part| part.text == text);
        part.map(|part| part.shape.as_str())
    };
    assert_eq!(shape("e @ down"), Some("17×5"));
    assert_eq!(shape("h + s * (gelu(e @ down + b_down) @ up + b_up)"), Some("17×192"));
}

#[test]
fn save_needs_permission_for_built_in_names() {
    let folder = tempfile::tempdir().unwrap();
    let plugin_folder = folder.path().join("plugins");
    let mut save =
        PluginSave { text: "one".into(), name: "My Bottleneck!".into(), ..PluginSave::default() };
    let file = save_plugin(&plugin_folder, &save).unwrap();
    assert_eq!(file, plugin_folder.join("my-bottleneck.toml"));
    assert_eq!(
        save_plugin(&plugin_folder, &save).unwrap(),
        plugin_folder.join("my-bottleneck-2.toml")
    );
    save.file = Some(file.clone());
    for text in ["two", "two", "three"] {
        save.text = text.into();
        save_plugin(&plugin_folder, &save).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "three");

    save = PluginSave {
        name: "ADAPTER".into(),
        source: Some("/mail/adapter.toml".into()),
        ..PluginSave::default()
    };
    let problem = save_plugin(&plugin_folder, &save).unwrap_err();
    assert_says!(problem.what, "problem-built-in-plugin-name", name = "Adapter");
    save.allow_replace = true;
    let file = save_plugin(&plugin_folder, &save).unwrap();
    let notes = PluginNotes::read(&plugin_folder);
    assert!(notes.allows(&file));
    assert_eq!(notes.installed["adapter.toml"].from, Path::new("/mail/adapter.toml"));
}

//! `lesson`: prints a lesson of the page Learn, or plays it: trains its runs and prints its values, answers and
//! checks.

use serde::Serialize;
use serde_json::{Value, json};

use super::End;
use super::output::{Table, complain, tell};
use super::progress::Reporter;
use super::run_report::{RunOutput, not_begun};
use super::signals::stop_on_ctrl_c;
use crate::experiment::{self, Outcome, ResourceCache};
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::Control;
use crate::session::units::{
    self, Figures, NoValue, RunFigures, Teach, Unit, UnitPart, plain, same_settings,
};
use crate::store::{self, RunSummary, StoredState};
use crate::texts::Language;

/// Options of `lesson`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The lesson: its name or a .md file; without it, all lessons are listed
    #[arg(value_name = "NAME|FILE")]
    lesson: Option<String>,
    /// The language, if there are several
    #[arg(long, value_name = "en|de", value_parser = language, default_value = "en")]
    lang: Language,
    /// Train its runs and print its values, answers and checks
    #[arg(long, requires = "lesson")]
    play: bool,
    /// Train on this device: cpu, gpu, or a number or name from `lae-studio devices`
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    #[command(flatten)]
    pub output: RunOutput,
}

pub(super) fn language(code: &str) -> std::result::Result<Language, String> {
    let known = Language::ALL.into_iter().map(|(language, _)| language);
    let mut fitting = known.filter(|language| language.code() == code);
    fitting.next().ok_or_else(|| "give en or de".to_string())
}

/// The JSON output of a played lesson.
#[derive(Serialize)]
struct Played<'a> {
    lesson: &'a str,
    language: &'static str,
    runs: Vec<Run>,
    /// The values in its text.
    figures: Vec<Value>,
    questions: Vec<Value>,
    checks: Vec<Check<'a>>,
    /// Whether all checks passed.
    holds: bool,
}

#[derive(Serialize)]
struct Run {
    name: String,
    run: String,
    folder: String,
    /// Whether an existing run was reused.
    again: bool,
    seconds: f64,
}

#[derive(Serialize)]
struct Check<'a> {
    formula: &'a str,
    line: usize,
    holds: bool,
}

/// Lists lessons, prints one or plays it.
pub(super) fn run(args: &Args) -> Result<End> {
    let output = &args.output;
    output.json.check()?;
    let Some(wanted) = &args.lesson else {
        return list(args);
    };
    let unit = units::open(wanted, args.lang)?;
    if !args.play {
        let text = plain::whole(&unit, &Figures::new());
        output.json.print_results(&*unit, &text)?;
        return Ok(End::Done);
    }
    let control = stop_on_ctrl_c()?;
    let mut player = Player {
        unit: &unit,
        args,
        cache: ResourceCache::default(),
        control,
        figures: Figures::new(),
        runs: Vec::new(),
    };
    if !player.train_all()? {
        return Ok(not_begun());
    }
    player.tell()
}

fn list(args: &Args) -> Result<End> {
    let entries = units::entries();
    let chosen = units::named(&entries, args.lang);
    let mut table = Table::new(&["lesson", "", ">minutes"]);
    let mut listed = Vec::new();
    for entry in &chosen {
        match &entry.unit {
            Err(problem) => complain(problem),
            Ok(unit) => {
                let minutes = unit.minutes.to_string();
                table.row([unit.name.clone(), unit.title.clone(), minutes]);
                listed.push(&**unit);
            }
        }
    }
    args.output.json.finish(&listed, &table.to_string())
}

/// Plays a lesson from top to bottom.
struct Player<'a> {
    unit: &'a Unit,
    args: &'a Args,
    cache: ResourceCache,
    control: Control,
    figures: Figures,
    runs: Vec<Run>,
}

impl Player<'_> {
    /// Trains the lesson's runs in order; returns false if the user stopped it.
    fn train_all(&mut self) -> Result<bool> {
        let unit = self.unit;
        for part in &unit.parts {
            match part {
                UnitPart::Runs(block) => {
                    for plan in &block.runs {
                        for config in &plan.configs {
                            if !self.train(&plan.name, config)? {
                                return Ok(false);
                            }
                        }
                    }
                }
                UnitPart::Teach(teach) if !self.teach(teach)? => return Ok(false),
                _ => {}
            }
        }
        Ok(true)
    }

    fn train(&mut self, name: &str, config: &RunConfig) -> Result<bool> {
        let root = store::runs_root(self.args.output.out.as_deref());
        let known = store::list(&root)
            .into_iter()
            .filter_map(|entry| entry.summary.ok());
        let mut same = known.filter(|run| {
            run.state == StoredState::Finished && same_settings(&run.header.config, config)
        });
        if let Some(run) = same.next() {
            tell(format!(
                "{} has the same settings and is reused",
                run.header.run
            ));
            self.keep(name, &run, false, true);
            return Ok(true);
        }
        let config = RunConfig {
            device: self.args.device.clone(),
            ..config.clone()
        };
        let mut reporter = Reporter::new(self.args.output.quiet);
        let outcome = experiment::train(&config, &root, &self.cache, &mut reporter, &self.control)
            .inspect_err(|_| reporter.failed())?;
        drop(reporter);
        let Outcome::Finished(header) = outcome else {
            return Ok(false);
        };
        self.keep(name, &store::summarize(&header.folder)?, false, false);
        Ok(true)
    }

    fn teach(&mut self, teach: &Teach) -> Result<bool> {
        let Some(pupil) = self.runs.iter().find(|run| run.name == teach.run) else {
            return Ok(true);
        };
        let folder = std::path::PathBuf::from(&pupil.folder);
        let again = !store::summarize(&folder)?.header.added_tasks.is_empty();
        if !again {
            let mut reporter = Reporter::of_added_task(self.args.output.quiet);
            let device = Some(self.args.device.as_str());
            let (cache, control) = (&self.cache, &self.control);
            let outcome = experiment::teach(
                &folder,
                &teach.source,
                device,
                cache,
                &mut reporter,
                control,
            )?;
            if !matches!(outcome, Outcome::Finished(_)) {
                return Ok(false);
            }
        }
        self.keep(&teach.name, &store::summarize(&folder)?, true, again);
        Ok(true)
    }

    fn keep(&mut self, name: &str, run: &RunSummary, taught: bool, again: bool) {
        let reports = run.reports();
        let measurements = reports.iter().map(|report| &report.measurements);
        let figures = RunFigures::new(&run.header, &run.histories(), measurements, taught);
        self.figures
            .entry(name.to_string())
            .or_default()
            .push(figures);
        self.runs.push(Run {
            name: name.to_string(),
            run: run.header.run.clone(),
            folder: run.header.folder.display().to_string(),
            again,
            seconds: reports.iter().map(|report| report.seconds).sum(),
        });
    }

    /// Reports the results; the exit code is 1 if a check fails.
    fn tell(mut self) -> Result<End> {
        let runs = std::mem::take(&mut self.runs);
        let checks = self.checks();
        let holds = checks.iter().all(|check| check.holds);
        let language = self.unit.language;
        let mut text = plain::whole(self.unit, &self.figures);
        text.push('\n');
        for check in &checks {
            let word = if check.holds { "holds" } else { "FAILS" };
            text.push_str(&format!(
                "{word}: {} (line {})\n",
                check.formula, check.line
            ));
        }
        let questions = self.unit.asks().map(|ask| {
            let answer = ask.answer(&self.figures, language);
            json!({"name": ask.name, "answer": answer})
        });
        let played = Played {
            lesson: &self.unit.name,
            language: language.code(),
            figures: self.values(),
            questions: questions.collect(),
            checks,
            holds,
            runs,
        };
        self.args.output.json.print_results(&played, &text)?;
        Ok(End::from_success(holds))
    }

    fn checks(&self) -> Vec<Check<'_>> {
        let parts = self.unit.parts.iter();
        let checks = parts.filter_map(|part| {
            let UnitPart::Expect(expect) = part else {
                return None;
            };
            let held = expect.formula.holds(&self.figures);
            if let Err(NoValue::Never(why)) = &held {
                tell(format!("line {}: {}", expect.line, why.english()));
            }
            Some(Check {
                formula: &expect.formula.text,
                line: expect.line,
                holds: held == Ok(true),
            })
        });
        checks.collect()
    }

    /// Returns the values in its text and in its replies to answers.
    fn values(&self) -> Vec<Value> {
        let texts = self.unit.parts.iter().flat_map(|part| match part {
            UnitPart::Text(text) => vec![text],
            UnitPart::Ask(ask) => {
                let replies = ask.if_right.iter().chain(&ask.if_wrong);
                ask.text.iter().chain(replies).collect()
            }
            _ => Vec::new(),
        });
        let spans = texts.flat_map(|text| &text.spans);
        let live = spans.filter_map(|span| Some((span, span.live.as_ref()?)));
        live.map(|(span, formula)| {
            let value = formula.value(&self.figures).ok();
            json!({"name": span.text, "formula": formula.text, "value": value})
        })
        .collect()
    }
}

//! `lesson`: prints a lesson of the page Learn, or plays it: trains its runs and prints its values, answers and
//! checks.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use super::CommandOutcome;
use super::output::{Table, print_message, print_problem};
use super::progress::Reporter;
use super::run_report::{RunOutput, print_not_started};
use super::signals::stop_on_ctrl_c;
use crate::experiment::{self, Outcome, ResourceCache};
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::{Control, RunHeader};
use crate::session::lessons::{
    self, AddedTaskBlock, Figures, Lesson, LessonPart, NoValue, RunFigures, plain_text,
    same_settings,
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
    let languages = Language::ALL.into_iter().map(|(language, _)| language);
    let mut matches = languages.filter(|language| language.code() == code);
    matches.next().ok_or_else(|| "give en or de".to_string())
}

/// The JSON output of a played lesson.
#[derive(Serialize)]
struct LessonReport<'a> {
    lesson: &'a str,
    language: &'static str,
    runs: Vec<LessonRun>,
    /// The values in its text.
    figures: Vec<Value>,
    questions: Vec<Value>,
    checks: Vec<CheckResult<'a>>,
    /// Whether all checks passed.
    holds: bool,
}

#[derive(Serialize)]
struct LessonRun {
    name: String,
    run: String,
    folder: String,
    /// Whether an existing run was reused.
    again: bool,
    seconds: f64,
}

#[derive(Serialize)]
struct CheckResult<'a> {
    formula: &'a str,
    line: usize,
    holds: bool,
}

/// Lists lessons, prints one or plays it.
pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    let output = &args.output;
    output.json.check()?;
    let Some(name) = &args.lesson else {
        return list(args);
    };
    let lesson = lessons::open(name, args.lang)?;
    if !args.play {
        let text = plain_text::lesson_text(&lesson, &Figures::new());
        return output.json.finish(&*lesson, &text);
    }
    let control = stop_on_ctrl_c()?;
    let mut player = Player {
        lesson: &lesson,
        args,
        cache: ResourceCache::default(),
        control,
        figures: Figures::new(),
        runs: Vec::new(),
    };
    if !player.train_all()? {
        return Ok(print_not_started());
    }
    player.print_report()
}

fn list(args: &Args) -> Result<CommandOutcome> {
    let entries = lessons::read_entries();
    let selected = lessons::entries_in_language(&entries, args.lang);
    let mut table = Table::new(&["lesson", "", ">minutes"]);
    let mut listed_lessons = Vec::new();
    for entry in &selected {
        match &entry.lesson {
            Err(problem) => print_problem(problem),
            Ok(lesson) => {
                let minutes = lesson.minutes.to_string();
                table.add_row([lesson.name.clone(), lesson.title.clone(), minutes]);
                listed_lessons.push(&**lesson);
            }
        }
    }
    args.output.json.finish(&listed_lessons, &table.to_string())
}

/// Returns whether the images at `source` are the only added task of a run.
fn has_added_only(header: &RunHeader, source: &str) -> bool {
    let [added_task] = header.added_tasks.as_slice() else {
        return false;
    };
    // Runs contain the absolute paths of folders.
    let path = std::path::absolute(source);
    added_task.source == source || path.is_ok_and(|path| path == Path::new(&added_task.source))
}

/// Plays a lesson from top to bottom.
struct Player<'a> {
    lesson: &'a Lesson,
    args: &'a Args,
    cache: ResourceCache,
    control: Control,
    figures: Figures,
    runs: Vec<LessonRun>,
}

impl Player<'_> {
    /// Trains the lesson's runs in order; returns false if the user stopped it.
    fn train_all(&mut self) -> Result<bool> {
        let lesson = self.lesson;
        for part in &lesson.parts {
            match part {
                LessonPart::Runs(block) => {
                    for plan in &block.runs {
                        for config in &plan.configs {
                            if !self.train(&plan.name, config)? {
                                return Ok(false);
                            }
                        }
                    }
                }
                LessonPart::AddedTask(teach) if !self.teach(teach)? => return Ok(false),
                _ => {}
            }
        }
        Ok(true)
    }

    fn train(&mut self, name: &str, config: &RunConfig) -> Result<bool> {
        let root = store::runs_root(self.args.output.out.as_deref());
        // The first repetition gets the added task, which must not change an existing run.
        let is_first = self.runs.iter().all(|run| run.name != name);
        let added_task = self.lesson.added_tasks().find(|teach| is_first && teach.run == name);
        let stored_runs =
            store::list_runs(&root).into_iter().filter_map(|entry| entry.summary.ok());
        let mut same = stored_runs.filter(|run| {
            run.state == StoredState::Finished
                && same_settings(&run.header.config, config)
                && added_task.is_none_or(|teach| has_added_only(&run.header, &teach.source))
        });
        if let Some(run) = same.next() {
            print_message(format!("{} has the same settings and is reused", run.header.run));
            self.record_run(name, &run, false, true);
            return Ok(true);
        }
        let config = RunConfig { device: self.args.device.clone(), ..config.clone() };
        let mut reporter = Reporter::new(self.args.output.quiet);
        let outcome = experiment::train(&config, &root, &self.cache, &mut reporter, &self.control)
            .inspect_err(|_| reporter.report_failure())?;
        drop(reporter);
        let Outcome::Finished(header) = outcome else {
            return Ok(false);
        };
        self.record_run(name, &store::summarise(&header.folder)?, false, false);
        Ok(true)
    }

    fn teach(&mut self, teach: &AddedTaskBlock) -> Result<bool> {
        let Some(taught_run) = self.runs.iter().find(|run| run.name == teach.run) else {
            return Ok(true);
        };
        let folder = PathBuf::from(&taught_run.folder);
        let is_reused = !store::summarise(&folder)?.header.added_tasks.is_empty();
        if !is_reused {
            let mut reporter = Reporter::for_added_task(self.args.output.quiet);
            let device = Some(self.args.device.as_str());
            let (cache, control) = (&self.cache, &self.control);
            let outcome =
                experiment::teach(&folder, &teach.source, device, cache, &mut reporter, control)?;
            if !matches!(outcome, Outcome::Finished(_)) {
                return Ok(false);
            }
        }
        self.record_run(&teach.name, &store::summarise(&folder)?, true, is_reused);
        Ok(true)
    }

    fn record_run(&mut self, name: &str, run: &RunSummary, taught: bool, is_reused: bool) {
        let reports = run.reports();
        let measurements = reports.iter().map(|report| &report.measurements);
        let figures = RunFigures::new(&run.header, &run.histories(), measurements, taught);
        self.figures.entry(name.to_string()).or_default().push(figures);
        self.runs.push(LessonRun {
            name: name.to_string(),
            run: run.header.run.clone(),
            folder: run.header.folder.display().to_string(),
            again: is_reused,
            seconds: reports.iter().map(|report| report.seconds).sum(),
        });
    }

    /// Reports the results; the exit code is 1 if a check fails.
    fn print_report(mut self) -> Result<CommandOutcome> {
        let runs = std::mem::take(&mut self.runs);
        let checks = self.evaluate_checks();
        let holds = checks.iter().all(|check| check.holds);
        let language = self.lesson.language;
        let mut text = plain_text::lesson_text(self.lesson, &self.figures);
        text.push('\n');
        for check in &checks {
            let word = if check.holds { "holds" } else { "FAILS" };
            text.push_str(&format!("{word}: {} (line {})\n", check.formula, check.line));
        }
        let questions = self.lesson.questions().map(|ask| {
            let answer = ask.answer(&self.figures, language);
            json!({"name": ask.name, "answer": answer})
        });
        let report = LessonReport {
            lesson: &self.lesson.name,
            language: language.code(),
            figures: self.live_values(),
            questions: questions.collect(),
            checks,
            holds,
            runs,
        };
        self.args.output.json.print_results(&report, &text)?;
        Ok(CommandOutcome::from_success(holds))
    }

    fn evaluate_checks(&self) -> Vec<CheckResult<'_>> {
        let parts = self.lesson.parts.iter();
        let checks = parts.filter_map(|part| {
            let LessonPart::Expectation(expect) = part else {
                return None;
            };
            let result = expect.formula.holds(&self.figures);
            if let Err(NoValue::Never(why)) = &result {
                print_message(format!("line {}: {}", expect.line, why.english()));
            }
            Some(CheckResult {
                formula: &expect.formula.text,
                line: expect.line,
                holds: result == Ok(true),
            })
        });
        checks.collect()
    }

    /// Returns the values in its text and in its replies to answers.
    fn live_values(&self) -> Vec<Value> {
        let texts = self.lesson.parts.iter().flat_map(|part| match part {
            LessonPart::Text(text) => vec![text],
            LessonPart::Question(ask) => {
                let replies = ask.if_right.iter().chain(&ask.if_wrong);
                ask.text.iter().chain(replies).collect()
            }
            _ => Vec::new(),
        });
        let spans = texts.flat_map(|text| &text.spans);
        let live = spans.filter_map(|span| Some((span, span.formula.as_ref()?)));
        live.map(|(span, formula)| {
            let value = formula.value(&self.figures).ok();
            json!({"name": span.text, "formula": formula.text, "value": value})
        })
        .collect()
    }
}

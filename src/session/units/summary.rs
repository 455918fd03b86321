//! The summary of a finished unit on one page: questions with the user's and the correct answers, and figures.

use super::chart::{Chart, mean_and_spread};
use super::{AnswerKind, Ask, Feedback, GivenAnswer, RunValues, Unit, UnitPart, Units};
use crate::metrics::mean;
use crate::store::figure::{
    Bar, Bars, Cells, Figure, FigureContent, FigureLine, Lines, Page, PagePart,
};

/// Returns the summary of a unit with the answers and results of the open unit.
pub fn summary(unit: &Unit, units: &Units) -> Figure {
    let mut parts = vec![PagePart::Text(unit.about.clone())];
    for ask in unit.asks() {
        parts.extend(question(unit, ask, &units.given(&ask.name), units));
    }
    for part in &unit.parts {
        if let UnitPart::Figure(figure) = part {
            let chart = figure.chart(unit, &units.figures, unit.language);
            if !chart.is_empty() {
                parts.extend(drawn(unit, &figure.title, chart));
            }
        }
    }
    Figure {
        title: unit.title.clone(),
        content: FigureContent::Page(Page { parts }),
    }
}

/// Returns a question as text, with the user's answer and the correct answer.
fn question(unit: &Unit, ask: &Ask, given: &GivenAnswer, units: &Units) -> [PagePart; 2] {
    let language = unit.language;
    let text = ask.text.iter().map(|p| p.filled(&units.figures, language));
    let answer = match &ask.question {
        AnswerKind::Choice(choices) => {
            let chosen = given.choice.and_then(|at| choices.get(at));
            chosen.map_or("–", |(words, _)| words).to_string()
        }
        AnswerKind::Number { unit, .. } => format!("{} {unit}", given.typed.trim()),
    };
    let mut told = vec![language.fill("learn-summary-answer", &[("answer", answer.trim())])];
    match (
        ask.judge(given, &units.figures),
        ask.answer(&units.figures, language),
    ) {
        (Feedback::Right(_), _) => told.push(language.text("learn-answer-right").into()),
        (_, Some(answer)) => {
            told.push(language.fill("learn-summary-correct", &[("answer", &answer)]));
        }
        _ => {}
    }
    let text: Vec<String> = text.collect();
    [
        PagePart::Heading(text.join(" ")),
        PagePart::Text(told.join(" · ")),
    ]
}

/// Returns a figure as a part of the page. A table becomes text.
fn drawn(unit: &Unit, title: &str, chart: Chart) -> Vec<PagePart> {
    let language = unit.language;
    let content = match chart {
        Chart::Curves { tasks, lines } => {
            let line = |run: RunValues<f64>| {
                let points = run.values.iter().enumerate();
                let points = points.map(|(task, value)| [task as f64, *value]);
                FigureLine::new(run.title, Some(run.shade), points)
            };
            FigureContent::Lines(Lines {
                places: tasks,
                ..Lines::accuracy(lines.into_iter().map(line).collect())
            })
        }
        Chart::Distance { lines, .. } => {
            let points = lines.iter().flat_map(|line| &line.values);
            let most = points.map(|point| point[1]).fold(1.0, f64::max);
            let line =
                |run: RunValues<[f64; 2]>| FigureLine::new(run.title, Some(run.shade), run.values);
            FigureContent::Lines(Lines {
                about: language.text("learn-distance-axis").into(),
                places: Vec::new(),
                range: [0.0, most],
                lines: lines.into_iter().map(line).collect(),
            })
        }
        Chart::Matrix { rows, .. } => FigureContent::Cells(Cells::accuracy(&rows)),
        Chart::Bars { rows, unit, .. } => {
            let bar = |run: RunValues<f64>| Bar {
                value: mean(&run.values).unwrap_or(f64::NAN),
                text: format!("{} {unit}", mean_and_spread(&run.values, language)),
                name: run.title,
                shade: run.shade,
            };
            FigureContent::Bars(Bars {
                rows: rows.into_iter().map(bar).collect(),
            })
        }
        table @ Chart::Table { .. } => {
            let text = PagePart::Text(table.text(language));
            return vec![PagePart::Heading(title.into()), text];
        }
    };
    let title = title.to_string();
    vec![PagePart::Figure(Figure { title, content })]
}

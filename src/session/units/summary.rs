//! The summary of a finished unit on one page: questions with the user's and the correct answers, and figures.

use super::chart::Chart;
use super::text::join_paragraphs;
use super::{AnswerKind, Ask, Feedback, GivenAnswer, Unit, UnitPart, Units};
use crate::store::figure::{Bars, Cells, Figure, FigureContent, Lines, Page, PagePart};

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
    [
        PagePart::Heading(join_paragraphs(&ask.text, &units.figures, language)),
        PagePart::Text(told.join(" · ")),
    ]
}

/// Returns a figure as a part of the page. A table becomes text.
fn drawn(unit: &Unit, title: &str, chart: Chart) -> Vec<PagePart> {
    let language = unit.language;
    let content = match chart {
        Chart::Curves { tasks, lines } => FigureContent::Lines(Lines {
            places: tasks,
            ..Lines::accuracy(lines)
        }),
        Chart::Distance { lines, .. } => {
            let points = lines.iter().flat_map(|line| &line.points);
            let most = points.map(|point| point.y).fold(1.0, f64::max);
            FigureContent::Lines(Lines {
                about: language.text("learn-distance-axis").into(),
                places: Vec::new(),
                range: [0.0, most],
                lines,
            })
        }
        Chart::Matrix { rows, .. } => FigureContent::Cells(Cells::accuracy(&rows)),
        Chart::Bars { rows, .. } => FigureContent::Bars(Bars {
            rows: rows.into_iter().map(|(bar, _)| bar).collect(),
        }),
        table @ Chart::Table { .. } => {
            let text = PagePart::Text(table.text(language));
            return vec![PagePart::Heading(title.into()), text];
        }
    };
    let title = title.to_string();
    vec![PagePart::Figure(Figure { title, content })]
}

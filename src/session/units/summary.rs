//! The summary of a finished unit on one page: questions with the user's and the correct answers, and figures.

use super::chart::Chart;
use super::text::join_paragraphs;
use super::{AnswerKind, Feedback, GivenAnswer, Unit, UnitPart, UnitQuestion, Units};
use crate::store::figure::{BarChart, Figure, FigureContent, Heatmap, LineChart, Page, PagePart};

/// Returns the summary of a unit with the answers and results of the open unit.
pub fn summary(unit: &Unit, units: &Units) -> Figure {
    let mut parts = vec![PagePart::Text(unit.about.clone())];
    for unit_question in unit.questions() {
        parts.extend(question_parts(
            unit,
            unit_question,
            &units.user_answer(&unit_question.name),
            units,
        ));
    }
    for part in &unit.parts {
        if let UnitPart::Figure(figure) = part {
            let chart = figure.chart(unit, &units.figures, unit.language);
            if !chart.is_empty() {
                parts.extend(chart_parts(unit, &figure.title, chart));
            }
        }
    }
    Figure { title: unit.title.clone(), content: FigureContent::Page(Page { parts }) }
}

/// Returns a question as text, with the user's answer and the correct answer.
fn question_parts(
    unit: &Unit,
    unit_question: &UnitQuestion,
    user_answer: &GivenAnswer,
    units: &Units,
) -> [PagePart; 2] {
    let language = unit.language;
    let answer = match &unit_question.kind {
        AnswerKind::Choice(choices) => {
            let chosen = user_answer.choice.and_then(|at| choices.get(at));
            chosen.map_or("–", |(words, _)| words).to_string()
        }
        AnswerKind::Number { unit, .. } => format!("{} {unit}", user_answer.typed.trim()),
    };
    let mut parts = vec![language.fill("learn-summary-answer", &[("answer", answer.trim())])];
    match (
        unit_question.feedback(user_answer, &units.figures),
        unit_question.answer(&units.figures, language),
    ) {
        (Feedback::Right(_), _) => parts.push(language.text("learn-answer-right").into()),
        (_, Some(answer)) => {
            parts.push(language.fill("learn-summary-correct", &[("answer", &answer)]));
        }
        _ => {}
    }
    [
        PagePart::Heading(join_paragraphs(&unit_question.text, &units.figures, language)),
        PagePart::Text(parts.join(" · ")),
    ]
}

/// Returns a figure as a part of the page. A table becomes text.
fn chart_parts(unit: &Unit, title: &str, chart: Chart) -> Vec<PagePart> {
    let language = unit.language;
    let content = match chart {
        Chart::Curves { tasks, lines } => {
            FigureContent::LineChart(LineChart { x_labels: tasks, ..LineChart::accuracy(lines) })
        }
        Chart::Distance { lines, .. } => {
            let points = lines.iter().flat_map(|line| &line.points);
            let max = points.map(|point| point.y).fold(1.0, f64::max);
            FigureContent::LineChart(LineChart {
                axis_label: language.text("learn-distance-axis").into(),
                x_labels: Vec::new(),
                y_range: [0.0, max],
                lines,
            })
        }
        Chart::Matrix { rows, .. } => FigureContent::Heatmap(Heatmap::accuracy(&rows)),
        Chart::Bars { rows, .. } => FigureContent::BarChart(BarChart {
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

//! The summary of a finished lesson on one page: questions with the user's and the correct answers, and figures.

use super::chart::Chart;
use super::text::join_paragraphs;
use super::{AnswerKind, Feedback, GivenAnswer, Lesson, LessonPart, LessonQuestion, Lessons};
use crate::store::figure::{BarChart, Figure, FigureContent, Heatmap, LineChart, Page, PagePart};

/// Returns the summary of a lesson with the answers and results of the open lesson.
pub fn summary(lesson: &Lesson, lessons: &Lessons) -> Figure {
    let mut parts = vec![PagePart::Text(lesson.about.clone())];
    for lesson_question in lesson.questions() {
        parts.extend(question_parts(
            lesson,
            lesson_question,
            &lessons.user_answer(&lesson_question.name),
            lessons,
        ));
    }
    for part in &lesson.parts {
        if let LessonPart::Figure(figure) = part {
            let chart = figure.chart(lesson, &lessons.figures, lesson.language);
            if !chart.is_empty() {
                parts.extend(chart_parts(lesson, &figure.title, chart));
            }
        }
    }
    Figure { title: lesson.title.clone(), content: FigureContent::Page(Page { parts }) }
}

/// Returns a question as text, with the user's answer and the correct answer.
fn question_parts(
    lesson: &Lesson,
    lesson_question: &LessonQuestion,
    user_answer: &GivenAnswer,
    lessons: &Lessons,
) -> [PagePart; 2] {
    let language = lesson.language;
    let answer = match &lesson_question.kind {
        AnswerKind::Choice(choices) => {
            let chosen = user_answer.choice.and_then(|at| choices.get(at));
            chosen.map_or("–", |(words, _)| words).to_string()
        }
        AnswerKind::Number { unit, .. } => format!("{} {unit}", user_answer.typed.trim()),
    };
    let mut parts = vec![language.fill("learn-summary-answer", &[("answer", answer.trim())])];
    match (
        lesson_question.feedback(user_answer, &lessons.figures),
        lesson_question.answer(&lessons.figures, language),
    ) {
        (Feedback::Right(_), _) => parts.push(language.text("learn-answer-right").into()),
        (_, Some(answer)) => {
            parts.push(language.fill("learn-summary-correct", &[("answer", &answer)]));
        }
        _ => {}
    }
    [
        PagePart::Heading(join_paragraphs(&lesson_question.text, &lessons.figures, language)),
        PagePart::Text(parts.join(" · ")),
    ]
}

/// Returns a figure as a part of the page. A table becomes text.
fn chart_parts(lesson: &Lesson, title: &str, chart: Chart) -> Vec<PagePart> {
    let language = lesson.language;
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

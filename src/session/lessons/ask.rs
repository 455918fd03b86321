//! Guesses and questions of a lesson, and the feedback on answers.

use serde::{Deserialize, Serialize};

use super::blocks::{block, check_name};
use super::figures::{Figures, NoValue};
use super::formula::Formula;
use super::text::{Paragraph, paragraphs};
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::Message;

/// Maximum number of choices of a question.
const MAX_CHOICES: usize = 8;

/// A guess or question.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonQuestion {
    /// Its name, unique within the lesson.
    pub name: String,
    /// The question.
    pub text: Vec<Paragraph>,
    /// The kind of answer.
    pub kind: AnswerKind,
    /// Feedback on a correct answer.
    pub if_right: Vec<Paragraph>,
    /// Feedback on a wrong answer.
    pub if_wrong: Vec<Paragraph>,
    /// Whether it is a guess, which is answered once before the results are known.
    pub guess: bool,
}

/// The kind of answer, with the correct one.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerKind {
    /// A choice. Each option has the condition under which it is correct.
    Choice(Vec<(String, Formula)>),
    /// A number.
    Number {
        /// The correct number.
        answer: Formula,
        /// The maximum error of a correct answer.
        tolerance: f64,
        /// The unit shown after the number.
        unit: String,
        /// Typical wrong numbers, each with its feedback.
        slips: Vec<(Formula, Vec<Paragraph>)>,
    },
}

/// The user's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GivenAnswer {
    /// The index of the choice, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<usize>,
    /// The typed text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub typed: String,
    /// Whether the user has submitted the typed text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub checked: bool,
}

/// Feedback on an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Feedback<'a> {
    /// There is no answer yet.
    Open,
    /// The answer is stored; feedback follows when the results are known.
    Pending,
    /// The answer is correct.
    Right(&'a [Paragraph]),
    /// The answer is wrong.
    Wrong(&'a [Paragraph]),
    /// The typed text is not a number.
    NoNumber,
    /// No feedback is possible, for this reason.
    Never(Message),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionFields {
    name: String,
    text: String,
    #[serde(default)]
    guess: bool,
    #[serde(default)]
    choices: Vec<String>,
    right: Option<usize>,
    #[serde(default)]
    holds: Vec<String>,
    answer: Option<String>,
    tolerance: Option<f64>,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    slips: Vec<Slip>,
    #[serde(default)]
    if_right: String,
    #[serde(default)]
    if_wrong: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Slip {
    value: String,
    text: String,
}

impl LessonQuestion {
    /// Parses the block.
    pub(super) fn parse(text: &str, runs: &[String]) -> Result<Self> {
        let fields: QuestionFields = block(text)?;
        check_name(&fields.name)?;
        let kind = match fields.choices.is_empty() {
            true => number(&fields, runs)?,
            false => choice(&fields, runs)?,
        };
        Ok(Self {
            name: fields.name,
            text: paragraphs(&fields.text, runs)?,
            kind,
            if_right: paragraphs(&fields.if_right, runs)?,
            if_wrong: paragraphs(&fields.if_wrong, runs)?,
            guess: fields.guess,
        })
    }

    /// Returns whether an answer is given. Text that is still being typed or is not a number does not count.
    pub fn is_answered(&self, user_answer: &GivenAnswer) -> bool {
        match self.kind {
            // The stored index may be out of range if the lesson was changed since.
            AnswerKind::Choice(ref choices) => {
                user_answer.choice.is_some_and(|index| index < choices.len())
            }
            AnswerKind::Number { .. } => {
                user_answer.checked && read_number(&user_answer.typed).is_some()
            }
        }
    }

    /// Returns the feedback on this answer with the current results.
    pub fn feedback(&self, user_answer: &GivenAnswer, figures: &Figures) -> Feedback<'_> {
        let (is_right, slip) = match &self.kind {
            AnswerKind::Choice(choices) => {
                let Some(chosen) = user_answer.choice.filter(|index| *index < choices.len()) else {
                    return Feedback::Open;
                };
                let correct = correct_choice(choices, figures);
                (correct.map(|correct| correct == Some(chosen)), None)
            }
            AnswerKind::Number { .. } if !user_answer.checked => return Feedback::Open,
            AnswerKind::Number { answer, tolerance, slips, .. } => {
                let Some(typed) = read_number(&user_answer.typed) else {
                    return Feedback::NoNumber;
                };
                let is_near = |formula: &Formula| {
                    let value = formula.value(figures);
                    value.map(|value| (value - typed).abs() <= tolerance + 1e-9)
                };
                let mut slips = slips.iter();
                let slip = slips.find(|(value, _)| is_near(value) == Ok(true));
                (is_near(answer), slip.map(|(_, text)| text))
            }
        };
        match is_right {
            Err(NoValue::NotYet) => Feedback::Pending,
            Err(NoValue::Never(why)) => Feedback::Never(why),
            Ok(true) => Feedback::Right(&self.if_right),
            Ok(false) => Feedback::Wrong(slip.unwrap_or(&self.if_wrong)),
        }
    }

    /// Returns the correct answer in words, if it is known. A number is rounded to one decimal.
    pub fn answer(&self, figures: &Figures, language: crate::texts::Language) -> Option<String> {
        match &self.kind {
            AnswerKind::Choice(choices) => {
                let correct = correct_choice(choices, figures).ok()??;
                Some(choices[correct].0.clone())
            }
            AnswerKind::Number { answer, unit, .. } => {
                let value = super::text::format_value(answer.value(figures).ok()?, language);
                Some(format!("{value} {unit}").trim().to_string())
            }
        }
    }
}

/// Returns the index of the first choice whose condition is true.
fn correct_choice(
    choices: &[(String, Formula)],
    figures: &Figures,
) -> Result<Option<usize>, NoValue> {
    for (i, (_, condition)) in choices.iter().enumerate() {
        if condition.holds(figures)? {
            return Ok(Some(i));
        }
    }
    Ok(None)
}

/// Parses a typed number, which can have a decimal point or comma and a percent sign.
fn read_number(typed: &str) -> Option<f64> {
    let typed = typed.trim().trim_end_matches('%').trim().replace(',', ".");
    typed.replace('−', "-").parse().ok().filter(|n: &f64| n.is_finite())
}

fn choice(fields: &QuestionFields, runs: &[String]) -> Result<AnswerKind> {
    let (name, count) = (fields.name.as_str(), fields.choices.len());
    if !(2..=MAX_CHOICES).contains(&count) {
        return Err(Problem::new(message!("lesson-choice-count", name, n = count))
            .advise(message!("lesson-choice-count-advice", n = MAX_CHOICES)));
    }
    let conditions: Vec<String> = match (fields.right, fields.holds.len()) {
        (Some(right), 0) if (1..=count).contains(&right) => {
            let check = |i: usize| if i == right { "1 > 0" } else { "1 < 0" };
            (1..=count).map(|i| check(i).to_string()).collect()
        }
        (None, condition_count) if condition_count == count => fields.holds.clone(),
        _ => {
            return Err(Problem::new(message!("lesson-no-right-choice", name))
                .advise(message!("lesson-no-right-choice-advice", n = count)));
        }
    };
    let parse = |text: &String| Formula::parse(text, runs, true);
    let conditions = conditions.iter().map(parse).collect::<Result<Vec<_>>>()?;
    Ok(AnswerKind::Choice(fields.choices.iter().cloned().zip(conditions).collect()))
}

fn number(fields: &QuestionFields, runs: &[String]) -> Result<AnswerKind> {
    let Some(answer) = &fields.answer else {
        return Err(Problem::new(message!("lesson-no-answer", name = fields.name.as_str()))
            .advise(message!("lesson-no-answer-advice")));
    };
    let slip = |slip: &Slip| {
        let value = Formula::parse(&slip.value, runs, false)?;
        Ok((value, paragraphs(&slip.text, runs)?))
    };
    Ok(AnswerKind::Number {
        answer: Formula::parse(answer, runs, false)?,
        tolerance: fields.tolerance.unwrap_or(0.5).abs(),
        unit: fields.unit.clone(),
        slips: fields.slips.iter().map(slip).collect::<Result<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::figures::tests::run;
    use super::*;
    use crate::texts::Language;

    fn figures() -> Figures {
        let matrix = vec![vec![0.9], vec![0.7, 1.0]];
        Figures::from([("a".to_string(), vec![run(matrix, 2)])])
    }

    fn typed(text: &str) -> GivenAnswer {
        GivenAnswer { typed: text.into(), checked: true, ..GivenAnswer::default() }
    }

    #[test]
    fn checks_numbers_with_tolerance_and_explains_known_slips() {
        let text = r#"
            name = "f"
            text = "F_2?"
            answer = "forgetting(a)"
            tolerance = 0.6
            unit = "points"
            if_right = "{forgetting(a)} points"
            if_wrong = "no"
            slips = [{ value = "cell(a, 2, 1)", text = "that is what is left" }]
        "#;
        let question = LessonQuestion::parse(text, &["a".to_string()]).unwrap();
        let results = figures();
        let Feedback::Right(feedback) = question.feedback(&typed("20,5 %"), &results) else {
            panic!("wrong");
        };
        assert_eq!(feedback[0].to_text(&results, Language::English), "20.0 points");
        assert!(feedback[0].is_pending(&Figures::new()) && !feedback[0].is_pending(&results));
        assert!(matches!(question.feedback(&typed("20.5"), &Figures::new()), Feedback::Pending));
        assert_eq!(question.feedback(&typed("viel"), &results), Feedback::NoNumber);
        assert_eq!(question.feedback(&GivenAnswer::default(), &results), Feedback::Open);
        let feedback_text = |given: &GivenAnswer| match question.feedback(given, &results) {
            Feedback::Wrong(text) => text[0].to_text(&results, Language::English),
            other => format!("{other:?}"),
        };
        assert_eq!(feedback_text(&typed("70")), "that is what is left");
        assert_eq!(feedback_text(&typed("3")), "no");
        assert_eq!(question.answer(&results, Language::German).unwrap(), "20,0 points");
    }

    #[test]
    fn first_choice_whose_condition_holds_is_correct() {
        let text = r#"
            name = "guess"
            text = "How much?"
            choices = ["little", "much", "all"]
            holds = ["forgetting(a) < 5", "forgetting(a) < 50", "forgetting(a) >= 50"]
        "#;
        let question = LessonQuestion::parse(text, &["a".to_string()]).unwrap();
        let chosen = |choice| GivenAnswer { choice: Some(choice), ..GivenAnswer::default() };
        assert!(matches!(question.feedback(&chosen(1), &figures()), Feedback::Right(_)));
        assert_eq!(question.feedback(&chosen(0), &figures()), Feedback::Wrong(&[]));
        assert_eq!(question.answer(&figures(), Language::English).unwrap(), "much");
        assert_eq!(question.feedback(&chosen(0), &Figures::new()), Feedback::Pending);
    }

    #[test]
    fn rejects_invalid_questions() {
        for text in [
            "name = \"a\"\ntext = \"b\"",
            "name = \"a\"\ntext = \"b\"\nchoices = [\"x\"]\nright = 1",
            "name = \"a\"\ntext = \"b\"\nchoices = [\"x\", \"y\"]\nright = 3",
            "name = \"a\"\ntext = \"b\"\nchoices = [\"x\", \"y\"]\nholds = [\"1 > 0\"]",
            "name = \"A b\"\ntext = \"b\"\nanswer = \"1\"",
            "name = \"a\"\ntext = \"b\"\nanwser = \"1\"",
        ] {
            let problem = LessonQuestion::parse(text, &[]).unwrap_err();
            assert!(!problem.remedy.is_empty(), "{text}");
        }
    }
}

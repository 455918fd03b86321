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
const MOST_CHOICES: usize = 8;

/// A guess or question.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Its name, unique within the unit.
    pub name: String,
    /// The question.
    pub text: Vec<Paragraph>,
    /// The kind of answer.
    pub question: AnswerKind,
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
    Kept,
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
struct Words {
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

impl Ask {
    /// Parses the block.
    pub(super) fn read(text: &str, runs: &[String]) -> Result<Self> {
        let words: Words = block(text)?;
        check_name(&words.name)?;
        let question = match words.choices.is_empty() {
            true => number(&words, runs)?,
            false => choice(&words, runs)?,
        };
        Ok(Self {
            name: words.name,
            text: paragraphs(&words.text, runs)?,
            question,
            if_right: paragraphs(&words.if_right, runs)?,
            if_wrong: paragraphs(&words.if_wrong, runs)?,
            guess: words.guess,
        })
    }

    /// Returns whether an answer is given. Text that is still being typed or is not a number does not count.
    pub fn is_answered(&self, given: &GivenAnswer) -> bool {
        match self.question {
            // The stored index may be out of range if the lesson was changed since.
            AnswerKind::Choice(ref choices) => given.choice.is_some_and(|at| at < choices.len()),
            AnswerKind::Number { .. } => given.checked && read_number(&given.typed).is_some(),
        }
    }

    /// Returns the feedback on this answer with the current results.
    pub fn judge(&self, given: &GivenAnswer, figures: &Figures) -> Feedback<'_> {
        let (is_right, slip) = match &self.question {
            AnswerKind::Choice(choices) => {
                let Some(chosen) = given.choice.filter(|at| *at < choices.len()) else {
                    return Feedback::Open;
                };
                let right = right_choice(choices, figures);
                (right.map(|right| right == Some(chosen)), None)
            }
            AnswerKind::Number { .. } if !given.checked => return Feedback::Open,
            AnswerKind::Number {
                answer,
                tolerance,
                slips,
                ..
            } => {
                let Some(typed) = read_number(&given.typed) else {
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
            Err(NoValue::NotYet) => Feedback::Kept,
            Err(NoValue::Never(why)) => Feedback::Never(why),
            Ok(true) => Feedback::Right(&self.if_right),
            Ok(false) => Feedback::Wrong(slip.unwrap_or(&self.if_wrong)),
        }
    }

    /// Returns the correct answer in words, if it is known. A number is rounded to one decimal.
    pub fn answer(&self, figures: &Figures, language: crate::texts::Language) -> Option<String> {
        match &self.question {
            AnswerKind::Choice(choices) => {
                let right = right_choice(choices, figures).ok()??;
                Some(choices[right].0.clone())
            }
            AnswerKind::Number { answer, unit, .. } => {
                let value = super::text::number(answer.value(figures).ok()?, language);
                Some(format!("{value} {unit}").trim().to_string())
            }
        }
    }
}

/// Returns the index of the first choice whose condition is true.
fn right_choice(
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
    typed
        .replace('−', "-")
        .parse()
        .ok()
        .filter(|n: &f64| n.is_finite())
}

fn choice(words: &Words, runs: &[String]) -> Result<AnswerKind> {
    let (name, count) = (words.name.as_str(), words.choices.len());
    if !(2..=MOST_CHOICES).contains(&count) {
        return Err(
            Problem::new(message!("lesson-choice-count", name, n = count))
                .advise(message!("lesson-choice-count-advice", n = MOST_CHOICES)),
        );
    }
    let conditions: Vec<String> = match (words.right, words.holds.len()) {
        (Some(right), 0) if (1..=count).contains(&right) => {
            let check = |i: usize| if i == right { "1 > 0" } else { "1 < 0" };
            (1..=count).map(|i| check(i).to_string()).collect()
        }
        (None, there) if there == count => words.holds.clone(),
        _ => {
            return Err(Problem::new(message!("lesson-no-right-choice", name))
                .advise(message!("lesson-no-right-choice-advice", n = count)));
        }
    };
    let read = |text: &String| Formula::read(text, runs, true);
    let conditions = conditions.iter().map(read).collect::<Result<Vec<_>>>()?;
    Ok(AnswerKind::Choice(
        words.choices.iter().cloned().zip(conditions).collect(),
    ))
}

fn number(words: &Words, runs: &[String]) -> Result<AnswerKind> {
    let Some(answer) = &words.answer else {
        return Err(
            Problem::new(message!("lesson-no-answer", name = words.name.as_str()))
                .advise(message!("lesson-no-answer-advice")),
        );
    };
    let slip = |slip: &Slip| {
        let value = Formula::read(&slip.value, runs, false)?;
        Ok((value, paragraphs(&slip.text, runs)?))
    };
    Ok(AnswerKind::Number {
        answer: Formula::read(answer, runs, false)?,
        tolerance: words.tolerance.unwrap_or(0.5).abs(),
        unit: words.unit.clone(),
        slips: words.slips.iter().map(slip).collect::<Result<_>>()?,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::figures::tests::run;
    use super::*;
    use crate::texts::Language;

    fn figures() -> Figures {
        let matrix = vec![vec![0.9], vec![0.7, 1.0]];
        Figures::from([("a".to_string(), vec![run(matrix, 2)])])
    }

    fn typed(text: &str) -> GivenAnswer {
        GivenAnswer {
            typed: text.into(),
            checked: true,
            ..GivenAnswer::default()
        }
    }

    #[test]
    fn a_number_is_checked_with_tolerance_and_known_slips_are_told() {
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
        let ask = Ask::read(text, &["a".to_string()]).unwrap();
        let known = figures();
        let Feedback::Right(right) = ask.judge(&typed("20,5 %"), &known) else {
            panic!("wrong");
        };
        assert_eq!(right[0].filled(&known, Language::English), "20.0 points");
        assert!(right[0].waits(&Figures::new()) && !right[0].waits(&known));
        assert!(matches!(
            ask.judge(&typed("20.5"), &Figures::new()),
            Feedback::Kept
        ));
        assert_eq!(ask.judge(&typed("viel"), &known), Feedback::NoNumber);
        assert_eq!(ask.judge(&GivenAnswer::default(), &known), Feedback::Open);
        let said = |given: &GivenAnswer| match ask.judge(given, &known) {
            Feedback::Wrong(text) => text[0].filled(&known, Language::English),
            other => format!("{other:?}"),
        };
        assert_eq!(said(&typed("70")), "that is what is left");
        assert_eq!(said(&typed("3")), "no");
        assert_eq!(ask.answer(&known, Language::German).unwrap(), "20,0 points");
    }

    #[test]
    fn the_first_choice_that_holds_is_right() {
        let text = r#"
            name = "guess"
            text = "How much?"
            choices = ["little", "much", "all"]
            holds = ["forgetting(a) < 5", "forgetting(a) < 50", "forgetting(a) >= 50"]
        "#;
        let ask = Ask::read(text, &["a".to_string()]).unwrap();
        let chosen = |choice| GivenAnswer {
            choice: Some(choice),
            ..GivenAnswer::default()
        };
        assert!(matches!(
            ask.judge(&chosen(1), &figures()),
            Feedback::Right(_)
        ));
        assert_eq!(ask.judge(&chosen(0), &figures()), Feedback::Wrong(&[]));
        assert_eq!(ask.answer(&figures(), Language::English).unwrap(), "much");
        assert_eq!(ask.judge(&chosen(0), &Figures::new()), Feedback::Kept);
    }

    #[test]
    fn a_question_without_an_answer_is_a_problem() {
        for text in [
            "name = \"a\"\ntext = \"b\"",
            "name = \"a\"\ntext = \"b\"\nchoices = [\"x\"]\nright = 1",
            "name = \"a\"\ntext = \"b\"\nchoices = [\"x\", \"y\"]\nright = 3",
            "name = \"a\"\ntext = \"b\"\nchoices = [\"x\", \"y\"]\nholds = [\"1 > 0\"]",
            "name = \"A b\"\ntext = \"b\"\nanswer = \"1\"",
            "name = \"a\"\ntext = \"b\"\nanwser = \"1\"",
        ] {
            let problem = Ask::read(text, &[]).unwrap_err();
            assert!(!problem.remedy.is_empty(), "{text}");
        }
    }
}

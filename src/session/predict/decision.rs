//! The ranking of classes in a prediction, and which of two experts decided.

use crate::metrics::Expert;
use crate::problem::join_some;
use crate::run::event::{ClassPrediction, Prediction};
use crate::session::formatting::format_percent;
use crate::texts::{Language, Values};
use crate::tr;

/// Returns the classes of a prediction, the most probable first.
pub fn ranking(prediction: &ClassPrediction) -> Vec<(usize, f32)> {
    let mut ranked: Vec<(usize, f32)> =
        prediction.probabilities.iter().copied().enumerate().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked
}

/// Returns the predicted class of the online and the offline expert with its rounded score; `None` if only one expert
/// predicts.
fn expert_votes(prediction: &Prediction) -> Option<[(usize, String); 2]> {
    let vote = |expert| {
        let (class, p) = prediction.expert_prediction(expert)?.best();
        Some((class, format_percent(f64::from(p), 0)))
    };
    Some([vote(Expert::ONLINE)?, vote(Expert::OFFLINE)?])
}

/// Returns the expert that decided because it was more confident. `None` if there is only one expert, or if both predict
/// the same class with scores that look equal when rounded.
pub fn more_confident_expert(prediction: &Prediction) -> Option<Expert> {
    let [online, offline] = expert_votes(prediction)?;
    (prediction.task > 0 && online != offline).then_some(prediction.decided_by)
}

/// Explains in one or two sentences which expert decided and why. `latest_classes` are the classes of the task that was
/// learned last.
pub fn decision_reason(prediction: &Prediction, latest_classes: &[String]) -> String {
    let name = |class: usize| prediction.classes.get(class).map_or("?", String::as_str);
    let Some([(online, online_score), (offline, offline_score)]) = expert_votes(prediction) else {
        return tr!("predict-reason-alone").into();
    };
    if prediction.task == 0 {
        return tr!("predict-reason-first", online = online_score);
    }
    let mut values = Values::new();
    values.set("online", online_score);
    values.set("offline", offline_score);
    let id = match more_confident_expert(prediction) {
        Some(Expert::OFFLINE) if online == offline => "predict-reason-both-offline",
        Some(Expert::ONLINE) if online == offline => "predict-reason-both-online",
        Some(Expert::OFFLINE) if latest_classes.is_empty() => "predict-reason-offline",
        Some(Expert::OFFLINE) => "predict-reason-offline-fresh",
        Some(Expert::ONLINE) if latest_classes.is_empty() => "predict-reason-online",
        Some(Expert::ONLINE) => "predict-reason-online-fresh",
        _ => "predict-reason-equal",
    };
    let (first, other) = match prediction.decided_by {
        Expert::OFFLINE => (offline, online),
        _ => (online, offline),
    };
    values.set("class", name(first));
    values.set("other", name(other));
    values.set("learned", join_some(latest_classes, 3));
    Language::spoken().format(id, &values)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{class_prediction, prediction};
    use super::*;

    #[test]
    fn decision_reason_names_expert_and_both_classes() {
        let text = decision_reason(&prediction(1, 3, Expert::OFFLINE), &["nine".into()]);
        let [online, offline] = ["60\u{a0}%", "90\u{a0}%"];
        let fresh = tr!(
            "predict-reason-offline-fresh",
            online,
            offline,
            class = "seven",
            other = "one",
            learned = "nine"
        );
        assert_eq!(text, fresh);
        let first = decision_reason(&prediction(1, 0, Expert::ONLINE), &[]);
        assert_eq!(first, tr!("predict-reason-first", online));
        let mut equal = prediction(1, 3, Expert::ONLINE);
        equal.opinions = [(Expert::ONLINE, 0.9), (Expert::OFFLINE, 0.899)]
            .map(|(expert, p)| class_prediction(expert, &[1.0 - p, p]))
            .into();
        let both = tr!("predict-reason-equal", class = "seven");
        assert_eq!(decision_reason(&equal, &[]), both);
        assert_eq!(more_confident_expert(&equal), None);
        let unequal = prediction(1, 3, Expert::OFFLINE);
        assert_eq!(more_confident_expert(&unequal), Some(Expert::OFFLINE));
        assert_eq!(ranking(&class_prediction(Expert::ONLINE, &[0.1, 0.9]))[0].0, 1);
    }
}

//! Writes the classification of features as Python code, and its tensors.

use super::super::model::Model;
use super::super::words::list;
use crate::method::{AnswerRule, CosinePart, LogitSource, TEMPERATURE};
use crate::tensors::{HostTensor, Named};

/// Adds the tensors, with the names that [`modules`] gives them.
pub fn tensors(reading: &AnswerRule, into: &mut Named) {
    match reading {
        AnswerRule::Linear { weight, bias, .. } => {
            into.insert("head.weight".into(), weight.transposed());
            let bias = HostTensor::vector(bias.values.clone());
            into.insert("head.bias".into(), bias);
        }
        AnswerRule::Cosine { parts, .. } => {
            for (at, part) in parts.iter().enumerate() {
                into.insert(format!("prototypes_{at}"), part.rows.clone());
            }
        }
        AnswerRule::Projected {
            projection, weight, ..
        } => {
            into.insert("projection".into(), projection.clone());
            into.insert("ridge".into(), weight.clone());
        }
    }
}

/// Returns the lines of `Model.__init__` that define the tensors.
pub fn modules(reading: &AnswerRule) -> Vec<String> {
    let zeros = |name: &str, shape: &[usize]| {
        let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
        format!(
            "self.register_buffer(\"{name}\", torch.zeros({}))",
            shape.join(", ")
        )
    };
    match reading {
        AnswerRule::Linear { weight, bias, .. } => {
            let (width, classes) = (weight.shape[0], bias.values.len());
            vec![format!(
                "self.head = nn.Linear({width}, {classes})  # the heads of all tasks side by side"
            )]
        }
        AnswerRule::Cosine { parts, .. } => {
            let each = parts.iter().enumerate();
            each.map(|(at, part)| zeros(&format!("prototypes_{at}"), &part.rows.shape))
                .collect()
        }
        AnswerRule::Projected {
            projection, weight, ..
        } => vec![
            zeros("projection", &projection.shape),
            zeros("ridge", &weight.shape),
        ],
    }
}

/// Returns the lines of `Model.answers`, which set `scores` and `experts` from the features of the networks.
pub fn lines(model: &Model<'_>) -> Vec<String> {
    let names: Vec<&str> = model
        .recipe
        .networks
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    match &model.recipe.reading {
        AnswerRule::Linear { experts, .. } => {
            let logits = |at: usize| names.get(at).copied().unwrap_or("answer");
            let mut lines = Vec::new();
            for name in &names {
                lines.push(format!(
                    "{name} = self.head(self.features(images, \"{name}\"))"
                ));
            }
            lines.push("experts = {".into());
            for (expert, voice) in experts {
                let says = match voice {
                    LogitSource::Of(at) => format!("{}.softmax(-1)", logits(*at)),
                    LogitSource::Larger(both) => larger(both.map(logits), "softmax"),
                };
                lines.push(format!("    \"{}\": {says},", expert.name()));
            }
            lines.push("}".into());
            let scores = match experts.last().map(|(_, voice)| *voice) {
                Some(LogitSource::Larger(both)) => larger(both.map(logits), "log_softmax"),
                Some(LogitSource::Of(at)) => logits(at).to_owned(),
                None => logits(0).to_owned(),
            };
            lines.push(format!("scores = {scores}"));
            lines
        }
        AnswerRule::Cosine { parts, absent } => cosines(&names, parts, absent),
        AnswerRule::Projected { empty, .. } => {
            projected(names.first().copied().unwrap_or_default(), empty)
        }
    }
}

/// Returns Python code for the element-wise maximum of a function of two networks' logits.
fn larger([a, b]: [&str; 2], function: &str) -> String {
    match a == b {
        true => format!("{a}.{function}(-1)"),
        false => format!("torch.maximum({a}.{function}(-1), {b}.{function}(-1))"),
    }
}

fn cosines(names: &[&str], parts: &[CosinePart], absent: &[usize]) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let of = |network: &usize| format!("self.features(images, \"{}\")", names[*network]);
        let features: Vec<String> = part.networks.iter().map(of).collect();
        let features = match features.as_slice() {
            [one] => one.clone(),
            several => format!("torch.cat([{}], -1)", several.join(", ")),
        };
        let sign = if at == 0 { "=" } else { "+=" };
        lines.push(format!("features = {features}"));
        lines.push(format!(
            "scores {sign} F.normalize(features, dim=-1, eps=1e-12) @ self.prototypes_{at}.T"
        ));
    }
    if !absent.is_empty() {
        lines.push(format!(
            "scores[:, {}] -= 1  # classes without any image seen",
            list(absent)
        ));
    }
    lines.push(shares());
    lines
}

fn projected(name: &str, empty: &[(usize, usize)]) -> Vec<String> {
    let mut lines = vec![
        format!("hidden = F.relu(self.features(images, \"{name}\") @ self.projection)"),
        "scores = hidden @ self.ridge.T".into(),
    ];
    let (own, of): (Vec<usize>, Vec<usize>) = empty.iter().copied().unzip();
    if !own.is_empty() {
        lines.push(format!(
            "scores[:, {}] = -math.inf  # taught again: they count as another class",
            list(&own)
        ));
    }
    lines.push(shares());
    if !own.is_empty() {
        lines.push(format!(
            "scores[:, {}] = scores[:, {}]",
            list(&own),
            list(&of)
        ));
    }
    lines
}

/// Returns the line that converts scores to probabilities as LAE Studio does.
fn shares() -> String {
    format!("experts = {{\"answer\": (scores / {TEMPERATURE}).softmax(-1)}}")
}

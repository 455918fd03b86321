//! Writes the classification of features as Python code, and its tensors.

use super::super::model::Model;
use super::super::text::python_list;
use crate::method::{AnswerRule, CosinePart, LogitSource, TEMPERATURE};
use crate::tensors::{HostTensor, NamedTensors};

/// Adds the tensors, with the names that [`module_lines`] gives them.
pub fn add_tensors(reading: &AnswerRule, tensors: &mut NamedTensors) {
    match reading {
        AnswerRule::Linear { weight, bias, .. } => {
            tensors.insert("head.weight".into(), weight.transposed());
            let bias = HostTensor::vector(bias.values.clone());
            tensors.insert("head.bias".into(), bias);
        }
        AnswerRule::Cosine { parts, .. } => {
            for (at, part) in parts.iter().enumerate() {
                tensors.insert(format!("prototypes_{at}"), part.rows.clone());
            }
        }
        AnswerRule::Projected { projection, weight, .. } => {
            tensors.insert("projection".into(), projection.clone());
            tensors.insert("ridge".into(), weight.clone());
        }
    }
}

/// Returns the lines of `Model.__init__` that define the tensors.
pub fn module_lines(reading: &AnswerRule) -> Vec<String> {
    let zeros = |name: &str, shape: &[usize]| {
        let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
        format!("self.register_buffer(\"{name}\", torch.zeros({}))", shape.join(", "))
    };
    match reading {
        AnswerRule::Linear { weight, bias, .. } => {
            let (width, classes) = (weight.shape[0], bias.values.len());
            vec![format!(
                "self.head = nn.Linear({width}, {classes})  # the heads of all tasks side by side"
            )]
        }
        AnswerRule::Cosine { parts, .. } => {
            let prototypes = parts.iter().enumerate();
            prototypes
                .map(|(at, part)| zeros(&format!("prototypes_{at}"), &part.rows.shape))
                .collect()
        }
        AnswerRule::Projected { projection, weight, .. } => {
            vec![zeros("projection", &projection.shape), zeros("ridge", &weight.shape)]
        }
    }
}

/// Returns the lines of `Model.answers`, which set `scores` and `experts` from the features of the networks.
pub fn answer_lines(model: &Model<'_>) -> Vec<String> {
    let names: Vec<&str> = model.recipe.networks.iter().map(|(name, _)| name.as_str()).collect();
    match &model.recipe.answer_rule {
        AnswerRule::Linear { experts, .. } => {
            let logits = |at: usize| names.get(at).copied().unwrap_or("answer");
            let mut lines = Vec::new();
            for name in &names {
                lines.push(format!("{name} = self.head(self.features(images, \"{name}\"))"));
            }
            lines.push("experts = {".into());
            for (expert, source) in experts {
                let code = match source {
                    LogitSource::Network(at) => format!("{}.softmax(-1)", logits(*at)),
                    LogitSource::Maximum(indices) => maximum_code(indices.map(logits), "softmax"),
                };
                lines.push(format!("    \"{}\": {code},", expert.key()));
            }
            lines.push("}".into());
            let scores = match experts.last().map(|(_, source)| *source) {
                Some(LogitSource::Maximum(indices)) => {
                    maximum_code(indices.map(logits), "log_softmax")
                }
                Some(LogitSource::Network(at)) => logits(at).to_owned(),
                None => logits(0).to_owned(),
            };
            lines.push(format!("scores = {scores}"));
            lines
        }
        AnswerRule::Cosine { parts, absent } => cosine_lines(&names, parts, absent),
        AnswerRule::Projected { empty, .. } => {
            projected_lines(names.first().copied().unwrap_or_default(), empty)
        }
    }
}

/// Returns Python code for the element-wise maximum of a function of two networks' logits.
fn maximum_code([a, b]: [&str; 2], function: &str) -> String {
    match a == b {
        true => format!("{a}.{function}(-1)"),
        false => format!("torch.maximum({a}.{function}(-1), {b}.{function}(-1))"),
    }
}

fn cosine_lines(names: &[&str], parts: &[CosinePart], absent: &[usize]) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let features_of =
            |network: &usize| format!("self.features(images, \"{}\")", names[*network]);
        let features: Vec<String> = part.networks.iter().map(features_of).collect();
        let features = match features.as_slice() {
            [single] => single.clone(),
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
            python_list(absent)
        ));
    }
    lines.push(probabilities_line());
    lines
}

fn projected_lines(name: &str, empty: &[(usize, usize)]) -> Vec<String> {
    let mut lines = vec![
        format!("hidden = F.relu(self.features(images, \"{name}\") @ self.projection)"),
        "scores = hidden @ self.ridge.T".into(),
    ];
    let (empty_classes, replacements): (Vec<usize>, Vec<usize>) = empty.iter().copied().unzip();
    if !empty_classes.is_empty() {
        lines.push(format!(
            "scores[:, {}] = -math.inf  # taught again: they count as another class",
            python_list(&empty_classes)
        ));
    }
    lines.push(probabilities_line());
    if !empty_classes.is_empty() {
        lines.push(format!(
            "scores[:, {}] = scores[:, {}]",
            python_list(&empty_classes),
            python_list(&replacements)
        ));
    }
    lines
}

/// Returns the line that converts scores to probabilities as LAE Studio does.
fn probabilities_line() -> String {
    format!("experts = {{\"answer\": (scores / {TEMPERATURE}).softmax(-1)}}")
}

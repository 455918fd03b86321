//! Dimensions in timm's words (`embed_dim`, `num_heads`, …), as weight files carry them in their
//! metadata: the arguments of timm's constructors, as JSON or as one text per key.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::architecture::Architecture;
use super::{convnext, swin, vit};
use crate::problem::{Problem, Result};

/// The architecture that timm's constructor of the given family makes of these arguments.
pub fn architecture(family: &str, arguments: &Map<String, Value>) -> Result<Architecture> {
    let arguments = Arguments(arguments);
    let made = match family {
        "vit" => Architecture::Vit(vit(&arguments)?),
        "swin" => Architecture::Swin(swin(&arguments)?),
        "convnext" => Architecture::Convnext(convnext(&arguments)?),
        _ => {
            return Err(
                Problem::new(format!("{family} is no known family of backbones"))
                    .advise("known are vit, swin and convnext"),
            );
        }
    };
    made.check()?;
    Ok(made)
}

/// The arguments of a metadata map: the JSON under `config` if there is one, else the texts
/// themselves read as JSON where they are.
pub fn arguments(metadata: &BTreeMap<String, String>) -> Map<String, Value> {
    let read = |text: &String| serde_json::from_str(text).unwrap_or(Value::String(text.clone()));
    let mut all: Map<String, Value> = (metadata.iter())
        .map(|(key, text)| (key.clone(), read(text)))
        .collect();
    if let Some(Value::Object(config)) = all.remove("config") {
        all.extend(config);
    }
    all
}

fn vit(arguments: &Arguments) -> Result<vit::Config> {
    let input_size = arguments.number(&["img_size", "input_size"], Some(224))?;
    let patch = arguments.number(&["patch_size"], Some(16))?;
    let width = arguments.number(&["embed_dim"], Some(768))?;
    let depth = arguments.number(&["depth"], Some(12))?;
    let heads = arguments.number(&["num_heads"], Some(12))?;
    let plain = vit::Config::plain(input_size, patch, width, depth, heads);
    Ok(vit::Config {
        // As timm rounds it.
        hidden: (width as f64 * arguments.real("mlp_ratio", 4.0)?) as usize,
        epsilon: arguments.real("norm_eps", plain.epsilon)?,
        class_token: arguments.flag("class_token", true),
        layer_scale: arguments.0.get("init_values").is_some_and(|v| !v.is_null()),
        pre_norm: arguments.flag("pre_norm", false),
        quick_gelu: arguments
            .0
            .get("act_layer")
            .is_some_and(|v| v == "quick_gelu"),
        ..plain
    })
}

fn swin(arguments: &Arguments) -> Result<swin::Config> {
    let input_size = arguments.number(&["img_size", "input_size"], Some(224))?;
    let patch = arguments.number(&["patch_size"], Some(4))?;
    let window = arguments.number(&["window_size"], Some(7))?;
    let width = arguments.number(&["embed_dim"], Some(96))?;
    let depths = arguments.list("depths", &[2, 2, 6, 2])?;
    let heads = arguments.list("num_heads", &[3, 6, 12, 24])?;
    let plain = swin::Config::plain((input_size, patch, window), width, depths, heads);
    Ok(swin::Config {
        mlp_ratio: arguments.real("mlp_ratio", 4.0)?,
        epsilon: arguments.real("norm_eps", plain.epsilon)?,
        ..plain
    })
}

fn convnext(arguments: &Arguments) -> Result<convnext::Config> {
    let input_size = arguments.number(&["img_size", "input_size"], Some(224))?;
    let depths = arguments.list("depths", &[3, 3, 9, 3])?;
    let widths = arguments.list("dims", &[96, 192, 384, 768])?;
    let plain = convnext::Config::plain(input_size, depths, widths);
    Ok(convnext::Config {
        epsilon: arguments.real("norm_eps", plain.epsilon)?,
        final_norm: arguments.flag("final_norm", false),
        ..plain
    })
}

struct Arguments<'a>(&'a Map<String, Value>);

impl Arguments<'_> {
    /// A whole number under the first of `keys` that is there. A pair of equal numbers counts.
    fn number(&self, keys: &[&str], default: Option<usize>) -> Result<usize> {
        let found = keys.iter().find_map(|key| Some((key, self.0.get(*key)?)));
        let Some((key, value)) = found else {
            return default.ok_or_else(|| Problem::new(format!("{} is not given", keys[0])));
        };
        match value {
            Value::Array(pair) if pair.len() == 2 && pair[0] == pair[1] => whole(key, &pair[0]),
            other => whole(key, other),
        }
    }

    fn list(&self, key: &str, default: &[usize]) -> Result<Vec<usize>> {
        match self.0.get(key) {
            None => Ok(default.to_vec()),
            Some(Value::Array(values)) => values.iter().map(|value| whole(key, value)).collect(),
            Some(other) => Err(unfit(key, other)),
        }
    }

    fn real(&self, key: &str, default: f64) -> Result<f64> {
        match self.0.get(key) {
            None => Ok(default),
            Some(value) => value.as_f64().ok_or_else(|| unfit(key, value)),
        }
    }

    fn flag(&self, key: &str, default: bool) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or(default)
    }
}

fn whole(key: &str, value: &Value) -> Result<usize> {
    let number = value.as_u64().and_then(|n| usize::try_from(n).ok());
    number.ok_or_else(|| unfit(key, value))
}

fn unfit(key: &str, value: &Value) -> Problem {
    Problem::new(format!(
        "{key} = {value} is not what the backbone's dimensions need"
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn metadata(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        pairs.iter().map(own).collect()
    }

    #[test]
    fn json_arguments_and_plain_texts_are_both_read() {
        let json = metadata(&[(
            "config",
            r#"{"img_size": 64, "patch_size": 4, "window_size": 4, "embed_dim": 24, "depths": [2, 2], "num_heads": [2, 4]}"#,
        )]);
        let made = architecture("swin", &arguments(&json)).unwrap();
        assert_eq!(made.blocks().len(), 4);
        assert_eq!(made.feature_width(), 48);
        let texts = metadata(&[
            ("input_size", "32"),
            ("patch_size", "8"),
            ("embed_dim", "192"),
            ("depth", "8"),
            ("num_heads", "3"),
            ("class_token", "true"),
            ("norm_eps", "1e-6"),
        ]);
        let made = architecture("vit", &arguments(&texts)).unwrap();
        assert_eq!(
            made,
            Architecture::Vit(vit::Config::plain(32, 8, 192, 8, 3))
        );
    }

    #[test]
    fn contradictory_arguments_are_told() {
        let odd = metadata(&[("embed_dim", "50"), ("num_heads", "4")]);
        let problem = architecture("vit", &arguments(&odd)).unwrap_err();
        assert!(problem.what.contains("no multiple of 4 heads"), "{problem}");
        let text = metadata(&[("depth", "many")]);
        assert!(architecture("vit", &arguments(&text)).is_err());
        assert!(architecture("resnet", &Map::new()).is_err());
    }
}

//! Converts Problems for the window. They are written for the command line, where settings are named by options; the
//! window names them by the titles of their fields.

use crate::method::METHODS;
use crate::problem::Problem;
use crate::run::config::{SETTINGS, SettingSpec, capitalize};
use crate::texts::translate_entry;
use crate::tr;

/// Maximum number of choices listed in a sentence. The field in the window shows all of them.
const MAX_NAMES: usize = 4;

/// Converts a Problem to the window's words and omits commands for a terminal.
pub fn in_window_terms(problem: &Problem) -> Problem {
    let problem = problem.translated();
    let remedy = problem.remedy.split("; ");
    // Commands for a terminal do not help here.
    let remedy: Vec<&str> = remedy.filter(|part| !part.contains("lae-studio ")).collect();
    Problem {
        what: replace_option_names(&problem.what),
        place: replace_option_names(&problem.place),
        remedy: replace_option_names(&shorten_list(&remedy.join("; "))),
        ..problem
    }
}

/// Replaces names of options in a text by the titles of their fields.
pub fn replace_option_names(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        // Two dashes within a word or a path are part of a name and are kept.
        let before = rest[..at].chars().next_back();
        let starts_word = before.is_none_or(|c| c.is_whitespace() || "(\"'`".contains(c));
        let after = &rest[at + 2..];
        let name: String =
            after.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
        let name = name.trim_end_matches('-');
        result.push_str(&rest[..at]);
        if !starts_word || name.is_empty() {
            result.push_str("--");
            rest = after;
            continue;
        }
        rest = &after[name.len()..];
        match (name, rest.strip_prefix(' ')) {
            // In `--set KEY`, the key is the setting's name.
            ("set", Some(key)) => rest = key,
            _ => result.push_str(&option_title(name)),
        }
    }
    result.push_str(rest);
    result
}

/// Returns the title of a setting or a fact of a run by its key; any other text with underscores replaced by spaces.
pub fn title_of(key: &str) -> String {
    let fallback = || translate_entry("column", key, "title", &key.replace('_', " ")).to_string();
    setting_title(|spec| spec.key == key).unwrap_or_else(fallback)
}

fn option_title(option: &str) -> String {
    let title = setting_title(|spec| spec.option_name().is_some_and(|name| name == option));
    title.unwrap_or_else(|| capitalize(&option.replace('-', " ")))
}

/// Returns the title of the first setting that matches.
fn setting_title(matches: impl Fn(&SettingSpec) -> bool) -> Option<String> {
    let method_settings = METHODS.iter().flat_map(|method| method.settings);
    let mut specs = SETTINGS.iter().map(|setting| &setting.spec).chain(method_settings);
    specs.find(|spec| matches(spec)).map(SettingSpec::heading)
}

/// Shortens a long list of choices at the end of a sentence.
fn shorten_list(text: &str) -> String {
    let prefix = format!("{} ", tr!("advice-one-of"));
    let Some(at) = text.rfind(&prefix) else {
        return text.to_string();
    };
    let (head, list) = text.split_at(at + prefix.len());
    let names: Vec<&str> = list.split(", ").collect();
    if names.len() <= MAX_NAMES + 2 {
        return text.to_string();
    }
    let rest = names.len() - MAX_NAMES;
    let names = names[..MAX_NAMES].join(", ");
    format!("{head}{}", tr!("problem-and-more", names, n = rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_option_names_with_field_names() {
        assert_eq!(replace_option_names("--base-lr"), "Base learning rate");
        assert_eq!(
            replace_option_names("choose a number up to --epochs"),
            "choose a number up to Epochs"
        );
        assert_eq!(replace_option_names("--data: /my/--odd"), "Data: /my/--odd");
        assert_eq!(replace_option_names("--set length"), "length");
        assert_eq!(replace_option_names("--freeze-epochs, --seed"), "Frozen epochs, Seed");
        assert_eq!(replace_option_names("no option -- here"), "no option -- here");
    }

    #[test]
    fn omits_commands_and_shortens_long_lists() {
        let problem = Problem::new("no backbone \"x\"").at("--backbone").advise(
            "give the path of a weight file, or one of a, b, c, d, e, f, g, h; try lae-studio data x",
        );
        let converted = in_window_terms(&problem);
        assert_eq!(converted.place, "Backbone");
        assert_eq!(
            converted.remedy,
            "give the path of a weight file, or one of a, b, c, d and 4 more"
        );
    }
}

//! Converts Problems for the window. They are written for the command line, where settings are named by options; the
//! window names them by the titles of their fields.

use crate::method::METHODS;
use crate::problem::Problem;
use crate::run::config::{SETTINGS, SettingSpec, capitalised};
use crate::texts::of_list;
use crate::tr;

/// Maximum number of choices listed in a sentence. The field in the window shows all of them.
const NAMES: usize = 4;

/// Converts a Problem to the window's words and omits commands for a terminal.
pub fn in_window(problem: &Problem) -> Problem {
    let problem = problem.said();
    let remedy = problem.remedy.split("; ");
    // Commands for a terminal do not help here.
    let remedy: Vec<&str> = remedy
        .filter(|part| !part.contains("lae-studio "))
        .collect();
    Problem {
        what: plain(&problem.what),
        place: plain(&problem.place),
        remedy: plain(&short_list(&remedy.join("; "))),
        ..problem
    }
}

/// Replaces names of options in a text by the titles of their fields.
pub fn plain(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        // Two dashes within a word or a path are part of a name and are kept.
        let before = rest[..at].chars().next_back();
        let begins = before.is_none_or(|c| c.is_whitespace() || "(\"'`".contains(c));
        let after = &rest[at + 2..];
        let name: String = after
            .chars()
            .take_while(|c| c.is_ascii_lowercase() || *c == '-')
            .collect();
        let name = name.trim_end_matches('-');
        told.push_str(&rest[..at]);
        if !begins || name.is_empty() {
            told.push_str("--");
            rest = after;
            continue;
        }
        rest = &after[name.len()..];
        match (name, rest.strip_prefix(' ')) {
            // In `--set KEY`, the key is the setting's name.
            ("set", Some(key)) => rest = key,
            _ => told.push_str(&title(name)),
        }
    }
    told.push_str(rest);
    told
}

/// Returns the title of a setting or a fact of a run by its key; any other text with underscores replaced by spaces.
pub fn title_of(key: &str) -> String {
    let words = || of_list("column", key, "title", &key.replace('_', " ")).to_string();
    titled(|spec| spec.key == key).unwrap_or_else(words)
}

fn title(option: &str) -> String {
    let known = titled(|spec| spec.option_name().is_some_and(|name| name == option));
    known.unwrap_or_else(|| capitalised(&option.replace('-', " ")))
}

/// Returns the title of the first setting that matches.
fn titled(meant: impl Fn(&SettingSpec) -> bool) -> Option<String> {
    let of_methods = METHODS.iter().flat_map(|method| method.settings);
    let mut all = SETTINGS
        .iter()
        .map(|setting| &setting.spec)
        .chain(of_methods);
    all.find(|spec| meant(spec)).map(SettingSpec::heading)
}

/// Shortens a long list of choices at the end of a sentence.
fn short_list(text: &str) -> String {
    let before = format!("{} ", tr!("advice-one-of"));
    let Some(at) = text.rfind(&before) else {
        return text.to_string();
    };
    let (head, list) = text.split_at(at + before.len());
    let names: Vec<&str> = list.split(", ").collect();
    if names.len() <= NAMES + 2 {
        return text.to_string();
    }
    let rest = names.len() - NAMES;
    let names = names[..NAMES].join(", ");
    format!("{head}{}", tr!("problem-and-more", names, n = rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_the_names_of_their_fields() {
        assert_eq!(plain("--base-lr"), "Base learning rate");
        assert_eq!(
            plain("choose a number up to --epochs"),
            "choose a number up to Epochs"
        );
        assert_eq!(plain("--data: /my/--odd"), "Data: /my/--odd");
        assert_eq!(plain("--set length"), "length");
        assert_eq!(plain("--freeze-epochs, --seed"), "Frozen epochs, Seed");
        assert_eq!(plain("no option -- here"), "no option -- here");
    }

    #[test]
    fn commands_and_long_lists_are_left_out() {
        let problem = Problem::new("no backbone \"x\"").at("--backbone").advise(
            "give the path of a weight file, or one of a, b, c, d, e, f, g, h; try lae-studio data x",
        );
        let told = in_window(&problem);
        assert_eq!(told.place, "Backbone");
        assert_eq!(
            told.remedy,
            "give the path of a weight file, or one of a, b, c, d and 4 more"
        );
    }
}

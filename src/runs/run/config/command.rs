//! Converts settings into the command line that trains with them.

use super::{RunConfig, RunSetting, SETTINGS, Setting, SettingSpec};

impl RunConfig {
    /// Returns the equivalent command `lae-studio train …` with the values that differ from the defaults. Settings with
    /// the keys `excluded` have no effect in this run and are left out; `method_specs` are the settings of the method.
    pub fn as_command(&self, method_specs: &[SettingSpec], excluded: &[&str]) -> String {
        let mut command = "lae-studio train".to_string();
        for (name, value) in self.as_options(method_specs, excluded) {
            command.push(' ');
            command += &option(&name, value.as_deref());
        }
        command
    }

    /// Returns the options of that command with their values; `None` for a flag. A method's own setting appears as
    /// `--set` or, if it has one, as its own option.
    pub fn as_options(
        &self,
        method_specs: &[SettingSpec],
        excluded: &[&str],
    ) -> Vec<(String, Option<String>)> {
        let defaults = Self::default();
        let mut options = Vec::new();
        let settings = SETTINGS.iter().filter(|setting| !excluded.contains(&setting.spec.key));
        for RunSetting { spec, get, .. } in settings {
            let (value, name) = (get(self), spec.option_name());
            let differs = spec.always_in_command || value != get(&defaults);
            if let (Some(value), Some(name), true) = (value, name, differs) {
                options.push((name, Some(value.to_string())));
            }
        }
        let method_settings = self.settings.iter();
        let method_settings = method_settings.filter(|(key, _)| !excluded.contains(&key.as_str()));
        options.extend(method_settings.map(|(key, value)| {
            let spec = method_specs.iter().find(|spec| spec.key == key);
            let name = spec.and_then(SettingSpec::option_name);
            match name {
                Some(name) if !spec.is_some_and(SettingSpec::is_switch) => {
                    (name, Some(value.to_string()))
                }
                Some(name) if *value == Setting::Flag(false) => (name, None),
                _ => ("set".into(), Some(format!("{key}={value}"))),
            }
        }));
        options
    }
}

/// Returns an option with its value, which may be empty or start with a dash.
fn option(name: &str, value: Option<&str>) -> String {
    let Some(value) = value else {
        return format!("--{name}");
    };
    let separator = match value.is_empty() || value.starts_with('-') {
        true => '=',
        false => ' ',
    };
    format!("--{name}{separator}{}", quote_for_shell(value))
}

/// Returns a word for a command line that the user can copy, quoted for the shell of this system if necessary.
pub fn quote_for_shell(word: &str) -> String {
    // Control characters may end a line or a quote in some terminals, and do not belong in names.
    let word = word.replace(char::is_control, "?");
    match cfg!(windows) {
        true => quote_for_windows(&word),
        false => quote_for_posix(&word),
    }
}

/// Quotes text as one word for a POSIX shell. Settings may come from other people, so the shell must not interpret any
/// character. Backslashes are avoided, because csh treats them differently.
pub fn quote_for_posix(text: &str) -> String {
    match is_plain(text, "-_./=:,%@+") {
        true => text.to_string(),
        false => format!("'{}'", text.replace('\'', r#"'"'"'"#)),
    }
}

/// Returns a word for PowerShell and the Windows command prompt.
fn quote_for_windows(word: &str) -> String {
    // PowerShell splits a list at commas into several arguments.
    match is_plain(word, r"-_./:+=\") {
        true => word.to_string(),
        false => format!("\"{}\"", escape_double_quoted(word)),
    }
}

/// Returns whether a word needs no quotes in a shell to which these marks have no meaning.
fn is_plain(word: &str, marks: &str) -> bool {
    let is_allowed = |c: char| c.is_alphanumeric() || marks.contains(c);
    // zsh looks up a command after a leading `=`.
    !word.is_empty() && !word.starts_with('=') && word.chars().all(is_allowed)
}

/// Returns text for double quotes, the only kind that the Windows command prompt supports. Quotes, and backslashes
/// before them, are doubled. PowerShell also treats typographic quotes as quotes, and expands `$` and backticks, so
/// these are escaped.
fn escape_double_quoted(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    let mut backslashes = 0;
    for c in word.chars() {
        match c {
            '"' => {
                text.push_str(&"\\".repeat(backslashes));
                text.push('"');
            }
            '“' | '”' | '„' => text.push(c),
            '$' | '`' => text.push('`'),
            _ => {}
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        text.push(c);
    }
    text.push_str(&"\\".repeat(backslashes));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_words_for_posix_and_windows_shells() {
        for (word, posix, windows) in [
            ("my pictures/it's", r#"'my pictures/it'"'"'s'"#, "\"my pictures/it's\""),
            (r"C:\birds", r"'C:\birds'", r"C:\birds"),
            (r"C:\my birds\", r"'C:\my birds\'", r#""C:\my birds\\""#),
            ("0-4,6", "0-4,6", "\"0-4,6\""),
            ("a & b", "'a & b'", "\"a & b\""),
            ("a\" & b", "'a\" & b'", "\"a\"\" & b\""),
            ("$(rm x)", "'$(rm x)'", "\"`$(rm x)\""),
            ("a` $b's", r#"'a` $b'"'"'s'"#, "\"a`` `$b's\""),
            ("a” & b“„", "'a” & b“„'", "\"a”” & b““„„\""),
            ("=ls", "'=ls'", "\"=ls\""),
            ("", "''", "\"\""),
        ] {
            assert_eq!(quote_for_posix(word), posix);
            assert_eq!(quote_for_windows(word), windows);
        }
        assert!(quote_for_shell("a\nb").contains("a?b"));
    }

    #[test]
    fn command_quotes_untrusted_values() {
        let hostile = || Setting::Text("1; rm x".into());
        let method_specs = [SettingSpec { key: "half", option: Some("N"), ..SettingSpec::OWN }];
        let settings = ["half", "other"].map(|key| (key.to_string(), hostile()));
        let config =
            RunConfig { data: "-rf".into(), settings: settings.into(), ..RunConfig::default() };
        let command = config.as_command(&method_specs, &[]);
        let quote = if cfg!(windows) { '"' } else { '\'' };
        assert!(command.contains(" --data=-rf "), "{command}");
        for option in ["--half ", "--set "] {
            let word = format!("{option}{quote}");
            assert!(command.contains(&word), "{command}");
        }
        assert_eq!(command.matches("rm x").count(), 2);
        assert_eq!(command.matches(&format!("1; rm x{quote}")).count(), 2);
    }
}

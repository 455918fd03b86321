//! Reads a file of places into [`RemoteMachines`]. Names, types and ranges are checked; each mistake is reported with its line.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{MAX_MACHINES, RemoteMachine, RemoteMachines, Slurm};
use crate::expression::Diagnostic;
use crate::message;
use crate::names::is_too_long;
use crate::problem::Result;
use crate::texts::Words;

type Item<'a> = Spanned<DeValue<'a>>;

/// Keys of a place.
const MACHINE_KEYS: [&str; 7] = ["ssh", "options", "folder", "program", "device", "data", "slurm"];
/// Keys of a place with `slurm = true`.
const SLURM_KEYS: [&str; 9] =
    ["partition", "account", "time", "gpus", "cpus", "memory", "modules", "setup", "script"];
/// The default name of the program on another machine.
const DEFAULT_PROGRAM: &str = "lae-studio";
/// Maximum number of GPUs or cores of a job.
const MAX_UNITS: u32 = 4096;

impl RemoteMachines {
    /// Reads the text of a file of places.
    ///
    /// # Errors
    /// Returns a Problem with the line of every mistake: text that is not TOML, unknown keys, values of the wrong type,
    /// or a place with neither `ssh` nor `slurm`.
    pub fn parse(text: &str, origin: &str) -> Result<Self> {
        let mut reader = Reader::default();
        let list = reader.read_machines(text);
        match reader.diagnostics.as_slice() {
            [] => Ok(Self { list }),
            diagnostics => Err(Diagnostic::problem(text, origin, diagnostics)),
        }
    }
}

/// A parser that continues after mistakes, so that all of them are reported.
#[derive(Default)]
struct Reader {
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn report(&mut self, span: Range<usize>, what: impl Into<Words>, why: impl Into<Words>) {
        self.push_diagnostic(span, |span| Diagnostic::new(span, what).explain(why));
    }

    fn push_diagnostic(
        &mut self,
        span: Range<usize>,
        describe: impl FnOnce(Range<usize>) -> Diagnostic,
    ) {
        Diagnostic::push_limited(&mut self.diagnostics, span, describe);
    }

    fn read_machines(&mut self, text: &str) -> Vec<RemoteMachine> {
        let root = match DeTable::parse(text) {
            Ok(root) => root,
            Err(error) => {
                let what = Diagnostic::toml_message(&error);
                let why = message!("advice-write-places");
                self.report(error.span().unwrap_or_default(), what, why);
                return Vec::new();
            }
        };
        let mut machines = Vec::new();
        for (key, item) in root.get_ref() {
            let name = key.get_ref();
            if machines.len() == MAX_MACHINES {
                let most = MAX_MACHINES.to_string();
                let what = message!("problem-too-many-places", most);
                self.report(key.span(), what, message!("advice-remove-some-places"));
                break;
            }
            if !is_name(name) {
                let what = message!("problem-place-name-invalid");
                self.report(key.span(), what, message!("advice-place-name"));
                continue;
            }
            match item.get_ref().as_table() {
                Some(table) => machines.push(self.read_machine(name, key.span(), table)),
                None => {
                    let name = name.as_ref();
                    let what = message!("problem-place-no-table", name);
                    let why = message!("advice-write-place", name);
                    self.report(key.span(), what, why);
                }
            }
        }
        machines
    }

    fn read_machine(
        &mut self,
        name: &str,
        span: Range<usize>,
        table: &DeTable<'_>,
    ) -> RemoteMachine {
        let is_slurm = self.read_flag(table, "slurm");
        for (key, _) in table {
            let key_name = key.get_ref().as_ref();
            if MACHINE_KEYS.contains(&key_name) || (is_slurm && SLURM_KEYS.contains(&key_name)) {
                continue;
            }
            self.report_unknown_key(key_name, key.span(), is_slurm);
        }
        let ssh = self.read_host(table);
        if ssh.is_none() && !is_slurm && table.get("ssh").is_none() {
            let what = message!("problem-place-without-host", name);
            self.report(span, what, message!("advice-add-host"));
        }
        // A cluster shares its folders with this computer; another machine has its own home folder.
        let path = |text: String| match is_slurm {
            true => expand_home(text),
            false => text,
        };
        let data = self.read_data(table).into_iter();
        RemoteMachine {
            name: name.to_string(),
            ssh,
            options: self.read_texts(table, "options"),
            folder: self.read_text(table, "folder").map(path),
            program: match self.read_text(table, "program") {
                Some(program) => path(program),
                None if is_slurm => String::new(),
                None => DEFAULT_PROGRAM.into(),
            },
            device: self.read_text(table, "device"),
            data: data.map(|(name, target)| (name, path(target))).collect(),
            slurm: is_slurm.then(|| self.read_slurm(table)),
        }
    }

    fn report_unknown_key(&mut self, name: &str, span: Range<usize>, is_slurm: bool) {
        if let Some(long) = Diagnostic::from_long_name(name, span.clone()) {
            return self.diagnostics.push(long);
        }
        let what = message!("problem-place-key-unknown", name);
        if !is_slurm && SLURM_KEYS.contains(&name) {
            let why = message!("advice-only-clusters-have-key");
            return self.report(span, what, why);
        }
        let known_keys = MACHINE_KEYS.iter().chain(SLURM_KEYS.iter().filter(|_| is_slurm));
        self.push_diagnostic(span, |span| {
            Diagnostic::new(span, what).suggest_name(name, known_keys.copied())
        });
    }

    fn read_slurm(&mut self, table: &DeTable<'_>) -> Slurm {
        Slurm {
            partition: self.read_text(table, "partition"),
            account: self.read_text(table, "account"),
            time: self.read_text(table, "time"),
            gpus: self.read_number(table, "gpus", 0),
            cpus: self.read_number(table, "cpus", 1),
            memory: self.read_text(table, "memory"),
            modules: self.read_texts(table, "modules"),
            setup: self.read_texts(table, "setup"),
            script: self.read_text(table, "script").map(expand_home),
        }
    }

    /// Reads the host. A host with a leading dash is refused, because `ssh` would take it for an option.
    fn read_host(&mut self, table: &DeTable<'_>) -> Option<String> {
        let host = self.read_text(table, "ssh")?;
        let is_host = !host.starts_with('-') && !host.contains(char::is_whitespace);
        if !is_host && let Some(item) = table.get("ssh") {
            let what = message!("problem-place-host-invalid");
            self.report(item.span(), what, message!("advice-give-host-only"));
        }
        is_host.then_some(host)
    }

    fn read_data(&mut self, table: &DeTable<'_>) -> BTreeMap<String, String> {
        let Some(item) = table.get("data") else {
            return BTreeMap::new();
        };
        let example = "data = { \"cifar-100\" = \"/data/cifar-100\" }";
        let advice = message!("advice-write-as-example", example);
        let Some(entries) = item.get_ref().as_table() else {
            let what = message!("problem-place-data-no-table");
            self.report(item.span(), what, advice);
            return BTreeMap::new();
        };
        let mut data = BTreeMap::new();
        for (key, item) in entries {
            match one_line_text(item) {
                Some(path) => {
                    data.insert(key.get_ref().to_string(), path);
                }
                None => {
                    let what = message!("problem-place-data-no-path");
                    self.report(item.span(), what, advice.clone());
                }
            }
        }
        data
    }

    fn read_flag(&mut self, table: &DeTable<'_>, key: &str) -> bool {
        let Some(item) = table.get(key) else {
            return false;
        };
        let on = item.get_ref().as_bool();
        if on.is_none() {
            let what = message!("problem-place-flag-invalid", key);
            self.report(item.span(), what, message!("advice-write-slurm-flag"));
        }
        on.unwrap_or(false)
    }

    fn read_text(&mut self, table: &DeTable<'_>, key: &str) -> Option<String> {
        let item = table.get(key)?;
        let text = one_line_text(item);
        if text.is_none() {
            let what = message!("problem-key-no-string", key);
            self.report(item.span(), what, message!("advice-write-line-in-quotes"));
        }
        text
    }

    fn read_texts(&mut self, table: &DeTable<'_>, key: &str) -> Vec<String> {
        let Some(item) = table.get(key) else {
            return Vec::new();
        };
        let list = item.get_ref().as_array();
        let texts =
            list.map(|list| list.iter().map(one_line_text).collect::<Option<Vec<String>>>());
        texts.flatten().unwrap_or_else(|| {
            let what = message!("problem-place-no-list-of-strings", key);
            let example = format!("{key} = [\"…\", \"…\"]");
            let why = message!("advice-write-as-example", example);
            self.report(item.span(), what, why);
            Vec::new()
        })
    }

    fn read_number(&mut self, table: &DeTable<'_>, key: &str, least: u32) -> Option<u32> {
        let item = table.get(key)?;
        let number = item.get_ref().as_integer();
        let number = number.and_then(|n| u32::from_str_radix(n.as_str(), n.radix()).ok());
        let valid = number.filter(|number| (least..=MAX_UNITS).contains(number));
        if valid.is_none() {
            let what = message!("problem-place-number-invalid", key);
            let (least, most) = (least.to_string(), MAX_UNITS.to_string());
            let why = message!("advice-give-whole-number", least, most);
            self.report(item.span(), what, why);
        }
        valid
    }
}

/// Returns a text of one line that is not empty.
fn one_line_text(item: &Item<'_>) -> Option<String> {
    let text = item.get_ref().as_str()?.trim();
    let is_one_line = !text.is_empty() && !text.contains(char::is_control);
    is_one_line.then(|| text.to_string())
}

/// Returns the path with a leading `~/` replaced by the home folder of this computer.
fn expand_home(path: String) -> String {
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest).display().to_string(),
        _ => path,
    }
}

fn is_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && !is_too_long(name) && name.chars().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tr;

    #[test]
    fn machines_are_read_with_defaults() {
        let text = r#"
            [lab]
            ssh = "lab"
            options = ["-p", "2222"]
            folder = "/scratch/me/lae"
            data = { "cifar-100" = "/data/cifar-100-binary" }
            [cluster]
            slurm = true
            partition = "gpu"
            time = "2:00:00"
            gpus = 1
            modules = ["cuda/12"]
            folder = "~/runs"
            data = { "cifar-100" = "~/cifar" }
            [other]
            ssh = "other"
            folder = "~/runs"
        "#;
        let machines = RemoteMachines::parse(text, "places.toml").unwrap();
        let lab = machines.get("lab").unwrap();
        assert_eq!(lab.ssh.as_deref(), Some("lab"));
        assert_eq!(lab.program, DEFAULT_PROGRAM);
        assert_eq!(lab.options, ["-p", "2222"]);
        assert_eq!(lab.data["cifar-100"], "/data/cifar-100-binary");
        assert!(lab.slurm.is_none());
        let cluster = machines.get("cluster").unwrap().slurm.clone().unwrap();
        assert_eq!(cluster.gpus, Some(1));
        assert_eq!(cluster.modules, ["cuda/12"]);
        let home = |name: &str| std::env::home_dir().unwrap().join(name).display().to_string();
        let cluster = machines.get("cluster").unwrap();
        assert_eq!(cluster.folder, Some(home("runs")));
        assert_eq!(cluster.data["cifar-100"], home("cifar"));
        // The other machine has its own home folder.
        let other = machines.get("other").unwrap();
        assert_eq!(other.folder.as_deref(), Some("~/runs"));
        let problem = machines.get("lob").unwrap_err();
        assert_eq!(problem.remedy, tr!("advice-did-you-mean", name = "lab"));
    }

    #[test]
    fn every_mistake_is_reported_with_its_position() {
        let cases = [
            (
                "[lab]\nshs = \"lab\"",
                "line 2, column 1",
                "problem-place-key-unknown",
                "advice-did-you-mean",
            ),
            (
                "[lab]\nssh = 3",
                "line 2, column 7",
                "problem-key-no-string",
                "advice-write-line-in-quotes",
            ),
            (
                "[lab]\nssh = \"-oX=y\"",
                "line 2, column 7",
                "problem-place-host-invalid",
                "advice-give-host-only",
            ),
            (
                "[lab]\nfolder = \"/x\"",
                "line 1, column 2",
                "problem-place-without-host",
                "advice-add-host",
            ),
            (
                "[lab]\nssh = \"h\"\ngpus = 1",
                "line 3, column 1",
                "problem-place-key-unknown",
                "advice-only-clusters-have-key",
            ),
            (
                "[lab]\nslurm = 1",
                "line 2, column 9",
                "problem-place-flag-invalid",
                "advice-write-slurm-flag",
            ),
            (
                "[lab]\nslurm = true\ngpus = -1",
                "line 3",
                "problem-place-number-invalid",
                "advice-give-whole-number",
            ),
            ("lab = \"h\"", "line 1, column 1", "problem-place-no-table", "advice-write-place"),
            ("[lab", "line 1", "problem-toml-invalid", "advice-write-places"),
            ("[\"a b\"]\nssh = \"h\"", "line 1", "problem-place-name-invalid", "advice-place-name"),
        ];
        for (text, place, what, remedy) in cases {
            let told = RemoteMachines::parse(text, "places.toml").unwrap_err();
            assert!(told.place.contains(place), "{text}: {told}");
            assert!(told.is(what), "{text}: {told}");
            assert!(told.mentions(remedy), "{text}: {told}");
        }
    }
}

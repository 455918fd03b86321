//! The crates this program is built of: their licences, those that are there more than once, and
//! those nobody looks after any more. `docs/crates.md` keeps what was found and accepted; with
//! `LAE_KEEP_CRATES=1` in the environment it is written anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Licences that ask for a notice and nothing more.
const FREE: [&str; 13] = [
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "CC0-1.0",
    "Unlicense",
    "BSL-1.0",
    "Unicode-3.0",
    "NCSA",
    "LLVM-exception",
];
/// Licences that ask for a little more; their crates are listed by name.
const LISTED: [(&str, &str); 4] = [
    (
        "MPL-2.0",
        "changes to the crate's own files have to be published",
    ),
    (
        "CDLA-Permissive-2.0",
        "a collection of data: its terms go with it",
    ),
    (
        "OFL-1.1",
        "fonts: may not be sold by themselves, changed ones need another name",
    ),
    ("Ubuntu-font-1.0", "fonts: changed ones need another name"),
];
/// Crates that were given up by their makers, or have had no release for years, as far as that was
/// known in 2026.
const GIVEN_UP: [&str; 38] = [
    "adler",
    "ansi_term",
    "async-std",
    "atk",
    "atty",
    "backoff",
    "bincode",
    "daemonize",
    "derivative",
    "difference",
    "dotenv",
    "encoding",
    "failure",
    "fxhash",
    "gdk",
    "gtk",
    "instant",
    "json",
    "mach",
    "memmap",
    "net2",
    "number_prefix",
    "paste",
    "proc-macro-error",
    "rusttype",
    "rustls-pemfile",
    "safemem",
    "serde_cbor",
    "serde_yaml",
    "smartstring",
    "static_assertions",
    "stdweb",
    "tempdir",
    "term",
    "unic-char-range",
    "users",
    "wee_alloc",
    "yaml-rust",
];

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Crate {
    name: String,
    version: String,
    licence: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// What `cargo tree` says, a line each; none where it cannot be asked or crates are not at hand.
fn tree(words: &[&str]) -> Option<Vec<String>> {
    let mut cargo = Command::new(option_env!("CARGO").unwrap_or("cargo"));
    cargo
        .current_dir(root())
        .args(["tree", "--offline", "--locked", "--prefix", "none"]);
    let output = cargo.args(words).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output
        .status
        .success()
        .then(|| text.lines().map(str::to_string).collect())
}

/// What the program is built of: for all systems, or for this one.
fn crates(all: bool) -> Option<BTreeSet<Crate>> {
    let mut words = vec!["--edges", "normal,build", "--format", "{p}|{l}"];
    if all {
        words.extend(["--target", "all"]);
    }
    let lines = tree(&words)?.into_iter().filter_map(|line| {
        let (about, licence) = line.split_once('|')?;
        let mut words = about.split(' ');
        let name = words.next()?.to_string();
        let version = words.next()?.trim_start_matches('v').to_string();
        let licence = licence.trim_end_matches(" (*)").to_string();
        Some(Crate {
            name,
            version,
            licence,
        })
    });
    let found: BTreeSet<Crate> = lines.filter(|one| !one.name.starts_with("lae-")).collect();
    (found.len() > 100).then_some(found)
}

/// The ways to fulfil a licence expression: each is a set of licences that hold together.
fn ways(expression: &str) -> Vec<BTreeSet<String>> {
    let text = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<String> = text.split_whitespace().map(str::to_string).collect();
    let mut at = 0;
    either(&words, &mut at)
}

fn either(words: &[String], at: &mut usize) -> Vec<BTreeSet<String>> {
    let mut all = both(words, at);
    while words.get(*at).is_some_and(|word| word == "OR") {
        *at += 1;
        all.extend(both(words, at));
    }
    all
}

fn both(words: &[String], at: &mut usize) -> Vec<BTreeSet<String>> {
    let mut all = one(words, at);
    while words
        .get(*at)
        .is_some_and(|word| word == "AND" || word == "WITH")
    {
        *at += 1;
        let other = one(words, at);
        let pairs = all.iter().flat_map(|a| other.iter().map(move |b| a | b));
        all = pairs.collect();
    }
    all
}

fn one(words: &[String], at: &mut usize) -> Vec<BTreeSet<String>> {
    let word = words.get(*at).cloned().unwrap_or_default();
    *at += 1;
    if word == "(" {
        let inner = either(words, at);
        *at += 1;
        return inner;
    }
    vec![[word.trim_end_matches('+').to_string()].into()]
}

/// The licences beyond [`FREE`] that the mildest way asks for; none where there is no known way.
fn asks_for(expression: &str) -> Option<BTreeSet<String>> {
    let beyond = |way: &BTreeSet<String>| -> BTreeSet<String> {
        way.iter()
            .filter(|name| !FREE.contains(&name.as_str()))
            .cloned()
            .collect()
    };
    let known = |rest: &BTreeSet<String>| {
        rest.iter()
            .all(|name| LISTED.iter().any(|(listed, _)| listed == name))
    };
    let ways = ways(expression);
    ways.iter()
        .map(beyond)
        .filter(known)
        .min_by_key(BTreeSet::len)
}

/// `1.2.3` → `1.2`, `0.9.1` → `0.9`: what tells two versions apart that cannot be one.
fn short(version: &str) -> String {
    version.split('.').take(2).collect::<Vec<_>>().join(".")
}

/// Who needs a crate.
fn needed_by(name: &str, version: &str) -> String {
    let spec = format!("{name}@{version}");
    let words = [
        "--invert", &spec, "--depth", "1", "--target", "all", "--format", "{p}",
    ];
    let lines = tree(&words).unwrap_or_default().into_iter().skip(1);
    let names = lines.filter_map(|line| Some(line.split(' ').next()?.to_string()));
    let names: BTreeSet<String> = names.filter(|name| !name.starts_with('[')).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Rows of the three tables.
struct Found {
    listed: BTreeSet<String>,
    doubled: BTreeSet<String>,
    given_up: BTreeSet<String>,
}

fn found(crates: &BTreeSet<Crate>) -> Found {
    let mut versions: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for one in crates {
        versions
            .entry(&one.name)
            .or_default()
            .insert(short(&one.version));
    }
    let more = versions.iter().filter(|(_, versions)| versions.len() > 1);
    let doubled = more.map(|(name, versions)| {
        let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
        format!("| {name} | {} |", versions.join(", "))
    });
    let listed = crates.iter().flat_map(|one| {
        let asked = asks_for(&one.licence).unwrap_or_default();
        asked
            .into_iter()
            .map(|licence| format!("| {} | {licence} |", one.name))
    });
    let given_up = crates
        .iter()
        .filter(|one| GIVEN_UP.contains(&one.name.as_str()));
    Found {
        doubled: doubled.collect(),
        listed: listed.collect(),
        given_up: given_up
            .map(|one| format!("| {} | {} |", one.name, needed_by(&one.name, &one.version)))
            .collect(),
    }
}

/// `docs/crates.md` as it should be.
fn page(found: &Found) -> String {
    let mut text = String::from(
        "# The crates this program is built of\n\nKept by the test `crates` of the suite, which fails when something comes in that is not listed\nhere; `LAE_KEEP_CRATES=1 cargo test --release --test suite crates` writes this page anew. All other\ncrates, on all systems, are under licences that ask for a notice and nothing more.\n\n## Licences that ask for more\n\n",
    );
    for (licence, meaning) in LISTED {
        // Writing into a String does not fail.
        let _ = writeln!(text, "* {licence}: {meaning}.");
    }
    let mut table = |title: &str, head: &str, rows: &BTreeSet<String>| {
        let _ = write!(text, "\n{title}{head}\n|---|---|\n");
        rows.iter().for_each(|row| {
            let _ = writeln!(text, "{row}");
        });
    };
    table("", "| crate | licence |", &found.listed);
    table(
        "## In more than one version\n\nOthers ask for them, so they can only be waited for.\n\n",
        "| crate | versions |",
        &found.doubled,
    );
    table(
        "## Given up by their makers, or without a release for years\n\n",
        "| crate | needed by |",
        &found.given_up,
    );
    text
}

#[test]
fn every_crate_is_free_to_use_and_what_is_doubled_or_given_up_is_known() {
    let whole = crates(true);
    let Some(here) = whole.clone().or_else(|| crates(false)) else {
        eprintln!("skipped: cargo cannot list the crates without the net");
        return;
    };
    let refused: Vec<&Crate> = here
        .iter()
        .filter(|one| asks_for(&one.licence).is_none())
        .collect();
    assert!(refused.is_empty(), "licences nobody looked at: {refused:?}");
    let found = found(&here);
    let path = root().join("docs/crates.md");
    if std::env::var_os("LAE_KEEP_CRATES").is_some() {
        assert!(
            whole.is_some(),
            "this takes the crates of all systems: cargo fetch"
        );
        std::fs::write(&path, page(&found)).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    if whole.is_some() {
        assert_eq!(kept, page(&found), "docs/crates.md is not up to date");
        return;
    }
    // A crate may be doubled only elsewhere, so versions are compared one by one.
    let row = |name: &str| {
        kept.lines()
            .find(|line| line.starts_with(&format!("| {name} |")))
    };
    for line in found.doubled.iter().chain(&found.listed) {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let (name, values) = (cells.next().unwrap(), cells.next().unwrap());
        let known = row(name).unwrap_or_else(|| panic!("not in docs/crates.md: {line}"));
        for value in values.split(", ") {
            assert!(known.contains(value), "not in docs/crates.md: {line}");
        }
    }
    for line in &found.given_up {
        assert!(
            row(line.split('|').nth(1).unwrap().trim()).is_some(),
            "{line}"
        );
    }
}

#[test]
fn licence_expressions_are_read_with_their_brackets() {
    let asks = |text: &str| asks_for(text).map(|set| set.into_iter().collect::<Vec<_>>());
    for free in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-2.0 OR MIT",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert_eq!(asks(free), Some(vec![]), "{free}");
    }
    assert_eq!(
        asks("(MIT OR Apache-2.0) AND OFL-1.1"),
        Some(vec!["OFL-1.1".into()])
    );
    assert_eq!(asks("MPL-2.0+"), Some(vec!["MPL-2.0".into()]));
    for refused in [
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "",
        "(MIT OR GPL-3.0) AND Proprietary",
    ] {
        assert_eq!(asks(refused), None, "{refused}");
    }
}

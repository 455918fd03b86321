//! The code follows the layers in docs/architecture.md.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::rust_files;

/// Packages of several modules; each of the others is one module.
const MULTI_MODULE_PACKAGES: [&str; 5] = ["base", "compute", "network", "runs", "training"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// Module → its package and its layer there, from the table rows
/// `| package | folder | `run`; `store` | … |`, where semicolons separate layers.
fn layers() -> BTreeMap<String, (String, usize)> {
    let text = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let mut layers = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("| `lae-")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        for (layer, modules) in cells[3].split(';').enumerate() {
            for name in modules.split('`').skip(1).step_by(2) {
                layers.insert(name.to_string(), (cells[1].to_string(), layer));
            }
        }
    }
    layers
}

/// Returns a source file's path in the folder of its package; in `src` if the package is one module.
fn relative_to_src(path: &Path) -> &Path {
    let inner = path.strip_prefix(root().join("src")).unwrap();
    let part = MULTI_MODULE_PACKAGES.iter().find_map(|part| inner.strip_prefix(part).ok());
    part.unwrap_or(inner)
}

/// Every source file of all packages with the module it belongs to.
fn sources() -> Vec<(String, PathBuf)> {
    let with_module = |path: PathBuf| {
        let first = relative_to_src(&path).iter().next().unwrap().to_str().unwrap();
        (first.trim_end_matches(".rs").to_string(), path)
    };
    let files = rust_files(&root().join("src"));
    files.into_iter().map(with_module).collect()
}

/// The modules a line of code names after `crate::`, groups included.
fn named_modules(code: &str) -> BTreeSet<String> {
    let identifier = |text: &str| -> String {
        let name = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_');
        name.collect()
    };
    let mut found = BTreeSet::new();
    for (start, _) in code.match_indices("crate::") {
        let rest = &code[start + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            found.insert(identifier(rest));
            continue;
        };
        let (mut depth, mut expects_name) = (1, true);
        for (i, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 1 => break,
                '}' => depth -= 1,
                ',' if depth == 1 => expects_name = true,
                c if expects_name && depth == 1 && !c.is_whitespace() => {
                    found.insert(identifier(&group[i..]));
                    expects_name = false;
                }
                _ => {}
            }
        }
    }
    found.remove("");
    found
}

/// A file's code without comments.
fn read_code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.collect::<Vec<_>>().join("\n")
}

#[test]
fn files_import_no_higher_layer() {
    let layers = layers();
    assert!(layers.len() > 10, "the table of docs/architecture.md was not found");
    let mut violations = Vec::new();
    for (module, path) in sources() {
        let (package, module_layer) = layers
            .get(&module)
            .unwrap_or_else(|| panic!("docs/architecture.md has no layer for src/{module}"));
        let display_path = path.strip_prefix(root()).unwrap().display();
        let code = read_code(&path);
        for other in named_modules(&code) {
            // The compiler keeps packages apart.
            if layers.get(&other).is_some_and(|(other_package, layer)| {
                other_package == package && layer > module_layer
            }) {
                violations.push(format!("{display_path} names crate::{other} of a higher layer"));
            }
        }
        let file = path.file_name().unwrap();
        let depth = relative_to_src(&path).iter().count();
        let is_top_level = depth == 1 || depth == 2 && file == "mod.rs";
        if is_top_level && code.lines().any(|line| line.starts_with("use super::")) {
            violations.push(format!(
                "{display_path} reaches the crate's root by super:: (write crate::)"
            ));
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn layer_table_names_existing_modules() {
    let modules: BTreeSet<String> = sources().into_iter().map(|(module, _)| module).collect();
    let table: BTreeSet<String> = layers().into_keys().collect();
    let missing: Vec<_> = table.difference(&modules).collect();
    assert!(missing.is_empty(), "docs/architecture.md names {missing:?}, src does not have them");
}

#[test]
fn ui_does_not_use_burn() {
    for (module, path) in sources() {
        let named = module == "ui" && read_code(&path).contains("burn::");
        assert!(!named, "{} names burn", path.display());
    }
}

#[test]
fn module_folders_use_mod_rs() {
    let stems = sources().into_iter().map(|(_, path)| path.with_extension(""));
    let misplaced = stems.filter(|path| path.is_dir());
    let misplaced =
        misplaced.map(|path| relative_to_src(&path).to_str().unwrap().replace('\\', "/"));
    let misplaced: Vec<String> = misplaced.collect();
    assert!(misplaced.is_empty(), "foo/mod.rs, not foo.rs beside foo/: {misplaced:?}");
}

#[test]
fn finds_modules_in_single_and_grouped_imports() {
    let code = "use crate::a::b;\nuse crate::{c, d::{e, f}, g};\nlet x = crate::h::i();";
    let names: Vec<String> = named_modules(code).into_iter().collect();
    assert_eq!(names, ["a", "c", "d", "g", "h"]);
}

/// Calls that open a file without the checks of `files` for pipes and sizes.
const OPEN_CALLS: [&str; 7] = [
    "File::open(",
    "fs::read(",
    "fs::read_to_string(",
    "ImageReader::open(",
    "OpenOptions::new()",
    "PytorchReader::new(",
    "Mmap",
];

/// Exceptions: `files`, system files, and the reader that only takes a path.
const ALLOWED_CALLS: [(&str, &str); 6] = [
    ("files/mod.rs", "File::open("),
    ("files/mod.rs", "OpenOptions::new()"),
    ("memory/mod.rs", "fs::read_to_string("),
    ("device/machine.rs", "fs::read_to_string("),
    ("files/write.rs", ""),
    ("backbone/weights/pytorch/mod.rs", "PytorchReader::new("),
];

#[test]
fn only_files_module_opens_files() {
    let mut found = Vec::new();
    for (_, path) in sources() {
        let name = relative_to_src(&path).to_str().unwrap().replace('\\', "/");
        if name.ends_with("tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for open_call in OPEN_CALLS {
            let allowed =
                |(file, call): &(&str, &str)| *file == name && open_call.starts_with(call);
            let parts = code.split(open_call).collect::<Vec<_>>();
            // Not as a suffix of another name.
            let is_whole_name =
                |prefix: &&str| !prefix.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let is_called = parts[..parts.len() - 1].iter().any(is_whole_name);
            if is_called && !ALLOWED_CALLS.iter().any(allowed) {
                found.push(format!("{name}: {open_call}"));
            }
        }
    }
    assert!(found.is_empty(), "not through `files`: {found:?}");
}

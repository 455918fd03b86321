//! The files of a package have no import cycles. The compiler forbids cycles of packages.
//!
//! A file imports another if it names something defined there, even through re-exports. A file may name what is
//! defined in the `mod.rs` of its folder (`super::Backbone`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::rust_files;

/// A module's path from the root of its package.
type Module = Vec<String>;

/// The names in a file.
struct Source {
    /// The file in `src`, without the ending.
    file: String,
    /// Imports of its `use` lines: the path as written and the local name.
    imports: Vec<(Vec<String>, String)>,
    /// All other paths in its code.
    paths: BTreeSet<Vec<String>>,
}

/// The target of a path.
enum Target {
    Module(Module),
    /// An item in this module's file.
    In(Module),
}

/// The modules of a package with their files.
struct Package(BTreeMap<Module, Source>);

impl Package {
    /// Reads all packages: folders with a `lib.rs`.
    fn all() -> Vec<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut packages: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        for path in rust_files(&root) {
            let mut folders = path.ancestors();
            let package = folders.find(|folder| folder.join("lib.rs").exists());
            let relative_parts = |folder: &Path| -> Vec<String> {
                let relative = path.strip_prefix(folder).unwrap().with_extension("");
                let parts = relative.iter().map(|part| part.to_str().unwrap().to_string());
                parts.collect()
            };
            let text = std::fs::read_to_string(&path).unwrap();
            let source = Source::parse(&text, relative_parts(&root).join("/"));
            let package = package.unwrap();
            let modules = packages.entry(package.to_path_buf()).or_default();
            modules.insert(module_of(&relative_parts(package)), source);
        }
        packages.into_values().map(Self).collect()
    }

    /// Resolves a path that is written in the module `from`; `None` for other crates. `depth` limits the number of
    /// re-exports.
    fn resolve(&self, from: &[String], path: &[String], depth: usize) -> Option<Target> {
        let (mut current, mut rest) = self.resolve_start(from, path, depth)?;
        while let Some((name, tail)) = rest.split_first() {
            let child = join_path(&current, name);
            current = if self.0.contains_key(&child) {
                child
            } else {
                match self.resolve_import(&current, name, depth) {
                    Some(Target::Module(module)) => module,
                    Some(target) => return Some(target),
                    None => return Some(Target::In(current)),
                }
            };
            rest = tail;
        }
        Some(Target::Module(current))
    }

    /// Returns the module where a path starts and the rest of the path.
    fn resolve_start<'a>(
        &self,
        from: &[String],
        path: &'a [String],
        depth: usize,
    ) -> Option<(Module, &'a [String])> {
        let (first, mut rest) = path.split_first()?;
        let current = match first.as_str() {
            "crate" => Module::new(),
            "self" => from.to_vec(),
            "super" => {
                let mut parent = from[..from.len().checked_sub(1)?].to_vec();
                while rest.first().is_some_and(|name| name == "super") {
                    parent.pop()?;
                    rest = &rest[1..];
                }
                parent
            }
            name if self.0.contains_key(&join_path(from, name)) => join_path(from, name),
            name => match self.resolve_import(from, name, depth)? {
                Target::Module(module) => module,
                // The `use` line itself counts.
                Target::In(_) => return None,
            },
        };
        Some((current, rest))
    }

    /// Resolves a name that a `use` line of this module imports.
    fn resolve_import(&self, module: &[String], name: &str, depth: usize) -> Option<Target> {
        let depth = depth.checked_sub(1)?;
        let imports = &self.0.get(module)?.imports;
        let mut matching = imports.iter().filter(|(_, local_name)| local_name == name);
        matching.find_map(|(path, _)| self.resolve(module, path, depth))
    }

    /// Module → the modules whose files define something that it names.
    fn imports(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let dependencies = |(module, source): (&Module, &Source)| {
            let import_paths = source.imports.iter().map(|(path, _)| path);
            let paths = import_paths.chain(&source.paths);
            let targets = paths.filter_map(|path| self.resolve(module, path, 8));
            let named_modules = targets.filter_map(|target| match target {
                Target::In(other) if !module.starts_with(&other) => Some(other),
                _ => None,
            });
            named_modules.collect()
        };
        self.0.iter().map(|entry| (entry.0, dependencies(entry))).collect()
    }

    /// Returns the files of each import cycle.
    fn cycles(&self) -> Vec<Vec<&str>> {
        let imports = self.imports();
        let reachable_from = |from: &Module| {
            let mut visited = BTreeSet::new();
            let mut next = vec![from.clone()];
            while let Some(module) = next.pop() {
                let imported_modules = imports.get(&module).into_iter().flatten();
                next.extend(
                    imported_modules.filter(|other| visited.insert((*other).clone())).cloned(),
                );
            }
            visited
        };
        let reachable: BTreeMap<&Module, BTreeSet<Module>> =
            imports.keys().map(|module| (*module, reachable_from(module))).collect();
        let mut cycles: Vec<Vec<&str>> = Vec::new();
        for (module, reachable_modules) in &reachable {
            let imports_back = |other: &&Module| reachable[*other].contains(*module);
            let cycle = reachable_modules
                .iter()
                .filter(imports_back)
                .map(|other| self.0[other].file.as_str());
            let cycle: Vec<&str> = cycle.collect();
            if !cycle.is_empty() && !cycles.contains(&cycle) {
                cycles.push(cycle);
            }
        }
        cycles
    }
}

fn join_path(module: &[String], name: &str) -> Module {
    [module, &[name.to_string()]].concat()
}

fn module_of(parts: &[String]) -> Module {
    match parts.split_last() {
        Some((last, folders)) if last == "mod" || last == "lib" => folders.to_vec(),
        _ => parts.to_vec(),
    }
}

impl Source {
    fn parse(text: &str, file: String) -> Self {
        // Tests are at the end of a file and may import anything.
        let code = text.split("\nmod tests {").next().unwrap_or_default();
        let tokens = tokenize(code);
        let (mut imports, mut paths) = (Vec::new(), BTreeSet::new());
        let mut rest = tokens.as_slice();
        while let Some((token, tail)) = rest.split_first() {
            rest = tail;
            // `use<>` after a type imports nothing.
            if token == "use" && tail.first().is_some_and(|word| word != "<") {
                let end = tail.iter().position(|word| word == ";");
                let (statement, tail) = tail.split_at(end.unwrap_or(tail.len()));
                expand(&mut statement.iter(), &[], &mut imports);
                rest = tail;
            } else if is_name(token) {
                let mut path = vec![token.clone()];
                while let [sign, name, tail @ ..] = rest
                    && sign == "::"
                    && is_name(name)
                {
                    path.push(name.clone());
                    rest = tail;
                }
                if path.len() > 1 {
                    paths.insert(path);
                }
            }
        }
        Self { file, imports, paths }
    }
}

/// Expands one branch of a `use` tree below `before` into full paths with their local names.
/// Returns whether another branch follows.
fn expand<'a>(
    words: &mut impl Iterator<Item = &'a String>,
    prefix: &[String],
    imports: &mut Vec<(Vec<String>, String)>,
) -> bool {
    let mut path = prefix.to_vec();
    let mut alias = None;
    let mut group = false;
    let follows = loop {
        match words.next().map(String::as_str) {
            Some("::") => {}
            Some("{") => {
                group = true;
                while expand(words, &path, imports) {}
            }
            Some("as") => alias = words.next().cloned(),
            // `self` of a group: the module itself.
            Some("self") if !path.is_empty() => alias = path.last().cloned(),
            Some(",") => break true,
            Some("}") | None => break false,
            Some(name) => path.push(name.to_string()),
        }
    };
    // A trailing comma of a group adds nothing.
    if !group && path.len() > prefix.len() || alias.is_some() {
        let alias = alias.or_else(|| path.last().cloned());
        imports.extend(alias.map(|alias| (path, alias)));
    }
    follows
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Returns the identifiers and punctuation of code, without comments, strings and character literals.
fn tokenize(code: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' => string_literal_length(rest),
            'r' if rest.starts_with("r\"") || rest.starts_with("r#") => {
                let quote = rest.find('"').unwrap_or(rest.len() - 1);
                let end = format!("\"{}", "#".repeat(quote - 1));
                let length = rest[quote + 1..].find(&end).unwrap_or_default();
                quote + 1 + length + end.len()
            }
            // A character literal ends with a quote, a lifetime does not.
            '\'' => match rest[1..].char_indices().nth(1) {
                Some(_) if rest.starts_with("'\\") => rest[3..].find('\'').map_or(1, |at| at + 4),
                Some((at, '\'')) => at + 2,
                _ => 1,
            },
            ':' if rest.starts_with("::") => {
                tokens.push("::".to_string());
                2
            }
            c if c.is_alphanumeric() || c == '_' => {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                let length = end.unwrap_or(rest.len());
                tokens.push(rest[..length].to_string());
                length
            }
            c if c.is_whitespace() => c.len_utf8(),
            c => {
                tokens.push(c.to_string());
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    tokens
}

/// Returns the length of a string literal with its quotes.
fn string_literal_length(code: &str) -> usize {
    let mut escaped = false;
    let end = code[1..].find(|c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or(code.len(), |end| end + 2)
}

#[test]
fn packages_have_no_import_cycles() {
    let packages = Package::all();
    let cycles: Vec<_> = packages.iter().flat_map(Package::cycles).collect();
    assert!(cycles.is_empty(), "these import each other in a loop: {cycles:#?}");
}

fn package_from_files<const FILES: usize>(files: [(&str, &str); FILES]) -> Package {
    let modules = files.map(|(file, text)| {
        let parts: Vec<String> = file.split('/').map(String::from).collect();
        (module_of(&parts), Source::parse(text, file.to_string()))
    });
    Package(modules.into())
}

#[test]
fn finds_cycles_through_aliases_reexports_and_super() {
    let package = package_from_files([
        ("line", "use crate::gate::Gate;"),
        ("gate", "pub fn f() -> impl Iterator + use<> {\n    crate::stop::now();\n}"),
        ("stop", "use crate::line as row;\nfn now() { row::f(); }"),
        ("head/mod", "mod one;\nmod two;\npub use two::Two;"),
        ("head/one", "use super::Two;"),
        ("head/two", "fn f() { super::one::f(); }"),
        ("user", "use crate::head::Two;\nuse crate::line::f;"),
    ]);
    let expected = [vec!["gate", "line", "stop"], vec!["head/one", "head/two"]];
    assert_eq!(package.cycles(), expected);
}

#[test]
fn imports_resolve_to_defining_file() {
    let files = [
        ("head/mod", "mod part;\npub use part::Thing;\npub struct Own;\nmod other;"),
        ("head/part", "pub struct Thing;\nuse super::Own;"),
        (
            "head/other",
            "use super::{Own, Thing as Renamed};\n// crate::user\nlet text = \"crate::user::f\";",
        ),
        ("user", "use crate::head::{self, other::{A, B}};\nfn f<'a>() { head::Thing; 'x' }"),
    ];
    let package = package_from_files(files);
    let imports: Vec<String> = (package.imports().iter())
        .map(|(from, to)| {
            let to: Vec<String> = to.iter().map(|module| module.join("/")).collect();
            format!("{}: {}", from.join("/"), to.join(" "))
        })
        .collect();
    assert_eq!(
        imports,
        ["head: head/part", "head/other: head/part", "head/part: ", "user: head/other head/part"]
    );
    assert!(package.cycles().is_empty());
}

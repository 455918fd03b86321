//! Finding plugins: order of folders, broken files, changes on disk, the view.

use std::fs;
use std::path::Path;

use lae_studio::pet::library::{BUILT_IN, BUILT_IN_ORIGIN, PluginLibrary};
use lae_studio::pet::view::Blocks;
use lae_studio::pet::{BlockShape, PetSettings, PetSpec, Site, is_sized};

use crate::assert_is;

/// Returns a plugin that adds a constant, with this name and description.
fn plugin(name: &str, note: &str) -> String {
    format!(
        "name = \"{name}\"\ndescription = \"{note}\"\nsites = [\"block\"]\n[parameters]\n\
         b = {{ shape = [1, \"d\"], init = \"zeros\" }}\n[equations]\nblock = \"h + b\"\n"
    )
}

fn write(folder: &Path, file: &str, text: impl AsRef<[u8]>) {
    fs::write(folder.join(file), text).unwrap();
}

#[test]
fn built_in_plugins_are_valid_and_name_source() {
    let library = PluginLibrary::with_folders(Vec::new());
    assert!(library.entries().len() >= 6);
    for view in library.view(None) {
        assert_eq!(view.problem, None, "{}", view.name);
        assert_eq!(view.origin, BUILT_IN_ORIGIN);
        assert!(!view.description.is_empty() && !view.reference.is_empty());
        // A new Prefix and added tokens take part in the attention; all others start as the identity.
        let acts_initially = ["Prefix", "VPT"].iter().any(|name| view.name.contains(name));
        assert_eq!(view.starts_as_identity, !acts_initially);
    }
    let prefix = library.get("prefix").unwrap();
    assert_eq!(prefix.without_learning.as_deref(), Some("plain"));
    assert_eq!(prefix.variants[0].name, "calibrated");
}

#[test]
fn later_folders_override_and_broken_files_are_listed() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folders =
        vec![first.path().to_owned(), second.path().to_owned(), second.path().join("missing")];
    write(first.path(), "a.toml", plugin("Mine", "first"));
    write(first.path(), "b.toml", plugin("adapter", "replaced"));
    write(second.path(), "z.toml", plugin("mine", "second"));
    write(second.path(), "cut.toml", "name = \"Cut\"\nsites = [\"block\"]\n");
    write(second.path(), "toml.toml", "name = ");
    write(second.path(), "latin.toml", b"name = \"\xe9\"");
    write(second.path(), "notes.txt", "not a plugin");
    write(second.path(), "huge.toml", vec![b'#'; 100_000]);
    fs::create_dir(second.path().join("folder.toml")).unwrap();
    let library = PluginLibrary::with_folders(folders);

    assert_eq!(library.get("MINE").unwrap().description, "second");
    assert_eq!(library.get("Adapter").unwrap().description, "replaced");
    let cut = library.get("cut").unwrap_err();
    assert!(cut.is("problem-plugin-key-missing"), "{cut}");
    assert!(cut.what.contains("`parameters`"), "{cut}");
    assert!(cut.place.ends_with("cut.toml, line 1, column 1"), "{cut}");
    let invalid = library.get("toml").unwrap_err();
    assert_is(&invalid, "problem-toml-invalid");
    let latin = library.get("latin").unwrap_err();
    assert_eq!(latin.what, "the file is not UTF-8 text");
    let huge = library.get("huge").unwrap_err();
    assert!(huge.what.contains("larger than 64 kB"), "{huge}");
    assert!(library.get("folder").is_err());
    assert!(library.entries().iter().all(|entry| entry.name != "notes"));
    let unknown = library.get("adaptor").unwrap_err();
    assert_eq!(unknown.remedy, tr!("advice-did-you-mean", name = "adapter"));
}

#[test]
fn limits_number_of_listed_files() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..520 {
        write(folder.path(), &format!("{number:03}.toml"), "no plugin");
    }
    let built_in = PluginLibrary::with_folders(Vec::new()).entries().len();
    let library = PluginLibrary::with_folders(vec![folder.path().to_owned()]);
    assert_eq!(library.entries().len() - built_in, 500);
}

#[test]
fn rereading_sees_changes_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let description_of = |name: &str| {
        let library = PluginLibrary::with_folders(vec![folder.path().to_owned()]);
        library.get(name).map(|spec| spec.description.clone())
    };
    assert!(description_of("mine").is_err());
    write(folder.path(), "a.toml", plugin("Mine", "one"));
    assert_eq!(description_of("mine").unwrap(), "one");
    write(folder.path(), "a.toml", plugin("Mine", "two"));
    assert_eq!(description_of("mine").unwrap(), "two");
    write(folder.path(), "b.toml", plugin("LoRA", "mine"));
    assert_eq!(description_of("lora").unwrap(), "mine");
    fs::remove_file(folder.path().join("a.toml")).unwrap();
    fs::remove_file(folder.path().join("b.toml")).unwrap();
    assert!(description_of("mine").is_err());
    assert_ne!(description_of("lora").unwrap(), "mine");
}

#[test]
fn view_reports_fit_to_blocks() {
    let library = PluginLibrary::with_folders(Vec::new());
    let convnext = BlockShape {
        width: 96,
        hidden: 384,
        fc1_outputs: 384,
        heads: 0,
        sites: &[Site::Block, Site::Mlp, Site::Fc1, Site::Fc2],
    };
    let settings = PetSettings::with_size(5);
    let views =
        library.view(Some(Blocks { shapes: &[convnext], chosen: &[0], settings: &settings }));
    let fit = |name: &str| {
        let view = views.iter().find(|view| view.name == name).unwrap();
        view.fit.clone().unwrap()
    };
    assert_eq!(fit("Adapter").sites, ["block"]);
    assert_eq!(fit("Adapter").trained, 2 * 96 * 5 + 96 + 5 + 1);
    assert_eq!(fit("BitFit").trained, 384 + 96);
    let problem = fit("Prefix").problem.unwrap();
    assert_eq!(
        problem.what,
        tr!("problem-block-without-site", name = "Prefix", name2 = "attend", block = 0)
    );
    let adapter = views.iter().find(|view| view.name == "Adapter").unwrap();
    assert_eq!(adapter.parameters[0].shape, "d × r");
    let equations = &adapter.variants[0].equations;
    assert_eq!(equations[0].sites, ["attention", "block"]);
    let text = "h + s * (gelu(e @ down + b_down) @ up + b_up)";
    assert_eq!(equations[0].steps, [(String::new(), text.to_owned())]);
    let json = serde_json::to_string(adapter).unwrap();
    assert_eq!(
        &serde_json::from_str::<lae_studio::pet::view::PluginFacts>(&json).unwrap(),
        adapter
    );
}

#[test]
fn docs_list_functions_sites_symbols_and_initialisations() {
    use lae_studio::pet::functions::FUNCTIONS;
    use lae_studio::pet::{BLOCK_SYMBOLS, INITS};
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/plugins.md");
    let text = fs::read_to_string(path).unwrap();
    for function in FUNCTIONS {
        let row = format!("| `{}` | {} |", function.usage, function.meaning);
        assert!(text.contains(&row), "{row}");
    }
    for (_, name, meaning) in Site::ALL {
        let row = format!("| `{name}` | {meaning} |");
        assert!(text.contains(&row), "{row}");
    }
    for (symbol, meaning) in BLOCK_SYMBOLS {
        let row = format!("| `{symbol}` | {meaning} |");
        assert!(text.contains(&row), "{row}");
    }
    for init in INITS {
        assert!(text.contains(&format!("`{init}`")), "{init}");
    }
    let example = text.split("```toml\n").nth(1).unwrap();
    let example = example.split("```").next().unwrap();
    assert!(lae_studio::pet::PetSpec::parse(example, "docs").unwrap().starts_as_identity);
}

#[test]
fn is_sized_matches_parsed_plugin() {
    for text in BUILT_IN {
        let spec = PetSpec::parse(text, "built in").unwrap();
        assert_eq!(is_sized(text), spec.is_sized(), "{}", spec.name);
    }
    let sized: Vec<bool> = BUILT_IN.iter().map(|text| is_sized(text)).collect();
    assert!(sized.contains(&true) && sized.contains(&false));
    assert!(is_sized("no plugin at all"));
}

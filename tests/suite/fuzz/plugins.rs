//! Plugin files: read, tried and shown as the list of plugins does it.

use std::path::Path;

use lae_studio::pet::PluginLibrary;
use lae_studio::pet::library::{BUILT_IN, PluginEntry};

use super::bytes::Dice;
use super::{Case, Target, fuzz, single_file_case};

const WORDS: &[&[u8]] = &[
    b"name = \"x\"\n",
    b"sites = [\"block\"]\n",
    b"[\"qkv\", \"proj\"]",
    b"\"attend\"",
    b"\"mlp\"",
    b"\"query\"",
    b"[sizes.size]\n",
    b"[sizes.n]\n",
    b"[parameters.w]\n",
    b"[equations]\n",
    b"every = \"h\"\n",
    b"[variants.x]\n",
    b"variant = \"x\"\n",
    b"shape = [\"d\", \"r\"]\n",
    b"shape = [8192, 8192]\n",
    b"init = \"zeros\"\n",
    b"init = \"normal(1)\"\n",
    b"init = \"kaiming\"\n",
    b"fixed = true\n",
    b"per_site = true\n",
    b"default = 5\n",
    b"min = 1\n",
    b"max = 1048576\n",
    b"symbol = \"r\"\n",
    b" @ ",
    b" + ",
    b" * ",
    b" / ",
    b" - ",
    b"(",
    b")",
    b"[0:8]",
    b"[:, 0:r]",
    b"h",
    b"e",
    b"q",
    b"k",
    b"v",
    b"d",
    b"r",
    b"heads",
    b"gelu(",
    b"relu(",
    b"softmax(",
    b"mean(",
    b"transpose(",
    b"split_heads(",
    b"join(",
    b"sqrt(",
    b"exp(",
    b"norm(",
    b"dropout(",
    b"\"\"\"",
    b"1e308",
    b"0 * ",
    b"[without_learning]\n",
    b"s0 = \"w @ w\"\n",
];

struct Plugins;

impl Target for Plugins {
    const NAME: &'static str = "plugins";

    fn valid_cases(&self) -> Vec<Case> {
        let texts = BUILT_IN.iter();
        texts.map(|text| single_file_case("own.toml", *text)).collect()
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        dice.vary(valid, WORDS)
    }

    fn read(&self, folder: &Path) -> bool {
        let library = PluginLibrary::with_folders(vec![folder.to_path_buf()]);
        assert!(!library.view(None).is_empty());
        // The text of a built-in plugin is that plugin in the list.
        PluginEntry::from_file(&folder.join("own.toml")).spec.is_ok()
    }
}

#[test]
fn fuzz_plugins() {
    fuzz(Plugins);
}

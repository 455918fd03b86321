//! The places file.

use std::path::Path;

use lae_studio::run::remote_machines::RemoteMachines;

use super::bytes::Dice;
use super::{Case, Target, fuzz, single_file_case};

struct PlacesFiles;

impl Target for PlacesFiles {
    const NAME: &'static str = "places";

    fn valid_cases(&self) -> Vec<Case> {
        let ssh = "[lab]\nssh = \"lab\"\noptions = [\"-p\", \"2222\"]\nfolder = \"~/lae\"\ndata = { a = \"/b\" }\n";
        let slurm = "[c]\nslurm = true\ngpus = 1\ntime = \"2:00:00\"\nmodules = [\"cuda\"]\n";
        vec![single_file_case("places.toml", ssh), single_file_case("places.toml", slurm)]
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        const WORDS: &[&[u8]] = &[
            b"[lab]\n",
            b"ssh = ",
            b"slurm = true\n",
            b"gpus = ",
            b"data = {",
            b"-oProxyCommand=x",
            b"options = [",
            b"9223372036854775808",
            b"\"\"",
            b"]",
            b"=",
        ];
        dice.vary(valid, WORDS)
    }

    fn read(&self, folder: &Path) -> bool {
        let bytes = std::fs::read(folder.join("places.toml")).unwrap_or_default();
        let places = RemoteMachines::parse(&String::from_utf8_lossy(&bytes), "places.toml");
        places.is_ok_and(|places| {
            let hosts = places.list().iter().filter_map(|place| place.ssh.as_deref());
            hosts.for_each(|host| assert!(!host.starts_with('-')));
            true
        })
    }
}

#[test]
fn fuzz_places() {
    fuzz(PlacesFiles);
}

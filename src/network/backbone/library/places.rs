//! Where weight files are on this computer and on the internet: the cache of the model hub's own tools
//! where a file is already there, else a folder of this program.

use std::env;
use std::path::{Path, PathBuf};

use directories::BaseDirs;

use super::entry::{BackboneEntry, WeightSource};
use crate::backbone::weights::sha256_of_bytes;
use crate::files::{self, names::portable};
use crate::folders;

/// Address of the model hub unless `HF_ENDPOINT` names another.
const HUB: &str = "https://huggingface.co";

/// Folders and addresses the library works with.
#[derive(Clone, Debug)]
pub struct Places {
    /// Our own downloads, one folder per entry.
    pub cache: PathBuf,
    /// The cache of the hub's own tools, read but never written.
    pub hub_cache: Option<PathBuf>,
    /// Address of the hub, without a slash at its end.
    pub endpoint: String,
    /// Tables of the user, the later ones win.
    pub tables: Vec<PathBuf>,
}

impl Places {
    /// The usual places, as the environment says (`HF_ENDPOINT`, `HF_HUB_CACHE`, `HF_HOME`).
    pub fn usual() -> Self {
        let cache = folders::cache().unwrap_or_else(|| PathBuf::from("lae-studio-cache"));
        let mut tables = vec![PathBuf::from("plugins/backbones.toml")];
        tables.extend(folders::data().map(|folder| folder.join("backbones.toml")));
        let endpoint = env::var("HF_ENDPOINT").unwrap_or_default();
        let endpoint = endpoint.trim().trim_end_matches('/');
        Self {
            cache: cache.join("backbones"),
            hub_cache: hub_cache(),
            endpoint: if endpoint.is_empty() { HUB } else { endpoint }.to_owned(),
            tables,
        }
    }

    /// The address of an entry's weights, if it has one.
    pub fn address(&self, entry: &BackboneEntry) -> Option<String> {
        match &entry.source {
            WeightSource::Hub {
                repository,
                file,
                revision,
            } => {
                let revision = revision.as_deref().unwrap_or("main");
                let endpoint = &self.endpoint;
                Some(format!("{endpoint}/{repository}/resolve/{revision}/{file}"))
            }
            WeightSource::Url(url) => Some(url.clone()),
            WeightSource::Embedded | WeightSource::File(_) => None,
        }
    }

    /// Where our own download of an entry goes.
    pub fn own_file(&self, entry: &BackboneEntry) -> Option<PathBuf> {
        let file = match &entry.source {
            WeightSource::Hub { file, .. } => file.rsplit('/').next(),
            WeightSource::Url(url) => url.rsplit('/').next(),
            WeightSource::Embedded | WeightSource::File(_) => return None,
        };
        let plain = |c: char| {
            if c.is_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '_'
            }
        };
        // An entry of the same name elsewhere, or of another commit, has other weights.
        let address = match &entry.source {
            WeightSource::Hub {
                repository,
                revision,
                ..
            } => format!("{repository}{}", revision.as_deref().unwrap_or_default()),
            WeightSource::Url(url) => url.clone(),
            WeightSource::Embedded | WeightSource::File(_) => String::new(),
        };
        let mark = &sha256_of_bytes(address.as_bytes())[..8];
        let name: String = entry.name.chars().map(plain).collect();
        let folder = format!("{}-{mark}", portable(&name));
        let file: String = file.unwrap_or("weights").chars().map(plain).collect();
        Some(self.cache.join(folder).join(portable(&file)))
    }

    /// The file of an entry in the hub's own cache, if it is there.
    pub fn hub_file(&self, entry: &BackboneEntry) -> Option<PathBuf> {
        let WeightSource::Hub {
            repository,
            file,
            revision,
        } = &entry.source
        else {
            return None;
        };
        let cache = self.hub_cache.as_ref()?;
        let folder = cache.join(format!("models--{}", repository.replace('/', "--")));
        let snapshots = folder.join("snapshots");
        if let Some(revision) = revision {
            let path = snapshots.join(revision).join(file);
            return path.is_file().then_some(path);
        }
        let current = files::read_text(&folder.join("refs/main"), files::NOTE).ok();
        let current = current.map(|commit| snapshots.join(commit.trim()).join(file));
        let any = || {
            let folders = std::fs::read_dir(&snapshots).ok()?.flatten();
            folders
                .map(|one| one.path().join(file))
                .find(|path| path.is_file())
        };
        current.filter(|path| path.is_file()).or_else(any)
    }
}

fn hub_cache() -> Option<PathBuf> {
    let set = |key: &str| {
        env::var_os(key)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    let cache = set("HF_HUB_CACHE")
        .or_else(|| Some(set("HF_HOME")?.join("hub")))
        .or_else(|| Some(set("XDG_CACHE_HOME")?.join("huggingface/hub")))
        .or_else(|| Some(BaseDirs::new()?.home_dir().join(".cache/huggingface/hub")));
    cache.filter(|folder| Path::is_dir(folder))
}

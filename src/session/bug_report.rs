//! A bug report: the data that helps to find a fault, packed into one file that the user can inspect.
//!
//! It contains versions, the machine, the window's settings, results of the devices' self-tests, and the log. It never
//! contains images, names of classes or data, or the user's home folder. Everything is text that can be read before it
//! is sent.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zip::write::SimpleFileOptions;

use super::Session;
use super::class_schedule::is_user_dataset;
use super::formatting::with_timestamp;
use super::views::Fetch;
use crate::backbone::library::BackboneLibrary;
use crate::logging::{self, LogFiles, Redactor};
use crate::problem::{Problem, Result, escape_for_terminal};
use crate::tr;
use crate::{device, files, memory, store};

/// The text that replaces a path or name that the user chose.
const REDACTED: &str = "‹own›";
/// Keys of settings whose values can be names or paths of data.
const REDACTED_KEYS: [&str; 7] =
    ["data", "backbone", "order", "pet_start", "at_work", "file", "from"];
/// Keys that are omitted: answers to lessons, and settings with several values, which can be paths.
const OMITTED_KEYS: [&str; 3] = ["answers", "several", "former_several"];
/// Keys of the folders that the user opened.
const FOLDER_KEYS: [&str; 2] = ["folders", "former_folders"];

impl Session {
    /// Gathers a bug report. `settings` is the file of the window's settings.
    pub fn gather_bug_report(&mut self, settings: Option<PathBuf>) {
        let open = self.experiment.data.ready();
        let names = open.map_or_else(Vec::new, |view| view.classes.clone());
        self.bug_report = Fetch::Busy;
        self.saving_report = Fetch::Nothing;
        self.task(
            move |sources| {
                let root = &sources.disk().runs_root;
                let report = BugReport::gather(root, settings.as_deref(), &names);
                Ok(Arc::new(report))
            },
            |session, report| session.bug_report.fill(report),
        );
    }

    /// Writes the gathered report.
    pub fn save_bug_report(&mut self, path: PathBuf) {
        let Some(report) = self.bug_report.ready().cloned() else {
            return;
        };
        let target = path.clone();
        self.saving_report = Fetch::Busy;
        self.task(
            move |_| report.save(&path),
            move |session, saved| {
                session.saving_report = Fetch::from_result(saved);
                if session.saving_report.ready().is_some() {
                    session.bug_report = Fetch::Nothing;
                    let text = tr!("notices-report-saved", path = target.display().to_string());
                    session.notify(Problem::new(text), false);
                }
            },
        );
    }
}

/// One file of a bug report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFile {
    /// Its name.
    pub name: String,
    /// Short description.
    pub about: &'static str,
    /// Its content.
    pub text: String,
}

/// A bug report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BugReport {
    /// Its files.
    pub parts: Vec<ReportFile>,
    /// The default path to save it to.
    pub default_path: PathBuf,
}

impl BugReport {
    /// Gathers a report from the folder of runs and the file of the window's settings. `names` are redacted, for
    /// example the classes of open datasets. Unreadable parts are omitted, because a report is needed when something
    /// is already wrong.
    pub fn gather(runs_root: &Path, settings: Option<&Path>, names: &[String]) -> Self {
        let mut redactor = Redactor::for_current_user();
        redactor.add(names);
        redactor.add([runs_root.display().to_string()]);
        let mut parts = Vec::new();
        let mut add = |name: String, about, text: String| {
            // Redacts line by line, so that a path does not match beyond the end of its line.
            let lines = text
                .lines()
                .map(|line| escape_for_terminal(&redactor.redact(line)).into_owned() + "\n");
            let text = lines.collect();
            parts.push(ReportFile { name, about, text });
        };
        let about = tr!("notices-report-versions");
        add("versions.txt".into(), about, versions());
        if let Some(text) = settings.and_then(|file| files::read_text(file, files::TEXT).ok()) {
            let about = tr!("notices-report-settings");
            add("settings.toml".into(), about, redact_settings(&text));
        }
        if let Some(text) = device::read_verdict_file() {
            add("devices.toml".into(), tr!("notices-report-devices"), text);
        }
        for path in LogFiles::new(logging::folder(runs_root)).existing() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Ok(bytes) = files::read(&path, files::TEXT) {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                add(name.into_owned(), tr!("notices-report-log"), text);
            }
        }
        let default_path = default_report_path();
        Self { parts, default_path }
    }

    /// Returns the report as a zip archive.
    ///
    /// # Errors
    /// Returns a Problem if it cannot be packed.
    pub fn to_zip(&self) -> Result<Vec<u8>> {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let result = (|| {
            for part in &self.parts {
                archive.start_file(part.name.as_str(), SimpleFileOptions::default())?;
                archive.write_all(part.text.as_bytes())?;
            }
            Ok::<_, zip::result::ZipError>(archive.finish()?.into_inner())
        })();
        result.map_err(|error| {
            Problem::new(tr!("notices-report-not-packed", why = error.to_string()))
        })
    }

    /// Writes the report as a zip archive.
    ///
    /// # Errors
    /// Returns a Problem if the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        store::write_file(path, &self.to_zip()?).map(drop)
    }
}

/// Returns the default path of a report.
fn default_report_path() -> PathBuf {
    let folder = directories::UserDirs::new().map(|dirs| {
        let documents = dirs.document_dir().filter(|folder| folder.is_dir());
        documents.unwrap_or(dirs.home_dir()).to_path_buf()
    });
    let name = with_timestamp("lae-studio-report") + ".zip";
    folder.unwrap_or_default().join(name)
}

/// Returns name, version and build target of the program.
pub fn program_description() -> String {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let version = env!("CARGO_PKG_VERSION");
    format!("lae-studio {version} for {os} on {arch}")
}

/// Returns names and values that describe the machine, as far as they are known without querying drivers.
pub fn machine_details() -> Vec<(&'static str, String)> {
    let mut details = vec![("system", system_name())];
    if let Ok(processor) = device::choose("cpu") {
        details.push(("processor", processor.name));
    }
    details.push(("instructions", instruction_sets()));
    if let Some(bytes) = memory::machine_bytes() {
        details.push(("memory", format!("{} MB", bytes >> 20)));
    }
    details
}

/// Returns name and version of the operating system.
fn system_name() -> String {
    let read = |path: &str| files::read_text(Path::new(path), files::NOTE).ok();
    let release = read("/etc/os-release").and_then(|text| {
        let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
        Some(name.trim_matches('"').to_string())
    });
    let name = release.unwrap_or_else(|| std::env::consts::OS.to_string());
    let kernel = read("/proc/sys/kernel/osrelease")
        .map_or_else(String::new, |text| format!(", Linux {}", text.trim()));
    format!("{name}{kernel}")
}

/// Returns the processor's instruction sets that matter for speed.
fn instruction_sets() -> String {
    #[cfg(target_arch = "x86_64")]
    let found = [
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("FMA", is_x86_feature_detected!("fma")),
        ("F16C", is_x86_feature_detected!("f16c")),
        ("AVX-512", is_x86_feature_detected!("avx512f")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let found = [("those of every such processor", true)];
    let supported = found.iter().filter(|(_, is_supported)| *is_supported);
    supported.map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
}

/// Returns program, machine and devices, one per line.
fn versions() -> String {
    let mut text = program_description() + "\n";
    for (name, value) in machine_details() {
        text += &format!("{name}: {value}\n");
    }
    for info in device::list() {
        text += &format!("device {info}, driver: {}\n", info.driver);
    }
    text
}

/// Returns the settings file without names and paths that the user chose, and a short text if it cannot be parsed.
fn redact_settings(text: &str) -> String {
    let Ok(mut table) = text.parse::<toml::Table>() else {
        return "these settings cannot be read\n".into();
    };
    for key in OMITTED_KEYS {
        table.remove(key);
    }
    redact_table(&mut table);
    toml::to_string_pretty(&table).unwrap_or_default()
}

/// Removes names and paths from a table and its nested tables.
fn redact_table(table: &mut toml::Table) {
    for (key, value) in table {
        match value {
            toml::Value::Table(inner) => redact_table(inner),
            // The number of corrected labels is harmless, but the entries name images and classes.
            toml::Value::Array(list) if key == "mended" => {
                *value = toml::Value::Integer(list.len() as i64);
            }
            toml::Value::String(text)
                if is_absolute_path(text)
                    || REDACTED_KEYS.contains(&key.as_str()) && !is_public(text) =>
            {
                *text = REDACTED.into();
            }
            toml::Value::Array(list) if FOLDER_KEYS.contains(&key.as_str()) => {
                list.fill(REDACTED.into());
            }
            _ => {}
        }
    }
}

/// Returns whether a value is an absolute path of any system. The [`Redactor`] would keep what follows a space in it.
fn is_absolute_path(text: &str) -> bool {
    let has_drive = text.get(1..3).is_some_and(|next| matches!(next, ":\\" | ":/"));
    has_drive || text.starts_with(['/', '\\', '~'])
}

/// Returns whether a value reveals nothing: a name that the program defines, or a generic choice.
fn is_public(text: &str) -> bool {
    let is_known =
        !is_user_dataset(text) || BackboneLibrary::with_default_locations().entry(text).is_some();
    let is_generic = text == "natural" || text.starts_with("seed:");
    (is_known || is_generic) && !text.contains(['/', '\\'])
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn report_matches_preview_and_omits_private_names() {
        let runs = tempfile::tempdir().unwrap();
        let log = logging::folder(runs.path());
        std::fs::create_dir(&log).unwrap();
        let line = format!("{} \u{1b}[2J great tit and robin\n", runs.path().display());
        std::fs::write(log.join("lae-studio.log"), line).unwrap();
        let settings = runs.path().join("window.toml");
        let text = "theme = \"dark\"\nfolders = [\"/srv/my birds\"]\n[setup]\ndata = \"/srv/birds\"\nbackbone = \"lae-nano\"\n";
        std::fs::write(&settings, text).unwrap();
        let names = ["great tit", "robin"].map(String::from);
        let report = BugReport::gather(runs.path(), Some(&settings), &names);
        let mut archive = zip::ZipArchive::new(Cursor::new(report.to_zip().unwrap())).unwrap();
        let mut all = String::new();
        for part in &report.parts {
            let mut text = String::new();
            let mut file = archive.by_name(&part.name).unwrap();
            file.read_to_string(&mut text).unwrap();
            assert_eq!(text, part.text);
            all += &text;
        }
        assert_eq!(archive.len(), report.parts.len());
        for shown in ["lae-studio 0.", "processor: ", "device 0 ", "theme = \"dark\"", "lae-nano"] {
            assert!(all.contains(shown), "{shown}: {all}");
        }
        assert!(all.contains("‹path› \\u{1b}[2J ‹name› and ‹name›"), "{all}");
        for hidden in ["birds", "robin", "great tit", "\u{1b}"] {
            assert!(!all.contains(hidden), "{hidden}: {all}");
        }
    }

    #[test]
    fn redacts_private_values_in_settings() {
        assert!(!redact_settings("data = /srv/birds").contains("birds"));
        let corrected = "[setup]\n[[setup.mended]]\npicture = \"robin/1.png\"\nwas = \"robin\"\n";
        let corrections = redact_settings(corrected);
        assert!(
            corrections.contains("mended = 1") && !corrections.contains("robin"),
            "{corrections}"
        );
        let former = redact_settings("former = { data = 'robins.zip', order = 'seed:3' }");
        assert!(!former.contains("robins") && former.contains("seed:3"), "{former}");
        let folders = redact_settings("folders = ['/robins']\nformer_folders = ['/robins/2']");
        assert!(!folders.contains("robins"), "{folders}");
        let paths = redact_settings(
            "at_work = '/my runs/robins'\n[setup]\npet_start = 'robins.safetensors'\n\
             [writing]\ntext = 'a'\nfile = 'C:\\my plugins\\robins.toml'\nfrom = '/b c/robins'\n\
             [other]\nkey = '/my birds/robins'\n",
        );
        assert!(!paths.contains("robins") && paths.contains("text = \"a\""), "{paths}");
    }
}

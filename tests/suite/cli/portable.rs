//! The portable form: everything is next to the program.

use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

use super::QUICK;
use super::gpu_selftest::software_gpu;

/// A copy of the program in a folder of its own, and a home that must stay empty.
struct PortableProgram {
    folder: TempDir,
    home: TempDir,
}

impl PortableProgram {
    fn new() -> Self {
        let portable = Self { folder: TempDir::new().unwrap(), home: TempDir::new().unwrap() };
        let executable = env!("CARGO_BIN_EXE_lae-studio");
        let program = portable.program();
        if fs::hard_link(executable, &program).is_err() {
            fs::copy(executable, &program).unwrap();
        }
        portable
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("lae-studio")
    }

    fn data_folder(&self) -> PathBuf {
        self.folder.path().join("lae-studio-data")
    }

    fn run(&self, words: &[&str]) -> Output {
        Command::new(self.program())
            .args(words)
            .env("HOME", self.home.path())
            .env("MESA_SHADER_CACHE_DIR", super::shader_cache())
            .env_remove("LAE_RUNS")
            .env_remove("LAE_STUDIO_CACHE")
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_CACHE_HOME")
            .env_remove("APPIMAGE")
            .output()
            .unwrap()
    }
}

#[test]
fn portable_program_stores_runs_next_to_itself() {
    let portable = PortableProgram::new();
    let words: Vec<&str> = [&["--portable"], QUICK].concat();
    let trained = portable.run(&words);
    assert!(trained.status.success(), "{trained:?}");
    assert!(portable.data_folder().join("data/runs").is_dir());
    assert_eq!(fs::read_dir(portable.home.path()).unwrap().count(), 0);
    // The folder exists now, so the option is no longer needed.
    let listed = portable.run(&["runs"]);
    assert!(listed.status.success());
    assert!(String::from_utf8_lossy(&listed.stdout).contains("digits"));
}

#[test]
fn portable_program_uses_adjacent_plugins_and_cache() {
    let portable = PortableProgram::new();
    let data = portable.data_folder().join("data");
    fs::create_dir_all(data.join("plugins")).unwrap();
    let plugin = include_str!("../../../plugins/bitfit.toml");
    let custom_plugin = plugin.replacen("name = \"BitFit\"", "name = \"Of the stick\"", 1);
    assert_ne!(custom_plugin, plugin);
    fs::write(data.join("plugins/of_the_stick.toml"), custom_plugin).unwrap();
    let stdout_text = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let listed = portable.run(&["plugins"]);
    assert!(stdout_text(&listed).contains("Of the stick"), "{listed:?}");

    let archive = portable.folder.path().join("pictures.zip");
    let mut zip = zip::ZipWriter::new(fs::File::create(&archive).unwrap());
    for (class, shade) in [("dark", 20), ("bright", 220)] {
        for number in 0..6 {
            let mut png = Cursor::new(Vec::new());
            let picture = image::GrayImage::from_pixel(8, 8, image::Luma([shade + number]));
            picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
            let options = zip::write::SimpleFileOptions::default();
            zip.start_file(format!("{class}/{number}.png"), options).unwrap();
            zip.write_all(png.get_ref()).unwrap();
        }
    }
    zip.finish().unwrap();
    let inspected = portable.run(&["data", &archive.to_string_lossy()]);
    assert!(stdout_text(&inspected).contains("bright"), "{inspected:?}");
    let unpacked = fs::read_dir(portable.data_folder().join("cache")).unwrap().count();
    assert!(unpacked > 0);
    assert_eq!(fs::read_dir(portable.home.path()).unwrap().count(), 0);
}

#[test]
#[ignore = "campaign: minutes on a software GPU"]
fn portable_program_stores_gpu_verdicts_next_to_itself() {
    let portable = PortableProgram::new();
    let elsewhere = TempDir::new().unwrap();
    let Some(gpu) = software_gpu(elsewhere.path()) else {
        return;
    };
    let words = [&["--portable"], QUICK, &["--device", &gpu]].concat();
    let trained = portable.run(&words);
    assert!(trained.status.success(), "{trained:?}");
    let verdicts = fs::read_to_string(portable.data_folder().join("cache/devices.toml")).unwrap();
    assert!(verdicts.contains("good = true"), "{verdicts}");
    assert_eq!(fs::read_dir(portable.home.path()).unwrap().count(), 0);
}

#[test]
fn portable_program_reports_unwritable_folder() {
    let portable = PortableProgram::new();
    fs::write(portable.data_folder(), "a file in the way").unwrap();
    let rejected = portable.run(&["runs", "--portable"]);
    assert_eq!(rejected.status.code(), Some(1));
    let stderr_text = String::from_utf8_lossy(&rejected.stderr);
    assert!(
        stderr_text.starts_with("problem: could not store settings and runs next to the program"),
        "{stderr_text}"
    );
    assert!(stderr_text.contains("--portable"), "{stderr_text}");
}

#[test]
fn rejects_window_options_before_subcommands() {
    let portable = PortableProgram::new();
    let rejected = portable.run(&["--out", "somewhere", "runs"]);
    assert_eq!(rejected.status.code(), Some(2));
    let stderr_text = String::from_utf8_lossy(&rejected.stderr);
    assert!(stderr_text.contains("'--out' before a subcommand"), "{stderr_text}");
}

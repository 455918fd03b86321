//! The state that is kept between two starts: the choices in the menu *Settings*, the last set-up and the position of the
//! window. It is a small TOML file in the user's configuration folder.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use egui::{Vec2, ViewportInfo};
use serde::{Deserialize, Serialize};

use crate::logging::Level;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::session::editor::StoredText;
use crate::session::grids::VaryingSettings;
use crate::session::lessons::{Answers, Retrained};
use crate::store::write_file;
use crate::texts::Language;
use crate::{files, folders, tr};

/// Range of the zoom factor; 1 is the default.
pub const ZOOM_RANGE: RangeInclusive<f32> = 0.5..=3.0;

/// The choice of the theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThemeChoice {
    /// Follows the system.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl ThemeChoice {
    /// All choices in display order, each with the message id of its name.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::System, "settings-theme-system"),
        (Self::Light, "settings-theme-light"),
        (Self::Dark, "settings-theme-dark"),
    ];

    /// Returns the corresponding theme preference of egui.
    pub fn preference(self) -> egui::ThemePreference {
        match self {
            Self::System => egui::ThemePreference::System,
            Self::Light => egui::ThemePreference::Light,
            Self::Dark => egui::ThemePreference::Dark,
        }
    }
}

/// The state that is stored in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The choice of the theme.
    pub theme: ThemeChoice,
    /// The device for new runs, as in `--device`; empty for automatic.
    pub device: String,
    /// The language of the window.
    pub language: Language,
    /// The zoom factor; 1 is the default.
    pub zoom: f32,
    /// Whether animations are off.
    pub reduce_motion: bool,
    /// The level of the log.
    pub log: Level,
    /// The folder of the run that was in progress.
    #[serde(rename = "at_work", skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<PathBuf>,
    /// Whether `setup` keeps its own corrected labels instead of using those of its dataset.
    pub own_labels: bool,
    /// Additional folders of runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
    /// The settings on the page Experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setup: Option<RunConfig>,
    /// The settings on the page Experiment that have several values.
    #[serde(skip_serializing_if = "VaryingSettings::is_empty")]
    pub several: VaryingSettings,
    /// The settings of a crashed window, until the user restores or discards them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub former: Option<RunConfig>,
    /// The settings with several values of a crashed window.
    #[serde(skip_serializing_if = "VaryingSettings::is_empty")]
    pub former_several: VaryingSettings,
    /// The folders of runs of a crashed window.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub former_folders: Vec<PathBuf>,
    /// The text of the plugin that was being edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writing: Option<StoredText>,
    /// The position of the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowPlacement>,
    /// The user's answers in lessons.
    #[serde(skip_serializing_if = "Answers::is_empty")]
    pub answers: Answers,
    /// The lessons whose runs are trained again.
    #[serde(skip_serializing_if = "Retrained::is_empty")]
    pub retrained: Retrained,
    /// Whether the last window crashed.
    #[serde(skip)]
    pub crashed: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::default(),
            device: String::new(),
            language: Language::default(),
            zoom: 1.0,
            reduce_motion: false,
            log: Level::default(),
            unfinished: None,
            own_labels: false,
            folders: Vec::new(),
            setup: None,
            several: VaryingSettings::default(),
            former: None,
            former_several: VaryingSettings::default(),
            former_folders: Vec::new(),
            writing: None,
            window: None,
            answers: Answers::new(),
            retrained: Retrained::new(),
            crashed: false,
        }
    }
}

impl Settings {
    /// Returns the path of the settings file; `None` if the system has no configuration folder.
    pub fn file() -> Option<PathBuf> {
        Some(folders::config()?.join("window.toml"))
    }

    /// Returns whether this is the first window that uses this file. `false` if the system has no configuration folder,
    /// because otherwise every window would be the first.
    pub fn is_first_start(file: Option<&PathBuf>) -> bool {
        file.is_some_and(|file| !file.exists())
    }

    /// Returns the settings for a first start, in the language of the system if it is supported.
    #[must_use]
    pub fn for_first_start() -> Self {
        Self { language: detect_language(sys_locale::get_locales()), ..Self::default() }
    }

    /// Returns the path of the marker file for an open window, next to the settings file.
    pub fn marker_path(file: &Path) -> PathBuf {
        file.with_file_name("window.open")
    }

    /// Returns the settings to use after a crash. The last set-up, or a run in one of the additional folders, may have
    /// caused the crash, so both are restored only if the user confirms. A default set-up needs no confirmation. A
    /// set-up that was already waiting for confirmation survives another crash.
    #[must_use]
    pub fn after_crash(mut self) -> Self {
        let setup = self.setup.take();
        let defaults = RunConfig { device: self.device.clone(), ..RunConfig::default() };
        let several = std::mem::take(&mut self.several);
        let custom_setup = setup.filter(|setup| {
            !several.is_empty() || *setup != RunConfig::default() && *setup != defaults
        });
        if custom_setup.is_some() {
            (self.former, self.former_several) = (custom_setup, several);
        }
        self.crashed = true;
        if !self.folders.is_empty() {
            self.former_folders = std::mem::take(&mut self.folders);
        }
        self
    }

    /// Reads the settings. A missing or unreadable file gives the defaults, because the settings are not important
    /// enough for an error at the start.
    pub fn load(file: Option<&PathBuf>) -> Self {
        let text = file.and_then(|file| files::read_text(file, files::TEXT).ok());
        let mut settings: Self =
            text.and_then(|text| toml::from_str(&text).ok()).unwrap_or_default();
        if !ZOOM_RANGE.contains(&settings.zoom) {
            settings.zoom = 1.0;
        }
        settings.window = settings.window.filter(WindowPlacement::is_plausible);
        settings
    }

    /// Renames a settings file that cannot be read, because saving would overwrite it, and returns a Problem about it.
    /// If it cannot be renamed, it remains until settings are saved.
    pub fn rename_unreadable(file: Option<&PathBuf>) -> Option<Problem> {
        let file = file.filter(|file| file.exists())?;
        let text = files::read_text(file, files::TEXT);
        let why = match text.map(|text| toml::from_str::<Self>(&text)) {
            Ok(Ok(_)) => return None,
            Ok(Err(error)) => error.message().to_string(),
            Err(error) => error.to_string(),
        };
        let backup = file.with_file_name("window.unreadable.toml");
        let advice = match std::fs::rename(file, &backup) {
            Ok(()) => tr!("settings-old-file-kept", file = backup.display().to_string()),
            Err(_) => tr!("settings-file-replaced").into(),
        };
        let what = tr!("settings-unreadable", why);
        Some(Problem::new(what).at_path(file).advise(advice))
    }

    /// Writes the settings atomically.
    ///
    /// # Errors
    /// Returns a Problem if the folder or the file cannot be written; the previous file is kept.
    pub fn save(&self, file: &Path) -> Result<()> {
        let text = toml::to_string_pretty(self)
            .map_err(|error| Problem::new(tr!("settings-not-saved", why = error.to_string())))?;
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|error| Problem::io("create the settings folder", folder, &error))?;
        }
        write_file(file, text.as_bytes())
            .map(drop)
            .map_err(|problem| problem.advise(tr!("settings-not-saved-advice")))
    }
}

/// Returns the language of the first supported locale (BCP 47, such as `de-AT`); English if none is supported.
fn detect_language(locales: impl IntoIterator<Item = String>) -> Language {
    let to_language = |locale: String| {
        let code = locale.split('-').next().unwrap_or_default().to_lowercase();
        if ["c", "posix"].contains(&code.as_str()) {
            return Some(Language::English);
        }
        let mut languages = Language::ALL.into_iter().map(|(language, _)| language);
        languages.find(|language| language.code() == code)
    };
    locales.into_iter().find_map(to_language).unwrap_or_default()
}

/// Size and position of the window in units of the system, which do not depend on the zoom.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowPlacement {
    /// Width and height of the window's content when it is not maximized.
    pub size: [f32; 2],
    /// The upper left corner of the window when it is not maximized; `None` if the system does not report it (Wayland).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[f32; 2]>,
    /// Whether the window is maximized.
    #[serde(default)]
    pub maximized: bool,
}

impl Default for WindowPlacement {
    /// Returns the size of the first window; the system chooses its position.
    fn default() -> Self {
        Self { size: [1280.0, 800.0], position: None, maximized: false }
    }
}

impl WindowPlacement {
    /// Returns whether the values are plausible, because the settings file may contain anything.
    pub fn is_plausible(&self) -> bool {
        let is_size_plausible = self.size.iter().all(|side| (1.0..=16_384.0).contains(side));
        let mut coordinates = self.position.iter().flatten();
        is_size_plausible && coordinates.all(|at| at.abs() <= 65_536.0)
    }

    /// Returns the position after a frame, for this content size in points and this zoom. A window that is minimized,
    /// or in full screen for the presenter view, keeps its previous position.
    #[must_use]
    pub fn updated(self, info: &ViewportInfo, size: Vec2, zoom: f32) -> Self {
        if info.minimized == Some(true) || info.fullscreen == Some(true) {
            return self;
        }
        if info.maximized == Some(true) {
            return Self { maximized: true, ..self };
        }
        let to_system_units = |x: f32, y: f32| [(x * zoom).round(), (y * zoom).round()];
        Self {
            size: to_system_units(size.x, size.y),
            position: info.outer_rect.map(|rect| to_system_units(rect.min.x, rect.min.y)),
            maximized: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::config::Setting;
    use crate::session::grids::Axis;
    use crate::session::lessons::GivenAnswer;

    #[test]
    fn first_start_uses_the_system_language() {
        for (locales, language) in [
            (&["de-AT"][..], Language::German),
            (&["fr-FR", "de"], Language::German),
            (&["C", "de"], Language::English),
            (&["fr-FR", "en-GB", "de"], Language::English),
            (&["den-CA"], Language::English),
            (&[], Language::English),
        ] {
            let locale_names = locales.iter().map(|locale| (*locale).to_string());
            assert_eq!(detect_language(locale_names), language, "{locales:?}");
        }
    }

    #[test]
    fn implausible_zoom_is_replaced_by_the_default() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("window.toml");
        for (text, expected) in [("1.5", 1.5), ("0.0", 1.0), ("nan", 1.0), ("1e9", 1.0)] {
            std::fs::write(&file, format!("zoom = {text}")).unwrap();
            assert_eq!(Settings::load(Some(&file)).zoom, expected, "{text}");
        }
    }

    #[test]
    fn settings_survive_a_restart_and_a_broken_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/window.toml");
        let several = VaryingSettings {
            axes: vec![Axis {
                key: "base_lr".into(),
                values: vec![Setting::Real(0.01), Setting::Text("mine".into())],
            }],
            orders: Some(3),
            seeds: None,
        };
        let answer = GivenAnswer { typed: "12".into(), checked: true, choice: None };
        let settings = Settings {
            theme: ThemeChoice::Light,
            device: "cpu".into(),
            language: Language::German,
            zoom: 1.2,
            reduce_motion: true,
            log: Level::Debug,
            setup: Some(RunConfig::default()),
            former: None,
            unfinished: Some("/runs/one".into()),
            own_labels: true,
            folders: vec!["/other/runs".into()],
            former_folders: vec!["/runs/of/before".into()],
            writing: Some(StoredText {
                text: "name = \"Mine\"\n# \u{1f600}".into(),
                file: Some("/plugins/mine.toml".into()),
                ..StoredText::default()
            }),
            several: several.clone(),
            former_several: several,
            window: Some(WindowPlacement {
                size: [1000.0, 700.0],
                position: Some([-30.0, 40.0]),
                maximized: true,
            }),
            answers: [("unit".into(), [("ask".into(), answer)].into())].into(),
            retrained: [("unit".into(), "2026-11-21T10:00:00Z".into())].into(),
            crashed: false,
        };
        settings.save(&file).unwrap();
        assert_eq!(Settings::load(Some(&file)), settings);
        // The file is replaced in one step, so a concurrent reader still reads the old file.
        let old = folder.path().join("old.toml");
        std::fs::hard_link(&file, &old).unwrap();
        Settings::default().save(&file).unwrap();
        assert_eq!(Settings::load(Some(&file)), Settings::default());
        assert_eq!(Settings::load(Some(&old)), settings);
        assert_eq!(Settings::rename_unreadable(Some(&file)), None);
        std::fs::write(&file, "theme = 7").unwrap();
        assert_eq!(Settings::load(Some(&file)), Settings::default());
        let problem = Settings::rename_unreadable(Some(&file)).unwrap();
        assert!(problem.remedy.contains("window.unreadable.toml"), "{problem}");
        let backup = std::fs::read_to_string(file.with_file_name("window.unreadable.toml"));
        assert_eq!(backup.unwrap(), "theme = 7");
        assert_eq!(Settings::rename_unreadable(Some(&file)), None, "it is gone");
    }

    #[test]
    fn setup_waits_after_a_crash_and_survives_another_crash() {
        let custom_setup = RunConfig { data: "/my/pictures".into(), ..RunConfig::default() };
        let settings = Settings {
            setup: Some(custom_setup.clone()),
            folders: vec!["/other/runs".into()],
            ..Settings::default()
        };
        let first = settings.after_crash();
        assert_eq!((&first.setup, &first.former), (&None, &Some(custom_setup.clone())));
        assert!(first.folders.is_empty());
        let second = Settings { setup: Some(RunConfig::default()), ..first };
        let second = second.after_crash();
        assert_eq!(second.former, Some(custom_setup));
        assert_eq!(second.former_folders, [PathBuf::from("/other/runs")]);
    }

    #[test]
    fn placement_follows_the_window_unless_it_is_fullscreen() {
        let placement = WindowPlacement::default();
        let rect = |x, y| Some(egui::Rect::from_min_size([x, y].into(), [50.0, 50.0].into()));
        let moved = ViewportInfo { outer_rect: rect(10.0, 20.0), ..ViewportInfo::default() };
        // At a zoom of 2, a point is two units of the system.
        let placement = placement.updated(&moved, [500.0, 400.0].into(), 2.0);
        assert_eq!(placement.size, [1000.0, 800.0]);
        assert_eq!(placement.position, Some([20.0, 40.0]));
        for (fullscreen, minimized) in [(true, false), (false, true)] {
            let info = ViewportInfo {
                fullscreen: Some(fullscreen),
                minimized: Some(minimized),
                ..ViewportInfo::default()
            };
            assert_eq!(placement.updated(&info, Vec2::ZERO, 1.0), placement);
        }
        let info = ViewportInfo {
            maximized: Some(true),
            outer_rect: rect(0.0, 0.0),
            ..ViewportInfo::default()
        };
        let maximized = placement.updated(&info, [1920.0, 1000.0].into(), 1.0);
        assert_eq!((maximized.size, maximized.maximized), (placement.size, true));
        // The settings file may contain anything.
        for (size, position, plausible) in [
            ([900.0, 600.0], None, true),
            ([0.0, 600.0], None, false),
            ([f32::NAN, 600.0], None, false),
            ([900.0, 600.0], Some([1e9, 0.0]), false),
        ] {
            let placement = WindowPlacement { size, position, maximized: false };
            assert_eq!(placement.is_plausible(), plausible, "{placement:?}");
        }
    }
}

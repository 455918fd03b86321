//! Specifications of settings as data: name, meaning, values, and position. File, command line, checks, window and help
//! are generated from them, for the settings of every run ([`super::SETTINGS`]) and for those of methods.

use super::{Setting, SettingKind};
use crate::problem::Problem;
use crate::texts::{Message, list_id, translate_entry};
use crate::tr;

/// A setting. A method's own setting needs only the first four fields: `SettingSpec { key, title, meaning, kind,
/// ..SettingSpec::OWN }`.
#[derive(Clone, Copy, Debug)]
pub struct SettingSpec {
    /// The name in files and, with `-` for `_`, on the command line.
    pub key: &'static str,
    /// The display name.
    pub title: &'static str,
    /// What it does, in a sentence without a full stop; shown in the help of the command line and on hover.
    pub meaning: &'static str,
    /// Its values and its default.
    pub kind: SettingKind,
    /// The placeholder of its value in the help ("N"), for a setting with its own option; empty for a flag that the
    /// option turns off. A method's own setting has an option only if scripts rely on it, and can always be set with
    /// `--set KEY=VALUE`.
    pub option: Option<&'static str>,
    /// Description of the default in the help, if it is not a fixed value.
    pub default_text: &'static str,
    /// For a number of epochs within a task's epochs: the default share, as 3 of 5, which is kept if there are fewer
    /// epochs.
    pub epoch_share: Option<(usize, usize)>,
    /// Its group.
    pub group: SettingGroup,
    /// Where the window shows it.
    pub placement: SettingPlace,
    /// What a run must do for it to have an effect.
    pub needs: Requirement,
    /// Error and advice for a value that is too small or malformed; empty if reported elsewhere.
    pub refused: (&'static str, &'static str),
    /// Error and advice for a value that is too large, if they differ.
    pub too_large: Option<(&'static str, &'static str)>,
    /// Label of the button that restores the default, with `{}` for its value; empty if there is none.
    pub fix: &'static str,
    /// The value that the button sets.
    pub fix_to: FixTo,
    /// Settings of every run that the button resets too, because they were chosen for the value that is replaced.
    pub fix_with: &'static [&'static str],
    /// For a limit: the setting that it must not exceed.
    pub within: Option<&'static str>,
    /// Whether it belongs to the dataset: each dataset keeps its value, and a new one gets a suitable value.
    pub per_dataset: bool,
    /// Whether a copied command contains it even with its default value, because the default depends on other settings.
    pub always_in_command: bool,
    /// Which aspect of a run it determines.
    pub aspect: Aspect,
    /// For a flag: what a file with a backbone of this name means that does not name the flag, written by a version
    /// without it.
    pub value_if_absent: Option<fn(&str) -> bool>,
    /// Whether a file omits the setting if it has the value that a file without it means, so that the keys of runs
    /// without it stay the same.
    pub omit_default: bool,
    /// The id of its translated texts, if a setting of another method has the same key; else empty.
    pub texts: &'static str,
}

/// A group of settings, shown as a card in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingGroup {
    /// Data, tasks and splits.
    Data,
    /// The network and its weights.
    Backbone,
    /// The PET.
    Pet,
    /// The method and its training.
    Method,
}

impl SettingGroup {
    /// Returns the heading in the help of `train`.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Data => "Data",
            Self::Backbone | Self::Pet => "Network",
            Self::Method => "Learning",
        }
    }
}

/// Where the window shows a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingPlace {
    /// In the row of the method's card.
    First,
    /// Under *More settings*.
    More,
    /// At a specific position on a page, or not at all.
    ByHand,
}

/// What a run must do for a setting to have an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// Nothing.
    Nothing,
    /// Train a PET plugin.
    Pet,
    /// Train a PET plugin that has a size.
    SizedPet,
    /// Take gradient steps.
    Steps,
    /// Learn in epochs.
    Epochs,
    /// Draw crops of training images.
    Augmentation,
    /// Learn its classes in several tasks.
    Tasks,
    /// Draw random numbers.
    Draws,
}

/// The value that a fix sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixTo {
    /// The default; for a share of the epochs, the default share.
    Default,
    /// The number of training images of the smallest task, but at most the default.
    SmallestTask,
}

/// The aspect of a run that a setting determines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// The experiment.
    Experiment,
    /// The repetition.
    Repetition,
    /// Where and in which portions a run is computed, which affects results only by rounding.
    Execution,
}

impl SettingSpec {
    /// A method's own setting without an option of its own.
    pub const OWN: Self = Self {
        key: "",
        title: "",
        meaning: "",
        kind: SettingKind::Flag(false),
        option: None,
        default_text: "",
        epoch_share: None,
        group: SettingGroup::Method,
        placement: SettingPlace::More,
        needs: Requirement::Nothing,
        refused: ("", ""),
        too_large: None,
        fix: "",
        fix_to: FixTo::Default,
        fix_with: &[],
        within: None,
        per_dataset: false,
        always_in_command: false,
        aspect: Aspect::Experiment,
        value_if_absent: None,
        omit_default: false,
        texts: "",
    };

    /// Returns the name of its option without dashes: `pet-size`, or `no-learning` for a method's flag that is on by
    /// default; `None` if it can only be set with `--set`.
    pub fn option_name(&self) -> Option<String> {
        let name = self.key.replace('_', "-");
        self.option.map(|_| match self.is_switch() {
            true => format!("no-{name}"),
            false => name,
        })
    }

    /// Returns whether its option takes no value and turns it off.
    pub fn is_switch(&self) -> bool {
        self.option == Some("") && self.kind == SettingKind::Flag(true)
    }

    /// Returns the id of its translated texts.
    pub fn texts(&self) -> &'static str {
        match self.texts {
            "" => self.key,
            texts => texts,
        }
    }

    /// Returns the title in the language of this thread.
    pub fn title(&self) -> &'static str {
        translate_entry("setting", self.texts(), "title", self.title)
    }

    /// Returns the titles of both values of a setting with two.
    pub fn titles(&self) -> impl Iterator<Item = &'static str> {
        self.title().split(tr!("range-and")).map(str::trim)
    }

    /// Returns its meaning in the language of this thread.
    pub fn meaning(&self) -> &'static str {
        translate_entry("setting", self.texts(), "meaning", self.meaning)
    }

    /// Returns the title for the heading of a field.
    pub fn heading(&self) -> String {
        capitalize(self.title())
    }

    /// Returns the Problem of an invalid value, with the texts of this part of the list.
    pub(super) fn invalid_value_problem(
        &self,
        part: &str,
        (what, remedy): (&str, &str),
    ) -> Problem {
        let translate = |part: &str, english| {
            Message::with_english(list_id("setting", self.key, part), english)
        };
        let problem = Problem::new(translate(part, what)).at(self.cli_usage());
        problem.advise(translate(&format!("{part}-advice"), remedy))
    }

    /// Returns how the user sets it: `--pet-size`, `--set length`.
    pub fn cli_usage(&self) -> String {
        match self.option_name() {
            Some(name) => format!("--{name}"),
            None => format!("--set {}", self.key),
        }
    }

    /// Returns its default share of this number of epochs of a task; `None` for another kind of setting.
    pub fn default_for_epochs(&self, epochs: usize) -> Option<Setting> {
        let (numerator, denominator) = self.epoch_share?;
        let share =
            epochs / denominator * numerator + epochs % denominator * numerator / denominator;
        Some(Setting::Whole(share as i64))
    }

    /// Returns the label of the button that restores this value, or the default; `None` if there is no such button.
    pub fn fix_label(&self, default: Option<&Setting>) -> Option<String> {
        let default = default.map(ToString::to_string).unwrap_or_default();
        let english = self.fix.replace("{}", &default);
        let label = Message::with_english(list_id("setting", self.key, "fix"), english);
        (!self.fix.is_empty()).then(|| label.with("value", default).translated())
    }
}

/// Returns the text with its first letter in upper case.
pub fn capitalize(text: &str) -> String {
    let mut text = text.to_string();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

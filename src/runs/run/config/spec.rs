//! What a setting is, as data: name, meaning, values, and place. File, command line, checks, window and help
//! are made from it, for the settings of every run ([`super::SETTINGS`]) as for a method's own.

use super::{Setting, SettingKind};
use crate::problem::Problem;
use crate::texts::{Message, list_id, of_list};
use crate::tr;

/// One setting. In a list of a method's own only the first four fields need a word:
/// `SettingSpec { key, title, meaning, kind, ..SettingSpec::OWN }`.
#[derive(Clone, Copy, Debug)]
pub struct SettingSpec {
    /// The name in files and, with `-` for `_`, on the command line.
    pub key: &'static str,
    /// The name people read.
    pub title: &'static str,
    /// What it does, in a sentence without a full stop: help of the command line, and under the pointer.
    pub meaning: &'static str,
    /// What values it takes, with the default.
    pub kind: SettingKind,
    /// What its option's help calls the value ("N"), for a setting with an option of its own; empty for a flag's that
    /// switches it off. A method's own setting has one only where scripts rely on it, and `--set KEY=VALUE` in any case.
    pub option: Option<&'static str>,
    /// What it is without another word, where that is more than the default.
    pub usual: &'static str,
    /// For a number of epochs out of those of a task: the usual share, as 3 of 5. Where the epochs get fewer it keeps its
    /// share of them.
    pub of_epochs: Option<(usize, usize)>,
    /// The group that it belongs to.
    pub group: SettingGroup,
    /// Where the window shows it.
    pub shown: SettingPlace,
    /// What a run must do for it to have an effect.
    pub needs: Needs,
    /// What is wrong with a value below the range or of the wrong form, and what to try; empty where others say so.
    pub refused: (&'static str, &'static str),
    /// The same for one above the range, where that is another sentence.
    pub too_large: Option<(&'static str, &'static str)>,
    /// The button that puts the default back, with `{}` for it; empty where there is none.
    pub fix: &'static str,
    /// What that button puts there.
    pub fix_to: FixTo,
    /// Settings of every run that it puts back as well: they were chosen for the value that cannot stay.
    pub fix_with: &'static [&'static str],
    /// For a limit: the setting that it does not exceed.
    pub within: Option<&'static str>,
    /// Whether it belongs to the data set: each keeps its own, and a new one gets what suits it.
    pub of_data: bool,
    /// Whether a copied command names it although it is the default: what is usual depends on other settings.
    pub named: bool,
    /// What it says of a run.
    pub says: Says,
    /// For a flag: what a file with a backbone of this name means that does not name the flag, written by a version
    /// without it.
    pub unnamed: Option<fn(&str) -> bool>,
    /// Whether a file omits the setting if it has the value that a file without it means, so that the keys of runs
    /// without it stay the same.
    pub unwritten: bool,
    /// What its words are called in other languages, where a setting of another method has the same key; else empty.
    pub texts: &'static str,
}

/// Settings that belong together: the window has a box for each group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingGroup {
    /// Data, tasks and splits.
    Data,
    /// The network and its weights.
    Backbone,
    /// What is trained in it.
    Pet,
    /// How it is learned.
    Method,
}

impl SettingGroup {
    /// The heading in the help of `train`.
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
    /// Where a page lays it by hand, if it shows it.
    ByHand,
}

/// What a run must do for a setting to have an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
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

/// What a fix puts into a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixTo {
    /// The default; of a share of the epochs, the usual share.
    Usual,
    /// As many as the smallest task has training images, the default at most.
    SmallestTask,
}

/// What a setting says of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// Which experiment it is.
    What,
    /// Which repetition of it.
    Repetition,
    /// Where and in which portions it is computed: but for rounding no figure depends on that.
    Where,
}

impl SettingSpec {
    /// A method's own setting without an option of its own.
    pub const OWN: Self = Self {
        key: "",
        title: "",
        meaning: "",
        kind: SettingKind::Flag(false),
        option: None,
        usual: "",
        of_epochs: None,
        group: SettingGroup::Method,
        shown: SettingPlace::More,
        needs: Needs::Nothing,
        refused: ("", ""),
        too_large: None,
        fix: "",
        fix_to: FixTo::Usual,
        fix_with: &[],
        within: None,
        of_data: false,
        named: false,
        says: Says::What,
        unnamed: None,
        unwritten: false,
        texts: "",
    };

    /// The name of its option without dashes: `pet-size`, or `no-learning` for an own flag that is on; `None` for one
    /// that is given by `--set` alone.
    pub fn option_name(&self) -> Option<String> {
        let name = self.key.replace('_', "-");
        self.option.map(|_| match self.is_switch() {
            true => format!("no-{name}"),
            false => name,
        })
    }

    /// Whether its option takes no value and switches it off.
    pub fn is_switch(&self) -> bool {
        self.option == Some("") && self.kind == SettingKind::Flag(true)
    }

    /// What its words are called in other languages.
    pub fn texts(&self) -> &'static str {
        match self.texts {
            "" => self.key,
            texts => texts,
        }
    }

    /// The title in the language of this thread.
    pub fn title(&self) -> &'static str {
        of_list("setting", self.texts(), "title", self.title)
    }

    /// The titles of both numbers of a setting that has two.
    pub fn titles(&self) -> impl Iterator<Item = &'static str> {
        self.title().split(tr!("range-and")).map(str::trim)
    }

    /// What it does, in the language of this thread.
    pub fn meaning(&self) -> &'static str {
        of_list("setting", self.texts(), "meaning", self.meaning)
    }

    /// The title as shown above a field.
    pub fn heading(&self) -> String {
        capitalised(self.title())
    }

    /// The Problem of a value that it does not take, with the words of this part of the list.
    pub(super) fn refusal(&self, part: &str, (what, remedy): (&str, &str)) -> Problem {
        let said =
            |part: &str, english| Message::of_list(list_id("setting", self.key, part), english);
        let problem = Problem::new(said(part, what)).at(self.place());
        problem.advise(said(&format!("{part}-advice"), remedy))
    }

    /// How the user names it: `--pet-size`, `--set length`.
    pub fn place(&self) -> String {
        match self.option_name() {
            Some(name) => format!("--{name}"),
            None => format!("--set {}", self.key),
        }
    }

    /// Its usual share of this number of epochs of a task; `None` for another kind of setting.
    pub fn usual_of(&self, epochs: usize) -> Option<Setting> {
        let (part, of) = self.of_epochs?;
        let share = epochs / of * part + epochs % of * part / of;
        Some(Setting::Whole(share as i64))
    }

    /// The words on the button that puts this value back, or the default; `None` if there is no such button.
    pub fn fix(&self, usual: Option<&Setting>) -> Option<String> {
        let usual = usual.map(ToString::to_string).unwrap_or_default();
        let english = self.fix.replace("{}", &usual);
        let words = Message::of_list(list_id("setting", self.key, "fix"), english);
        (!self.fix.is_empty()).then(|| words.with("value", usual).said())
    }
}

/// Words with a capital letter at their beginning.
pub fn capitalised(words: &str) -> String {
    let mut words = words.to_string();
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}

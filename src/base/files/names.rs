//! Names for files and folders that are made from what somebody called something.
//!
//! A folder that is written here may be opened on another system: Windows takes some letters and
//! some words for something else, and neither Windows nor macOS distinguishes `cat` from `Cat`.

use std::collections::HashSet;

/// Bytes of a name at most; file systems take 255, and some hundred remain for endings and numbers.
const LONGEST: usize = 150;

/// Whether Windows takes this path for a folder that another computer shares: two separators of
/// either kind. Merely looking at such a path reveals the user to that computer.
pub fn is_share(path: &str) -> bool {
    let mut start = path.trim_start().chars();
    let separator = |c: Option<char>| matches!(c, Some('/' | '\\'));
    let (first, second) = (start.next(), start.next());
    // `\??\UNC\server` means the same.
    separator(first) && (separator(second) || second == Some('?'))
}

/// Whether a place is on another computer: a share, an address of the net, or what mounts a share when it is looked at.
/// One that a file of somebody else names is not visited before the user saw it and agreed.
pub fn is_elsewhere(place: &str) -> bool {
    let below = |folder: &str| place.trim_start().starts_with(folder);
    is_share(place) || place.contains("://") || below("/net/") || below("/Network/")
}

/// Whether a word is the path of a file or folder rather than a name.
pub fn is_path(word: &str) -> bool {
    word.contains(['/', '\\'])
}

/// Whether Windows takes a name for something else than a file of this name: a device whatever its
/// ending, or the same name without the dots and spaces at its end.
pub fn is_reserved(name: &str) -> bool {
    let name = name.to_uppercase();
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let numbered = ["COM", "LPT"].iter().any(|device| {
        let number = stem
            .strip_prefix(device)
            .map(|rest| rest.chars().collect::<Vec<_>>());
        matches!(number.as_deref(), Some(['0'..='9' | '¹' | '²' | '³']))
    });
    numbered
        || ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem)
        || name.ends_with(['.', ' '])
}

/// The name, or where a system would not take it, one that is like it.
pub fn portable(name: &str) -> String {
    let tame = |c: char| match c {
        '<' | '>' | ':' | '"' | '/' | '\\' | '|' | '?' | '*' => '_',
        c if c.is_control() => '_',
        c => c,
    };
    let mut out: String = name.chars().map(tame).collect();
    if let Some(cut) = out
        .char_indices()
        .map(|(at, c)| at + c.len_utf8())
        .find(|end| *end > LONGEST)
    {
        let whole = out[..cut]
            .char_indices()
            .next_back()
            .map_or(0, |(at, _)| at);
        out.truncate(whole);
    }
    let kept = out.trim_end_matches(['.', ' ']).len();
    if kept < out.len() {
        let dots = out[kept..].chars().count();
        out.truncate(kept);
        out.extend(std::iter::repeat_n('_', dots));
    }
    // A point at the beginning hides a file.
    if out.is_empty() || out.starts_with('.') || is_reserved(&out) {
        out.insert(0, '_');
    }
    out
}

/// Returns each name once, letters of both cases counted as one.
#[derive(Debug, Default)]
pub struct Names(HashSet<String>);

impl Names {
    /// A portable name that was not given yet: `wanted` with this ending, or with a number before
    /// it.
    pub fn take(&mut self, wanted: &str, ending: &str) -> String {
        let stem = portable(wanted);
        let numbered = (2u32..).map(|number| format!("{stem}-{number}{ending}"));
        let mut all = std::iter::once(format!("{stem}{ending}")).chain(numbered);
        // The numbers do not run out before the memory does.
        let free = all.find(|name| self.0.insert(name.to_lowercase()));
        free.unwrap_or(stem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_are_known() {
        for name in [
            "con.png", "NUL", "Com1.jpg", "lpt9.a.b", "aux .png", "a.png.", "a.png ", ".", "..",
        ] {
            assert!(is_reserved(name), "{name}");
        }
        for name in [
            "cone.png",
            "com.png",
            "com10.png",
            "auxiliary",
            "猫.png",
            ".png",
        ] {
            assert!(!is_reserved(name), "{name}");
        }
    }

    #[test]
    fn shares_are_known_however_their_separators_lean() {
        for share in [r"\\server\x", "//server/x", r"\/server/x", r"/\server"] {
            assert!(is_share(share), "{share}");
        }
        assert!(is_share(r"\??\UNC\server\x") && is_elsewhere(r"\\server"));
        for place in ["https://server/x", "smb://server", "/net/server/x"] {
            assert!(is_elsewhere(place), "{place}");
        }
        for own in ["/home/x", r"C:\x", r"\x", "x//y", "", "/", "/network/x"] {
            assert!(!is_share(own) && !is_elsewhere(own), "{own}");
        }
    }

    #[test]
    fn names_become_what_every_system_takes() {
        for (name, expected) in [
            ("cat", "cat"),
            ("größte Katze.v2", "größte Katze.v2"),
            ("a/b\\c:d?", "a_b_c_d_"),
            ("CON", "_CON"),
            ("aux.png", "_aux.png"),
            ("etc...", "etc___"),
            ("..", "__"),
            (".NET", "_.NET"),
            ("", "_"),
            ("a\n\u{7}", "a__"),
        ] {
            let portable = portable(name);
            assert_eq!(portable, expected);
            assert!(!is_reserved(&portable), "{portable}");
        }
        let long = portable(&"猫".repeat(400));
        assert!(long.len() <= LONGEST && long.chars().all(|c| c == '猫'));
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut names = Names::default();
        let given: Vec<String> = ["Cat", "cat", "CAT", "cat-2", "nul"]
            .iter()
            .map(|name| names.take(name, ""))
            .collect();
        assert_eq!(given, ["Cat", "cat-2", "CAT-3", "cat-2-2", "_nul"]);
        assert_eq!(names.take("a", ".png"), "a.png");
        assert_eq!(names.take("A", ".png"), "A-2.png");
    }
}

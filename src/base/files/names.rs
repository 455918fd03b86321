//! Portable names for files and folders that are made from names of users.
//!
//! A folder that is written here may be opened on another system: Windows gives some characters and words a special
//! meaning, and neither Windows nor macOS distinguishes `cat` from `Cat`.

use std::collections::HashSet;

/// Maximum bytes of a name; file systems allow 255, so about a hundred remain for endings and numbers.
const MAX_BYTES: usize = 150;

/// Returns whether Windows treats this path as a network share: two separators of either kind. Even looking at such a
/// path reveals the user to the other computer.
pub fn is_network_share(path: &str) -> bool {
    let mut start = path.trim_start().chars();
    let separator = |c: Option<char>| matches!(c, Some('/' | '\\'));
    let (first, second) = (start.next(), start.next());
    // `\??\UNC\server` is a share as well.
    separator(first) && (separator(second) || second == Some('?'))
}

/// Returns whether a place is on another computer: a share, a URL, or a folder that mounts a share when it is
/// accessed. Such a place in a file from someone else is not visited before the user has agreed.
pub fn is_remote(path: &str) -> bool {
    let is_below = |folder: &str| path.trim_start().starts_with(folder);
    is_network_share(path) || path.contains("://") || is_below("/net/") || is_below("/Network/")
}

/// Returns whether a word is a path rather than a name.
pub fn is_path(word: &str) -> bool {
    word.contains(['/', '\\'])
}

/// Returns whether Windows does not use a name as it is: it is a device name, whatever its ending, or ends with dots
/// or spaces, which Windows removes.
pub fn is_reserved(name: &str) -> bool {
    let name = name.to_uppercase();
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let number = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    let number = number.map(|rest| rest.chars().collect::<Vec<_>>());
    let numbered = matches!(number.as_deref(), Some(['0'..='9' | '¹' | '²' | '³']));
    numbered
        || ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem)
        || name.ends_with(['.', ' '])
}

/// Returns the name, changed where a system would not accept it.
pub fn to_portable(name: &str) -> String {
    let replace_char = |c: char| match c {
        '<' | '>' | ':' | '"' | '/' | '\\' | '|' | '?' | '*' => '_',
        c if c.is_control() => '_',
        c => c,
    };
    let mut out: String = name.chars().map(replace_char).collect();
    out.truncate(out.floor_char_boundary(MAX_BYTES));
    let trimmed_len = out.trim_end_matches(['.', ' ']).len();
    if trimmed_len < out.len() {
        let dots = out[trimmed_len..].chars().count();
        out.truncate(trimmed_len);
        out.extend(std::iter::repeat_n('_', dots));
    }
    // A leading dot would hide the file.
    if out.is_empty() || out.starts_with('.') || is_reserved(&out) {
        out.insert(0, '_');
    }
    out
}

/// Returns each name only once, ignoring case.
#[derive(Debug, Default)]
pub struct UniqueNames(HashSet<String>);

impl UniqueNames {
    /// Returns a portable name that was not reserved before: `name` with this suffix, or with a number before it.
    pub fn reserve(&mut self, name: &str, suffix: &str) -> String {
        let stem = to_portable(name);
        let numbered = (2u32..).map(|number| format!("{stem}-{number}{suffix}"));
        let mut all = std::iter::once(format!("{stem}{suffix}")).chain(numbered);
        // Memory is exhausted before the numbers are.
        let unused = all.find(|name| self.0.insert(name.to_lowercase()));
        unused.unwrap_or(stem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_reserved_windows_names() {
        for name in
            ["con.png", "NUL", "Com1.jpg", "lpt9.a.b", "aux .png", "a.png.", "a.png ", ".", ".."]
        {
            assert!(is_reserved(name), "{name}");
        }
        for name in ["cone.png", "com.png", "com10.png", "auxiliary", "猫.png", ".png"] {
            assert!(!is_reserved(name), "{name}");
        }
    }

    #[test]
    fn recognises_network_shares_with_any_separators() {
        for share in [r"\\server\x", "//server/x", r"\/server/x", r"/\server"] {
            assert!(is_network_share(share), "{share}");
        }
        assert!(is_network_share(r"\??\UNC\server\x") && is_remote(r"\\server"));
        for address in ["https://server/x", "smb://server", "/net/server/x"] {
            assert!(is_remote(address), "{address}");
        }
        for own in ["/home/x", r"C:\x", r"\x", "x//y", "", "/", "/network/x"] {
            assert!(!is_network_share(own) && !is_remote(own), "{own}");
        }
    }

    #[test]
    fn portable_names_are_valid_on_every_system() {
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
            let portable = to_portable(name);
            assert_eq!(portable, expected);
            assert!(!is_reserved(&portable), "{portable}");
        }
        let long = to_portable(&"猫".repeat(400));
        assert!(long.len() <= MAX_BYTES && long.chars().all(|c| c == '猫'));
    }

    #[test]
    fn reserve_returns_unique_names() {
        let mut names = UniqueNames::default();
        let reserved: Vec<String> = ["Cat", "cat", "CAT", "cat-2", "nul"]
            .iter()
            .map(|name| names.reserve(name, ""))
            .collect();
        assert_eq!(reserved, ["Cat", "cat-2", "CAT-3", "cat-2-2", "_nul"]);
        assert_eq!(names.reserve("a", ".png"), "a.png");
        assert_eq!(names.reserve("A", ".png"), "A-2.png");
    }
}

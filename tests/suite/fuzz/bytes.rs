//! Random mutations of bytes.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Longest input that is made.
const MAX_LENGTH: usize = 1 << 20;

/// Boundary values.
const BOUNDARY_VALUES: [u64; 22] = [
    0,
    1,
    2,
    7,
    8,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 32,
    1 << 40,
    (1 << 62) + 1,
    i64::MAX as u64,
    1 << 63,
    u64::MAX - 7,
    u64::MAX,
];

/// Boundary values as text, and some non-integers.
const BOUNDARY_TEXTS: [&str; 24] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "8",
    "16",
    "64",
    "255",
    "256",
    "1024",
    "65536",
    "1000000",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999999",
    "-9223372036854775808",
    "0.5",
    "1e-45",
    "1e308",
    "nan",
    "inf",
];

/// A random stream that depends on a target and a seed.
pub struct Dice(ChaCha8Rng);

impl Dice {
    pub fn new(target: &str, seed: u64) -> Self {
        let mix = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let target_hash = target.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
        Self(ChaCha8Rng::seed_from_u64(target_hash ^ seed))
    }

    /// A number below `count`; 0 if there is none.
    pub fn below(&mut self, count: usize) -> usize {
        (self.0.next_u64() % count.max(1) as u64) as usize
    }

    /// True once in this number of times.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    pub fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub fn byte(&mut self) -> u8 {
        self.0.next_u64() as u8
    }

    /// A boundary value, or a number near one.
    pub fn edge(&mut self) -> u64 {
        let edge = *self.choose(&BOUNDARY_VALUES);
        match self.below(4) {
            0 => edge.wrapping_sub(1),
            1 => edge.wrapping_add(1),
            2 => self.0.next_u64() >> self.below(64),
            _ => edge,
        }
    }

    /// A number as a text.
    pub fn number(&mut self) -> String {
        match self.below(4) {
            0 => self.edge().to_string(),
            1 => self.below(40).to_string(),
            _ => (*self.choose(&BOUNDARY_TEXTS)).to_owned(),
        }
    }

    /// A range of at most `max_length` bytes.
    fn range(&mut self, length: usize, max_length: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        let end = start + self.below(max_length.min(length - start) + 1);
        start..end
    }

    /// Some mutations of bytes; `words` are what the format is made of.
    pub fn mutate(&mut self, bytes: &mut Vec<u8>, words: &[&[u8]]) {
        let times = match self.below(3) {
            0 => 1,
            1 => 1 + self.below(4),
            _ => 1 + self.below(16),
        };
        for _ in 0..times {
            self.mutate_once(bytes, words);
        }
        bytes.truncate(MAX_LENGTH);
    }

    fn mutate_once(&mut self, bytes: &mut Vec<u8>, words: &[&[u8]]) {
        let length = bytes.len();
        match self.below(14) {
            0 if length > 0 => bytes[self.below(length)] ^= 1 << self.below(8),
            1 if length > 0 => {
                let at = self.below(length);
                bytes[at] = self.byte();
            }
            2 | 3 if length > 0 => self.overwrite_with_edge(bytes),
            4 if length > 0 => drop(bytes.drain(self.range(length, 64))),
            5 if length > 0 => {
                // Repeats a piece.
                let piece = bytes[self.range(length, 64)].to_vec();
                let times = 1 << self.below(10);
                let at = self.below(length);
                bytes.splice(at..at, piece.repeat(times));
            }
            6 if length > 0 && self.one_in(4) => bytes.truncate(self.below(length)),
            7 if length > 0 => {
                let range = self.range(length, 32);
                let filler = [0, 0xff, b'0', b' '][self.below(4)];
                bytes[range].fill(filler);
            }
            8 if length > 0 => {
                let piece = bytes[self.range(length, 256)].to_vec();
                let at = self.below(length);
                bytes.splice(at..at, piece);
            }
            9 => self.replace_number(bytes),
            10 if self.one_in(8) => {
                let at = self.below(length + 1);
                let run = vec![*self.choose(b"\0\xffa([{\"- .,\n"); 1 << self.below(17)];
                bytes.splice(at..at, run);
            }
            _ if !words.is_empty() => {
                let word = self.pick(words);
                let from = self.below(length + 1);
                let to = match self.one_in(2) {
                    true => from,
                    false => (from + word.len()).min(length),
                };
                bytes.splice(from..to, word.iter().copied());
            }
            _ => {
                let at = self.below(length + 1);
                bytes.insert(at, self.byte());
            }
        }
    }

    /// Overwrites 1, 2, 4 or 8 bytes by a boundary value, in either byte order.
    fn overwrite_with_edge(&mut self, bytes: &mut [u8]) {
        let (at, number) = (self.below(bytes.len()), self.edge());
        let width = (1 << self.below(4)).min(bytes.len() - at);
        let little = number.to_le_bytes();
        let mut field = little[..width].to_vec();
        if self.one_in(2) {
            field.reverse();
        }
        bytes[at..at + width].copy_from_slice(&field);
    }

    /// Replaces a number that is written out by another one.
    fn replace_number(&mut self, bytes: &mut Vec<u8>) {
        let first = self.below(bytes.len());
        let Some(start) = (first..bytes.len()).find(|&at| bytes[at].is_ascii_digit()) else {
            return;
        };
        let rest = bytes[start..].iter();
        let length = rest.take_while(|byte| byte.is_ascii_digit()).count();
        let number = self.number();
        bytes.splice(start..start + length, number.into_bytes());
    }

    /// One of several cases with one of its files mutated, or one file taken from another case.
    pub fn vary(&mut self, valid: &[super::Case], words: &[&[u8]]) -> super::Case {
        let mut case = self.choose(valid).clone();
        let names: Vec<String> = case.keys().cloned().collect();
        for _ in 0..1 + self.below(2) {
            let name = self.choose(&names);
            if self.one_in(40) {
                case.remove(name);
            } else if let Some(bytes) = case.get_mut(name) {
                self.mutate(bytes, words);
            }
        }
        case
    }
}

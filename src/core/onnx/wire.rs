//! Messages of protocol buffers: fields one behind the other, each with its number and kind.

/// A message in the making.
#[derive(Default)]
pub struct Message(Vec<u8>);

/// Kinds of fields: a number of any length, counted bytes, four bytes.
const VARINT: u64 = 0;
const COUNTED: u64 = 2;
const FOUR: u64 = 5;

impl Message {
    /// A whole number.
    pub fn int(&mut self, field: u64, number: i64) {
        self.varint(field << 3 | VARINT);
        self.varint(number as u64);
    }

    /// A number of 32 bits.
    pub fn float(&mut self, field: u64, number: f32) {
        self.varint(field << 3 | FOUR);
        self.0.extend(number.to_le_bytes());
    }

    /// A text.
    pub fn text(&mut self, field: u64, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    /// Bytes.
    pub fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | COUNTED);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    /// A message inside this one.
    pub fn message(&mut self, field: u64, inner: &Self) {
        self.bytes(field, &inner.0);
    }

    /// All fields of another one, too.
    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// As it is written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_those_of_the_protocols_own_examples() {
        let mut message = Message::default();
        message.int(1, 150);
        message.text(2, "testing");
        let wanted = b"\x08\x96\x01\x12\x07testing";
        assert_eq!(message.into_bytes(), wanted);
        let mut negative = Message::default();
        negative.int(1, -1);
        assert_eq!(negative.into_bytes().len(), 11);
    }
}

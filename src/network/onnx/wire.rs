//! Messages in the wire format of Protocol Buffers: a sequence of fields, each with its number and type.

/// A message under construction. Nesting messages does not copy the large arrays in them, because a network's weights
/// are most of the file.
#[derive(Default)]
pub struct Message {
    pieces: Vec<Piece>,
    length: usize,
}

/// A part of a message.
enum Piece {
    Bytes(Vec<u8>),
    Floats(Vec<f32>),
}

/// Wire types of fields: variable-length integer, length-delimited bytes, 32 bits.
const VARINT: u64 = 0;
const LENGTH_DELIMITED: u64 = 2;
const FIXED32: u64 = 5;

impl Message {
    /// Adds an integer field.
    pub fn int(&mut self, field: u64, number: i64) {
        self.varint(field << 3 | VARINT);
        self.varint(number as u64);
    }

    /// Adds a 32-bit float field.
    pub fn float(&mut self, field: u64, number: f32) {
        self.varint(field << 3 | FIXED32);
        self.add(&number.to_le_bytes());
    }

    /// Adds a string field.
    pub fn text(&mut self, field: u64, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    /// Adds a bytes field.
    pub fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | LENGTH_DELIMITED);
        self.varint(bytes.len() as u64);
        self.add(bytes);
    }

    /// Adds a bytes field with the bytes of 32-bit floats.
    pub fn floats(&mut self, field: u64, numbers: Vec<f32>) {
        self.varint(field << 3 | LENGTH_DELIMITED);
        self.varint(size_of_val(numbers.as_slice()) as u64);
        self.length += size_of_val(numbers.as_slice());
        self.pieces.push(Piece::Floats(numbers));
    }

    /// Adds a nested message.
    pub fn message(&mut self, field: u64, inner: Self) {
        self.varint(field << 3 | LENGTH_DELIMITED);
        self.varint(inner.length as u64);
        self.append(inner);
    }

    /// Appends all fields of another message.
    pub fn append(&mut self, other: Self) {
        for piece in other.pieces {
            match piece {
                Piece::Bytes(bytes) => self.add(&bytes),
                Piece::Floats(numbers) => {
                    self.length += size_of_val(numbers.as_slice());
                    self.pieces.push(Piece::Floats(numbers));
                }
            }
        }
    }

    /// Returns the bytes of the message. The memory of each part is freed after it is copied.
    pub fn into_bytes(self) -> Vec<u8> {
        let mut output = Vec::with_capacity(self.length);
        for piece in self.pieces {
            match piece {
                Piece::Bytes(bytes) => output.extend(bytes),
                Piece::Floats(numbers) => {
                    output.extend_from_slice(bytemuck::cast_slice(&numbers));
                }
            }
        }
        output
    }

    fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        match self.pieces.last_mut() {
            Some(Piece::Bytes(last)) => last.extend_from_slice(bytes),
            _ => self.pieces.push(Piece::Bytes(bytes.to_vec())),
        }
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.add(&[number as u8 | 0x80]);
            number >>= 7;
        }
        self.add(&[number as u8]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_match_protobuf_examples() {
        let mut message = Message::default();
        message.int(1, 150);
        message.text(2, "testing");
        let expected = b"\x08\x96\x01\x12\x07testing";
        assert_eq!(message.into_bytes(), expected);
        let mut outer = Message::default();
        let mut inner = Message::default();
        inner.floats(9, vec![1.0, -2.0]);
        inner.int(1, 150);
        outer.message(3, inner);
        outer.int(4, 1);
        let expected = b"\x1a\x0d\x4a\x08\x00\x00\x80\x3f\x00\x00\x00\xc0\x08\x96\x01\x20\x01";
        assert_eq!(outer.into_bytes(), expected);
        let mut negative = Message::default();
        negative.int(1, -1);
        assert_eq!(negative.into_bytes().len(), 11);
    }
}

//! Images of equal size in one block of memory: CIFAR's record files and the embedded datasets.

use std::borrow::Cow;
use std::fmt;

use image::RgbImage;

use crate::message;
use crate::problem::{Problem, Result};

/// The layout of a record's pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PixelLayout {
    /// One grey byte per pixel, row by row.
    Grey,
    /// Planes of red, green and blue bytes, each row by row (CIFAR).
    Planes,
}

/// Images of equal size with labels.
pub struct Records {
    /// Height of an image in pixels.
    pub height: usize,
    /// Width of an image in pixels.
    pub width: usize,
    /// Layout of an image's pixels.
    pub pixels: PixelLayout,
    /// Size of a record in bytes, including labels.
    pub stride: usize,
    /// Offset of the pixels within a record in bytes.
    pub offset: usize,
    /// All records.
    pub bytes: Cow<'static, [u8]>,
    /// The label of each record; `None` if it is unusable.
    pub labels: Vec<Option<u32>>,
    /// The name of each label.
    pub names: Vec<String>,
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Records({} of {}×{})", self.labels.len(), self.height, self.width)
    }
}

impl Records {
    /// Returns the path of an image inside the split, like in an image folder of these records.
    pub fn image_path(&self, index: u32) -> String {
        let label = self.labels.get(index as usize).copied().flatten();
        let class = label.and_then(|label| self.names.get(label as usize));
        format!("{}/{index:05}.png", class.map_or("", String::as_str))
    }

    /// Returns the bytes of an image's pixels; `None` if there is no such record.
    pub fn pixel_bytes(&self, index: u32) -> Option<&[u8]> {
        let channels = match self.pixels {
            PixelLayout::Grey => 1,
            PixelLayout::Planes => 3,
        };
        let start = index as usize * self.stride + self.offset;
        self.bytes.get(start..start + self.height * self.width * channels)
    }

    /// Returns an image as RGB; grey is copied to all three channels.
    ///
    /// # Errors
    /// Returns a Problem if there is no such record.
    pub fn decode(&self, index: u32) -> Result<RgbImage> {
        let missing = || Problem::new(message!("problem-no-record", index = index.to_string()));
        let raw = self.pixel_bytes(index).ok_or_else(missing)?;
        let plane = self.height * self.width;
        let mut rgb = vec![0; plane * 3];
        for (position, pixel) in rgb.chunks_exact_mut(3).enumerate() {
            match self.pixels {
                PixelLayout::Grey => pixel.fill(raw[position]),
                PixelLayout::Planes => {
                    for (channel, value) in pixel.iter_mut().enumerate() {
                        *value = raw[channel * plane + position];
                    }
                }
            }
        }
        RgbImage::from_raw(self.width as u32, self.height as u32, rgb).ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn decodes_planar_and_grey_records_to_rgb() {
        let planes = Records {
            height: 1,
            width: 2,
            pixels: PixelLayout::Planes,
            stride: 7,
            offset: 1,
            bytes: vec![9, 1, 2, 3, 4, 5, 6, 9, 7, 7, 8, 8, 9, 9].into(),
            labels: vec![Some(0), None],
            names: vec!["red".into()],
        };
        assert_eq!(planes.decode(0).unwrap().into_raw(), [1, 3, 5, 2, 4, 6]);
        assert!(planes.decode(2).is_err());
        assert_eq!(planes.image_path(0), "red/00000.png");
        let grey = Records {
            height: 1,
            width: 1,
            pixels: PixelLayout::Grey,
            stride: 1,
            offset: 0,
            bytes: vec![5].into(),
            labels: vec![Some(0)],
            names: vec!["a".into()],
        };
        assert_eq!(grey.decode(0).unwrap().into_raw(), [5, 5, 5]);
    }
}

//! CIFAR's files, lists and tables next to images, and images.

use std::io::Cursor;
use std::path::Path;

use image::{DynamicImage, ImageFormat, RgbImage};
use lae_studio::data::{Dataset, OpenOptions, decode_image_file, image_size};

use super::bytes::Dice;
use super::{Case, Target, fuzz, single_file_case};

/// Memory that the image of a small file may use, as docs/reliability.md promises.
const MAX_IMAGE_BYTES: usize = 768 << 20;

fn can_open(folder: &Path) -> bool {
    let options = OpenOptions { unpack_to: Some(folder.join("cache")), ..OpenOptions::default() };
    let opened = Dataset::open(folder.to_str().unwrap(), &options);
    let Ok(data) = opened else { return false };
    // What was opened can be shown, numbered and decoded.
    let _ = (data.summary(), data.fingerprints());
    for sample in data.train.iter().chain(&data.test).take(8) {
        let _ = (sample.name(), sample.decode());
    }
    true
}

/// A pickled string.
fn pickle_string(text: &str) -> Vec<u8> {
    [b"U", &[text.len() as u8][..], text.as_bytes()].concat()
}

/// CIFAR-10 as pickles, with this number of images a file.
fn cifar_case(images: usize) -> Case {
    let mut meta = [b"\x80\x02}(", &pickle_string("label_names")[..], b"]("].concat();
    (0..10).for_each(|class| meta.extend(pickle_string(&format!("class {class}"))));
    meta.extend(b"eu.");
    let mut batch = [b"\x80\x02}(", &pickle_string("labels")[..], b"]("].concat();
    (0..images).for_each(|image| batch.extend([b'K', (image % 2) as u8]));
    batch.extend(b"e");
    batch.extend(pickle_string("data"));
    // As NumPy writes it: a constructor call and its state.
    batch.extend(
        b"cnumpy.core.multiarray\n_reconstruct\nq\x01cnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01",
    );
    batch.extend(b"NN\x89T");
    batch.extend(((images * 3072) as u32).to_le_bytes());
    batch.extend((0..images * 3072).map(|byte| (byte * 7 % 251) as u8));
    batch.extend(b"tbu.");
    let mut case =
        Case::from([("batches.meta".into(), meta), ("test_batch".into(), batch.clone())]);
    case.insert("data_batch_1".into(), batch);
    case
}

const PICKLE_TOKENS: &[&[u8]] = &[
    b"(",
    b")",
    b"]",
    b"}",
    b".",
    b"0",
    b"N",
    b"\x88",
    b"\x89",
    b"G\0\0\0\0\0\0\0\0",
    b"K\x05",
    b"M\x01\x00",
    b"J\xff\xff\xff\xff",
    b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"I12\n",
    b"L12L\n",
    b"U\x01a",
    b"T\xff\xff\xff\xff",
    b"X\x04\0\0\0data",
    b"\x8c\x01a",
    b"\x8d\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\x96\0\0\0\0\0\0\0\x10",
    b"S'a'\n",
    b"V\n",
    b"S\n",
    b"l",
    b"t",
    b"d",
    b"\x85",
    b"\x86",
    b"\x87",
    b"a",
    b"s",
    b"e",
    b"u",
    b"q\x01",
    b"r\x01\0\0\0",
    b"p1\n",
    b"\x94",
    b"h\x01",
    b"j\x01\0\0\0",
    b"g1\n",
    b"cos\nsystem\n",
    b"\x93",
    b"R",
    b"\x81",
    b"b",
    b"\x95\0\0\0\0\0\0\0\0",
    b"\x80\x05",
    b"labels",
    b"data",
    b"label_names",
];

struct Pickles;

impl Target for Pickles {
    const NAME: &'static str = "pickles";

    fn valid_cases(&self) -> Vec<Case> {
        vec![cifar_case(20)]
    }

    fn generate(&self, _: &[Case], dice: &mut Dice) -> Case {
        // Few pixels, so that instructions are hit.
        let small = cifar_case(dice.below(2) * 2);
        dice.vary(&[small], PICKLE_TOKENS)
    }

    fn read(&self, folder: &Path) -> bool {
        can_open(folder)
    }
}

fn tiny_png(number: u8) -> Vec<u8> {
    encode_image(
        &RgbImage::from_pixel(3, 3, image::Rgb([number * 20, 5, 9])).into(),
        ImageFormat::Png,
    )
}

fn encode_image(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

const LIST_TOKENS: &[&[u8]] = &[
    b"0.png",
    b"p/1.png",
    b"../0.png",
    b"/etc/passwd",
    b"p\\2.png",
    b"\"",
    b"\"\"",
    b"'",
    b",",
    b";",
    b"\t",
    b"\n",
    b"\r",
    b"\r\n",
    b"file,label\n",
    b"id\tclass\tsplit\n",
    b"train",
    b"test",
    b"val",
    b"cat",
    b"#",
    b"data:\n- ",
    b"targets:\n- ",
    b"- 0\n",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\0",
    b"0.png 1\n",
    b"n01443537_0.JPEG\tn01443537\t0\t32\t44\t62\n",
    b"./",
    b"//",
    b"....",
];

struct Lists;

impl Target for Lists {
    const NAME: &'static str = "lists";

    fn valid_cases(&self) -> Vec<Case> {
        let image_case = |start: u8, folder: &str, texts: &[(&str, &str)]| -> Case {
            let image_file = |i: u8| (format!("{folder}{i}.png"), tiny_png(start + i));
            let texts = texts.iter().map(|(name, text)| ((*name).into(), (*text).into()));
            (0..6).map(image_file).chain(texts).collect()
        };
        let lines = "p/0.png 0\np/1.png 0\np/2.png 1\np/3.png 1\n";
        let table = "file,label,split\n0.png,cat,train\n1.png,cat,train\n2.png,dog,train\n3.png,dog,test\n4.png,cat,test\n";
        let pairs = "data:\n- p/0.png\n- p/1.png\n- p/2.png\ntargets:\n- 0\n- 1\n- 1\n";
        let mut annotated = image_case(
            6,
            "val/images/",
            &[(
                "val/val_annotations.txt",
                "0.png\tp\t0\t0\t3\t3\n1.png\tq\t0\t0\t3\t3\n2.png\tq\t0\t0\t3\t3\n",
            )],
        );
        for (number, class) in [(0, "p"), (1, "p"), (2, "q"), (3, "q")] {
            annotated.insert(format!("train/{class}/{number}.png"), tiny_png(number));
        }
        vec![
            image_case(
                0,
                "p/",
                &[("train_list.txt", lines), ("val_list.txt", "p/4.png 0\np/5.png 1\n")],
            ),
            image_case(0, "", &[("labels.csv", table)]),
            image_case(0, "", &[("labels.tsv", &table.replace(',', "\t"))]),
            image_case(0, "p/", &[("train.yaml", pairs)]),
            annotated,
        ]
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        let mut case = dice.choose(valid).clone();
        let lists = case.iter_mut().filter(|(name, _)| !name.ends_with(".png"));
        for (_, bytes) in lists {
            dice.mutate(bytes, LIST_TOKENS);
        }
        case
    }

    fn read(&self, folder: &Path) -> bool {
        can_open(folder)
    }
}

struct Images;

const FORMATS: [(ImageFormat, &str); 6] = [
    (ImageFormat::Png, "png"),
    (ImageFormat::Jpeg, "jpg"),
    (ImageFormat::Gif, "gif"),
    (ImageFormat::Bmp, "bmp"),
    (ImageFormat::Tiff, "tif"),
    (ImageFormat::WebP, "webp"),
];

impl Target for Images {
    const NAME: &'static str = "pictures";

    fn valid_cases(&self) -> Vec<Case> {
        let colours =
            RgbImage::from_fn(20, 15, |x, y| image::Rgb([x as u8 * 12, y as u8 * 16, 90]));
        let colours = DynamicImage::from(colours);
        let other = [
            (DynamicImage::from(colours.to_rgba8()), ImageFormat::Png),
            (DynamicImage::from(colours.to_luma16()), ImageFormat::Png),
            (DynamicImage::from(colours.to_luma8()), ImageFormat::Tiff),
            (DynamicImage::from(colours.to_rgba16()), ImageFormat::Tiff),
            (DynamicImage::from(colours.to_rgba8()), ImageFormat::Bmp),
            (DynamicImage::from(colours.to_luma8()), ImageFormat::Jpeg),
        ];
        let plain = FORMATS.map(|(format, _)| (colours.clone(), format));
        let images = plain.into_iter().chain(other);
        images
            .map(|(picture, format)| single_file_case("picture", encode_image(&picture, format)))
            .collect()
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        const WORDS: &[&[u8]] = &[
            b"\xff\xd8",
            b"\xff\xd9",
            b"\xff\xda",
            b"\xff\xc0",
            b"\xff\xc2",
            b"\xff\xc4",
            b"\xff\xdb",
            b"\xff\xdd\0\x04\0\x01",
            b"\xff\xe1",
            b"Exif\0\0II*\0",
            b"IHDR",
            b"IDAT",
            b"PLTE",
            b"tRNS",
            b"acTL",
            b"fcTL",
            b"fdAT",
            b"iCCP",
            b"eXIf",
            b"zTXt",
            b"iTXt",
            b"VP8 ",
            b"VP8L",
            b"VP8X",
            b"ANIM",
            b"ANMF",
            b"ALPH",
            b"RIFF",
            b"GIF89a",
            b"\x21\xf9\x04",
            b"\x21\xff\x0bNETSCAPE2.0",
            b"\x2c",
            b"\x3b",
            b"MM\0*",
            b"II*\0",
            b"BM",
            b"\x01\x00\x20\x00",
        ];
        let mut case = dice.vary(valid, WORDS);
        if let Some(bytes) = case.get_mut("picture")
            && !dice.one_in(4)
        {
            fix_png_checksums(bytes);
        }
        case
    }

    fn read(&self, folder: &Path) -> bool {
        let path = folder.join("picture");
        let _ = image_size(&path);
        decode_image_file(&path, 12).is_ok()
    }

    /// An image of one colour is far smaller than its pixels; these are bounded by themselves.
    fn extra_bytes(&self, case: &Case) -> usize {
        let bytes = case.get("picture").map_or(&[][..], Vec::as_slice);
        let reader = image::ImageReader::new(Cursor::new(bytes)).with_guessed_format();
        let dimensions = reader.ok().and_then(|reader| reader.into_dimensions().ok());
        let (width, height) = dimensions.unwrap_or_default();
        let pixels = u64::from(width) * u64::from(height);
        // As stored, turned, and as RGB; what any image of a small file may take.
        (pixels.min(100_000_000) as usize * 24).min(MAX_IMAGE_BYTES)
    }
}

/// Corrects the checksums of a PNG's chunks.
fn fix_png_checksums(bytes: &mut [u8]) {
    if !bytes.starts_with(b"\x89PNG") {
        return;
    }
    let mut offset = 8;
    while let Some(head) = bytes.get(offset..offset + 8) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let end = offset.saturating_add(8).saturating_add(length);
        if end.saturating_add(4) > bytes.len() {
            return;
        }
        let mut sum = flate2::Crc::new();
        sum.update(&bytes[offset + 4..end]);
        bytes[end..end + 4].copy_from_slice(&sum.sum().to_be_bytes());
        offset = end + 4;
    }
}

#[test]
fn fuzz_pickles() {
    fuzz(Pickles);
}

#[test]
fn fuzz_lists() {
    fuzz(Lists);
}

#[test]
fn fuzz_images() {
    fuzz(Images);
}

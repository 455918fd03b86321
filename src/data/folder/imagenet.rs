//! ImageNet as it is downloaded: class folders for training, and a table for the validation images.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::dataset_root::no_classes_problem;
use super::not_classes;
use crate::lists::{self, ListChoice};
use crate::problem::Result;
use crate::reader::Reader;
use crate::roles::Role;
use crate::tree::Tree;
use crate::{OpenOptions, ProgressReporter, RawDataset};

/// Path of the folder with the images in the download.
const IMAGES_PATH: &str = "ILSVRC/Data/CLS-LOC";
/// Name of the table with the classes of the validation images.
const ANSWERS: &str = "LOC_val_solution.csv";
/// Name of the table with the words for each class folder.
const WORDS: &str = "LOC_synset_mapping.txt";

/// A download of ImageNet (ILSVRC 2012).
pub(super) struct Download {
    root: PathBuf,
    images: PathBuf,
}

impl Download {
    /// Returns the download that contains a folder. The folder may be the one with the tables, one between it and the
    /// images, or a split.
    pub fn find_around(path: &Path, choice: Option<ListChoice>) -> Option<Self> {
        let downloads = path
            .ancestors()
            .take(5)
            .map(|root| Self { images: root.join(IMAGES_PATH), root: root.to_path_buf() });
        downloads.into_iter().find(|download| {
            let has = |table| download.root.join(table).is_file();
            let images = &download.images;
            (images.starts_with(path) || path.parent() == Some(images))
                && choice.is_none_or(|choice| choice.path == download.root.join(ANSWERS))
                && (has(ANSWERS) || has(WORDS))
                && images.join("train").is_dir()
        })
    }

    /// Reads the images without their annotations, with a title for each class.
    ///
    /// # Errors
    /// Returns a Problem if there are no classes, or a folder or table cannot be read.
    pub fn open(self, options: &OpenOptions, progress: &ProgressReporter) -> Result<RawDataset> {
        let tree = Tree::walk(&self.images, progress)?;
        let mut reader = Reader::new(&tree, options);
        let mut found = match self.read_by_answers(&mut reader)? {
            Some(found) => reader.finish(0, found),
            None => reader.read_dataset(None, options)?.ok_or_else(|| no_classes_problem(&tree))?,
        };
        let words = self.root.join(WORDS);
        if words.is_file() {
            found.titles = titles(&lists::read_list_text(&words)?);
        }
        found.name = "ImageNet".into();
        found.root = self.root;
        found.skipped.extend(tree.skipped);
        Ok(found)
    }

    /// Returns the class folders as the training split and the images in the table as the test split; `None` if there is
    /// no table, or it lists none of the images.
    fn read_by_answers(&self, reader: &mut Reader) -> Result<Option<RawDataset>> {
        let (tree, answers) = (reader.tree, self.root.join(ANSWERS));
        let mut roles = not_classes::find_split_folders(tree, 0)?;
        let splits = (roles.remove(&Role::Train), roles.remove(&Role::Validation));
        let (Some(train), Some(test)) = splits else {
            return Ok(None);
        };
        if tree.dirs[test].images.is_empty() || !answers.is_file() {
            return Ok(None);
        }
        let (train, skipped) = reader.read_class_folders(train);
        let Some(test) = lists::read_imagenet(reader, test, answers)? else {
            return Ok(None);
        };
        for dir in roles.into_values() {
            reader.add_unused_remark(dir);
        }
        Ok(Some(RawDataset { train, test: Some(test), skipped, ..RawDataset::default() }))
    }
}

/// Returns the first word for each class folder; with the folder's name if two have the same one.
fn titles(text: &str) -> HashMap<String, String> {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let words = lines.map(|(folder, words)| {
        let first = words.split(',').next().unwrap_or_default();
        (folder, first.trim())
    });
    let words: Vec<(&str, &str)> = words.filter(|(_, word)| !word.is_empty()).collect();
    let mut seen = HashSet::new();
    let repeated = words.iter().map(|(_, word)| *word);
    let repeated: HashSet<&str> = repeated.filter(|word| !seen.insert(*word)).collect();
    let title = |(folder, word): (&str, &str)| match repeated.contains(word) {
        true => (folder.to_owned(), format!("{word} ({folder})")),
        false => (folder.to_owned(), word.to_owned()),
    };
    words.into_iter().map(title).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dataset, Sample};

    #[test]
    fn opens_imagenet_with_validation_split_and_class_titles() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let images = root.join(IMAGES_PATH);
        let write_image = |name: &str, shade: u8| {
            let path = images.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let image = image::RgbImage::from_pixel(2, 2, image::Rgb([shade; 3]));
            image.save_with_format(path, image::ImageFormat::Png).unwrap();
        };
        let folders = ["n01440764", "n02012849", "n03126707"];
        let mut answers = String::from("ImageId,PredictionString\n");
        for (folder, shade) in folders.iter().zip([10, 60, 110]) {
            for n in 0..3 {
                write_image(&format!("train/{folder}/{folder}_{n}.JPEG"), shade + n);
            }
            let name = format!("ILSVRC2012_val_{shade:08}");
            write_image(&format!("val/{name}.JPEG"), shade + 5);
            let line = format!("{name},{folder} 1 2 30 40 {folder} 5 6 7 8 \n");
            answers.push_str(&line);
        }
        write_image("test/ILSVRC2012_test_00000001.JPEG", 200);
        // The table of the training images lists only images with boxes.
        let boxes = "ImageId,PredictionString\nn01440764_0,n01440764 1 2 3 4\n";
        let words = "n01440764 tench, Tinca tinca\nn02012849 crane\nn03126707 crane\n";
        for (name, text) in [
            (ANSWERS, answers.as_str()),
            ("LOC_train_solution.csv", boxes),
            (WORDS, words),
            ("ILSVRC/Annotations/CLS-LOC/val/1.xml", "<xml/>"),
        ] {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let open =
            |path: PathBuf| Dataset::open(path.to_str().unwrap(), &OpenOptions::default()).unwrap();
        let titles = ["tench", "crane (n02012849)", "crane (n03126707)"];
        for path in ["", "ILSVRC", IMAGES_PATH, "ILSVRC/Data/CLS-LOC/val", ANSWERS] {
            let data = open(root.join(path));
            assert_eq!(data.classes, titles, "{path}");
            let tests: Vec<u32> = data.test.iter().map(|sample| sample.class).collect();
            assert_eq!((data.train.len(), tests), (9, vec![0, 1, 2]), "{path}");
            assert!(data.skipped.is_empty() && !data.test_drawn);
            let names: Vec<String> = data.train[..1].iter().map(Sample::name).collect();
            assert_eq!(names, ["n01440764/n01440764_0.JPEG"]);
        }
        // Without the table there is no test split, but the titles are the same.
        std::fs::remove_file(root.join(ANSWERS)).unwrap();
        let data = open(root.to_path_buf());
        assert!(data.test_drawn && data.classes == titles);
    }
}

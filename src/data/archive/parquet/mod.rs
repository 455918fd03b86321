//! Parquet files with images, as on the Hugging Face hub: a column of image files, and further columns such as the label.

mod pages;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use parquet::schema::types::Type;
use serde_json::Value;

use super::shards::{SampleTable, TABLE, shard_folder, shard_role};
use super::unpack::Unpacker;
use crate::files;
use crate::image_file::usual_extension;
use crate::message;
use crate::problem::{Problem, Result};
use pages::CheckedPages;

/// The part of a column with images that contains their files.
const BYTES_FIELD: &str = "bytes";
/// Number of rows read at once; each contains an image.
const BATCH_ROWS: usize = 16;
/// Maximum length of a cell of the table.
const MAX_CELL_CHARS: usize = 200;

/// The columns to read.
struct Columns {
    image: Arc<Type>,
    cells: Vec<Arc<Type>>,
}

impl Columns {
    /// Finds the first column of images, and those of texts and whole numbers.
    fn from_schema(schema: &Type) -> Option<Self> {
        let physical = |column: &Type| column.is_primitive().then(|| column.get_physical_type());
        let is_text =
            |column: &Type| column.get_basic_info().converted_type() == ConvertedType::UTF8;
        let is_file =
            |column: &Type| physical(column) == Some(Physical::BYTE_ARRAY) && !is_text(column);
        let is_image = |column: &Type| match column.is_group() {
            true => {
                column.get_fields().iter().any(|part| part.name() == BYTES_FIELD && is_file(part))
            }
            false => is_file(column),
        };
        let is_cell = |column: &Type| match physical(column) {
            Some(Physical::BYTE_ARRAY) => is_text(column),
            Some(Physical::BOOLEAN | Physical::INT32 | Physical::INT64) => true,
            _ => false,
        };
        let columns = schema.get_fields().iter();
        let single = columns.filter(|column| {
            let info = column.get_basic_info();
            info.has_repetition() && info.repetition() != Repetition::REPEATED
        });
        let image = single.clone().find(|column| is_image(column))?;
        let cells = single.filter(|column| is_cell(column));
        Some(Self { image: image.clone(), cells: cells.cloned().collect() })
    }

    /// Returns the schema with these columns only.
    fn projected_schema(&self, full: &Type) -> std::result::Result<Type, ParquetError> {
        let is_selected = |column: &&Arc<Type>| {
            let is_same = |other: &Arc<Type>| Arc::ptr_eq(column, other);
            is_same(&self.image) || self.cells.iter().any(is_same)
        };
        let columns = full.get_fields().iter().filter(is_selected).cloned();
        Type::group_type_builder(full.name()).with_fields(columns.collect()).build()
    }

    fn image_bytes<'r>(&self, row: &'r Row) -> Option<&'r [u8]> {
        let to_bytes = |field: &'r Field| match field {
            Field::Bytes(bytes) => Some(bytes.data()),
            _ => None,
        };
        let mut fields = row.get_column_iter();
        let (_, field) = fields.find(|(name, _)| *name == self.image.name())?;
        match field {
            Field::Group(parts) => {
                let mut parts = parts.get_column_iter();
                to_bytes(parts.find(|(name, _)| *name == BYTES_FIELD)?.1)
            }
            field => to_bytes(field),
        }
    }
}

/// Returns the names of the classes of each column, as the `datasets` package stores them.
fn class_names(metadata: &ParquetMetaData) -> HashMap<String, Vec<String>> {
    let pairs = metadata.file_metadata().key_value_metadata();
    let stored = pairs.and_then(|pairs| pairs.iter().find(|pair| pair.key == "huggingface"));
    let stored = stored.and_then(|pair| serde_json::from_str(pair.value.as_deref()?).ok());
    let stored: Value = stored.unwrap_or_default();
    let Some(features) = stored.pointer("/info/features").and_then(Value::as_object) else {
        return HashMap::new();
    };
    let names = features.iter().filter_map(|(column, feature)| {
        let names = feature.get("names")?.as_array()?.iter();
        let names = names.map(|name| name.as_str().map(str::to_owned));
        Some((column.clone(), names.collect::<Option<_>>()?))
    });
    names.collect()
}

/// Returns the text of a cell; numbers of classes are replaced by their names.
fn cell_text(field: &Field, names: Option<&Vec<String>>) -> String {
    let number = match field {
        Field::Null => return String::new(),
        Field::Str(text) => return text.chars().take(MAX_CELL_CHARS).collect(),
        other => other.to_string(),
    };
    let Some(names) = names else { return number };
    // Images without a class have the number −1, which gives an empty cell.
    let name = number.parse().ok().and_then(|at: usize| names.get(at));
    name.cloned().unwrap_or_default()
}

/// Calls a function of the Parquet reader, and converts its panics on damaged files into errors.
fn catch_panics<T>(
    read: impl FnOnce() -> std::result::Result<T, ParquetError>,
) -> std::result::Result<T, ParquetError> {
    let panicked = |_| Err(ParquetError::General("its reader failed".into()));
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(panicked)
}

impl<'a> Unpacker<'a> {
    /// Unpacks the images of all files, with a table of the other columns.
    pub fn unpack_parquet(&mut self, root: &'a Path, shards: &'a [PathBuf]) -> Result<()> {
        let mut samples = SampleTable { columns: Vec::new(), rows: Vec::new() };
        for shard in shards {
            self.archive = shard;
            self.unpack_parquet_file(&shard_folder(shard, root), &mut samples)?;
        }
        let remark = message!("remark-shards", form = "Parquet", table = TABLE);
        self.remarks.push(remark.into());
        samples.write(self.output)
    }

    fn unpack_parquet_file(&mut self, folder: &Path, samples: &mut SampleTable) -> Result<()> {
        let path = self.archive;
        let file =
            files::open(path).map_err(|error| Problem::io("open the archive", path, &error))?;
        let reader = catch_panics(|| SerializedFileReader::new(CheckedPages(file)));
        let reader = reader.map_err(|error| self.damaged(&error))?;
        let metadata = reader.metadata();
        let schema = metadata.file_metadata().schema();
        let columns = Columns::from_schema(schema).ok_or_else(|| {
            Problem::new(message!("problem-parquet-without-images"))
                .at_path(path)
                .advise(message!("advice-datasets-to-folders"))
        })?;
        self.check_compression(metadata)?;
        let names = class_names(metadata);
        if samples.columns.is_empty() {
            let columns = columns.cells.iter().map(|column| column.name().to_owned());
            samples.columns = columns.collect();
        }
        let rows = catch_panics(|| reader.get_row_iter(Some(columns.projected_schema(schema)?)));
        let mut rows = rows.map_err(|error| self.damaged(&error))?.with_batch_size(BATCH_ROWS);
        let role = shard_role(folder);
        let mut number = 0;
        while let Some(row) =
            catch_panics(|| rows.next().transpose()).map_err(|error| self.damaged(&error))?
        {
            number += 1;
            let bytes = columns.image_bytes(&row).unwrap_or_default();
            self.count_entry(bytes.len() as u64)?;
            let image = folder.join(format!("{number:07}"));
            let extension = match usual_extension(bytes) {
                Ok(extension) => extension,
                Err(problem) => {
                    self.skip(&image, problem.what_text());
                    continue;
                }
            };
            let image = image.with_extension(extension);
            if !self.write_file(&image, &mut &*bytes)? {
                continue;
            }
            let field = |column: &String| {
                let mut fields = row.get_column_iter();
                let field = fields.find(|(name, _)| *name == column);
                field.map_or_else(String::new, |(_, field)| cell_text(field, names.get(column)))
            };
            let cells = samples.columns.iter().map(field).collect();
            samples.rows.push((image, role, cells));
        }
        Ok(())
    }

    fn check_compression(&self, metadata: &ParquetMetaData) -> Result<()> {
        let groups = metadata.row_groups().iter();
        let codecs =
            groups.flat_map(|group| group.columns().iter().map(ColumnChunkMetaData::compression));
        let is_supported =
            |codec: &Compression| matches!(codec, Compression::UNCOMPRESSED | Compression::SNAPPY);
        let mut others = codecs.filter(|codec| !is_supported(codec));
        others.next().map_or(Ok(()), |codec| {
            let codec = codec.to_string();
            let name = codec.split('(').next().unwrap_or_default().to_owned();
            Err(Problem::new(message!("problem-parquet-compression", codec = name))
                .at_path(self.archive)
                .advise(message!("advice-datasets-to-folders")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dataset, OpenOptions};

    /// Copies files written by `tests/small_parquet.py`.
    fn copy_fixtures(folder: &Path, names: &[&str]) {
        let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/parquet");
        std::fs::create_dir_all(folder).unwrap();
        for name in names {
            std::fs::copy(files.join(name), folder.join(name)).unwrap();
        }
    }

    fn open(path: &Path) -> Result<Dataset> {
        let cache = tempfile::tempdir().unwrap();
        let options =
            OpenOptions { unpack_to: Some(cache.path().into()), ..OpenOptions::default() };
        Dataset::open(path.to_str().unwrap(), &options)
    }

    #[test]
    fn opens_hub_files_with_classes_and_splits() {
        let root = tempfile::tempdir().unwrap();
        let data = root.path().join("data");
        let names = ["train-00000-of-00002", "train-00001-of-00002", "test-00000-of-00001"];
        copy_fixtures(
            &data,
            &names.map(|name| format!("{name}.parquet")).each_ref().map(String::as_str),
        );
        std::fs::write(root.path().join("README.md"), "# Animals\n").unwrap();
        let opened = open(root.path()).unwrap();
        assert_eq!(opened.classes, ["Dog", "cat"]);
        assert_eq!((opened.train.len(), opened.test.len()), (12, 4));
        assert!(!opened.test_drawn && opened.skipped.is_empty());
        assert_eq!(opened.train[0].name(), "data/train-00000-of-00002/0000002.png");
    }

    #[test]
    fn opens_single_file_and_rejects_unsupported_compression() {
        let root = tempfile::tempdir().unwrap();
        copy_fixtures(root.path(), &["plain.parquet", "zstd.parquet"]);
        let data = open(&root.path().join("plain.parquet")).unwrap();
        assert_eq!(
            (data.classes, data.name),
            (vec!["bird 0".into(), "bird 1".into()], "plain".into())
        );
        assert_eq!((data.train.len(), data.test.len()), (8, 2));
        let problem = open(&root.path().join("zstd.parquet")).unwrap_err();
        assert!(
            problem.is("problem-parquet-compression") && problem.what.contains("ZSTD"),
            "{problem}"
        );
    }

    #[test]
    fn rejects_truncated_and_survives_corrupted_files() {
        let root = tempfile::tempdir().unwrap();
        copy_fixtures(root.path(), &["plain.parquet"]);
        let path = root.path().join("plain.parquet");
        let file = std::fs::read(&path).unwrap();
        for at in (4..file.len()).step_by(61) {
            let mut bytes = file.clone();
            bytes[at] ^= 0x55;
            std::fs::write(&path, &bytes).unwrap();
            let _ = open(&path);
            std::fs::write(&path, &file[..at]).unwrap();
            assert!(open(&path).is_err(), "cut to {at}");
        }
    }
}

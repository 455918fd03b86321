//! PyTorch files that ask for far more memory than they have bytes.

use std::io::Write;
use std::path::Path;

use lae_studio::backbone::weights;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use crate::assert_is;

/// Returns the error message for a file of these bytes, which must be rejected as unusable.
fn rejection_message(path: &Path, bytes: &[u8]) -> String {
    std::fs::write(path, bytes).unwrap();
    let Err(problem) = weights::open(path) else {
        panic!("{} is accepted", path.display());
    };
    assert_is(&problem, "problem-weight-file-unusable");
    problem.what
}

/// A ZIP with these entries, deflated.
fn zip_entries(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let deflated = zip::CompressionMethod::Deflated;
        let options = SimpleFileOptions::default().compression_method(deflated);
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A pickle that pushes `None` again and again.
fn none_pickle(count: usize) -> Vec<u8> {
    let mut bytes = b"\x80\x02".to_vec();
    bytes.resize(count + 2, b'N');
    bytes.push(b'.');
    bytes
}

#[test]
fn rejects_oversized_pickles() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("weights.pth");
    let long = none_pickle(5 << 20);
    let message = rejection_message(&path, &zip_entries(&[("m/data.pkl", &long)]));
    assert!(message.contains("4 MB"), "{message}");
    let texts = [("m/data.pkl", b"\x80\x02}.".as_slice()), ("m/version", &long)];
    let message = rejection_message(&path, &zip_entries(&texts));
    assert!(message.contains("4 MB"), "{message}");
    assert!(rejection_message(&path, &long).contains("without tensors"));
    // The format before 2020: a magic number, then pickles one after the other.
    let mut older = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.".to_vec();
    older.extend(b"\x80\x02M\xe9\x03.\x80\x02}.");
    let message = rejection_message(&path, &[&older, long.as_slice()].concat());
    assert!(message.contains("4 MB"), "{message}");
    let message = rejection_message(&path, &[older.as_slice(), b"\x80\x02}"].concat());
    assert!(message.contains("damaged"), "{message}");
}

#[test]
fn rejects_zero_stride_tensor_views() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("weights.pth");
    let mut pickle = b"\x80\x02}X\x01\x00\x00\x00actorch._utils\n_rebuild_tensor_v2\n(".to_vec();
    pickle.extend(b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x01tQ");
    pickle.extend(b"K\x00(J\x00\x00\x01\x00J\x00\x40\x00\x00t(K\x00K\x00t");
    pickle.extend(b"\x89ccollections\nOrderedDict\n)RtRs.");
    let bytes = zip_entries(&[("m/data.pkl", &pickle), ("m/data/0", &[0; 4])]);
    let message = rejection_message(&path, &bytes);
    assert!(message.contains("4294967296 bytes"), "{message}");
}

#[test]
fn rejects_pytorch_archives_before_2017() {
    let folder = TempDir::new().unwrap();
    let mut tar = b"sys_info".to_vec();
    tar.resize(257, 0);
    tar.extend(b"ustar\x0000");
    tar.resize(2048, 0);
    let message = rejection_message(&folder.path().join("weights.pth"), &tar);
    assert!(message.contains("2017"), "{message}");
}

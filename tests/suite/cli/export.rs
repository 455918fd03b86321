//! What `export` writes, as far as it can be checked without PyTorch; `tests/export_check.py` checks it with the real
//! libraries.

use std::collections::BTreeSet;
use std::process::Command;

use lae_studio::tensors::{self, Named};

use super::*;

fn exported(format: &str, more: &[&str]) -> (tempfile::TempDir, PathBuf) {
    exported_from(finished(), format, more)
}

fn exported_from(
    (runs, summary): (&Path, &Value),
    format: &str,
    more: &[&str],
) -> (tempfile::TempDir, PathBuf) {
    let work = tempfile::tempdir().unwrap();
    let to = work.path().join("model");
    let place = to.display().to_string();
    let run_name = summary["run"].as_str().unwrap();
    let words = ["export", run_name, "--format", format, "--to", &place];
    let output = run(&[&words, more].concat(), runs);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    (work, to)
}

fn tensors_of(path: &Path) -> Named {
    tensors::load(path, "read it").unwrap().0
}

#[test]
fn torch_export_is_complete_and_parses_as_python() {
    let (_work, to) = exported("torch", &[]);
    let names: BTreeSet<String> = std::fs::read_dir(&to)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let wanted = [
        "README.md",
        "check.safetensors",
        "classes.json",
        "model.py",
        "preprocessing.json",
        "weights.safetensors",
    ];
    assert_eq!(names, wanted.map(String::from).into());
    let weights = tensors_of(&to.join("weights.safetensors"));
    let shape = |name: &str| weights[name].shape.clone();
    let width = shape("network.cls_token")[2];
    assert_eq!(shape("head.weight"), [10, width]);
    assert_eq!(shape("head.bias"), [10]);
    for expert in ["online", "offline"] {
        assert_eq!(shape(&format!("pets.{expert}.0.down")), [width, 5]);
        assert_eq!(shape(&format!("pets.{expert}.0.s")), [1, 1]);
    }
    let text = std::fs::read_to_string(to.join("model.py")).unwrap();
    // The file declares each parameter once and contains the equation.
    let made = text.matches("self.down = nn.Parameter").count();
    assert_eq!(made, 1);
    let equation = "return h + self.s * (gelu(e @ self.down + self.b_down) @ self.up + self.b_up)";
    assert!(text.contains(equation), "{text}");
    let check = tensors_of(&to.join("check.safetensors"));
    assert_eq!(check["scores"].shape, [2, 10]);
    for name in ["expert.online", "expert.offline", "expert.ensemble"] {
        assert_eq!(check[name].shape, [2, 10], "{name}");
    }
    let python = Command::new("python3")
        .args([
            "-c",
            "import ast, sys; ast.parse(open(sys.argv[1], encoding='utf-8').read())",
        ])
        .arg(to.join("model.py"))
        .output();
    match python {
        Ok(output) => assert!(output.status.success(), "{}", stderr(&output)),
        Err(error) => skip(&format!("Python is not installed ({error})")),
    }
}

/// Pixels of images prepared by an export's `prepare.py`, channels first; `None` if Python lacks a library.
fn prepared_by_python(folder: &Path, images: &[PathBuf]) -> Option<Vec<Vec<u8>>> {
    let program = "import sys; from prepare import prepare\n\
                   for path in sys.argv[1:]: \
                   sys.stdout.buffer.write((prepare(path) * 255).round().astype('uint8').tobytes())";
    let mut python = Command::new("python3");
    let output = python
        .args(["-c", program])
        .args(images)
        .current_dir(folder);
    let output = output.output().ok()?;
    let lacks = stderr(&output).contains("ModuleNotFoundError");
    assert!(output.status.success() || lacks, "{}", stderr(&output));
    let each = output.stdout.len() / images.len();
    let parts = || output.stdout.chunks(each).map(<[u8]>::to_vec);
    output.status.success().then(|| parts().collect())
}

/// Includes 16-bit grey, which Pillow's `convert` clips.
#[test]
fn exported_prepare_py_matches_program_preprocessing() {
    use image::{DynamicImage, ImageBuffer, ImageFormat, Luma, Rgb, Rgba};
    use lae_studio::data::decode_picture_file;
    use lae_studio::data::transform::{InputSpec, infer_into};

    let runs = tempfile::tempdir().unwrap();
    let words = [QUICK, &["--bit-depth", "12", "--json", "-", "--quiet"]].concat();
    let deep = json(&run(&words, runs.path()));
    for (run, bit_depth, most) in [(finished(), 16, 65_535), ((runs.path(), &deep), 12, 4_200)] {
        let (_work, to) = exported_from(run, "onnx", &[]);
        let text = std::fs::read_to_string(to.join("preprocessing.json")).unwrap();
        let preparation: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(preparation["bit_depth"], bit_depth);
        let side = |key: &str| preparation[key].as_u64().unwrap() as usize;
        let spec = InputSpec::new(
            side("size"),
            side("size") as f32 / side("resize_shorter_side_to") as f32,
        );
        assert_eq!(spec.shorter_side(), side("resize_shorter_side_to"));
        // Some values have more bits than the run's bit depth.
        let value = |x: u32, y: u32| ((x * 9 + y * 5) * most / 636) as u16;
        let pixel = |x, y| Luma([value(x, y)]);
        let grey = DynamicImage::ImageLuma16(ImageBuffer::from_fn(50, 40, pixel));
        let colour = ImageBuffer::from_fn(50, 40, |x, y| Rgb([x as u8 * 5, y as u8 * 6, 90]));
        let alpha = ImageBuffer::from_fn(50, 40, |x, y| Rgba([x as u8 * 5, 9, 90, y as u8]));
        let kinds = [
            ("grey16.png", grey.clone(), ImageFormat::Png),
            ("grey16.tif", grey, ImageFormat::Tiff),
            ("colour.png", colour.into(), ImageFormat::Png),
            ("alpha.png", alpha.into(), ImageFormat::Png),
        ];
        let mut paths = Vec::new();
        for (name, image, format) in kinds {
            let path = to.join(name);
            image.save_with_format(&path, format).unwrap();
            paths.push(path);
        }
        let Some(by_python) = prepared_by_python(&to, &paths) else {
            return skip("Python has no Pillow or NumPy");
        };
        for (path, python) in paths.iter().zip(by_python) {
            let picture = decode_picture_file(path, bit_depth).unwrap();
            let mut own = vec![0; spec.bytes()];
            infer_into(&picture, spec, &mut own).unwrap();
            let area = spec.size * spec.size;
            let far = |at: usize| own[at].abs_diff(python[at % 3 * area + at / 3]);
            let largest = (0..own.len()).map(far).max().unwrap();
            assert!(largest <= 1, "{}: {largest}", path.display());
            assert!(own.iter().any(|value| *value > 100), "{}", path.display());
        }
    }
}

/// After the first task there is one PET and a head of two classes.
#[test]
fn exports_snapshot_of_earlier_task() {
    let (_work, to) = exported("torch", &["--task", "1"]);
    let weights = tensors_of(&to.join("weights.safetensors"));
    assert_eq!(weights["head.bias"].shape, [2]);
    assert!(!weights.keys().any(|name| name.starts_with("pets.offline")));
    let classes = std::fs::read_to_string(to.join("classes.json")).unwrap();
    let classes: Vec<String> = serde_json::from_str(&classes).unwrap();
    assert_eq!(classes.len(), 2);
}

/// The length-delimited fields of a protobuf message, with their numbers.
fn fields(bytes: &[u8]) -> Vec<(u64, &[u8])> {
    fn number(bytes: &[u8], at: &mut usize) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = bytes[*at];
            *at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }
    let (mut at, mut found) = (0, Vec::new());
    while at < bytes.len() {
        let key = number(bytes, &mut at);
        match key & 7 {
            0 => drop(number(bytes, &mut at)),
            5 => at += 4,
            2 => {
                let length = number(bytes, &mut at) as usize;
                found.push((key >> 3, &bytes[at..at + length]));
                at += length;
            }
            other => panic!("unexpected wire type {other}"),
        }
    }
    found
}

#[test]
fn onnx_nodes_only_use_earlier_outputs() {
    let (_work, to) = exported("onnx", &[]);
    let bytes = std::fs::read(to.join("model.onnx")).unwrap();
    let model = fields(&bytes);
    let graph = model.iter().find(|(field, _)| *field == 7).unwrap().1;
    let graph = fields(graph);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let named = |field: u64, inner: u64| {
        let of_kind = graph.iter().filter(move |(own, _)| *own == field);
        of_kind.map(move |(_, message)| {
            let name = fields(message).into_iter().find(|(own, _)| *own == inner);
            text(name.unwrap().1)
        })
    };
    let mut known: BTreeSet<String> = named(5, 8).chain(named(11, 1)).collect();
    assert!(known.contains("images"));
    for (_, node) in graph.iter().filter(|(field, _)| *field == 1) {
        for (field, value) in fields(node) {
            match field {
                1 => assert!(known.contains(&text(value)), "{}", text(value)),
                2 => assert!(known.insert(text(value)), "{} twice", text(value)),
                _ => {}
            }
        }
    }
    let outputs: Vec<String> = named(12, 1).collect();
    assert_eq!(outputs, ["scores", "probabilities"]);
    assert!(outputs.iter().all(|name| known.contains(name)));
}

#[test]
fn rejected_export_writes_nothing() {
    let (runs, summary) = finished();
    let name = summary["run"].as_str().unwrap();
    let work = tempfile::tempdir().unwrap();
    let place = |name: &str| work.path().join(name).display().to_string();
    let words = |format: &'static str, to: &'static str| {
        let mut words = vec!["export", name, "--format", format, "--to"]
            .into_iter()
            .map(String::from)
            .collect::<Vec<_>>();
        words.push(place(to));
        words
    };
    let told = |words: &[String], more: &[&str]| {
        let words: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .chain(more.iter().copied())
            .collect();
        refused(&words, runs)
    };
    let said = told(&words("peft", "adapter"), &[]);
    assert_says!(said, "problem-export-not-lora", pet = "Adapter");
    let said = told(&words("torch", "beyond"), &["--task", "9"]);
    assert!(said.contains("from 1 to 5"), "{said}");
    std::fs::create_dir(work.path().join("full")).unwrap();
    std::fs::write(work.path().join("full/mine.txt"), "mine").unwrap();
    let said = told(&words("torch", "full"), &[]);
    assert_says!(said, "problem-export-path-exists");
    let left = std::fs::read_dir(work.path()).unwrap().count();
    assert_eq!(left, 1, "a rejected export left files");
}

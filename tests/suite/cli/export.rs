//! What `export` writes, as far as it can be checked without PyTorch; `tests/export_check.py` checks it with the real
//! libraries.

use std::collections::BTreeSet;
use std::process::Command;

use lae_studio::tensors::{self, NamedTensors};

use super::*;

fn export_run(format: &str, extra_args: &[&str]) -> (tempfile::TempDir, PathBuf) {
    export_run_from(finished_run(), format, extra_args)
}

fn export_run_from(
    (runs, summary): (&Path, &Value),
    format: &str,
    extra_args: &[&str],
) -> (tempfile::TempDir, PathBuf) {
    let work = tempfile::tempdir().unwrap();
    let target = work.path().join("model");
    let target_text = target.display().to_string();
    let run_name = summary["run"].as_str().unwrap();
    let words = ["export", run_name, "--format", format, "--to", &target_text];
    let output = run(&[&words, extra_args].concat(), runs);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    (work, target)
}

fn load_tensors(path: &Path) -> NamedTensors {
    tensors::load(path, "read it").unwrap().0
}

#[test]
fn torch_export_is_complete_and_parses_as_python() {
    let (_work, to) = export_run("torch", &[]);
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
    let weights = load_tensors(&to.join("weights.safetensors"));
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
    let declarations = text.matches("self.down = nn.Parameter").count();
    assert_eq!(declarations, 1);
    let equation = "return h + self.s * (gelu(e @ self.down + self.b_down) @ self.up + self.b_up)";
    assert!(text.contains(equation), "{text}");
    let check = load_tensors(&to.join("check.safetensors"));
    assert_eq!(check["scores"].shape, [2, 10]);
    for name in ["expert.online", "expert.offline", "expert.ensemble"] {
        assert_eq!(check[name].shape, [2, 10], "{name}");
    }
    let python = Command::new("python3")
        .args(["-c", "import ast, sys; ast.parse(open(sys.argv[1], encoding='utf-8').read())"])
        .arg(to.join("model.py"))
        .output();
    match python {
        Ok(output) => assert!(output.status.success(), "{}", stderr(&output)),
        Err(error) => skip(&format!("Python is not installed ({error})")),
    }
}

/// Pixels of images prepared by an export's `prepare.py`, channels first; `None` if Python lacks a library.
fn prepare_with_python(folder: &Path, images: &[PathBuf]) -> Option<Vec<Vec<u8>>> {
    let program = "import sys; from prepare import prepare\n\
                   for path in sys.argv[1:]: \
                   sys.stdout.buffer.write((prepare(path) * 255).round().astype('uint8').tobytes())";
    let mut python = Command::new("python3");
    let output = python.args(["-c", program]).args(images).current_dir(folder);
    let output = output.output().ok()?;
    let lacks_module = stderr(&output).contains("ModuleNotFoundError");
    assert!(output.status.success() || lacks_module, "{}", stderr(&output));
    let bytes_per_image = output.stdout.len() / images.len();
    let chunks = || output.stdout.chunks(bytes_per_image).map(<[u8]>::to_vec);
    output.status.success().then(|| chunks().collect())
}

/// Includes 16-bit grey, which Pillow's `convert` clips.
#[test]
fn exported_prepare_py_matches_program_preprocessing() {
    use image::{DynamicImage, ImageBuffer, ImageFormat, Luma, Rgb, Rgba};
    use lae_studio::data::decode_image_file;
    use lae_studio::data::transform::{InputSpec, resize_for_inference};

    let runs = tempfile::tempdir().unwrap();
    let words = [QUICK, &["--bit-depth", "12", "--json", "-", "--quiet"]].concat();
    let deep = json(&run(&words, runs.path()));
    for (run, bit_depth, max) in [(finished_run(), 16, 65_535), ((runs.path(), &deep), 12, 4_200)] {
        let (_work, to) = export_run_from(run, "onnx", &[]);
        let text = std::fs::read_to_string(to.join("preprocessing.json")).unwrap();
        let preparation: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(preparation["bit_depth"], bit_depth);
        let setting = |key: &str| preparation[key].as_u64().unwrap() as usize;
        let spec = InputSpec::new(
            setting("size"),
            setting("size") as f32 / setting("resize_shorter_side_to") as f32,
        );
        assert_eq!(spec.shorter_side(), setting("resize_shorter_side_to"));
        // Some values have more bits than the run's bit depth.
        let value = |x: u32, y: u32| ((x * 9 + y * 5) * max / 636) as u16;
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
        let Some(by_python) = prepare_with_python(&to, &paths) else {
            return skip("Python has no Pillow or NumPy");
        };
        for (path, python) in paths.iter().zip(by_python) {
            let decoded = decode_image_file(path, bit_depth).unwrap();
            let mut actual = vec![0; spec.bytes()];
            resize_for_inference(&decoded, spec, &mut actual).unwrap();
            let area = spec.size * spec.size;
            let difference = |at: usize| actual[at].abs_diff(python[at % 3 * area + at / 3]);
            let largest = (0..actual.len()).map(difference).max().unwrap();
            assert!(largest <= 1, "{}: {largest}", path.display());
            assert!(actual.iter().any(|value| *value > 100), "{}", path.display());
        }
    }
}

/// After the first task there is one PET and a head of two classes.
#[test]
fn exports_snapshot_of_earlier_task() {
    let (_work, to) = export_run("torch", &["--task", "1"]);
    let weights = load_tensors(&to.join("weights.safetensors"));
    assert_eq!(weights["head.bias"].shape, [2]);
    assert!(!weights.keys().any(|name| name.starts_with("pets.offline")));
    let classes = std::fs::read_to_string(to.join("classes.json")).unwrap();
    let classes: Vec<String> = serde_json::from_str(&classes).unwrap();
    assert_eq!(classes.len(), 2);
}

/// The length-delimited fields of a protobuf message, with their numbers.
fn protobuf_fields(bytes: &[u8]) -> Vec<(u64, &[u8])> {
    fn read_varint(bytes: &[u8], at: &mut usize) -> u64 {
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
    let (mut at, mut parsed) = (0, Vec::new());
    while at < bytes.len() {
        let key = read_varint(bytes, &mut at);
        match key & 7 {
            0 => drop(read_varint(bytes, &mut at)),
            5 => at += 4,
            2 => {
                let length = read_varint(bytes, &mut at) as usize;
                parsed.push((key >> 3, &bytes[at..at + length]));
                at += length;
            }
            other => panic!("unexpected wire type {other}"),
        }
    }
    parsed
}

#[test]
fn onnx_nodes_only_use_earlier_outputs() {
    let (_work, to) = export_run("onnx", &[]);
    let bytes = std::fs::read(to.join("model.onnx")).unwrap();
    let model = protobuf_fields(&bytes);
    let graph = model.iter().find(|(field, _)| *field == 7).unwrap().1;
    let graph = protobuf_fields(graph);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let named = |field: u64, inner: u64| {
        let messages = graph.iter().filter(move |(number, _)| *number == field);
        messages.map(move |(_, message)| {
            let name = protobuf_fields(message).into_iter().find(|(number, _)| *number == inner);
            text(name.unwrap().1)
        })
    };
    let mut defined: BTreeSet<String> = named(5, 8).chain(named(11, 1)).collect();
    assert!(defined.contains("images"));
    for (_, node) in graph.iter().filter(|(field, _)| *field == 1) {
        for (field, value) in protobuf_fields(node) {
            match field {
                1 => assert!(defined.contains(&text(value)), "{}", text(value)),
                2 => assert!(defined.insert(text(value)), "{} twice", text(value)),
                _ => {}
            }
        }
    }
    let outputs: Vec<String> = named(12, 1).collect();
    assert_eq!(outputs, ["scores", "probabilities"]);
    assert!(outputs.iter().all(|name| defined.contains(name)));
}

#[test]
fn rejected_export_writes_nothing() {
    let (runs, summary) = finished_run();
    let name = summary["run"].as_str().unwrap();
    let work = tempfile::tempdir().unwrap();
    let target = |name: &str| work.path().join(name).display().to_string();
    let words = |format: &'static str, to: &'static str| {
        let mut words = vec!["export", name, "--format", format, "--to"]
            .into_iter()
            .map(String::from)
            .collect::<Vec<_>>();
        words.push(target(to));
        words
    };
    let export_error = |words: &[String], extra_args: &[&str]| {
        let words: Vec<&str> =
            words.iter().map(String::as_str).chain(extra_args.iter().copied()).collect();
        run_expecting_error(&words, runs)
    };
    let message = export_error(&words("peft", "adapter"), &[]);
    assert_says!(message, "problem-export-not-lora", pet = "Adapter");
    let message = export_error(&words("torch", "beyond"), &["--task", "9"]);
    assert!(message.contains("from 1 to 5"), "{message}");
    std::fs::create_dir(work.path().join("full")).unwrap();
    std::fs::write(work.path().join("full/mine.txt"), "mine").unwrap();
    let message = export_error(&words("torch", "full"), &[]);
    assert_says!(message, "problem-export-path-exists");
    let remaining = std::fs::read_dir(work.path()).unwrap().count();
    assert_eq!(remaining, 1, "a rejected export left files");
}

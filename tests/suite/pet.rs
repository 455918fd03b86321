//! The shipped PETs against formulas written out by hand in f64: values, and gradients by central
//! differences; parameter counts against the paper.

use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};
use lae_studio::pet::library::PluginLibrary;
use lae_studio::pet::{
    BlockShape, Hooks, Init, PetSettings, PetSpec, PetStack, Site, StreamScheme,
};

use super::pet_reference::{Matrix, adapter, prefix};

const WIDTH: usize = 12;
const HEADS: usize = 3;
const TOKENS: usize = 5;
const IMAGES: usize = 2;
/// Rows: the tokens of all images.
const ROWS: usize = IMAGES * TOKENS;
const SIZE: usize = 4;
const SITES: &[Site] = &[
    Site::Attention,
    Site::Mlp,
    Site::Block,
    Site::Query,
    Site::Key,
    Site::Value,
    Site::Proj,
    Site::Fc1,
    Site::Fc2,
    Site::Attend,
];

fn shapes(blocks: usize) -> Vec<BlockShape> {
    let shape =
        BlockShape { width: WIDTH, hidden: 20, fc1_outputs: 20, heads: HEADS, sites: SITES };
    vec![shape; blocks]
}

fn plugin(name: &str) -> Arc<PetSpec> {
    PluginLibrary::with_folders(Vec::new()).get(name).unwrap()
}

fn tensor(matrix: &Matrix) -> Tensor<2> {
    let values: Vec<f32> = matrix.values.iter().map(|&x| x as f32).collect();
    let data = TensorData::new(values, [matrix.rows, matrix.columns]);
    Tensor::from_data(data, &Device::flex())
}

fn tokens(matrix: &Matrix) -> Tensor<3> {
    tensor(matrix).reshape([IMAGES, TOKENS, matrix.columns])
}

fn per_head(matrix: &Matrix) -> Tensor<4> {
    let split = [IMAGES, TOKENS, HEADS, matrix.columns / HEADS];
    tensor(matrix).reshape(split).swap_dims(1, 2)
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    let data = tensor.into_data().try_to_vec::<f32>().unwrap();
    data.into_iter().map(f64::from).collect()
}

fn assert_close(actual: &[f64], expected: &[f64], tolerance: f64, label: &str) {
    assert_eq!(actual.len(), expected.len(), "{label}");
    let scale = expected.iter().fold(0.0f64, |max, x| max.max(x.abs()));
    for (i, (a, b)) in actual.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance * scale, "{label}[{i}]: {a} instead of {b}");
    }
}

/// Returns a stack in block 0 with random parameters, and the parameters as matrices.
fn noisy_stack(name: &str, variant: Option<&str>) -> (PetStack, Vec<Matrix>) {
    let settings =
        PetSettings { variant: variant.map(str::to_owned), ..PetSettings::with_size(SIZE) };
    let stack = PetStack::init(&plugin(name), &settings, &shapes(1), &[0], 3, &Device::flex());
    let mut matrices = Vec::new();
    let stack = stack.unwrap().map_tensors(|_, old, _| {
        let [rows, columns] = old.dims();
        let matrix = Matrix::random(rows, columns, 100 + matrices.len() as u64);
        matrices.push(matrix.clone());
        tensor(&matrix)
    });
    (stack, matrices)
}

/// Compares values and gradients of Σ result·weight with a formula in f64.
fn check(
    stack: &PetStack,
    matrices: &[Matrix],
    run: &dyn Fn(&PetStack) -> Tensor<2>,
    formula: &dyn Fn(&[Matrix]) -> Matrix,
) {
    let expected = formula(matrices);
    assert_close(&values(run(stack)), &expected.values, 2e-6, "result");

    let weight = Matrix::random(expected.rows, expected.columns, 9);
    let loss = |p: &[Matrix]| -> f64 {
        let result = formula(p);
        let terms = result.values.iter().zip(&weight.values);
        terms.map(|(a, b)| a * b).sum()
    };
    let tracked = stack.tracked();
    let gradients = (run(&tracked) * tensor(&weight)).sum().backward();
    for (index, (name, parameter, trained)) in tracked.parameters().enumerate() {
        let gradient = parameter.grad(&gradients);
        assert_eq!(gradient.is_some(), trained, "{name}");
        let Some(gradient) = gradient else { continue };
        let step = 1e-5;
        let expected: Vec<f64> = (0..matrices[index].values.len())
            .map(|i| {
                let shifted_loss = |shift: f64| {
                    let mut p = matrices.to_vec();
                    p[index].values[i] += shift;
                    loss(&p)
                };
                (shifted_loss(step) - shifted_loss(-step)) / (2.0 * step)
            })
            .collect();
        assert_close(&values(gradient), &expected, 2e-5, name);
    }
}

#[test]
fn adapter_matches_formula() {
    let (stack, matrices) = noisy_stack("adapter", None);
    let (e, h) = (Matrix::random(ROWS, WIDTH, 1), Matrix::random(ROWS, WIDTH, 2));
    let run = |stack: &PetStack| {
        let result = stack.apply(0, Site::Attention, &tokens(&e), tokens(&h));
        result.unwrap().reshape([ROWS, WIDTH])
    };
    check(&stack, &matrices, &run, &|p| adapter(p, &e, &h));
}

#[test]
fn lora_matches_formula_on_keys_and_values() {
    let (stack, matrices) = noisy_stack("lora", None);
    let (e, h) = (Matrix::random(ROWS, WIDTH, 1), Matrix::random(ROWS, WIDTH, 2));
    let run = |stack: &PetStack| {
        let apply = |site| stack.apply(0, site, &tokens(&e), tokens(&h)).unwrap();
        let sum = apply(Site::Key) + apply(Site::Value) * 2.0;
        sum.reshape([ROWS, WIDTH])
    };
    let formula = |p: &[Matrix]| {
        let part = |p: &[Matrix]| h.plus(&e.times(&p[0]).times(&p[1]).scaled(p[2].values[0]));
        part(&p[..3]).plus(&part(&p[3..]).scaled(2.0))
    };
    check(&stack, &matrices, &run, &formula);
    assert!(!stack.uses(0, Site::Query));
}

#[test]
fn prefix_matches_formula_of_each_variant() {
    let [q, k, v] = [1, 2, 3].map(|seed| Matrix::random(ROWS, WIDTH, seed));
    for (variant, calibrated) in [("calibrated", true), ("plain", false)] {
        let (stack, mut matrices) = noisy_stack("prefix", Some(variant));
        let run = |stack: &PetStack| {
            let result = stack.attend(0, per_head(&q), per_head(&k), per_head(&v));
            result.unwrap().swap_dims(1, 2).reshape([ROWS, WIDTH])
        };
        let trained: Vec<bool> = stack.parameters().map(|(.., trained)| trained).collect();
        assert_eq!(trained, [true, true, calibrated, calibrated]);
        let mut stack = stack;
        if !calibrated {
            for (index, name) in [(2, "0.s_k"), (3, "0.s_v")] {
                matrices[index] = Matrix::new(1, 1, vec![1.0]);
                stack.set(name, tensor(&matrices[index])).unwrap();
            }
        }
        check(&stack, &matrices, &run, &|p| {
            let image = |i: usize| {
                let [q, k, v] = [&q, &k, &v].map(|m| m.row_range(i * TOKENS, (i + 1) * TOKENS));
                prefix(p, &q, &k, &v, HEADS, calibrated)
            };
            image(0).stack_rows(&image(1))
        });
    }
}

#[test]
fn gradients_flow_to_pet_inputs() {
    let (stack, _) = noisy_stack("adapter", None);
    let e = tokens(&Matrix::random(ROWS, WIDTH, 1));
    let e = e.autodiff().require_grad();
    for stack in [stack.tracked(), stack.clone()] {
        let h = e.clone() * 2.0;
        let result = stack.apply(0, Site::Attention, &e, h).unwrap();
        let gradients = result.sum().backward();
        assert!(e.grad(&gradients).is_some());
    }
    let plain = stack.apply(0, Site::Attention, &e.clone().inner(), e.clone().inner());
    assert!(!plain.unwrap().is_autodiff());
}

#[test]
fn stack_init_is_deterministic_per_seed_and_block() {
    let settings = PetSettings::with_size(SIZE);
    let init_stack = |seed, blocks: &[usize]| {
        let spec = plugin("adapter");
        PetStack::init(&spec, &settings, &shapes(4), blocks, seed, &Device::flex()).unwrap()
    };
    let read_parameter = |stack: &PetStack, name: &str| {
        let found = stack.parameters().find(|(parameter_name, ..)| *parameter_name == name);
        values(found.unwrap().1.clone())
    };
    let stack = init_stack(1, &[1, 3]);
    assert_eq!(stack.first_block(), Some(1));
    assert!(stack.uses(3, Site::Attention) && !stack.uses(2, Site::Attention));
    let names: Vec<&str> = stack.parameters().map(|(name, ..)| name).collect();
    assert_eq!(
        names,
        [
            "1.down", "1.b_down", "1.up", "1.b_up", "1.s", "3.down", "3.b_down", "3.up", "3.b_up",
            "3.s"
        ]
    );
    assert_eq!(read_parameter(&stack, "3.down"), read_parameter(&init_stack(1, &[3]), "3.down"));
    assert_ne!(read_parameter(&stack, "3.down"), read_parameter(&stack, "1.down"));
    assert_ne!(read_parameter(&stack, "3.down"), read_parameter(&init_stack(2, &[3]), "3.down"));
    let rescaled = stack.map_tensors(|name, tensor, trained| {
        assert!(trained);
        match name {
            "1.s" => tensor.clone() * 3.0,
            _ => tensor.clone(),
        }
    });
    assert_eq!(read_parameter(&rescaled, "1.s"), [3.0]);
    assert_eq!(read_parameter(&rescaled, "3.s"), [1.0]);
}

/// Swaps two parameters in the file; runs of older versions drew by position.
#[test]
fn parameters_are_drawn_by_name_not_position() {
    const DOWN: &str = "down = { shape = [\"d\", \"r\"], init = \"kaiming_uniform\" }\n";
    const UP: &str = "up = { shape = [\"r\", \"d\"], init = \"normal(0.1)\" }\n";
    let text = |parameters: [&str; 2]| {
        format!(
            "name = \"moved\"\nsites = [\"mlp\"]\n[sizes]\nsize = {{ symbol = \"r\", default = 4, \
             min = 1, max = 64, meaning = \"channels\" }}\n[parameters]\n{}{}[equations]\n\
             every = \"h + e @ down @ up\"\n",
            parameters[0], parameters[1]
        )
    };
    let init_parameters = |parameters, drawing| {
        let spec = PetSpec::parse(&text(parameters), "moved.toml").unwrap();
        let settings = PetSettings { drawing, ..PetSettings::with_size(SIZE) };
        let stack = PetStack::init(&spec, &settings, &shapes(2), &[1], 6, &Device::flex());
        let stack = stack.unwrap();
        let read_parameter = |name| {
            let found = stack.parameters().find(|(parameter_name, ..)| *parameter_name == name);
            values(found.unwrap().1.clone())
        };
        ["1.down", "1.up"].map(read_parameter)
    };
    let (down_first, up_first) = ([DOWN, UP], [UP, DOWN]);
    assert_eq!(
        init_parameters(down_first, StreamScheme::ByName),
        init_parameters(up_first, StreamScheme::ByName)
    );
    let by_position = init_parameters(down_first, StreamScheme::ByPlace);
    assert_ne!(by_position, init_parameters(up_first, StreamScheme::ByPlace));
    let [_, up] = by_position;
    let stream = (1 << 32) | (1 << 8);
    let drawn = Init::Normal(0.1).draw([SIZE, WIDTH], 6, stream);
    assert_eq!(up, drawn.into_iter().map(f64::from).collect::<Vec<_>>());
}

#[test]
fn set_checks_parameter_names_and_shapes() {
    let (mut stack, _) = noisy_stack("adapter", None);
    let matrix = tensor(&Matrix::random(2, 2, 1));
    let shape_error = stack.set("0.down", matrix.clone()).unwrap_err();
    assert_eq!(
        shape_error.what,
        tr!("problem-pet-parameter-shape", name = "0.down", dims = "12×4", dims2 = "2×2")
    );
    let unknown = stack.set("0.dwon", matrix).unwrap_err();
    assert_eq!(unknown.remedy, tr!("advice-did-you-mean", name = "0.down"));
}

#[test]
fn empty_stack_changes_nothing() {
    let stack = PetStack::empty();
    let h = tokens(&Matrix::random(ROWS, WIDTH, 2));
    let unchanged = stack.apply(0, Site::Block, &h, h.clone()).unwrap();
    assert_eq!(values(unchanged), values(h));
    assert_eq!(stack.first_block(), None);
    assert_eq!(stack.parameters().count(), 0);
}

#[test]
fn parameter_counts_match_paper() {
    let vit_b = BlockShape { width: 768, hidden: 3072, fc1_outputs: 3072, heads: 12, sites: SITES };
    let shapes = vec![vit_b; 12];
    // Trained values of one expert, and of online + offline as in the paper's table, whose million is 2^20.
    for (name, size, per_expert, expected_millions) in [
        ("adapter", 5, 42_270, "0.08"),
        ("adapter", 10, 80_695, "0.15"),
        ("lora", 5, 76_810, "0.15"),
        ("lora", 10, 153_610, "0.29"),
        ("prefix", 10, 76_810, "0.15"),
        ("prefix", 20, 153_610, "0.29"),
    ] {
        let settings = PetSettings::with_size(size);
        let count = plugin(name).parameter_count(&shapes, &[0, 1, 2, 3, 4], &settings);
        let count = count.unwrap();
        assert_eq!(count, per_expert, "{name}{size}");
        let millions = 2.0 * count as f64 / f64::from(1 << 20);
        assert_eq!(format!("{millions:.2}"), expected_millions, "{name}{size}");
    }
}

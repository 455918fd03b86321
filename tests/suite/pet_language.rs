//! The plugin language: adjustable numbers, formulas in shapes, functions of matrices, the frozen weight, and names
//! of sites in other programs.

use std::fs;
use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};
use lae_studio::pet::library::PluginLibrary;
use lae_studio::pet::{BlockKind, Hooks, PetSettings, PetSpec, PetStack, Site};
use lae_studio::problem::Problem;

use crate::assert_is;

const HEAD: &str = "name = \"T\"\nsites = [\"mlp\"]\n";

fn spec(text: &str) -> Arc<PetSpec> {
    PetSpec::parse(text, "t").unwrap()
}

fn parse_error(text: &str) -> Problem {
    PetSpec::parse(text, "t").unwrap_err()
}

/// Returns a new stack in two blocks of a small ViT.
fn stack(spec: &Arc<PetSpec>, settings: &PetSettings) -> PetStack {
    let shapes = vec![BlockKind::VIT.shape(); 2];
    PetStack::init(spec, settings, &shapes, &[0, 1], 0, &Device::flex()).unwrap()
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().unwrap()
}

/// Returns what the plugin adds to zeros at a site of block 1.
fn added(stack: &PetStack, site: Site, e: &Tensor<3>) -> Vec<f32> {
    values(stack.apply(1, site, e, e.zeros_like()).unwrap())
}

#[test]
fn chooses_sizes_and_constants_by_name() {
    let text = format!(
        "{HEAD}[sizes]\nrank = {{ default = 4, max = 8 }}\n[constants]\nhalf = 0.5\n\
         scale = {{ default = 2, min = 0, max = 3 }}\n[parameters]\na = {{ shape = [\"d\", \"rank * 2\"], \
         init = \"ones\" }}\nb = {{ shape = [\"rank + rank\", \"d\"], init = \"ones\" }}\n\
         [equations]\nevery = \"h + half * scale * (e @ a @ b)\"\n"
    );
    let spec = spec(&text);
    assert_eq!(spec.adjustable_names().collect::<Vec<_>>(), ["rank", "scale"]);
    let mut settings = PetSettings::default();
    spec.apply_assignments(&mut settings, "rank=3, scale=1.5").unwrap();
    let stack = stack(&spec, &settings);
    let shapes: Vec<[usize; 2]> = stack.parameters().map(|(_, x, _)| x.dims()).collect();
    assert_eq!(shapes[..2], [[192, 6], [6, 192]]);
    let e = Tensor::<3>::ones([1, 1, 192], &Device::flex());
    let expected = 0.5 * 1.5 * 192.0 * 6.0;
    assert!(added(&stack, Site::Mlp, &e).iter().all(|x| (x - expected).abs() < 0.1));
    for (assignments, id, quoted, remedy_id, remedy_text) in [
        ("rank=9", "problem-plugin-number-out-of-range", "rank 9", "advice-choose-range", "1 to 8"),
        (
            "scale=-1",
            "problem-plugin-number-out-of-range",
            "scale -1",
            "advice-choose-range",
            "0 to 3",
        ),
        (
            "half=1",
            "problem-plugin-number-not-adjustable",
            "`half`",
            "advice-known-names",
            "rank, scale",
        ),
        ("rnk=2", "problem-plugin-number-not-adjustable", "`rnk`", "advice-did-you-mean", "`rank`"),
        ("rank", "problem-number-assignment-invalid", "`rank`", "advice-write-name-number", ""),
        ("size=2", "problem-pet-size-set-separately", "T", "advice-use-pet-size", ""),
    ] {
        let problem = spec.apply_assignments(&mut settings, assignments).unwrap_err();
        assert_is(&problem, id);
        assert_says!(problem.remedy, remedy_id);
        assert!(problem.what.contains(quoted) && problem.remedy.contains(remedy_text), "{problem}");
    }
}

#[test]
fn reports_invalid_constants_and_shapes() {
    let parse_message = |numbers: &str, shape: &str| {
        let text = format!(
            "{HEAD}{numbers}\n[parameters]\na = {{ shape = [1, {shape}], init = \"zeros\" }}\n\
             [equations]\nevery = \"h + a\"\n"
        );
        parse_error(&text).what
    };
    let owner = tr!("plugin-part-parameter", name = "a");
    let constant = tr!("plugin-part-the-constant", name = "c");
    for (numbers, shape, expected) in [
        ("[constants]\nc = \"x\"", "\"d\"", &*tr!("problem-number-expected", what = &constant)),
        ("[constants]\nc = nan", "\"d\"", &*tr!("problem-number-expected", what = &constant)),
        (
            "[constants]\nd = 1",
            "\"d\"",
            &tr!("problem-name-taken", name = "d", owner = tr!("plugin-name-of-block-size")),
        ),
        (
            "[constants]\nc = { default = 2, min = 3, max = 4 }",
            "\"d\"",
            &tr!("problem-constant-range", name = "c"),
        ),
        ("", "\"d / 5\"", &tr!("problem-shape-size-invalid", text = "d / 5", value = "38.4")),
        ("", "\"d / 0\"", &tr!("problem-shape-size-invalid", text = "d / 0", value = "inf")),
        ("", "\"d @ d\"", &tr!("problem-shape-part-not-allowed", part = "d @ d", owner = &owner)),
        (
            "",
            "\"sqrt(d)\"",
            &tr!("problem-shape-part-not-allowed", part = "sqrt(d)", owner = &owner),
        ),
        ("", "\"d / x\"", &tr!("problem-shape-part-not-allowed", part = "x", owner = &owner)),
    ] {
        let message = parse_message(numbers, shape);
        assert!(message.contains(expected), "{numbers} {shape}: {message}");
    }
}

#[test]
fn suggests_site_for_names_of_other_programs() {
    for (name, site) in [
        ("ffn", "mlp"),
        ("attn", "attention"),
        ("mlp.fc1", "fc1"),
        ("q_proj", "query"),
        ("to_v", "value"),
        ("out_proj", "proj"),
        ("LayerNorm1", "norm1"),
        ("mlp.act", "activation"),
    ] {
        let text = HEAD.replace("\"mlp\"", &format!("\"{name}\""));
        let text = format!(
            "{text}[parameters]\na = {{ shape = [1, 1], init = \"zeros\" }}\n[equations]\nevery = \"h + a\"\n"
        );
        let problem = parse_error(&text);
        assert!(problem.what == tr!("problem-site-not-found", name), "{}", problem.what);
        assert!(problem.remedy.contains(&format!("`{site}`")), "{}", problem.remedy);
    }
}

#[test]
fn plugins_may_shadow_newer_built_in_names() {
    let text = "name = \"T\"\nsites = [\"fc1\"]\n[parameters]\nw = { shape = [1, \"hidden\"], init = \"zeros\" }\n\
                kron = { shape = [1, 1], init = \"zeros\" }\n[equations]\nevery = \"h + w + kron\"\n";
    assert_eq!(spec(text).parameters.len(), 2);
}

#[test]
fn equations_can_use_weight_and_column_norms() {
    let text = "name = \"T\"\nsites = [\"fc1\"]\n[parameters]\na = { shape = [1, 1], init = \"ones\" }\n\
                [equations]\nevery = \"h + a * (e @ w) / column_norms(w)\"\n";
    let stack = stack(&spec(text), &PetSettings::default());
    let (rows, columns) = (192, 768);
    let number = |i: usize| ((i * 7919) % 997) as f32 / 498.5 - 1.0;
    let weight: Vec<f32> = (0..rows * columns).map(number).collect();
    let w =
        Tensor::<2>::from_data(TensorData::new(weight.clone(), [rows, columns]), &Device::flex());
    let e = Tensor::<3>::ones([1, 1, rows], &Device::flex());
    let h = Tensor::<3>::zeros([1, 1, columns], &Device::flex());
    let output = stack.apply_linear((0, Site::Fc1), &e, h, &|| w.clone()).unwrap();
    for (column, actual) in values(output).into_iter().enumerate() {
        let column_values = || (0..rows).map(|row| f64::from(weight[row * columns + column]));
        let norm = column_values().map(|x| x * x).sum::<f64>().sqrt();
        let expected = column_values().sum::<f64>() / norm;
        assert!((f64::from(actual) - expected).abs() < 1e-4, "{column}");
    }
}

#[test]
fn shared_parameters_are_drawn_once_with_one_shape() {
    let text = format!(
        "{HEAD}[parameters]\na = {{ shape = [\"d\", 2], init = \"normal(1)\", shared = true }}\n\
         b = {{ shape = [2, \"d\"], init = \"zeros\" }}\n[equations]\nevery = \"h + e @ a @ b\"\n"
    );
    let spec = spec(&text);
    let stack = stack(&spec, &PetSettings::default());
    let names: Vec<&str> = stack.parameters().map(|(name, ..)| name).collect();
    assert_eq!(names, ["all.a", "0.b", "1.b"]);
    let mut shapes = vec![BlockKind::VIT.shape(); 2];
    let settings = PetSettings::default();
    let count = spec.parameter_count(&shapes, &[0, 1], &settings).unwrap();
    assert_eq!(count, 192 * 2 * 3);
    shapes[1].width = 96;
    let problem = spec.parameter_count(&shapes, &[0, 1], &settings).unwrap_err();
    let reason = tr!("problem-shared-shapes-differ", own = "96×2", other = "192×2", block = "0");
    let what = tr!("problem-parameter-shape-invalid", name = "a", block = 1, reason);
    assert_eq!(problem.what, what);
}

#[test]
fn finds_plugin_added_from_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plugin.toml");
    let text = format!(
        "{}[parameters]\na = {{ shape = [1, 1], init = \"zeros\" }}\n[equations]\nevery = \"h + a\"\n",
        HEAD.replace("\"T\"", "\"Only beside a run\"")
    );
    assert!(PluginLibrary::standard().get("only beside a run").is_err());
    fs::write(&path, text).unwrap();
    lae_studio::pet::library::add_run_plugin(path);
    assert!(PluginLibrary::standard().get("only beside a run").is_ok());
}

/// Returns a plugin with these sites and equations.
fn prompts(sites: &str, equations: &str) -> String {
    format!(
        "name = \"T\"\nsites = [{sites}]\n[parameters]\np = {{ shape = [3, \"d\"], init = \"ones\" }}\n\
         [equations]\n{equations}\n"
    )
}

#[test]
fn only_input_adds_and_tokens_removes_tokens() {
    let input_equation =
        "input = \"join_tokens(first_rows(e, 1), join_tokens(p, rest_rows(e, 1)))\"";
    let plugin_with_tokens = |n: usize| {
        let tokens = format!("tokens = \"join_tokens(first_rows(h, 1), rest_rows(h, {n}))\"");
        prompts("[\"input\", \"tokens\"]", &format!("{input_equation}\n{tokens}"))
    };
    let input_and_tokens = stack(&spec(&plugin_with_tokens(4)), &PetSettings::default());
    let input_only = stack(&spec(&prompts("\"input\"", input_equation)), &PetSettings::default());
    let e = Tensor::<3>::zeros([2, 5, 192], &Device::flex());
    for stack in [&input_and_tokens, &input_only] {
        let extended = stack.input(1, e.clone()).unwrap();
        assert_eq!(extended.dims(), [2, 8, 192]);
        let rows = values(extended.sum_dim(2));
        assert_eq!(rows[..8], [0.0, 192.0, 192.0, 192.0, 0.0, 0.0, 0.0, 0.0]);
    }
    let h = Tensor::<3>::ones([2, 8, 192], &Device::flex());
    let without_prompts = input_and_tokens.apply(1, Site::Tokens, &e, h.clone()).unwrap();
    assert_eq!(without_prompts.dims(), [2, 5, 192]);
    let with_prompts = input_only.apply(1, Site::Tokens, &e, h).unwrap();
    assert_eq!(with_prompts.dims(), [2, 8, 192]);
    // One token too many is removed; the class token is removed; another site adds tokens; the width differs.
    let dropping_token = "input = \"rest_rows(e, 1) + 0 * first_rows(p, 1)\"";
    let mlp_prompts = prompts("\"mlp\"", "mlp = \"join_tokens(p, h)\"");
    let wrong_width = "input = \"join_tokens(transpose(p @ transpose(e)), e) * mean(p)\"";
    let shape = "problem-equation-result-shape";
    let tokens = "problem-equation-result-tokens";
    for (text, id, site, found, needed) in [
        (plugin_with_tokens(5), shape, "tokens", "2×16×192", "2×20×192"),
        (prompts("\"input\"", dropping_token), tokens, "input", "2×16×192", "2×17×192"),
        (mlp_prompts, shape, "mlp", "2×20×192", "2×17×192"),
    ] {
        let problem = parse_error(&text);
        assert_is(&problem, id);
        assert_says!(problem.what, id, name = site, found = found, needed = needed);
    }
    let problem = parse_error(&prompts("\"input\"", wrong_width));
    assert!(problem.is("problem-equation-part"), "{problem}");
    assert_is(&problem, "problem-tokens-not-joinable");
}

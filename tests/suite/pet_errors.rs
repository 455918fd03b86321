//! Invalid plugins: each gives one problem with its position, never a panic.

use lae_studio::expression::Diagnostic;
use lae_studio::pet::source::PluginText;
use lae_studio::pet::{BlockShape, PetSettings, PetSpec, PetStack, Site};
use lae_studio::problem::Problem;

use crate::assert_is;

/// A valid plugin; each test breaks one part of it.
const VALID_PLUGIN: &str = r#"name = "Mine"
description = "A bottleneck."
sites = ["attention"]

[sizes]
size = { symbol = "r", default = 5, min = 1, max = 64 }

[parameters]
down = { shape = ["d", "r"], init = "kaiming_uniform" }
up   = { shape = ["r", "d"], init = "zeros" }

[equations]
attention = "h + gelu(e @ down) @ up"
"#;

fn parse_error(text: &str) -> Problem {
    PetSpec::parse(text, "mine.toml").unwrap_err()
}

/// Returns the problem after replacing one part of the valid plugin.
fn error_after_replacing(part: &str, replacement: &str) -> Problem {
    assert_eq!(VALID_PLUGIN.matches(part).count(), 1, "{part}");
    parse_error(&VALID_PLUGIN.replace(part, replacement))
}

fn equation_error(text: &str) -> Problem {
    error_after_replacing("h + gelu(e @ down) @ up", text)
}

/// Asserts that the problem is this reason, at this part of an equation.
#[track_caller]
fn assert_at_part(problem: &Problem, part: &str, why: &str) {
    assert!(problem.is("problem-equation-part"), "{problem}");
    assert_eq!(problem.what, tr!("problem-equation-part", part, why));
}

#[test]
fn valid_plugin_parses_and_starts_as_identity() {
    let spec = PetSpec::parse(VALID_PLUGIN, "mine.toml").unwrap();
    assert!(spec.starts_as_identity);
    assert_eq!(spec.text(), VALID_PLUGIN);
}

#[test]
fn rejects_oversized_names() {
    let long_name = "n".repeat(30_000);
    for (part, replacement) in [
        ("down = {", format!("{long_name} = {{")),
        ("size = {", format!("{long_name} = {{")),
        ("symbol = \"r\"", format!("symbol = \"{long_name}\"")),
        ("[\"attention\"]", format!("[\"{long_name}\"]")),
        ("attention = \"", format!("{long_name} = \"")),
        ("[\"d\", \"r\"]", format!("[\"d\", \"{long_name}\"]")),
    ] {
        let problem = error_after_replacing(part, &replacement);
        let what = tr!("problem-name-too-long", letters = "30000", most = 64);
        assert_eq!(problem.what, what);
        assert!(problem.remedy.len() < 1000, "{}", problem.remedy.len());
    }
    let problem = equation_error(&format!("h + {}", &long_name[..300]));
    assert_says!(problem.what, "problem-name-too-long", letters = 300);
}

#[test]
fn shape_error_names_operands_and_sizes() {
    let problem = equation_error("h + gelu(e @ up) @ down");
    let reason = tr!("problem-product-inner-sizes", a = "192", b = "5");
    let why = tr!("problem-product-shapes-differ", a = "2×17×192", b = "5×192", reason);
    assert_at_part(&problem, "e @ up", &why);
    assert_eq!(problem.place, "mine.toml, line 13, column 25");
    assert_eq!(problem.remedy, tr!("advice-tested-with-blocks", name = "ViT", width = 192));

    let problem = equation_error("h + gelu(e @ down)  + 0 * (e @ transpose(up))");
    let why = tr!("problem-shapes-not-broadcastable", a = "2×17×192", sign = "+", b = "2×17×5");
    assert_at_part(&problem, "h + gelu(e @ down)", &why);
    let problem = equation_error("gelu(e @ down) + 0 * (e @ transpose(up))");
    assert_eq!(
        problem.what,
        tr!(
            "problem-equation-result-shape",
            name = "attention",
            found = "2×17×5",
            needed = "2×17×192",
            like = "h"
        )
    );
    assert_eq!(problem.place, "mine.toml, line 13, column 13");
}

#[test]
fn unknown_names_get_suggestion() {
    let problem = equation_error("h + gelu(e @ dwon) @ up");
    assert_eq!(problem.what, tr!("problem-name-unknown", name = "dwon"));
    assert_eq!(problem.place, "mine.toml, line 13, column 27");
    assert_eq!(problem.remedy, tr!("advice-did-you-mean", name = "down"));

    let problem = equation_error("h + gleu(e @ down) @ up");
    assert_eq!(problem.what, tr!("problem-function-unknown", name = "gleu"));
    assert_eq!(problem.place, "mine.toml, line 13, column 18");
    assert_eq!(problem.remedy, tr!("advice-did-you-mean", name = "gelu"));

    let problem = equation_error("h + gelu(zebra @ down) @ up");
    assert!(problem.remedy.starts_with(&tr!("advice-known-names", names = "e, h, down, up, d,")));
    let problem = equation_error("h + gelu * (e @ down @ up)");
    assert_eq!(problem.remedy, tr!("advice-call-function", name = "gelu"));
}

#[test]
fn rejects_invalid_equation_syntax() {
    for (text, id, quoted, column) in [
        ("", "problem-equation-empty", "", 14),
        ("h +", "problem-equation-ends-early", "+", 16),
        ("h + * e", "problem-value-missing-before", "*", 18),
        ("h e", "problem-operator-missing-before", "e", 16),
        ("h + (e", "problem-parenthesis-never-closed", "(", 18),
        ("h + e)", "problem-parenthesis-unmatched", ")", 19),
        ("(h, e)", "problem-comma-not-allowed", "", 16),
        ("h + softmax(e, 2)", "problem-function-argument-count", "softmax", 25),
        ("h + 1.2.3", "problem-not-a-number", "1.2.3", 18),
        ("h; h", "problem-character-not-allowed", ";", 15),
        ("h + e.x", "problem-character-not-allowed", ".", 19),
        ("h · e", "problem-character-not-allowed", "·", 16),
        ("if h { e }", "problem-character-not-allowed", "{", 19),
        ("loop { }", "problem-character-not-allowed", "{", 19),
        ("eval(h)", "problem-function-unknown", "eval", 14),
        ("let x = h", "problem-character-not-allowed", "=", 20),
        ("|x| h", "problem-character-not-allowed", "|", 14),
        ("h + true", "problem-name-unknown", "true", 18),
        ("h + this", "problem-name-unknown", "this", 18),
    ] {
        let problem = equation_error(text);
        assert_is(&problem, id);
        assert!(quoted.is_empty() || problem.what.contains(&format!("`{quoted}`")), "{problem}");
        let position = format!("mine.toml, line 13, column {column}");
        assert_eq!(problem.place, position, "{text}");
    }
}

#[test]
fn distinguishes_numbers_and_tensors() {
    let problem = equation_error("h + gelu(2) * (e @ down @ up)");
    let why = tr!("problem-function-needs-tensor", usage = "gelu(x)");
    assert_at_part(&problem, "gelu(2)", &why);
    let problem = equation_error("h + 2 @ (e @ down @ up)");
    let why = tr!("problem-product-needs-tensors");
    assert_at_part(&problem, "2 @ (e @ down @ up)", why);
    let problem = equation_error("h + first_columns(e @ down @ up, e)");
    let why = tr!("problem-function-needs-number", usage = "first_columns(x, n)");
    assert_at_part(&problem, "first_columns(e @ down @ up, e)", &why);
    let text = VALID_PLUGIN.replace("h + gelu(e @ down) @ up", "h + 0 * (e @ down @ up)");
    let text = text.replace("attention = ", "attention.all = ") + "attention.end = \"d + all\"\n";
    assert!(PetSpec::parse(&text, "mine.toml").is_ok());
    let text = text.replace("d + all", "sqrt(d)").replace(".end", ".all2");
    assert_eq!(parse_error(&text).what, tr!("problem-step-unused", name = "all"));
}

#[test]
fn reports_equations_that_cannot_be_computed() {
    let problem = equation_error("h + (e @ down @ up) / 0");
    assert_eq!(problem.what, tr!("problem-equation-not-finite", name = "attention"));
    let problem = equation_error("h + split_heads(e @ down @ up, 5)");
    let channels = tr!("count-channels", n = 192);
    let heads = tr!("count-heads", n = 5);
    let why = tr!("problem-heads-do-not-divide", channels, heads);
    assert_at_part(&problem, "split_heads(e @ down @ up, 5)", &why);
    let problem = equation_error("h + first_columns(e, 500) * (e @ down @ up)");
    let why = tr!("problem-cut-outside-columns", shape = "2×17×192", columns = "192", n = "500");
    assert_at_part(&problem, "first_columns(e, 500)", &why);
    let problem = equation_error("h + first_columns(e, 2.5) * (e @ down @ up)");
    let why = tr!("problem-count-not-whole", number = "2.5");
    assert_at_part(&problem, "first_columns(e, 2.5)", &why);
}

#[test]
fn rejects_too_long_deep_and_large_equations() {
    let deep = format!("{}h{}", "(".repeat(5000), ")".repeat(5000));
    assert!(equation_error(&deep).mentions("problem-equation-too-long"));
    let nested = format!("{}h{}", "(".repeat(25), ")".repeat(25));
    assert_eq!(equation_error(&nested).what, tr!("problem-parentheses-too-deep", deepest = 24));
    let minus = format!("h + {}(e @ down @ up)", "-".repeat(200));
    assert!(PetSpec::parse(&VALID_PLUGIN.replace("h + gelu(e @ down) @ up", &minus), "x").is_ok());
    let long = format!("h + e @ down @ up{}", " + h - h".repeat(60));
    assert!(PetSpec::parse(&VALID_PLUGIN.replace("h + gelu(e @ down) @ up", &long), "x").is_ok());
    let longer = format!("h + e @ down @ up{}", " + h - h".repeat(400));
    assert!(equation_error(&longer).mentions("problem-equation-too-long"));

    // A step cannot use itself or a later one.
    let self_reference =
        VALID_PLUGIN.replace("attention = ", "attention.x = \"x + 1\"\nattention.y = ");
    let problem = parse_error(&self_reference);
    assert_eq!(problem.what, tr!("problem-name-unknown", name = "x"));
    assert_eq!(problem.place, "mine.toml, line 13, column 16");

    // Doubling the tokens thirty times would fill any memory.
    let mut text = VALID_PLUGIN
        .replace("attention = \"h + gelu(e @ down) @ up\"", "attention.x0 = \"join_tokens(e, e)\"");
    for step in 1..30 {
        let previous = step - 1;
        text += &format!("attention.x{step} = \"join_tokens(x{previous}, x{previous})\"\n");
    }
    text += "attention.end = \"h + x29 + e @ down @ up\"\n";
    assert_is(&parse_error(&text), "problem-equation-memory");
    let mut text = VALID_PLUGIN.replace("attention = ", "attention.end = ");
    for step in 0..40 {
        text += &format!("attention.z{step} = \"h\"\n");
    }
    assert_eq!(parse_error(&text).what, tr!("problem-equation-too-many-steps", most_steps = 32));
}

#[test]
fn rejects_plugins_that_need_too_many_resources() {
    // 1 GiB steps, each of which would be accepted alone.
    let mut text = VALID_PLUGIN.replace("[parameters]", "[parameters]\nrow = { shape = [1, 16384], init = \"ones\" }\ncol = { shape = [16384, 1], init = \"ones\" }\nbig = { shape = [4096, 1024], init = \"zeros\" }");
    text = text.replace("attention = ", "attention.s0 = \"row + col\"\nattention.end = ");
    text = text.replace(
        "@ up\"",
        "@ up + 0 * mean(transpose(mean(s0))) + 0 * mean(transpose(mean(big)))\"",
    );
    assert_is(&parse_error(&text), "problem-equation-memory");
    // Parameters that are too large to draw.
    let text = VALID_PLUGIN.replace("\"d\", \"r\"", "8192, 4096");
    let problem = parse_error(&text);
    assert_is(&problem, "problem-plugin-parameters-too-large");
    // Products of allowed matrices with more than 2^31 multiplications each.
    let shapes = "wide = { shape = [1536, 1536], init = \"zeros\" }";
    let mut text = VALID_PLUGIN.replace("[parameters]", &format!("[parameters]\n{shapes}"));
    text = text.replace("@ up\"", "@ up + 0 * mean(transpose(mean(wide @ wide @ wide)))\"");
    let problem = parse_error(&text);
    let why = tr!("problem-equation-multiplications", shape = "1536×1536");
    assert_at_part(&problem, "wide @ wide", &why);
    // 3,000 variants.
    let mut text = VALID_PLUGIN.replace("description", "variant = \"first\"\ndescription");
    for variant in 0..3000 {
        text += &format!("[variants.v{variant}]\n");
    }
    assert_eq!(
        parse_error(&text).what,
        tr!("problem-plugin-too-many-variants", most_variants = 32)
    );
}

#[test]
fn reports_each_invalid_value_with_position() {
    let huge = format!("{VALID_PLUGIN}# {}", "x".repeat(70_000));
    assert_eq!(
        parse_error(&huge).what,
        tr!("problem-plugin-file-too-large", bytes = huge.len().to_string(), most_bytes = "65536")
    );
    let problem = error_after_replacing("sites = [\"attention\"]", "sites = [\"attention\"");
    assert_is(&problem, "problem-toml-invalid");
    assert!(problem.place.starts_with("mine.toml, line "), "{problem}");
    let nested = format!("x = {}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(parse_error(&nested).mentions("problem-toml-invalid"));
    let number = |number: &str| tr!("plugin-value-number", number);
    let parameter = |name: &str| tr!("plugin-part-parameter", name);
    let key_kind = |key: &str, owner: &str, wanted: &str, found: &str| {
        let key = tr!("plugin-part-key", key);
        tr!("problem-plugin-key-kind", key, owner, wanted, found)
    };
    let cases: [(&str, &str, &str, usize, usize); 21] = [
        (
            "\"Mine\"",
            "3",
            &key_kind("name", tr!("plugin-part-plugin"), tr!("plugin-value-quoted"), &number("3")),
            1,
            8,
        ),
        ("\"Mine\"", "\"\"", tr!("problem-plugin-name-invalid"), 1, 8),
        (
            "name = \"Mine\"\n",
            "",
            &tr!("problem-plugin-key-missing", owner = tr!("plugin-part-plugin"), key = "name"),
            1,
            1,
        ),
        (
            "[\"attention\"]",
            "\"attention\"",
            &key_kind(
                "sites",
                tr!("plugin-part-plugin"),
                tr!("plugin-value-brackets"),
                tr!("plugin-value-text"),
            ),
            3,
            9,
        ),
        ("[\"attention\"]", "[]", tr!("problem-sites-empty"), 3, 9),
        (
            "[\"attention\"]",
            "[\"atention\"]",
            &tr!("problem-site-not-found", name = "atention"),
            3,
            10,
        ),
        (
            "default = 5",
            "default = \"5\"",
            &key_kind(
                "default",
                &tr!("plugin-part-size", name = "size"),
                tr!("plugin-value-count"),
                tr!("plugin-value-text"),
            ),
            6,
            34,
        ),
        (
            "default = 5",
            "default = 65",
            &tr!(
                "problem-size-range",
                name = "size",
                most_size = "1048576",
                min = "1",
                default = "65",
                max = "64"
            ),
            6,
            1,
        ),
        (
            "default = 5",
            "default = -5",
            &key_kind(
                "default",
                &tr!("plugin-part-size", name = "size"),
                tr!("plugin-value-count"),
                &number("-5"),
            ),
            6,
            34,
        ),
        (
            "[\"d\", \"r\"]",
            "[\"d\", \"w\"]",
            &tr!("problem-shape-size-unknown", symbol = "w", owner = parameter("down")),
            9,
            24,
        ),
        (
            "[\"d\", \"r\"]",
            "[\"d\"]",
            &tr!("problem-shape-size-count", owner = parameter("down"), n = 1),
            9,
            18,
        ),
        ("[\"d\", \"r\"]", "[\"d\", 0]", tr!("problem-shape-contains-zero"), 9, 24),
        ("\"zeros\"", "\"zero\"", &tr!("problem-init-invalid", text = "zero"), 10, 37),
        (
            "\"zeros\"",
            "0",
            &key_kind("init", &parameter("up"), tr!("plugin-value-quoted"), &number("0")),
            10,
            37,
        ),
        (
            "up   = {",
            "h   = {",
            &tr!("problem-name-taken", name = "h", owner = tr!("plugin-name-of-site-value")),
            10,
            1,
        ),
        (
            "up   = {",
            "r   = {",
            &tr!("problem-name-taken", name = "r", owner = tr!("plugin-name-of-number")),
            10,
            1,
        ),
        ("up   = {", "gelu   = {", &tr!("problem-name-of-function", name = "gelu"), 10, 1),
        (
            "init = \"zeros\"",
            "inti = \"zeros\"",
            &tr!("problem-plugin-key-unknown", owner = parameter("up"), key = "inti"),
            10,
            30,
        ),
        (
            "attention = \"h",
            "mlp = \"h",
            &tr!("problem-equation-for-unlisted-site", key = "mlp"),
            13,
            1,
        ),
        (
            "attention = \"h + gelu(e @ down) @ up\"",
            "attention = 4",
            &tr!(
                "problem-plugin-value-kind",
                what = tr!("plugin-part-equation", key = "attention"),
                wanted = tr!("plugin-value-quoted"),
                found = number("4")
            ),
            13,
            13,
        ),
        (
            "attention = \"h + gelu(e @ down) @ up\"",
            "attention = \"h + e @ down @ transpose(down)\"",
            &tr!("problem-parameter-unused", name = "up"),
            10,
            1,
        ),
    ];
    for (part, replacement, what, line, column) in cases {
        let problem = error_after_replacing(part, replacement);
        assert_eq!(problem.what, what);
        let position = format!("mine.toml, line {line}, column {column}");
        assert_eq!(problem.place, position, "{what}");
    }
}

#[test]
fn columns_count_characters_in_every_string_kind() {
    for (quoted, line, column) in [
        ("'h + e @ dwon @ up + down'", 13, 22),
        ("\"\"\"h + e @ dwon @ up + down\"\"\"", 13, 24),
        ("\"\"\"\nh + e\n  @ dwon @ up + down\"\"\"", 15, 5),
        ("\"\\u0068 + e @ dwon @ up + down\"", 13, 13),
    ] {
        let problem = error_after_replacing("\"h + gelu(e @ down) @ up\"", quoted);
        assert_eq!(problem.what, tr!("problem-name-unknown", name = "dwon"));
        let position = format!("mine.toml, line {line}, column {column}");
        assert_eq!(problem.place, position, "{quoted}");
    }
}

#[test]
fn explains_incompatible_blocks_sizes_and_variants() {
    let spec = PetSpec::parse(VALID_PLUGIN, "mine.toml").unwrap();
    let convnext = BlockShape {
        width: 8,
        hidden: 32,
        fc1_outputs: 32,
        heads: 0,
        sites: &[Site::Block, Site::Mlp],
    };
    let shapes = vec![convnext; 3];
    let problem = spec.matching_sites(&shapes, &[0, 2]).unwrap_err();
    assert_eq!(
        problem.what,
        tr!("problem-block-without-site", name = "Mine", name2 = "attention", block = 0)
    );
    assert_eq!(problem.remedy, tr!("advice-choose-pet-for-sites", offered = "block, mlp"));
    let text = VALID_PLUGIN.replace("attention", "block");
    let spec = PetSpec::parse(&text, "mine.toml").unwrap();
    let device = burn::tensor::Device::flex();
    let init_stack = |settings: &PetSettings, blocks: &[usize]| {
        PetStack::init(&spec, settings, &shapes, blocks, 0, &device).map(|_| ())
    };
    assert!(init_stack(&PetSettings::default(), &[0, 2]).is_ok());
    let problem = init_stack(&PetSettings::default(), &[3]).unwrap_err();
    assert_eq!(problem.what, tr!("problem-block-not-found", block = 3, count = 3));
    let problem = init_stack(&PetSettings::with_size(65), &[0]).unwrap_err();
    assert_eq!(
        problem.what,
        tr!("problem-plugin-number-out-of-range", name = "size", value = 65, name2 = "Mine")
    );
    assert_eq!(problem.remedy, tr!("advice-choose-between", min = 1, max = 64));
    let settings = PetSettings { variant: Some("plain".to_owned()), ..PetSettings::default() };
    let problem = init_stack(&settings, &[0]).unwrap_err();
    assert_eq!(problem.what, tr!("problem-variant-not-found", name = "Mine", name2 = "plain"));
}

/// Returns the text and its diagnostics after some replacements in the valid plugin.
fn find_mistakes(changes: &[(&str, &str)]) -> (String, Vec<Diagnostic>) {
    let mut text = VALID_PLUGIN.to_owned();
    for (part, replacement) in changes {
        assert_eq!(text.matches(part).count(), 1, "{part}");
        text = text.replace(part, replacement);
    }
    let diagnostics = PetSpec::parse_checked(&PluginText::new(&text, "mine.toml")).unwrap_err();
    (text, diagnostics)
}

#[test]
fn reports_all_mistakes_with_span_and_fix() {
    let (text, diagnostics) = find_mistakes(&[
        ("description", "descripton"),
        ("[\"d\", \"r\"]", "[\"d\", \"rr\"]"),
        ("\"zeros\"", "\"zero\""),
        ("h + gelu(e @ down) @ up", "h + gleu(e @ dwon) @ up - relu(e, 2) · e"),
    ]);
    // An invalid character hides further errors of its equation only.
    let messages: Vec<&str> =
        diagnostics.iter().map(|diagnostic| diagnostic.what.as_str()).collect();
    let last = tr!("problem-character-not-allowed", letter = "·", any = "an equation");
    let plugin = tr!("plugin-part-plugin");
    let parameter = tr!("plugin-part-parameter", name = "down");
    let unknown_key = tr!("problem-plugin-key-unknown", owner = plugin, key = "descripton");
    let unknown_size = tr!("problem-shape-size-unknown", symbol = "rr", owner = parameter);
    let invalid = tr!("problem-init-invalid", text = "zero");
    assert_eq!(messages, [&unknown_key, &unknown_size, &invalid, &last]);
    let (text, diagnostics) = {
        let text = text.replace(" · e", "");
        let diagnostics = PetSpec::parse_checked(&PluginText::new(&text, "mine.toml")).unwrap_err();
        (text, diagnostics)
    };
    let mut fixed = text.clone();
    let mut fixes = Vec::new();
    for diagnostic in diagnostics.iter().rev() {
        let snippet = &text[diagnostic.span.clone()];
        fixes.push((snippet, diagnostic.fix.as_deref()));
        if let Some(fix) = &diagnostic.fix {
            fixed.replace_range(diagnostic.span.clone(), fix);
        }
    }
    fixes.reverse();
    assert_eq!(
        fixes,
        [
            ("descripton", Some("description")),
            ("\"rr\"", None),
            ("\"zero\"", Some("\"zeros\"")),
            ("gleu", Some("gelu")),
            ("dwon", Some("down")),
            ("(e, 2)", None),
        ]
    );
    let fixed = fixed.replace(" - relu(e, 2)", "").replace("\"rr\"", "\"r\"");
    assert_eq!(fixed, VALID_PLUGIN);
    let problem = parse_error(&text);
    assert_eq!(problem.what, unknown_key);
    assert_eq!(problem.place, "mine.toml, line 2, column 1");
    let first = tr!("advice-did-you-mean", name = "description");
    assert!(problem.remedy.starts_with(&first), "{}", problem.remedy);
    let names = "d, d_in, d_out, hidden, heads, head_width, r";
    let names = tr!("advice-known-names", names);
    let mut rest = problem.remedy.as_str();
    for part in [
        "line 9, column 24: ",
        "`rr`",
        "`down`",
        names.as_str(),
        "line 10, column 37: ",
        "`zero`",
        tr!("advice-one-of"),
    ] {
        assert!(rest.contains(part), "{part}: {}", problem.remedy);
        rest = rest.split_once(part).unwrap().1;
    }
}

#[test]
fn reports_every_shape_mismatch_in_equation() {
    let (text, diagnostics) = find_mistakes(&[(
        "h + gelu(e @ down) @ up",
        "h + gelu(e @ up) + (e @ down) @ down + join_tokens(2, e) + e @ down @ up",
    )]);
    let snippets: Vec<&str> =
        diagnostics.iter().map(|diagnostic| &text[diagnostic.span.clone()]).collect();
    assert_eq!(snippets, ["@", "@", "join_tokens(2, e)"]);
    assert!(
        diagnostics.iter().all(|diagnostic| diagnostic.why
            == tr!("advice-tested-with-blocks", name = "ViT", width = 192))
    );
}

#[test]
fn variant_errors_point_to_its_equation() {
    let text = VALID_PLUGIN.replace("description", "variant = \"usual\"\ndescription")
        + "\n[variants.odd.equations]\nattention = \"h + (e @ down @ up) / 0\"\n";
    let diagnostics = PetSpec::parse_checked(&PluginText::new(&text, "mine.toml")).unwrap_err();
    assert_eq!(&text[diagnostics[0].span.clone()], "\"h + (e @ down @ up) / 0\"");
}

#[test]
fn omits_follow_up_errors() {
    for (part, replacement) in [
        // The equation uses `up`, the shapes use `r`, the equation is for `attention`.
        ("up   = {", "h   = {"),
        ("size = { symbol = \"r\", default = 5, min = 1, max = 64 }", "size = 5"),
        ("symbol = \"r\"", "symbol = 5"),
        ("default = 5", "defualt = 5"),
        ("[\"attention\"]", "[\"atention\"]"),
        ("attention = \"h", "atention = \"h"),
        ("init = \"zeros\"", "inti = \"zeros\""),
        ("[parameters]", "[parameter]"),
        ("h + gelu(e @ down) @ up", "h + gelu(e @ down @ up"),
    ] {
        let (_, diagnostics) = find_mistakes(&[(part, replacement)]);
        let expected = if part == "[parameters]" { 2 } else { 1 };
        assert_eq!(diagnostics.len(), expected, "{part}: {diagnostics:?}");
    }
}

#[test]
fn errors_in_escaped_equation_span_whole_string() {
    let (text, diagnostics) =
        find_mistakes(&[("h + gelu(e @ down) @ up", "h + gelu(e \\u0040 dwon) @ up")]);
    let [diagnostic] = diagnostics.as_slice() else { panic!("{diagnostics:?}") };
    assert_eq!(&text[diagnostic.span.clone()], "\"h + gelu(e \\u0040 dwon) @ up\"");
    let advice = (diagnostic.why.as_str(), &diagnostic.fix);
    assert_eq!(advice, (&*tr!("advice-did-you-mean", name = "down"), &None));
}

#[test]
fn limits_number_of_reported_mistakes() {
    let mut text = VALID_PLUGIN.to_owned();
    for number in 0..2000 {
        text += &format!("x{number} = \"nope + nope\"\n");
    }
    let diagnostics = PetSpec::parse_checked(&PluginText::new(&text, "mine.toml")).unwrap_err();
    assert_eq!(diagnostics.len(), 32);
    assert!(parse_error(&text).remedy.ends_with("; and 23 more errors"));
    let mismatches = format!("h{} + e @ down @ up", " + e @ e".repeat(60));
    assert_eq!(find_mistakes(&[("h + gelu(e @ down) @ up", &mismatches)]).1.len(), 32);
}

#[test]
fn ignores_equation_without_sites() {
    let text = VALID_PLUGIN.replace("attention = ", "every = \"any words\"\nattention = ");
    assert!(PetSpec::parse(&text, "mine.toml").is_ok());
}

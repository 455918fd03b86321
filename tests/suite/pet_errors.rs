//! Invalid plugins: each gives one problem with its position, never a panic.

use lae_studio::expression::Diagnostic;
use lae_studio::pet::source::PluginText;
use lae_studio::pet::{BlockShape, PetSettings, PetSpec, PetStack, Site};
use lae_studio::problem::Problem;

use crate::assert_is;

/// A valid plugin; each test breaks one part of it.
const GOOD: &str = r#"name = "Mine"
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

fn broken(text: &str) -> Problem {
    PetSpec::parse(text, "mine.toml").unwrap_err()
}

/// Returns the problem after replacing one part of the valid plugin.
fn after(part: &str, replacement: &str) -> Problem {
    assert_eq!(GOOD.matches(part).count(), 1, "{part}");
    broken(&GOOD.replace(part, replacement))
}

fn equation(text: &str) -> Problem {
    after("h + gelu(e @ down) @ up", text)
}

/// Asserts that the problem is this reason, at this part of an equation.
#[track_caller]
fn assert_at_part(problem: &Problem, part: &str, why: &str) {
    assert!(problem.is("problem-equation-part"), "{problem}");
    assert_eq!(problem.what, tr!("problem-equation-part", part, why));
}

#[test]
fn valid_plugin_parses_and_starts_as_identity() {
    let spec = PetSpec::parse(GOOD, "mine.toml").unwrap();
    assert!(spec.starts_as_identity);
    assert_eq!(spec.text(), GOOD);
}

#[test]
fn rejects_oversized_names() {
    let long = "n".repeat(30_000);
    for (part, replacement) in [
        ("down = {", format!("{long} = {{")),
        ("size = {", format!("{long} = {{")),
        ("symbol = \"r\"", format!("symbol = \"{long}\"")),
        ("[\"attention\"]", format!("[\"{long}\"]")),
        ("attention = \"", format!("{long} = \"")),
        ("[\"d\", \"r\"]", format!("[\"d\", \"{long}\"]")),
    ] {
        let problem = after(part, &replacement);
        let what = tr!("problem-name-too-long", letters = "30000", most = 64);
        assert_eq!(problem.what, what);
        assert!(problem.remedy.len() < 1000, "{}", problem.remedy.len());
    }
    let problem = equation(&format!("h + {}", &long[..300]));
    assert_says!(problem.what, "problem-name-too-long", letters = 300);
}

#[test]
fn shape_error_names_operands_and_sizes() {
    let problem = equation("h + gelu(e @ up) @ down");
    let reason = tr!("problem-product-inner-sizes", a = "192", b = "5");
    let why = tr!(
        "problem-product-shapes-differ",
        a = "2×17×192",
        b = "5×192",
        reason
    );
    assert_at_part(&problem, "e @ up", &why);
    assert_eq!(problem.place, "mine.toml, line 13, column 25");
    assert_eq!(
        problem.remedy,
        tr!("advice-tested-with-blocks", name = "ViT", width = 192)
    );

    let problem = equation("h + gelu(e @ down)  + 0 * (e @ transpose(up))");
    let why = tr!(
        "problem-shapes-not-broadcastable",
        a = "2×17×192",
        sign = "+",
        b = "2×17×5"
    );
    assert_at_part(&problem, "h + gelu(e @ down)", &why);
    let problem = equation("gelu(e @ down) + 0 * (e @ transpose(up))");
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
    let problem = equation("h + gelu(e @ dwon) @ up");
    assert_eq!(problem.what, tr!("problem-name-unknown", name = "dwon"));
    assert_eq!(problem.place, "mine.toml, line 13, column 27");
    assert_eq!(problem.remedy, tr!("advice-did-you-mean", name = "down"));

    let problem = equation("h + gleu(e @ down) @ up");
    assert_eq!(problem.what, tr!("problem-function-unknown", name = "gleu"));
    assert_eq!(problem.place, "mine.toml, line 13, column 18");
    assert_eq!(problem.remedy, tr!("advice-did-you-mean", name = "gelu"));

    let problem = equation("h + gelu(zebra @ down) @ up");
    assert!(
        problem
            .remedy
            .starts_with(&tr!("advice-known-names", names = "e, h, down, up, d,"))
    );
    let problem = equation("h + gelu * (e @ down @ up)");
    assert_eq!(problem.remedy, tr!("advice-call-function", name = "gelu"));
}

#[test]
fn rejects_invalid_equation_syntax() {
    for (text, id, shown, column) in [
        ("", "problem-equation-empty", "", 14),
        ("h +", "problem-equation-ends-early", "+", 16),
        ("h + * e", "problem-value-missing-before", "*", 18),
        ("h e", "problem-operator-missing-before", "e", 16),
        ("h + (e", "problem-parenthesis-never-closed", "(", 18),
        ("h + e)", "problem-parenthesis-unmatched", ")", 19),
        ("(h, e)", "problem-comma-not-allowed", "", 16),
        (
            "h + softmax(e, 2)",
            "problem-function-argument-count",
            "softmax",
            25,
        ),
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
        let problem = equation(text);
        assert_is(&problem, id);
        assert!(
            shown.is_empty() || problem.what.contains(&format!("`{shown}`")),
            "{problem}"
        );
        let place = format!("mine.toml, line 13, column {column}");
        assert_eq!(problem.place, place, "{text}");
    }
}

#[test]
fn distinguishes_numbers_and_tensors() {
    let problem = equation("h + gelu(2) * (e @ down @ up)");
    let why = tr!("problem-function-needs-tensor", usage = "gelu(x)");
    assert_at_part(&problem, "gelu(2)", &why);
    let problem = equation("h + 2 @ (e @ down @ up)");
    let why = tr!("problem-product-needs-tensors");
    assert_at_part(&problem, "2 @ (e @ down @ up)", why);
    let problem = equation("h + first_columns(e @ down @ up, e)");
    let why = tr!(
        "problem-function-needs-number",
        usage = "first_columns(x, n)"
    );
    assert_at_part(&problem, "first_columns(e @ down @ up, e)", &why);
    let text = GOOD.replace("h + gelu(e @ down) @ up", "h + 0 * (e @ down @ up)");
    let text = text.replace("attention = ", "attention.all = ") + "attention.end = \"d + all\"\n";
    assert!(PetSpec::parse(&text, "mine.toml").is_ok());
    let text = text.replace("d + all", "sqrt(d)").replace(".end", ".all2");
    assert_eq!(broken(&text).what, tr!("problem-step-unused", name = "all"));
}

#[test]
fn reports_equations_that_cannot_be_computed() {
    let problem = equation("h + (e @ down @ up) / 0");
    assert_eq!(
        problem.what,
        tr!("problem-equation-not-finite", name = "attention")
    );
    let problem = equation("h + split_heads(e @ down @ up, 5)");
    let channels = tr!("count-channels", n = 192);
    let heads = tr!("count-heads", n = 5);
    let why = tr!("problem-heads-do-not-divide", channels, heads);
    assert_at_part(&problem, "split_heads(e @ down @ up, 5)", &why);
    let problem = equation("h + first_columns(e, 500) * (e @ down @ up)");
    let why = tr!(
        "problem-cut-outside-columns",
        shape = "2×17×192",
        columns = "192",
        n = "500"
    );
    assert_at_part(&problem, "first_columns(e, 500)", &why);
    let problem = equation("h + first_columns(e, 2.5) * (e @ down @ up)");
    let why = tr!("problem-count-not-whole", number = "2.5");
    assert_at_part(&problem, "first_columns(e, 2.5)", &why);
}

#[test]
fn rejects_too_long_deep_and_large_equations() {
    let deep = format!("{}h{}", "(".repeat(5000), ")".repeat(5000));
    assert!(equation(&deep).mentions("problem-equation-too-long"));
    let nested = format!("{}h{}", "(".repeat(25), ")".repeat(25));
    assert_eq!(
        equation(&nested).what,
        tr!("problem-parentheses-too-deep", deepest = 24)
    );
    let minus = format!("h + {}(e @ down @ up)", "-".repeat(200));
    assert!(PetSpec::parse(&GOOD.replace("h + gelu(e @ down) @ up", &minus), "x").is_ok());
    let long = format!("h + e @ down @ up{}", " + h - h".repeat(60));
    assert!(PetSpec::parse(&GOOD.replace("h + gelu(e @ down) @ up", &long), "x").is_ok());
    let longer = format!("h + e @ down @ up{}", " + h - h".repeat(400));
    assert!(equation(&longer).mentions("problem-equation-too-long"));

    // A step cannot use itself or a later one.
    let own = GOOD.replace("attention = ", "attention.x = \"x + 1\"\nattention.y = ");
    let problem = broken(&own);
    assert_eq!(problem.what, tr!("problem-name-unknown", name = "x"));
    assert_eq!(problem.place, "mine.toml, line 13, column 16");

    // Doubling the tokens thirty times would fill any memory.
    let mut text = GOOD.replace(
        "attention = \"h + gelu(e @ down) @ up\"",
        "attention.x0 = \"join_tokens(e, e)\"",
    );
    for step in 1..30 {
        let before = step - 1;
        text += &format!("attention.x{step} = \"join_tokens(x{before}, x{before})\"\n");
    }
    text += "attention.end = \"h + x29 + e @ down @ up\"\n";
    assert_is(&broken(&text), "problem-equation-memory");
    let mut text = GOOD.replace("attention = ", "attention.end = ");
    for step in 0..40 {
        text += &format!("attention.z{step} = \"h\"\n");
    }
    assert_eq!(
        broken(&text).what,
        tr!("problem-equation-too-many-steps", most_steps = 32)
    );
}

#[test]
fn rejects_plugins_that_need_too_many_resources() {
    // 1 GiB steps, each of which would be accepted alone.
    let mut text = GOOD.replace("[parameters]", "[parameters]\nrow = { shape = [1, 16384], init = \"ones\" }\ncol = { shape = [16384, 1], init = \"ones\" }\nbig = { shape = [4096, 1024], init = \"zeros\" }");
    text = text.replace(
        "attention = ",
        "attention.s0 = \"row + col\"\nattention.end = ",
    );
    text = text.replace(
        "@ up\"",
        "@ up + 0 * mean(transpose(mean(s0))) + 0 * mean(transpose(mean(big)))\"",
    );
    assert_is(&broken(&text), "problem-equation-memory");
    // Parameters that are too large to draw.
    let text = GOOD.replace("\"d\", \"r\"", "8192, 4096");
    let problem = broken(&text);
    assert_is(&problem, "problem-plugin-parameters-too-large");
    // Products of allowed matrices with more than 2^31 multiplications each.
    let shapes = "wide = { shape = [1536, 1536], init = \"zeros\" }";
    let mut text = GOOD.replace("[parameters]", &format!("[parameters]\n{shapes}"));
    text = text.replace(
        "@ up\"",
        "@ up + 0 * mean(transpose(mean(wide @ wide @ wide)))\"",
    );
    let problem = broken(&text);
    let why = tr!("problem-equation-multiplications", shape = "1536×1536");
    assert_at_part(&problem, "wide @ wide", &why);
    // 3,000 variants.
    let mut text = GOOD.replace("description", "variant = \"first\"\ndescription");
    for variant in 0..3000 {
        text += &format!("[variants.v{variant}]\n");
    }
    assert_eq!(
        broken(&text).what,
        tr!("problem-plugin-too-many-variants", most_variants = 32)
    );
}

#[test]
fn reports_each_invalid_value_with_position() {
    let huge = format!("{GOOD}# {}", "x".repeat(70_000));
    assert_eq!(
        broken(&huge).what,
        tr!(
            "problem-plugin-file-too-large",
            bytes = huge.len().to_string(),
            most_bytes = "65536"
        )
    );
    let problem = after("sites = [\"attention\"]", "sites = [\"attention\"");
    assert_is(&problem, "problem-toml-invalid");
    assert!(problem.place.starts_with("mine.toml, line "), "{problem}");
    let nested = format!("x = {}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(broken(&nested).mentions("problem-toml-invalid"));
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
            &key_kind(
                "name",
                tr!("plugin-part-plugin"),
                tr!("plugin-value-quoted"),
                &number("3"),
            ),
            1,
            8,
        ),
        ("\"Mine\"", "\"\"", tr!("problem-plugin-name-invalid"), 1, 8),
        (
            "name = \"Mine\"\n",
            "",
            &tr!(
                "problem-plugin-key-missing",
                owner = tr!("plugin-part-plugin"),
                key = "name"
            ),
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
            &tr!(
                "problem-shape-size-unknown",
                symbol = "w",
                owner = parameter("down")
            ),
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
        (
            "[\"d\", \"r\"]",
            "[\"d\", 0]",
            tr!("problem-shape-contains-zero"),
            9,
            24,
        ),
        (
            "\"zeros\"",
            "\"zero\"",
            &tr!("problem-init-invalid", text = "zero"),
            10,
            37,
        ),
        (
            "\"zeros\"",
            "0",
            &key_kind(
                "init",
                &parameter("up"),
                tr!("plugin-value-quoted"),
                &number("0"),
            ),
            10,
            37,
        ),
        (
            "up   = {",
            "h   = {",
            &tr!(
                "problem-name-taken",
                name = "h",
                owner = tr!("plugin-name-of-site-value")
            ),
            10,
            1,
        ),
        (
            "up   = {",
            "r   = {",
            &tr!(
                "problem-name-taken",
                name = "r",
                owner = tr!("plugin-name-of-number")
            ),
            10,
            1,
        ),
        (
            "up   = {",
            "gelu   = {",
            &tr!("problem-name-of-function", name = "gelu"),
            10,
            1,
        ),
        (
            "init = \"zeros\"",
            "inti = \"zeros\"",
            &tr!(
                "problem-plugin-key-unknown",
                owner = parameter("up"),
                key = "inti"
            ),
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
        let problem = after(part, replacement);
        assert_eq!(problem.what, what);
        let place = format!("mine.toml, line {line}, column {column}");
        assert_eq!(problem.place, place, "{what}");
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
        let problem = after("\"h + gelu(e @ down) @ up\"", quoted);
        assert_eq!(problem.what, tr!("problem-name-unknown", name = "dwon"));
        let place = format!("mine.toml, line {line}, column {column}");
        assert_eq!(problem.place, place, "{quoted}");
    }
}

#[test]
fn explains_incompatible_blocks_sizes_and_variants() {
    let spec = PetSpec::parse(GOOD, "mine.toml").unwrap();
    let convnext = BlockShape {
        width: 8,
        hidden: 32,
        fc1_outputs: 32,
        heads: 0,
        sites: &[Site::Block, Site::Mlp],
    };
    let shapes = vec![convnext; 3];
    let problem = spec.fits(&shapes, &[0, 2]).unwrap_err();
    assert_eq!(
        problem.what,
        tr!(
            "problem-block-without-site",
            name = "Mine",
            name2 = "attention",
            block = 0
        )
    );
    assert_eq!(
        problem.remedy,
        tr!("advice-choose-pet-for-sites", offered = "block, mlp")
    );
    let text = GOOD.replace("attention", "block");
    let spec = PetSpec::parse(&text, "mine.toml").unwrap();
    let device = burn::tensor::Device::flex();
    let start = |settings: &PetSettings, blocks: &[usize]| {
        PetStack::init(&spec, settings, &shapes, blocks, 0, &device).map(|_| ())
    };
    assert!(start(&PetSettings::default(), &[0, 2]).is_ok());
    let problem = start(&PetSettings::default(), &[3]).unwrap_err();
    assert_eq!(
        problem.what,
        tr!("problem-block-not-found", block = 3, count = 3)
    );
    let problem = start(&PetSettings::of_size(65), &[0]).unwrap_err();
    assert_eq!(
        problem.what,
        tr!(
            "problem-plugin-number-out-of-range",
            name = "size",
            value = 65,
            name2 = "Mine"
        )
    );
    assert_eq!(
        problem.remedy,
        tr!("advice-choose-between", min = 1, max = 64)
    );
    let settings = PetSettings {
        variant: Some("plain".to_owned()),
        ..PetSettings::default()
    };
    let problem = start(&settings, &[0]).unwrap_err();
    assert_eq!(
        problem.what,
        tr!("problem-variant-not-found", name = "Mine", name2 = "plain")
    );
}

/// Returns the text and its diagnostics after some replacements in the valid plugin.
fn found(changes: &[(&str, &str)]) -> (String, Vec<Diagnostic>) {
    let mut text = GOOD.to_owned();
    for (part, replacement) in changes {
        assert_eq!(text.matches(part).count(), 1, "{part}");
        text = text.replace(part, replacement);
    }
    let wrong = PetSpec::checked(&PluginText::new(&text, "mine.toml")).unwrap_err();
    (text, wrong)
}

#[test]
fn reports_all_mistakes_with_span_and_fix() {
    let (text, wrong) = found(&[
        ("description", "descripton"),
        ("[\"d\", \"r\"]", "[\"d\", \"rr\"]"),
        ("\"zeros\"", "\"zero\""),
        (
            "h + gelu(e @ down) @ up",
            "h + gleu(e @ dwon) @ up - relu(e, 2) · e",
        ),
    ]);
    // An invalid character hides further errors of its equation only.
    let told: Vec<&str> = wrong.iter().map(|wrong| wrong.what.as_str()).collect();
    let last = tr!(
        "problem-character-not-allowed",
        letter = "·",
        any = "an equation"
    );
    let plugin = tr!("plugin-part-plugin");
    let parameter = tr!("plugin-part-parameter", name = "down");
    let unknown_key = tr!(
        "problem-plugin-key-unknown",
        owner = plugin,
        key = "descripton"
    );
    let unknown_size = tr!(
        "problem-shape-size-unknown",
        symbol = "rr",
        owner = parameter
    );
    let invalid = tr!("problem-init-invalid", text = "zero");
    assert_eq!(told, [&unknown_key, &unknown_size, &invalid, &last]);
    let (text, wrong) = {
        let text = text.replace(" · e", "");
        let wrong = PetSpec::checked(&PluginText::new(&text, "mine.toml")).unwrap_err();
        (text, wrong)
    };
    let mut fixed = text.clone();
    let mut seen = Vec::new();
    for wrong in wrong.iter().rev() {
        let place = &text[wrong.span.clone()];
        seen.push((place, wrong.fix.as_deref()));
        if let Some(fix) = &wrong.fix {
            fixed.replace_range(wrong.span.clone(), fix);
        }
    }
    seen.reverse();
    assert_eq!(
        seen,
        [
            ("descripton", Some("description")),
            ("\"rr\"", None),
            ("\"zero\"", Some("\"zeros\"")),
            ("gleu", Some("gelu")),
            ("dwon", Some("down")),
            ("(e, 2)", None),
        ]
    );
    let fixed = fixed
        .replace(" - relu(e, 2)", "")
        .replace("\"rr\"", "\"r\"");
    assert_eq!(fixed, GOOD);
    let problem = broken(&text);
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
    let (text, wrong) = found(&[(
        "h + gelu(e @ down) @ up",
        "h + gelu(e @ up) + (e @ down) @ down + join_tokens(2, e) + e @ down @ up",
    )]);
    let seen: Vec<&str> = wrong
        .iter()
        .map(|wrong| &text[wrong.span.clone()])
        .collect();
    assert_eq!(seen, ["@", "@", "join_tokens(2, e)"]);
    assert!(
        wrong
            .iter()
            .all(|wrong| wrong.why == tr!("advice-tested-with-blocks", name = "ViT", width = 192))
    );
}

#[test]
fn variant_errors_point_to_its_equation() {
    let text = GOOD.replace("description", "variant = \"usual\"\ndescription")
        + "\n[variants.odd.equations]\nattention = \"h + (e @ down @ up) / 0\"\n";
    let wrong = PetSpec::checked(&PluginText::new(&text, "mine.toml")).unwrap_err();
    assert_eq!(&text[wrong[0].span.clone()], "\"h + (e @ down @ up) / 0\"");
}

#[test]
fn omits_follow_up_errors() {
    for (part, replacement) in [
        // The equation uses `up`, the shapes use `r`, the equation is for `attention`.
        ("up   = {", "h   = {"),
        (
            "size = { symbol = \"r\", default = 5, min = 1, max = 64 }",
            "size = 5",
        ),
        ("symbol = \"r\"", "symbol = 5"),
        ("default = 5", "defualt = 5"),
        ("[\"attention\"]", "[\"atention\"]"),
        ("attention = \"h", "atention = \"h"),
        ("init = \"zeros\"", "inti = \"zeros\""),
        ("[parameters]", "[parameter]"),
        ("h + gelu(e @ down) @ up", "h + gelu(e @ down @ up"),
    ] {
        let (_, wrong) = found(&[(part, replacement)]);
        let expected = if part == "[parameters]" { 2 } else { 1 };
        assert_eq!(wrong.len(), expected, "{part}: {wrong:?}");
    }
}

#[test]
fn errors_in_escaped_equation_span_whole_string() {
    let (text, wrong) = found(&[("h + gelu(e @ down) @ up", "h + gelu(e \\u0040 dwon) @ up")]);
    let [wrong] = wrong.as_slice() else {
        panic!("{wrong:?}")
    };
    assert_eq!(
        &text[wrong.span.clone()],
        "\"h + gelu(e \\u0040 dwon) @ up\""
    );
    let told = (wrong.why.as_str(), &wrong.fix);
    assert_eq!(told, (&*tr!("advice-did-you-mean", name = "down"), &None));
}

#[test]
fn limits_number_of_reported_mistakes() {
    let mut text = GOOD.to_owned();
    for number in 0..2000 {
        text += &format!("x{number} = \"nope + nope\"\n");
    }
    let wrong = PetSpec::checked(&PluginText::new(&text, "mine.toml")).unwrap_err();
    assert_eq!(wrong.len(), 32);
    assert!(broken(&text).remedy.ends_with("; and 23 more errors"));
    let misfits = format!("h{} + e @ down @ up", " + e @ e".repeat(60));
    assert_eq!(found(&[("h + gelu(e @ down) @ up", &misfits)]).1.len(), 32);
}

#[test]
fn ignores_equation_without_sites() {
    let text = GOOD.replace("attention = ", "every = \"any words\"\nattention = ");
    assert!(PetSpec::parse(&text, "mine.toml").is_ok());
}

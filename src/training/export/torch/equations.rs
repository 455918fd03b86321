//! Translates equations of a plugin to Python code with PyTorch tensors.

use std::collections::BTreeSet;

use crate::expression::{Expr, NodeKind};
use crate::pet::equation::{Binding, Meaning};
use crate::pet::functions::{FUNCTIONS, function};
use crate::pet::{BlockPet, SitePet};
use crate::problem::Result;
use crate::tensors::HostTensor;

/// Names that a plugin's variables must not have in Python: keywords, names that the file uses, and attributes of
/// `nn.Module`.
const RESERVED_NAMES: &str = "\
    False None True and as assert async await break class continue def del elif else except finally for from \
    global if import in is lambda nonlocal not or pass raise return try while with yield self math torch nn F \
    add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval \
    extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict \
    modules mtia named_buffers named_children named_modules named_parameters parameters \
    register_backward_hook register_buffer register_forward_hook register_forward_pre_hook \
    register_full_backward_hook register_full_backward_pre_hook register_load_state_dict_post_hook \
    register_load_state_dict_pre_hook register_module register_parameter register_state_dict_post_hook \
    register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule share_memory state_dict to \
    to_empty train training type xpu zero_grad T_destination";

/// Returns the name, changed if Python or the file already uses it.
fn python_name(name: &str) -> String {
    let is_reserved =
        RESERVED_NAMES.split_whitespace().any(|word| word == name) || function(name).is_some();
    match is_reserved || crate::pet::Site::from_name(name).is_some() || name.starts_with('_') {
        true => format!("own_{name}"),
        false => name.to_owned(),
    }
}

/// Returns unique attribute names for a block's parameters, in their order.
pub fn attribute_names(pet: &BlockPet<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for parameter in &pet.parameters {
        let mut name = match parameter.site {
            Some(site) => format!("{}_{}", site.name(), parameter.name),
            None => python_name(parameter.name),
        };
        while names.contains(&name) {
            name.push('_');
        }
        names.push(name);
    }
    names
}

/// Returns a block's PET as a Python class of this name, and the functions that it calls.
pub fn write_class(
    name: &str,
    pet: &BlockPet<'_>,
    docstring: &str,
) -> (String, BTreeSet<&'static str>) {
    let attributes = attribute_names(pet);
    let mut calls = BTreeSet::new();
    let mut text = format!(
        "class {name}(nn.Module):\n    \"\"\"{docstring}\"\"\"\n\n    def __init__(self):\n        super().__init__()\n"
    );
    for (attribute, parameter) in attributes.iter().zip(&pet.parameters) {
        let [rows, columns] = parameter.tensor.dims();
        text +=
            &format!("        self.{attribute} = nn.Parameter(torch.zeros({rows}, {columns}))\n");
    }
    for site in &pet.sites {
        text += "\n";
        text += &write_method(site, &attributes, &mut calls);
    }
    (text, calls)
}

/// Returns the equation of a site as a Python method.
fn write_method(
    pet: &SitePet<'_>,
    attributes: &[String],
    calls: &mut BTreeSet<&'static str>,
) -> String {
    let inputs = pet.site.inputs();
    let arguments = match pet.site.is_linear() && !pet.reads_weight() {
        true => &inputs[..2],
        false => inputs,
    };
    let mut text = format!("    def {}(self, {}):\n", pet.site.name(), arguments.join(", "));
    let variables = || pet.program.variables().iter().zip(pet.bindings);
    for ((name, _), binding) in variables() {
        if let Binding::Number(value) = binding {
            text += &format!("        {} = {}\n", python_name(name), python_number(*value));
        }
    }
    let resolve_name = |name: &str| {
        let found = variables().find(|((variable, _), _)| variable == name);
        match found {
            Some(((_, Meaning::Input(at)), _)) => {
                inputs.get(*at).map_or(python_name(name), |input| (*input).into())
            }
            Some((_, Binding::Parameter(at))) => {
                let attribute = attributes.get(*at);
                attribute.map_or(python_name(name), |attribute| format!("self.{attribute}"))
            }
            _ => python_name(name),
        }
    };
    let last = pet.program.steps().len().saturating_sub(1);
    for (at, step) in pet.program.steps().iter().enumerate() {
        let value = write_expression(&step.tree, &resolve_name, calls);
        text += &match at == last {
            true => format!("        return {value}\n"),
            false => format!("        {} = {value}\n", python_name(&step.text.name)),
        };
    }
    text
}

/// Returns an expression as Python code; operators have the same precedence in both languages.
fn write_expression(
    tree: &Expr,
    resolve_name: &dyn Fn(&str) -> String,
    calls: &mut BTreeSet<&'static str>,
) -> String {
    match &tree.kind {
        NodeKind::Number(value) => python_number(*value),
        NodeKind::Name(name) => resolve_name(name),
        NodeKind::Negate(inner) => {
            let text = write_expression(inner, resolve_name, calls);
            match inner.kind {
                NodeKind::Binary(..) => format!("-({text})"),
                _ => format!("-{text}"),
            }
        }
        NodeKind::Binary(sign, operands) => {
            let mut side = |part: &Expr, right: bool| {
                let text = write_expression(part, resolve_name, calls);
                match &part.kind {
                    NodeKind::Binary(inner, _)
                        if inner.precedence() < sign.precedence()
                            || right && inner.precedence() == sign.precedence() =>
                    {
                        format!("({text})")
                    }
                    _ => text,
                }
            };
            let (left, right) = (side(&operands[0], false), side(&operands[1], true));
            format!("{left} {} {right}", sign.text())
        }
        NodeKind::Call(name, arguments) => {
            let codes: Vec<String> =
                arguments.iter().map(|part| write_expression(part, resolve_name, calls)).collect();
            calls.extend(function(name).map(|entry| entry.name));
            format!("{name}({})", codes.join(", "))
        }
    }
}

/// Returns a number as Python code; whole numbers have no point, because counts must be integers.
fn python_number(value: f64) -> String {
    match value.fract() == 0.0 && value.abs() < 1e15 {
        true => format!("{value:.0}"),
        false => format!("{value:?}"),
    }
}

/// Returns Python definitions of the called functions.
pub fn python_functions(calls: &BTreeSet<&'static str>) -> String {
    let called = FUNCTIONS.iter().filter(|entry| calls.contains(entry.name));
    let definitions =
        called.map(|entry| format!("def {}:\n    {}\n\n\n", entry.usage, entry.torch));
    definitions.collect()
}

/// Returns the values of a block's parameters by attribute name.
///
/// # Errors
/// Returns a Problem if the device failed.
pub fn parameter_values(pet: &BlockPet<'_>) -> Result<Vec<(String, HostTensor)>> {
    let named = attribute_names(pet).into_iter().zip(&pet.parameters);
    named.map(|(name, parameter)| Ok((name, HostTensor::read(parameter.tensor)?))).collect()
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::pet::library::PluginLibrary;
    use crate::pet::{BlockKind, PetSettings, PetStack};

    fn write_plugin_class(
        plugin: &str,
        settings: &PetSettings,
    ) -> (String, BTreeSet<&'static str>) {
        let spec = PluginLibrary::standard().get(plugin).unwrap();
        let shapes = [BlockKind::VIT.shape()];
        let stack = PetStack::init(&spec, settings, &shapes, &[0], 1, &Device::flex()).unwrap();
        write_class("Pet", &stack.exported_blocks()[0], "A PET.")
    }

    #[test]
    fn stepwise_equation_becomes_stepwise_method() {
        let (text, calls) = write_plugin_class("prefix", &PetSettings::with_size(7));
        let expected = "    def attend(self, q, k, v):
        heads = 3
        head_width = 64
        r = 7
        prefix_k = split_heads(self.s_k * self.p_k, heads)
        prefix_v = split_heads(self.s_v * self.p_v, heads)
        scores = q / sqrt(head_width) @ transpose(join_tokens(prefix_k, k))
        ordinary = rest_columns(softmax(scores), r) @ v
        prefix = softmax(first_columns(scores, r)) @ prefix_v
        return ordinary + prefix
";
        let sorted = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            // The order of the constants is that in which the equation uses them.
            lines[1..4].sort();
            lines
        };
        let method = &text[text.find("    def attend").unwrap()..];
        assert_eq!(sorted(method), sorted(expected));
        assert!(calls.contains("split_heads") && !calls.contains("gelu"));
        assert!(python_functions(&calls).contains("def join_tokens(x, y):\n    lead = "));
    }

    /// Each copy of a parameter has its own name, and the frozen weight is an argument.
    #[test]
    fn distinguishes_parameter_copies_and_frozen_weight() {
        let (text, _) = write_plugin_class("dora", &PetSettings::default());
        assert!(text.contains("self.query_a = nn.Parameter(torch.zeros(192, 8))"), "{text}");
        assert!(text.contains("    def value(self, e, h, w):\n"), "{text}");
        let line = "length = detach(column_norms(w + scale * (self.value_a @ self.value_b)))";
        assert!(text.contains(line), "{text}");
    }

    #[test]
    fn every_called_function_is_defined_in_python() {
        for entry in PluginLibrary::standard().entries() {
            let name = &entry.name;
            let (text, calls) = write_plugin_class(name, &PetSettings::default());
            assert!(text.contains("return "), "{name}");
            let definitions = python_functions(&calls);
            assert!(
                calls.iter().all(|call| definitions.contains(&format!("def {call}("))),
                "{name}"
            );
        }
    }

    #[test]
    fn plugin_names_do_not_shadow_python_names() {
        for name in ["lambda", "forward", "gelu", "key", "torch", "__class__"] {
            assert_eq!(python_name(name), format!("own_{name}"));
        }
        assert_eq!(python_name("down"), "down");
        assert_eq!(
            (python_number(3.0), python_number(0.1), python_number(-2.0)),
            ("3".into(), "0.1".into(), "-2".into())
        );
    }
}

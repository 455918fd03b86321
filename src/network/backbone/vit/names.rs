//! Converts other programs' names of a ViT's tensors to timm's: those of the original JAX release (npz), OpenAI's
//! CLIP, DINO, older timm files, EVA-02, DINOv3, the Perception Encoder, transformers' ViT, DINOv2, DINOv3, CLIP and
//! SigLIP, and torchvision's ViT.

use crate::backbone::loader::transpose;
use crate::backbone::weights::{StoredTensor, Tensors};
use crate::problem::{Problem, Result};

/// Renames the tensors from any of the known naming schemes to timm's.
pub fn rename_tensors(tensors: Tensors) -> Result<Tensors> {
    let has = |name: &str| tensors.contains(name);
    Ok(if has("visual.class_embedding") {
        from_clip(tensors.strip_prefix("visual."))
    } else if has("embedding/kernel") {
        from_jax(&tensors)?
    } else if has("embeddings.patch_embeddings.projection.weight") {
        from_transformers(tensors)
    } else if has("embeddings.patch_embeddings.weight") {
        from_transformers_dinov3(tensors)
    } else if has("embeddings.patch_embedding.weight") {
        from_transformers_clip(tensors)
    } else if has("conv_proj.weight") {
        from_torchvision(tensors)
    } else {
        from_timm(tensors)
    })
}

/// Renames tensors from all versions of timm, and from the original releases of DINOv2, DINOv3 and EVA-02. The unused
/// representation layer of old files, mask tokens, and tables that can be computed are dropped.
fn from_timm(tensors: Tensors) -> Tensors {
    let replacements = [
        ("storage_tokens", "reg_token"),
        ("register_tokens", "reg_token"),
        ("gamma_1", "ls1.gamma"),
        ("gamma_2", "ls2.gamma"),
        ("attn.inner_attn_ln", "attn.norm"),
        ("mlp.ffn_ln", "mlp.norm"),
        ("mlp.w12", "mlp.fc1"),
        ("mlp.w1.", "mlp.fc1_g."),
        ("mlp.w2.", "mlp.fc1_x."),
        ("mlp.w3.", "mlp.fc2."),
        ("attn.q_bias", "attn.q_proj.bias"),
        ("attn.k_bias", "attn.k_proj.bias"),
        ("attn.v_bias", "attn.v_proj.bias"),
    ];
    let unused = ["pre_logits.", "mask_token", "rope.", "rope_embed.", "local_cls_norm."];
    let is_dinov2 = tensors.contains("register_tokens");
    let tensors = pack_projections(tensors.replace_in_names(&replacements, &unused));
    match is_dinov2 {
        true => add_class_position_to_token(tensors),
        false => tensors,
    }
}

/// Stacks queries, keys and values, and gates and values of an MLP, into one layer each. Missing or masked biases of
/// keys become 0.
fn pack_projections(mut tensors: Tensors) -> Tensors {
    for index in 0..tensors.count_series("blocks.", ".norm1.weight") {
        let name = |rest: &str| format!("blocks.{index}.attn.{rest}");
        if tensors.remove(&name("qkv.bias_mask")).is_some()
            && let Some(bias) = tensors.remove(&name("qkv.bias"))
        {
            let rows = bias.shape().iter().product::<usize>();
            let part = |i: usize| bias.clone().slice_rows(i * rows / 3, (i + 1) * rows / 3);
            let parts = vec![part(0), StoredTensor::zeros(part(1).shape()), part(2)];
            tensors.insert(name("qkv.bias"), StoredTensor::concat(parts));
        }
    }
    tensors
        .with_key_biases(".q_proj.bias", ".k_proj.bias")
        .pack_layers(["q_proj", "k_proj", "v_proj"], "qkv")
        .pack_layers(["fc1_g", "fc1_x"], "fc1")
}

/// Renames tensors of transformers' ViT, MAE, DeiT and DINOv2, with the names in its files and in its newest models.
fn from_transformers(tensors: Tensors) -> Tensors {
    let replacements = [
        ("embeddings.patch_embeddings.projection", "patch_embed.proj"),
        ("embeddings.position_embeddings", "pos_embed"),
        ("embeddings.cls_token", "cls_token"),
        ("embeddings.register_tokens", "reg_token"),
        ("encoder.layer.", "blocks."),
        ("layers.", "blocks."),
        ("attention.attention.", "attn."),
        ("attention.output.dense", "attn.proj"),
        ("attention.o_proj", "attn.proj"),
        ("attention.", "attn."),
        ("q_proj", "query"),
        ("k_proj", "key"),
        ("v_proj", "value"),
        ("intermediate.dense", "mlp.fc1"),
        ("output.dense", "mlp.fc2"),
        ("layernorm_before", "norm1"),
        ("layernorm_after", "norm2"),
        ("layer_scale1.lambda1", "ls1.gamma"),
        ("layer_scale2.lambda1", "ls2.gamma"),
        ("layernorm.", "norm."),
    ];
    let unused = ["embeddings.mask_token", "pooler.", "decoder."];
    let tensors = tensors
        .replace_in_names(&replacements, &unused)
        .pack_layers(["query", "key", "value"], "qkv");
    match tensors.contains("reg_token") {
        true => add_class_position_to_token(tensors),
        false => tensors,
    }
}

/// Adds the position of the class token to the token itself, as in timm, because registers have no position. Tensors of
/// other shapes remain, and are refused later.
fn add_class_position_to_token(mut tensors: Tensors) -> Tensors {
    if let Some(&[1, count, width]) = tensors.shape("pos_embed")
        && count > 0
        && let Some(token) = tensors.remove("cls_token")
        && let Some(positions) = tensors.remove("pos_embed")
    {
        let flat = positions.reshape(vec![count, width]);
        tensors.insert("cls_token", token.add_tensor(flat.clone().slice_rows(0, 1)));
        let patches = flat.slice_rows(1, count);
        tensors.insert("pos_embed", patches.reshape(vec![1, count - 1, width]));
    }
    tensors
}

/// Renames tensors of transformers' DINOv3.
fn from_transformers_dinov3(tensors: Tensors) -> Tensors {
    let first = match tensors.contains("layer.0.mlp.gate_proj.weight") {
        true => "mlp.fc1_x",
        false => "mlp.fc1",
    };
    let replacements = [
        ("embeddings.patch_embeddings", "patch_embed.proj"),
        ("embeddings.cls_token", "cls_token"),
        ("embeddings.register_tokens", "reg_token"),
        ("layer.", "blocks."),
        ("attention.o_proj", "attn.proj"),
        ("attention.", "attn."),
        ("layer_scale1.lambda1", "ls1.gamma"),
        ("layer_scale2.lambda1", "ls2.gamma"),
        ("mlp.gate_proj", "mlp.fc1_g"),
        ("mlp.up_proj", first),
        ("mlp.down_proj", "mlp.fc2"),
    ];
    let mut tensors =
        pack_projections(tensors.replace_in_names(&replacements, &["embeddings.mask_token"]));
    if tensors.shape("reg_token").is_some_and(|shape| shape.contains(&0)) {
        tensors.remove("reg_token");
    }
    tensors
}

/// Renames tensors of transformers' image encoders of CLIP and SigLIP.
fn from_transformers_clip(tensors: Tensors) -> Tensors {
    let replacements = [
        ("embeddings.patch_embedding", "patch_embed.proj"),
        ("embeddings.position_embedding.weight", "pos_embed"),
        ("embeddings.class_embedding", "cls_token"),
        ("encoder.layers.", "blocks."),
        ("self_attn.out_proj", "attn.proj"),
        ("self_attn.", "attn."),
        ("layer_norm", "norm"),
        ("pre_layrnorm", "norm_pre"),
        ("post_layernorm", "norm"),
        ("head.probe", "attn_pool.latent"),
        ("head.attention.out_proj", "attn_pool.proj"),
        ("head.attention.in_proj_", "attn_pool.packed."),
        ("head.layernorm", "attn_pool.norm"),
        ("head.mlp", "attn_pool.mlp"),
    ];
    let tensors = tensors
        .replace_in_names(&replacements, &["embeddings.position_ids"])
        .pack_layers(["q_proj", "k_proj", "v_proj"], "qkv");
    add_batch_axis(split_pool_query(tensors))
}

fn from_torchvision(tensors: Tensors) -> Tensors {
    let replacements = [
        ("conv_proj", "patch_embed.proj"),
        ("class_token", "cls_token"),
        ("encoder.pos_embedding", "pos_embed"),
        ("encoder.layers.encoder_layer_", "blocks."),
        ("encoder.ln", "norm"),
        ("ln_", "norm"),
        ("self_attention.in_proj_", "attn.qkv."),
        ("self_attention.out_proj", "attn.proj"),
        ("mlp.linear_1", "mlp.fc1"),
        ("mlp.linear_2", "mlp.fc2"),
        ("mlp.0.", "mlp.fc1."),
        ("mlp.3.", "mlp.fc2."),
    ];
    tensors.replace_in_names(&replacements, &["heads."])
}

/// Separates the query of an attention pooling from keys and values, as in timm.
fn split_pool_query(mut tensors: Tensors) -> Tensors {
    for kind in ["weight", "bias"] {
        if let Some(packed) = tensors.remove(&format!("attn_pool.packed.{kind}")) {
            let rows = packed.shape().first().copied().unwrap_or(0);
            let query = packed.clone().slice_rows(0, rows / 3);
            tensors.insert(format!("attn_pool.q.{kind}"), query);
            tensors.insert(format!("attn_pool.kv.{kind}"), packed.slice_rows(rows / 3, rows));
        }
    }
    tensors
}

/// Adds timm's batch axis to the class token and the position embedding.
fn add_batch_axis(mut tensors: Tensors) -> Tensors {
    if let Some(token) = tensors.remove("cls_token") {
        let width = token.shape().iter().product();
        tensors.insert("cls_token", token.reshape(vec![1, 1, width]));
    }
    if let Some(positions) = tensors.remove("pos_embed") {
        let shape = [&[1], positions.shape()].concat();
        tensors.insert("pos_embed", positions.reshape(shape));
    }
    tensors
}

/// Renames tensors of OpenAI's CLIP and Meta's Perception Encoder.
fn from_clip(tensors: Tensors) -> Tensors {
    const REPLACEMENTS: [(&str, &str); 16] = [
        ("attn_pool.attn.in_proj_", "attn_pool.packed."),
        ("attn_pool.attn.", "attn_pool."),
        ("attn_pool.layernorm", "attn_pool.norm"),
        ("attn_pool.probe", "attn_pool.latent"),
        ("ls_", "ls"),
        ("class_embedding", "cls_token"),
        ("conv1", "patch_embed.proj"),
        ("positional_embedding", "pos_embed"),
        ("transformer.resblocks.", "blocks."),
        ("ln_pre", "norm_pre"),
        ("ln_post", "norm"),
        ("ln_", "norm"),
        ("in_proj_", "qkv."),
        ("out_proj", "proj"),
        ("mlp.c_fc", "mlp.fc1"),
        ("mlp.c_proj", "mlp.fc2"),
    ];
    // `proj` projects to the embedding space shared with texts, so it is a head and is dropped.
    add_batch_axis(split_pool_query(tensors.replace_in_names(&REPLACEMENTS, &["proj"])))
}

/// The layers of a block: timm's name, that of the JAX release, and the number of input axes of its kernel.
const JAX_LAYERS: [(&str, &str, usize); 3] = [
    ("attn.proj", "MultiHeadDotProductAttention_1/out", 2),
    ("mlp.fc1", "MlpBlock_3/Dense_0", 1),
    ("mlp.fc2", "MlpBlock_3/Dense_1", 1),
];

/// Converts the tensors of the JAX release, whose kernels are input × output, and whose queries, keys and values are
/// separate.
fn from_jax(tensors: &Tensors) -> Result<Tensors> {
    let mut source = tensors.clone();
    let mut out = Tensors::for_file(tensors.origin(), tensors.metadata().clone());
    let mut take_tensor = |name: &str| {
        source.remove(name).ok_or_else(|| {
            Problem::new(format!("the ViT archive lacks the array {name}"))
                .at(tensors.origin())
                .advise("download the file again")
        })
    };
    let kernel = take_tensor("embedding/kernel")?;
    out.insert("patch_embed.proj.weight", convolution(kernel));
    for (name, jax_name) in [
        ("patch_embed.proj.bias", "embedding/bias"),
        ("cls_token", "cls"),
        ("pos_embed", "Transformer/posembed_input/pos_embedding"),
        ("norm.weight", "Transformer/encoder_norm/scale"),
        ("norm.bias", "Transformer/encoder_norm/bias"),
    ] {
        out.insert(name, take_tensor(jax_name)?);
    }
    for index in 0..tensors.count_series("Transformer/encoderblock_", "/LayerNorm_0/scale") {
        let mut take =
            |name: &str| take_tensor(&format!("Transformer/encoderblock_{index}/{name}"));
        let mut put =
            |name: &str, stored: StoredTensor| out.insert(format!("blocks.{index}.{name}"), stored);
        for (norm, jax_name) in [("norm1", "LayerNorm_0"), ("norm2", "LayerNorm_2")] {
            put(&format!("{norm}.weight"), take(&format!("{jax_name}/scale"))?);
            put(&format!("{norm}.bias"), take(&format!("{jax_name}/bias"))?);
        }
        let (mut weights, mut biases) = (Vec::new(), Vec::new());
        for part in ["query", "key", "value"] {
            let part = format!("MultiHeadDotProductAttention_1/{part}");
            weights.push(matrix(take(&format!("{part}/kernel"))?, 1));
            let bias = take(&format!("{part}/bias"))?;
            let width = bias.shape().iter().product();
            biases.push(bias.reshape(vec![width]));
        }
        put("attn.qkv.weight", StoredTensor::concat(weights));
        put("attn.qkv.bias", StoredTensor::concat(biases));
        for (layer, jax_name, inputs) in JAX_LAYERS {
            let kernel = take(&format!("{jax_name}/kernel"))?;
            put(&format!("{layer}.weight"), matrix(kernel, inputs));
            put(&format!("{layer}.bias"), take(&format!("{jax_name}/bias"))?);
        }
    }
    Ok(out)
}

/// Converts a kernel whose first `inputs` axes are inputs to an output × input matrix.
fn matrix(kernel: StoredTensor, inputs: usize) -> StoredTensor {
    let shape = kernel.shape();
    let rows: usize = shape.iter().take(inputs).product();
    let columns: usize = shape.iter().skip(inputs).product();
    kernel.map_values(vec![columns, rows], move |values| transpose(&values, rows, columns))
}

/// Permutes rows × columns × channels × out to out × channels × rows × columns.
fn convolution(kernel: StoredTensor) -> StoredTensor {
    let &[height, width, channels, out] = kernel.shape() else {
        return kernel;
    };
    let shape = vec![out, channels, height, width];
    kernel.map_values(shape, move |values| {
        let by_output = transpose(&values, height * width * channels, out);
        by_output
            .chunks(height * width * channels)
            .flat_map(|filter| transpose(filter, height * width, channels))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range_tensor(shape: &[usize]) -> StoredTensor {
        let count = shape.iter().product::<usize>();
        StoredTensor::new(shape.to_vec(), move || Ok((0..count).map(|i| i as f32).collect()))
    }

    #[test]
    fn jax_convolution_is_reordered_for_torch() {
        let stored = convolution(range_tensor(&[2, 1, 3, 2]));
        assert_eq!(stored.shape(), [2, 3, 2, 1]);
        let expected = [0., 6., 2., 8., 4., 10., 1., 7., 3., 9., 5., 11.];
        assert_eq!(stored.read().unwrap(), expected);
    }

    #[test]
    fn head_kernel_becomes_output_by_input_matrix() {
        let stored = matrix(range_tensor(&[2, 2, 2]), 1);
        assert_eq!(stored.shape(), [4, 2]);
        assert_eq!(stored.read().unwrap(), [0., 4., 1., 5., 2., 6., 3., 7.]);
    }

    #[test]
    fn class_position_is_added_only_to_valid_shapes() {
        let folded = |positions: &[usize]| {
            let mut tensors = Tensors::new();
            tensors.insert("cls_token", range_tensor(&[1, 1, 2]));
            tensors.insert("pos_embed", range_tensor(positions));
            let tensors = add_class_position_to_token(tensors);
            assert!(tensors.contains("cls_token"));
            tensors.shape("pos_embed").map(<[usize]>::to_vec)
        };
        assert_eq!(folded(&[1, 5, 2]), Some(vec![1, 4, 2]));
        for other in [&[1, 0, 2][..], &[5, 2], &[2, 5, 2]] {
            assert_eq!(folded(other).as_deref(), Some(other));
        }
    }

    #[test]
    fn clip_names_are_mapped_to_timm() {
        let mut tensors = Tensors::new();
        for (name, shape) in [
            ("visual.class_embedding", &[8][..]),
            ("visual.positional_embedding", &[5, 8]),
            ("visual.conv1.weight", &[8, 3, 4, 4]),
            ("visual.ln_pre.weight", &[8]),
            ("visual.transformer.resblocks.0.attn.in_proj_weight", &[24, 8]),
            ("visual.transformer.resblocks.0.ln_1.bias", &[8]),
            ("visual.transformer.resblocks.0.mlp.c_fc.weight", &[32, 8]),
            ("visual.proj", &[8, 4]),
            ("token_embedding.weight", &[9, 8]),
        ] {
            tensors.insert(name, range_tensor(shape));
        }
        let tensors = rename_tensors(tensors).unwrap();
        let names: Vec<&str> = tensors.names().collect();
        assert_eq!(
            names,
            [
                "blocks.0.attn.qkv.weight",
                "blocks.0.mlp.fc1.weight",
                "blocks.0.norm1.bias",
                "cls_token",
                "norm_pre.weight",
                "patch_embed.proj.weight",
                "pos_embed",
            ]
        );
        assert_eq!(tensors.shape("pos_embed"), Some(&[1, 5, 8][..]));
    }
}

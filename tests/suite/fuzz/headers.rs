//! Headers of safetensors files, mutated so that lengths and offsets still agree.

use super::bytes::Dice;

/// A safetensors file's header and what follows it.
pub fn split_header(bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    (bytes[8..8 + length].to_vec(), bytes[8 + length..].to_vec())
}

/// A file of this header, as long as the header says unless that is far too long.
pub fn join_header(header: &[u8], mut data: Vec<u8>) -> Vec<u8> {
    let parsed = serde_json::from_slice::<serde_json::Value>(header).ok();
    let tensors = parsed.as_ref().and_then(serde_json::Value::as_object);
    let entries = tensors.into_iter().flat_map(|tensors_by_name| tensors_by_name.values());
    let last = entries.filter_map(|entry| entry.get("data_offsets")?.get(1)?.as_u64()).max();
    if let Some(last) = last.filter(|last| *last < 8 << 20) {
        data.resize(last as usize, 0);
    }
    [&(header.len() as u64).to_le_bytes()[..], header, &data].concat()
}

/// Mutates the header, keeping length and offsets right most of the time.
pub fn vary_header(bytes: &[u8], dice: &mut Dice, words: &[&[u8]]) -> Vec<u8> {
    let (mut header, data) = split_header(bytes);
    if dice.one_in(8) {
        let mut bytes = bytes.to_vec();
        dice.mutate(&mut bytes, words);
        return bytes;
    }
    if dice.one_in(2) {
        reshape(&mut header, dice);
    } else {
        dice.mutate(&mut header, words);
    }
    join_header(&header, data)
}

/// Removes some tensors or changes their shapes, and recomputes all offsets.
fn reshape(header: &mut Vec<u8>, dice: &mut Dice) {
    let mut tensors: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(header).unwrap();
    let names: Vec<String> = tensors.keys().cloned().collect();
    for _ in 0..1 + dice.below(4) {
        let name = dice.choose(&names).clone();
        let Some(shape) = tensors.get(&name).and_then(|entry| entry["shape"].as_array()) else {
            continue;
        };
        let mut shape: Vec<u64> = shape.iter().filter_map(serde_json::Value::as_u64).collect();
        match dice.below(6) {
            0 => drop(tensors.remove(&name)),
            1 => {
                let axis = dice.below(shape.len() + 1);
                shape.insert(axis, 1);
            }
            2 => drop(shape.pop()),
            3 => shape.reverse(),
            _ if !shape.is_empty() => {
                let axis = dice.below(shape.len());
                shape[axis] = match dice.below(3) {
                    0 => dice.edge(),
                    1 => shape[axis].saturating_mul(2),
                    _ => dice.below(9) as u64,
                };
            }
            _ => {}
        }
        if let Some(entry) = tensors.get_mut(&name) {
            entry["shape"] = shape.into();
        }
    }
    let mut offset = 0u64;
    for (_, entry) in tensors.iter_mut().filter(|(name, _)| *name != "__metadata__") {
        let width = match entry["dtype"].as_str() {
            Some("F16" | "BF16") => 2,
            Some("F64" | "I64") => 8,
            _ => 4,
        };
        let dimensions = entry["shape"].as_array().into_iter().flatten();
        let dimensions = dimensions.filter_map(serde_json::Value::as_u64);
        let length = dimensions.fold(width, |product: u64, side| product.wrapping_mul(side));
        entry["data_offsets"] = vec![offset, offset.wrapping_add(length)].into();
        offset = offset.wrapping_add(length);
    }
    *header = serde_json::to_vec(&tensors).unwrap();
}

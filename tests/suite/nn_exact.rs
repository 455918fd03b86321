//! Straightforward reference implementations of the layers in f64.

/// erf by its Taylor series or, where that is inaccurate, its continued fraction.
fn erf(x: f64) -> f64 {
    let a = x.abs();
    let value = if a < 2.5 {
        let (mut term, mut total) = (a, a);
        for n in 1..120 {
            term *= -a * a / f64::from(n);
            total += term / f64::from(2 * n + 1);
        }
        total * std::f64::consts::FRAC_2_SQRT_PI
    } else {
        let mut fraction = a;
        for k in (1..150).rev() {
            fraction = a + f64::from(k) * 0.5 / fraction;
        }
        1.0 - (-a * a).exp() / (fraction * std::f64::consts::PI.sqrt())
    };
    value.copysign(x)
}

/// x·Φ(x).
pub fn gelu(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| x * 0.5 * (1.0 + erf(x / std::f64::consts::SQRT_2))).collect()
}

/// Softmax of rows.
pub fn softmax(x: &[f64], width: usize) -> Vec<f64> {
    x.chunks_exact(width)
        .flat_map(|row| {
            let max = row.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
            let row: Vec<f64> = row.iter().map(|v| (v - max).exp()).collect();
            let total: f64 = row.iter().sum();
            row.into_iter().map(move |v| v / total)
        })
        .collect()
}

/// Layer norm of rows.
pub fn layer_norm(x: &[f64], gamma: &[f64], beta: &[f64], epsilon: f64) -> Vec<f64> {
    let width = gamma.len();
    x.chunks_exact(width)
        .flat_map(|row| {
            let mean = row.iter().sum::<f64>() / width as f64;
            let variance = row.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / width as f64;
            let deviation = (variance + epsilon).sqrt();
            let row = row.iter().zip(gamma).zip(beta);
            row.map(move |((v, g), b)| (v - mean) / deviation * g + b)
        })
        .collect()
}

/// x (rows × inputs) · weight + bias (or none).
pub fn linear(x: &[f64], weight: &[f64], bias: &[f64], inputs: usize, outputs: usize) -> Vec<f64> {
    let mut y = Vec::new();
    for row in x.chunks_exact(inputs) {
        for o in 0..outputs {
            let product: f64 = (0..inputs).map(|i| row[i] * weight[i * outputs + o]).sum();
            y.push(product + bias.get(o).copied().unwrap_or(0.0));
        }
    }
    y
}

/// Attention on packed q, k, v; `bias` is groups × heads × tokens × tokens, or empty.
pub fn attention(qkv: &[f64], batch: usize, tokens: usize, heads: usize, bias: &[f64]) -> Vec<f64> {
    let width = qkv.len() / (batch * tokens * 3);
    let head = width / heads;
    let groups = (bias.len() / (heads * tokens * tokens)).max(1);
    let at = |image: usize, token: usize, part: usize, channel: usize| {
        qkv[((image * tokens + token) * 3 + part) * width + channel]
    };
    let mut y = vec![0.0; batch * tokens * width];
    for image in 0..batch {
        for h in 0..heads {
            let first = h * head;
            for i in 0..tokens {
                let scores: Vec<f64> = (0..tokens)
                    .map(|j| {
                        let product: f64 = (first..first + head)
                            .map(|c| at(image, i, 0, c) * at(image, j, 1, c))
                            .sum();
                        let index = ((image % groups * heads + h) * tokens + i) * tokens + j;
                        product / (head as f64).sqrt() + bias.get(index).copied().unwrap_or(0.0)
                    })
                    .collect();
                let weights = softmax(&scores, tokens);
                for c in first..first + head {
                    y[(image * tokens + i) * width + c] =
                        (0..tokens).map(|j| weights[j] * at(image, j, 2, c)).sum();
                }
            }
        }
    }
    y
}

/// Attention without a bias, with prepended keys and values (1 or batch × length × width each), computed as
/// additional tokens whose results are dropped.
pub fn prefixed_attention(
    qkv: &[f64],
    [keys, values]: [&[f64]; 2],
    [batch, tokens, length]: [usize; 3],
    heads: usize,
) -> Vec<f64> {
    let width = qkv.len() / (batch * tokens * 3);
    let size = length * width;
    let mut extended = Vec::new();
    for image in 0..batch {
        let prefix_of_image =
            |prefix: &[f64]| prefix[image * size % prefix.len()..][..size].to_vec();
        let (keys, values) = (prefix_of_image(keys), prefix_of_image(values));
        for (k, v) in keys.chunks(width).zip(values.chunks(width)) {
            extended.extend([&vec![0.0; width], k, v].map(<[f64]>::to_vec).concat());
        }
        extended.extend(&qkv[image * tokens * 3 * width..][..tokens * 3 * width]);
    }
    let outputs = attention(&extended, batch, length + tokens, heads, &[]);
    let images = outputs.chunks((length + tokens) * width);
    images.flat_map(|image| image[size..].to_vec()).collect()
}

/// Depthwise 7 × 7 convolution of tokens; `weight` is channels × 7 × 7.
pub fn depthwise7(
    x: &[f64],
    [rows, columns]: [usize; 2],
    weight: &[f64],
    bias: &[f64],
) -> Vec<f64> {
    let channels = bias.len();
    let mut y = Vec::new();
    for image in x.chunks_exact(rows * columns * channels) {
        for position in 0..rows * columns {
            for c in 0..channels {
                let mut total = bias[c];
                for tap in 0..49 {
                    let r = (position / columns + tap / 7).wrapping_sub(3);
                    let q = (position % columns + tap % 7).wrapping_sub(3);
                    if r < rows && q < columns {
                        total += weight[c * 49 + tap] * image[(r * columns + q) * channels + c];
                    }
                }
                y.push(total);
            }
        }
    }
    y
}

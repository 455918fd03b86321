//! Sites: positions in a backbone's block where a PET can act; and the sizes of a block.

use Site::*;

use super::shape::Shape;

/// A position in a backbone's block where a PET can act. Blocks offer sites by name.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Site {
    /// Parallel to the attention sub-layer: e = LN₁(x), h = Attn(e) with its output projection.
    Attention,
    /// Parallel to the MLP sub-layer.
    Mlp,
    /// Parallel to the whole block.
    Block,
    /// The query projection.
    Query,
    /// The key projection.
    Key,
    /// The value projection.
    Value,
    /// The output projection of the attention.
    Proj,
    /// The first layer of the MLP.
    Fc1,
    /// The second layer of the MLP.
    Fc2,
    /// q, k, v per head → the attention's result.
    Attend,
    /// The token sequence before and after the block.
    Tokens,
    // Older runs seed random draws by a site's number (`StreamScheme::ByPlace`), so new sites are added at the end.
    /// Parallel to the MLP sub-layer, on the residual stream: e = x + Attn(LN₁(x)), not normalised.
    Stream,
    /// The norm before the attention.
    Norm1,
    /// The norm before the MLP.
    Norm2,
    /// The activation inside the MLP.
    Activation,
    /// The tokens that enter the block, to which others may be added.
    Input,
}

/// The sizes and sites of a block, which determine the shapes of a PET's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockShape {
    /// Channels of the block's tokens (d).
    pub width: usize,
    /// Channels inside the MLP, the inputs of its second layer.
    pub hidden: usize,
    /// Outputs of the MLP's first layer: `hidden`, or twice as many with SwiGLU (gates and values).
    pub fc1_outputs: usize,
    /// Attention heads; 0 where the block has no attention.
    pub heads: usize,
    /// The sites the block offers.
    pub sites: &'static [Site],
}

/// Symbols for a block's sizes in shapes and equations, with their meaning.
pub const BLOCK_SYMBOLS: &[(&str, &str)] = &[
    ("d", "channels of the block's tokens"),
    ("d_in", "channels of e at the site"),
    ("d_out", "channels of h at the site"),
    ("hidden", "channels inside the MLP"),
    ("heads", "attention heads"),
    ("head_width", "channels of one head, d / heads"),
];

/// A kind of block. Backbone families refer to theirs, and every plugin is checked on a small block of each kind that
/// it fits.
pub struct BlockKind {
    /// The best-known family with it.
    pub name: &'static str,
    /// The sites that every such block offers.
    pub sites: &'static [Site],
    /// Channels and attention heads of the small block; 0 heads without attention.
    pub small: [usize; 2],
    /// Tokens of an image in the small block.
    pub tokens: usize,
}

impl BlockKind {
    /// Attention over all tokens, then an MLP.
    pub const VIT: Self = Self {
        name: "ViT",
        sites: &[
            Attention, Mlp, Block, Query, Key, Value, Proj, Fc1, Fc2, Tokens, Attend, Stream,
            Norm1, Norm2, Activation, Input,
        ],
        small: [192, 3],
        tokens: 17,
    };
    /// Attention within windows, without the site `attend`.
    pub const SWIN: Self = Self {
        name: "Swin",
        sites: &[
            Attention, Mlp, Block, Query, Key, Value, Proj, Fc1, Fc2, Tokens, Stream, Norm1, Norm2,
            Activation,
        ],
        small: [96, 3],
        tokens: 16,
    };
    /// A convolution, then an MLP.
    pub const CONVNEXT: Self = Self {
        name: "ConvNeXt",
        sites: &[Block, Mlp, Fc1, Fc2, Norm2, Activation],
        small: [80, 0],
        tokens: 9,
    };
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::VIT, Self::SWIN, Self::CONVNEXT];

    /// Returns the shape of the small block.
    pub fn shape(&self) -> BlockShape {
        let [width, heads] = self.small;
        self.block(width, 4 * width, heads)
    }

    /// Returns the shape of a block with these sizes.
    pub fn block(&self, width: usize, hidden: usize, heads: usize) -> BlockShape {
        BlockShape { width, hidden, fc1_outputs: hidden, heads, sites: self.sites }
    }
}

/// The name of a linear layer's frozen weight in equations.
pub(super) const WEIGHT: &str = "w";

/// The names that other programs use for the sites, in lower-case letters and digits only.
const ALIASES: &[(Site, &str)] = &[
    (Site::Attention, "attn selfattention selfattn mha msa sa"),
    (Site::Mlp, "ffn feedforward ff ffw"),
    (Site::Query, "q qproj wq toq attnq"),
    (Site::Key, "k kproj wk tok attnk"),
    (Site::Value, "v vproj wv tov attnv"),
    (Site::Proj, "o oproj wo toout outproj attnproj outputdense"),
    (Site::Fc1, "mlpfc1 ffn1 up upproj intermediate intermediatedense linear1"),
    (Site::Fc2, "mlpfc2 ffn2 down downproj output linear2"),
    (Site::Activation, "gelu act mlpact hidden intermediateact"),
    (Site::Norm1, "ln1 layernorm1 layernormbefore attnnorm"),
    (Site::Norm2, "ln2 layernorm2 layernormafter norm layernorm mlpnorm ffnnorm"),
    (Site::Tokens, "sequence hiddenstates"),
    (Site::Block, "layer encoderlayer"),
    (Site::Stream, "residual residualstream"),
];

impl Site {
    /// All sites: the name, and the inputs that an equation gets.
    pub const ALL: &'static [(Site, &'static str, &'static str)] = &[
        (
            Site::Attention,
            "attention",
            "e: normalised tokens, h: the attention sub-layer's output, before the residual sum",
        ),
        (
            Site::Mlp,
            "mlp",
            "e: normalised tokens, h: the MLP sub-layer's output, before the residual sum",
        ),
        (
            Site::Stream,
            "stream",
            "e: the tokens before the MLP's norm, h: the MLP sub-layer's output, before the residual sum",
        ),
        (
            Site::Block,
            "block",
            "e: the block's input, h: the block's output, its residual sum included",
        ),
        (Site::Query, "query", "e: normalised tokens, h: the queries, w: their weight"),
        (Site::Key, "key", "e: normalised tokens, h: the keys, w: their weight"),
        (Site::Value, "value", "e: normalised tokens, h: the values, w: their weight"),
        (
            Site::Proj,
            "proj",
            "e: the concatenated head outputs, h: the attention's output projection, w: its weight",
        ),
        (
            Site::Fc1,
            "fc1",
            "e: normalised tokens, h: the MLP's first layer, before the GELU, w: its weight",
        ),
        (Site::Fc2, "fc2", "e: the hidden activations, h: the MLP's second layer, w: its weight"),
        (
            Site::Attend,
            "attend",
            "q, k, v per head (batch × heads × tokens × head_width); the result replaces the attention",
        ),
        (
            Site::Tokens,
            "tokens",
            "e: the tokens before the block, h: after it; the result has the tokens of h, or those of e if `input` added tokens that are removed again",
        ),
        (Site::Norm1, "norm1", "e: the tokens before the attention's norm, h: after it"),
        (Site::Norm2, "norm2", "e: the tokens before the MLP's norm, h: after it"),
        (Site::Activation, "activation", "e: the hidden activations before the GELU, h: after it"),
        (
            Site::Input,
            "input",
            "e: the tokens that enter the block, the class token first; the result replaces them and may have additional tokens, before the patches",
        ),
    ];

    /// The projections that are packed into one layer, in this order.
    pub const PACKED: [Self; 3] = [Self::Query, Self::Key, Self::Value];

    /// Returns the name in plugin files.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(site, ..)| *site == self).map_or("", |(_, name, _)| name)
    }

    /// Returns the site with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(site, ..)| *site)
    }

    /// Returns the names of the values that an equation reads at this site.
    pub fn inputs(self) -> &'static [&'static str] {
        match self {
            Self::Attend => &["q", "k", "v"],
            Self::Input => &["e"],
            _ if self.is_linear() => &["e", "h", WEIGHT],
            _ => &["e", "h"],
        }
    }

    /// Returns whether this is a linear layer, whose frozen weight (`w`, d_in × d_out) equations may read.
    pub fn is_linear(self) -> bool {
        matches!(self, Self::Query | Self::Key | Self::Value | Self::Proj | Self::Fc1 | Self::Fc2)
    }

    /// Returns the site with this name in another program.
    pub fn from_alias(name: &str) -> Option<Self> {
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        let plain: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
        let has = |names: &str| names.split(' ').any(|name| name == plain);
        let alias = ALIASES.iter().find(|(_, names)| has(names));
        alias.map(|(site, _)| *site)
    }

    /// Returns which of its inputs the result has (nearly) the same shape as: h, q, or the tokens of `input`.
    pub fn result_shape_input(self) -> usize {
        match self {
            Self::Attend | Self::Input => 0,
            _ => 1,
        }
    }

    /// Returns whether a result of this shape is valid for such inputs. Only the number of tokens may differ: `input`
    /// adds tokens, and `tokens` removes them.
    pub(super) fn accepts_result(self, result: &[usize], inputs: &[Shape]) -> bool {
        let Some(reference) = inputs.get(self.result_shape_input()) else {
            return false;
        };
        let has_width_of_reference = |tokens: usize| match *reference.as_slice() {
            [batch, _, width] => result == [batch, tokens, width],
            _ => false,
        };
        match (self, result) {
            _ if result == reference.as_slice() => true,
            (Self::Input, &[_, tokens, _]) => {
                reference.get(1) <= Some(&tokens) && has_width_of_reference(tokens)
            }
            (Self::Tokens, _) => {
                inputs[0].get(1).is_some_and(|tokens| has_width_of_reference(*tokens))
            }
            _ => false,
        }
    }

    /// Returns the channels of e and h at this site of a block.
    pub fn channels(self, shape: &BlockShape) -> (usize, usize) {
        match self {
            Self::Fc1 => (shape.width, shape.fc1_outputs),
            Self::Fc2 => (shape.hidden, shape.width),
            Self::Activation => (shape.fc1_outputs, shape.hidden),
            _ => (shape.width, shape.width),
        }
    }

    /// Returns the shapes of the inputs of this site for `images` images. `tokens` are the numbers of tokens per
    /// image before the block and inside it, where `input` may have added some.
    pub fn input_shapes(self, shape: &BlockShape, images: usize, tokens: [usize; 2]) -> Vec<Shape> {
        let (input, output) = self.channels(shape);
        let [outside, inside] = tokens;
        match self {
            Self::Attend => {
                let width = shape.width / shape.heads.max(1);
                vec![vec![images, shape.heads, inside, width]; 3]
            }
            Self::Input => vec![vec![images, outside, input]],
            Self::Tokens => tokens.map(|tokens| vec![images, tokens, input]).into(),
            _ => {
                let tokens_shape = |width| vec![images, inside, width];
                let weight = self.is_linear().then(|| vec![input, output]);
                [tokens_shape(input), tokens_shape(output)].into_iter().chain(weight).collect()
            }
        }
    }

    /// Sorts sites: `input` first, because it determines the number of tokens at the others.
    pub(super) fn sorted(sites: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut sites: Vec<Self> = sites.into_iter().collect();
        sites.sort_by_key(|site| *site != Self::Input);
        sites
    }
}

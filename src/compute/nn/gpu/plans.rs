//! The tile sizes for each class of products on this GPU. The self-test checks and times all tiles once per GPU,
//! because the fastest ones differ between GPUs. Tiles with cooperative matrices (tensor cores) are used only if they
//! passed this test.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use serde::{Deserialize, Serialize};

pub use super::product::Fragments;
use super::product::{Product, Tiles};

/// A class of products with similar shapes, for which the same tiles are fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Many rows and at least 512 columns.
    Wide,
    /// Like `Wide`, with a transposed right matrix, as in gradients.
    WideTransposed,
    /// Many rows and fewer columns.
    Narrow,
    /// Like `Narrow`, with a transposed right matrix.
    NarrowTransposed,
    /// q·kᵀ for each head.
    Scores,
    /// p·v for each head.
    Mixed,
    /// pᵀ·g for each head.
    MixedTransposed,
    /// The gradient xᵀ·g of a trained weight: a long contraction over all tokens.
    WeightGradient,
}

/// Each class, with the sizes m, k, n and the batch of a typical product (ViT-B with 24 images).
pub(super) const CLASSES: [(Class, [usize; 3], usize); 8] = [
    (Class::Wide, [4728, 768, 3072], 1),
    (Class::WideTransposed, [4728, 3072, 768], 1),
    (Class::Narrow, [4728, 768, 192], 1),
    (Class::NarrowTransposed, [4728, 768, 192], 1),
    (Class::Scores, [197, 64, 197], 288),
    (Class::Mixed, [197, 197, 64], 288),
    (Class::MixedTransposed, [197, 197, 64], 288),
    (Class::WeightGradient, [768, 4728, 768], 1),
];

impl Class {
    /// Returns the class of a product with sizes m, n and k; `None` if it is too small for tiles to matter.
    pub fn new(product: &Product, [m, n, _]: [usize; 3], batch: usize) -> Option<Self> {
        let transposed = [product.a.transposed, product.b.transposed];
        match (batch, transposed) {
            (1, [false, false]) if m >= 1024 && n >= 512 => Some(Self::Wide),
            (1, [false, true]) if m >= 1024 && n >= 512 => Some(Self::WideTransposed),
            (1, [false, false]) if m >= 1024 && n >= 64 => Some(Self::Narrow),
            (1, [false, true]) if m >= 1024 && n >= 64 => Some(Self::NarrowTransposed),
            (1, [true, false]) if m >= 128 && n >= 128 => Some(Self::WeightGradient),
            (16.., [false, true]) if m >= 32 && n >= 32 => Some(Self::Scores),
            (16.., [false, false]) if m >= 32 && n >= 32 => Some(Self::Mixed),
            (16.., [true, false]) if m >= 32 && n >= 32 => Some(Self::MixedTransposed),
            _ => None,
        }
    }

    /// Returns whether the left and the right matrix are transposed.
    pub(super) fn transposed_operands(self) -> [bool; 2] {
        match self {
            Self::Wide | Self::Narrow | Self::Mixed => [false, false],
            Self::WideTransposed | Self::NarrowTransposed | Self::Scores => [false, true],
            Self::MixedTransposed | Self::WeightGradient => [true, false],
        }
    }

    /// Returns the tiles for a product of this class with sizes m, n and k.
    pub(super) fn fit_tiles(self, tiles: Tiles, sizes: [usize; 3]) -> Tiles {
        match self {
            Self::WeightGradient => tiles.split(sizes),
            _ => tiles,
        }
    }
}

/// The names of the fastest tiles for each class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Plans {
    /// For products with the accuracy of f32.
    pub f32: BTreeMap<Class, String>,
    /// For products that may round their operands to f16.
    pub f16: BTreeMap<Class, String>,
}

impl Plans {
    /// Returns whether there are no measurements.
    pub fn is_empty(&self) -> bool {
        self.f32.is_empty() && self.f16.is_empty()
    }

    /// Returns whether a class uses cooperative matrices.
    pub fn has_cooperative(&self) -> bool {
        let mut names = self.f32.values().chain(self.f16.values());
        names.any(|name| Tiles::from_name(name).is_some_and(|tiles| tiles.fragments.is_some()))
    }
}

type TilesOfClasses = BTreeMap<Class, Tiles>;

/// The tiles for products with the accuracy of f32, and for those that may be rounded.
static PLANS: RwLock<[TilesOfClasses; 2]> = RwLock::new([BTreeMap::new(), BTreeMap::new()]);

/// Sets the tiles for all products of this process. Unknown names are ignored.
pub fn set_plans(plans: &Plans) {
    let parse_tiles = |names: &BTreeMap<Class, String>| {
        let names = names.iter();
        let tiles = names.filter_map(|(class, name)| Some((*class, Tiles::from_name(name)?)));
        tiles.collect()
    };
    let tiles = [parse_tiles(&plans.f32), parse_tiles(&plans.f16)];
    *PLANS.write().unwrap_or_else(PoisonError::into_inner) = tiles;
}

/// Returns the tiles that were measured for this GPU.
pub fn current_plans() -> Plans {
    let plans = PLANS.read().unwrap_or_else(PoisonError::into_inner);
    let names = |tiles: &TilesOfClasses| {
        tiles.iter().map(|(class, tiles)| (*class, tiles.name())).collect()
    };
    Plans { f32: names(&plans[0]), f16: names(&plans[1]) }
}

/// Returns the tiles of a product with sizes m, n and k: those measured for its class, or else the default.
pub fn choose_tiles(product: &Product, sizes: [usize; 3], batch: usize) -> Tiles {
    let plans = PLANS.read().unwrap_or_else(PoisonError::into_inner);
    let plans = &plans[usize::from(product.rounded)];
    let class = Class::new(product, sizes, batch);
    let plan = class.and_then(|class| Some(class.fit_tiles(*plans.get(&class)?, sizes)));
    plan.unwrap_or_else(|| Tiles::for_sizes(sizes, batch))
}

#[cfg(test)]
mod tests {
    use super::super::product::{MatrixLayout, Size};
    use super::*;

    #[test]
    fn classes_match_their_example_products() {
        for (class, [m, k, n], batch) in CLASSES {
            let layout = |transposed: bool| match transposed {
                true => MatrixLayout::column_major(8),
                false => MatrixLayout::row_major(8),
            };
            let layouts = class.transposed_operands().map(layout);
            let sizes = [Size::Fixed(m as u32), Size::Fixed(k as u32)];
            let product = Product::new(sizes, n, layouts);
            assert_eq!(Class::new(&product, [m, n, k], batch), Some(class));
        }
    }

    #[test]
    fn plans_roundtrip_through_tile_names() {
        let fragments = Fragments { size: 16, lanes: 32 };
        for tiles in Tiles::ALL.into_iter().chain(Tiles::cooperative(fragments)) {
            assert_eq!(Tiles::from_name(&tiles.name()), Some(tiles));
        }
        assert_eq!(Tiles::from_name("7x7x7 of 1x1"), None);
        let plans =
            Plans { f32: [(Class::Scores, Tiles::ALL[0].name())].into(), ..Plans::default() };
        let text = toml::to_string(&plans).unwrap();
        assert_eq!(toml::from_str::<Plans>(&text).unwrap(), plans);
    }
}

//! Plugin file → [`PetSpec`]: reads the TOML with places and checks names and types. The equations
//! are compiled in `forms.rs`, shapes are tried afterwards (`trial.rs`).

use toml::de::DeTable;

use super::functions::function;
use super::init::{INITS, Init};
use super::site::{BLOCK_SYMBOLS, Site};
use super::source::{Item, Source, Table, meant};
use super::spec::{Extent, MAIN_SIZE, ParameterSpec, PetSpec, SizeSpec};
use crate::problem::{Problem, Result};

/// A plugin is a page of text; anything longer is another file.
pub const MOST_BYTES: usize = 64 * 1024;
/// More parameters than this in one plugin is taken for a mistake.
const MOST_PARAMETERS: usize = 64;
/// Tables inside each other: `variants`, one of them, its `equations`, those of a site.
const DEEPEST: usize = 4;
/// Largest value a size may be given.
const MOST_SIZE: usize = 1 << 20;

/// Reads and compiles a plugin; shapes are not tried yet.
pub(super) fn read(text: &str, origin: &str) -> Result<PetSpec> {
    let source = Source {
        origin: origin.into(),
        text: text.into(),
    };
    if text.len() > MOST_BYTES {
        let what = format!(
            "the file has {} bytes; a plugin has at most {MOST_BYTES}",
            text.len()
        );
        return Err(Problem::new(what).at(origin));
    }
    let root = DeTable::parse(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let message: Vec<&str> = error.message().lines().map(str::trim).collect();
        source
            .problem(start, format!("not valid TOML: {}", message.join(", ")))
            .advise("compare with one of the built-in plugins")
    })?;
    let document = Table::document(&source, &root);
    document.short_names(DEEPEST)?;
    document.only(&[
        "name",
        "description",
        "reference",
        "sites",
        "sizes",
        "parameters",
        "equations",
        "variant",
        "variants",
        "without_learning",
    ])?;
    let reader = Reader {
        source: &source,
        document: &document,
    };
    let sites = reader.sites()?;
    let sizes = reader.sizes()?;
    let parameters = reader.parameters(&sizes)?;
    let mut spec = PetSpec {
        name: reader.name()?,
        description: reader.paragraph("description")?,
        reference: reader.paragraph("reference")?,
        source: source.clone(),
        sizes,
        parameters,
        sites,
        variants: Vec::new(),
        without_learning: None,
        starts_as_identity: false,
    };
    spec.variants = reader.variants(&spec)?;
    spec.without_learning = reader.without_learning(&spec)?;
    reader.all_used(&spec)?;
    Ok(spec)
}

/// What all parts of the reading share.
pub(super) struct Reader<'a> {
    pub source: &'a Source,
    pub document: &'a Table<'a>,
}

impl<'a> Reader<'a> {
    fn name(&self) -> Result<String> {
        let item = self.document.need("name")?;
        let name = self.document.as_text(item, "`name`")?.trim();
        let fine = !name.is_empty()
            && name.chars().count() <= 40
            && !name
                .chars()
                .any(|letter| letter.is_control() || "/\\".contains(letter));
        match fine {
            true => Ok(name.to_owned()),
            false => Err(self.source.problem(
                item.span().start,
                "`name` must be 1 to 40 letters without slashes",
            )),
        }
    }

    /// A text with its line breaks taken out.
    fn paragraph(&self, key: &str) -> Result<String> {
        let text = self.document.text(key)?.unwrap_or_default();
        Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    fn sites(&self) -> Result<Vec<Vec<Site>>> {
        let item = self.document.need("sites")?;
        let choices = self
            .document
            .as_list(item, "`sites`")?
            .into_iter()
            .map(|choice| match choice.get_ref().as_str() {
                Some(_) => Ok(vec![self.site(choice)?]),
                None => {
                    let mut together = Vec::new();
                    for item in self.document.as_list(choice, "an entry of `sites`")? {
                        let site = self.site(item)?;
                        if together.contains(&site) {
                            let what = format!("the site `{}` is named twice", site.name());
                            return Err(self.source.problem(item.span().start, what));
                        }
                        together.push(site);
                    }
                    Ok(together)
                }
            })
            .collect::<Result<Vec<_>>>()?;
        if choices.is_empty() || choices.iter().any(Vec::is_empty) {
            let what = "`sites` must name at least one site";
            return Err(self.source.problem(item.span().start, what));
        }
        Ok(choices)
    }

    fn site(&self, item: &'a Item<'a>) -> Result<Site> {
        let name = self.document.as_name(item, "a site")?;
        Site::named(name).ok_or_else(|| {
            let what = format!("there is no site `{name}`");
            let known = Site::ALL.iter().map(|(_, name, _)| *name);
            meant(self.source.problem(item.span().start, what), name, known)
        })
    }

    fn sizes(&self) -> Result<Vec<SizeSpec>> {
        let Some(table) = self.document.table("sizes", "`sizes`".to_owned())? else {
            return Ok(Vec::new());
        };
        let mut sizes: Vec<SizeSpec> = Vec::new();
        for (name, start, item) in table.entries() {
            let entry = table.as_table(item, format!("size `{name}`"))?;
            entry.only(&["symbol", "default", "min", "max", "meaning"])?;
            let symbol = match (entry.name("symbol")?, name) {
                (Some(symbol), _) => symbol,
                (None, MAIN_SIZE) => "r",
                (None, name) => name,
            };
            self.fresh_name(symbol, start, &sizes, &[])?;
            let size = SizeSpec {
                name: name.to_owned(),
                symbol: symbol.to_owned(),
                min: entry.count("min")?.unwrap_or(1),
                max: entry.count("max")?.unwrap_or(1024),
                default: {
                    let item = entry.need("default")?;
                    entry.as_count(item, "`default`")?
                },
                meaning: entry.text("meaning")?.unwrap_or_default().to_owned(),
            };
            let (min, default, max) = (size.min, size.default, size.max);
            if !(1 <= min && min <= default && default <= max && max <= MOST_SIZE) {
                let what = format!(
                    "size `{name}` needs 1 ≤ min ≤ default ≤ max ≤ {MOST_SIZE}, not {min}, {default}, {max}"
                );
                return Err(self.source.problem(start, what));
            }
            sizes.push(size);
        }
        sizes.sort_by_key(|size| size.name != MAIN_SIZE);
        Ok(sizes)
    }

    fn parameters(&self, sizes: &[SizeSpec]) -> Result<Vec<ParameterSpec>> {
        let item = self.document.need("parameters")?;
        let table = self.document.as_table(item, "`parameters`".to_owned())?;
        let mut parameters: Vec<ParameterSpec> = Vec::new();
        for (name, start, item) in table.entries() {
            let taken: Vec<&str> = parameters.iter().map(|known| known.name.as_str()).collect();
            self.fresh_name(name, start, sizes, &taken)?;
            let entry = table.as_table(item, format!("parameter `{name}`"))?;
            entry.only(&["shape", "init", "fixed", "per_site", "meaning"])?;
            parameters.push(ParameterSpec {
                name: name.to_owned(),
                shape: self.shape(&entry, sizes)?,
                init: self.init(&entry)?,
                fixed: entry.flag("fixed")?,
                per_site: entry.flag("per_site")?,
                meaning: entry.text("meaning")?.unwrap_or_default().to_owned(),
                start,
            });
            if parameters.len() > MOST_PARAMETERS {
                let what = format!("a plugin has at most {MOST_PARAMETERS} parameters");
                return Err(self.source.problem(start, what));
            }
        }
        Ok(parameters)
    }

    fn shape(&self, entry: &Table<'a>, sizes: &[SizeSpec]) -> Result<[Extent; 2]> {
        let item = entry.need("shape")?;
        let extents = entry
            .as_list(item, "`shape`")?
            .into_iter()
            .map(|item| {
                if item.get_ref().as_str().is_none() {
                    return match entry.as_count(item, "an entry of a shape")? {
                        0 => Err(self.source.problem(item.span().start, "a shape has no 0")),
                        count => Ok(Extent::Count(count)),
                    };
                }
                let symbol = entry.as_name(item, "a size")?;
                let mut known = BLOCK_SYMBOLS
                    .iter()
                    .map(|(symbol, _)| *symbol)
                    .chain(sizes.iter().map(|size| size.symbol.as_str()));
                match known.clone().any(|known| known == symbol) {
                    true => Ok(Extent::Symbol(symbol.to_owned())),
                    false => {
                        let what =
                            format!("unknown size `{symbol}` in the shape of {}", entry.what);
                        let problem = self.source.problem(item.span().start, what);
                        Err(meant(problem, symbol, &mut known))
                    }
                }
            })
            .collect::<Result<Vec<_>>>()?;
        <[Extent; 2]>::try_from(extents).map_err(|extents| {
            let count = extents.len();
            let what = format!(
                "`shape` of {} has {count} sizes; parameters have 2",
                entry.what
            );
            self.source
                .problem(item.span().start, what)
                .advise("write a bias of d channels as [1, \"d\"], a single number as [1, 1]")
        })
    }

    fn init(&self, entry: &Table<'a>) -> Result<Init> {
        let item = entry.need("init")?;
        let text = entry.as_text(item, "`init`")?;
        Init::parse(text).map_err(|what| {
            self.source
                .problem(item.span().start, what)
                .advise(format!("write one of {}", INITS.join(", ")))
        })
    }

    /// A name that an equation can use.
    pub(super) fn proper_name(&self, name: &str, start: usize) -> Result<()> {
        let letters = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let what = if !letters || name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit())
        {
            format!("`{name}` is no name for an equation: use letters, digits and _")
        } else if function(name).is_some() {
            format!("`{name}` is the name of a function")
        } else {
            return Ok(());
        };
        Err(self.source.problem(start, what))
    }

    /// A proper name that nothing else has.
    fn fresh_name(
        &self,
        name: &str,
        start: usize,
        sizes: &[SizeSpec],
        taken: &[&str],
    ) -> Result<()> {
        self.proper_name(name, start)?;
        let owner = if ["e", "h", "q", "k", "v"].contains(&name) {
            "what a site hands over"
        } else if BLOCK_SYMBOLS.iter().any(|(symbol, _)| *symbol == name) {
            "a size of the block"
        } else if sizes.iter().any(|size| size.symbol == name) {
            "a size of this plugin"
        } else if taken.contains(&name) {
            "another parameter"
        } else {
            return Ok(());
        };
        let what = format!("the name `{name}` is taken: it means {owner}");
        Err(self.source.problem(start, what))
    }
}

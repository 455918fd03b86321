//! A block as lines of Python over a block of timm.

use super::{BlockForm, BlockOps, Mixing, MlpNorm, QueryKey, Scope, Sublayer};
use crate::backbone::IN_ATTENTION;
use crate::backbone::torch::{ActiveSites, PythonBody, is_any_active};
use crate::pet::Site;
use crate::problem::{Problem, Result};

/// The sites between the layers of the MLP.
const IN_MLP_LAYERS: &[Site] = &[Site::Fc1, Site::Activation, Site::Fc2];

/// Writes the lines of a block. A value is the name of a variable.
pub struct PythonBlock<'a> {
    form: BlockForm,
    heads: usize,
    active_sites: &'a ActiveSites,
    body: PythonBody,
}

impl<'a> PythonBlock<'a> {
    /// Describes a block with PETs at these sites.
    pub fn new(form: BlockForm, heads: usize, active_sites: &'a ActiveSites) -> Self {
        Self { form, heads, active_sites, body: PythonBody::default() }
    }

    /// Returns the function `block_with(block, pet, x)`. `before` converts x into tokens, and `after` is an expression
    /// of the tokens, `{}`, that undoes it.
    pub fn function(mut self, family: &str, before: &[&str], after: &str) -> Result<String> {
        let docstring = format!("\"\"\"A block of timm's {family} with a PET at its sites.\"\"\"");
        self.body.push_line(docstring);
        for line in before {
            self.body.push_line(line);
        }
        let tokens = super::run_block(&mut self, &"x".to_owned())?;
        let result = after.replace("{}", &tokens);
        self.body.push_line(format!("return {result}"));
        let lines = self.body.into_string();
        Ok(format!("def block_with(block, pet, x):\n{lines}\n\n"))
    }

    /// Returns an expression multiplied by the layer scale of a sub-layer, if there is one.
    fn scaled(&self, part: Option<Sublayer>, expression: &str) -> String {
        match part.and_then(|part| self.form.scales[part as usize]) {
            Some(scale) => format!("{expression} * block.{scale}"),
            None => expression.into(),
        }
    }

    /// Assigns an expression of `x` to a variable.
    fn assign(&mut self, name: &str, expression: &str, x: &str) -> String {
        let value = expression.replace("{}", x);
        self.body.push_line(format!("{name} = {value}"));
        name.into()
    }
}

impl BlockOps for PythonBlock<'_> {
    type Value = String;
    /// The variables `q`, `k` and `v`: batch × heads × tokens × head width.
    type Heads = ();

    fn form(&self) -> BlockForm {
        self.form
    }

    fn input(&mut self, x: &String) -> Result<String> {
        Ok(match self.active_sites.contains_key(&Site::Input) {
            true => self.assign("entered", "pet.input({})", x),
            false => x.clone(),
        })
    }

    fn site(&mut self, site: Site, e: &String, h: String) -> Result<String> {
        self.body.site(self.active_sites, site, [e, &h], "");
        Ok(h)
    }

    fn fused(&mut self, part: Sublayer, scope: Scope, x: &String) -> Result<Option<String>> {
        let form = self.form;
        let (expression, inner_sites) = match part {
            Sublayer::Attention if form.mixing == Mixing::Windows => {
                ("block._attn({}.view(shape)).flatten(1, 2)", IN_ATTENTION)
            }
            Sublayer::Attention => ("block.attn({})", IN_ATTENTION),
            // The norm gets the positions as a map of one row.
            Sublayer::Mlp if form.mlp_norm == Some(MlpNorm::Response) => {
                ("block.mlp({}.unsqueeze(1)).squeeze(1)", IN_MLP_LAYERS)
            }
            Sublayer::Mlp => ("block.mlp({})", IN_MLP_LAYERS),
        };
        if scope != Scope::Layers || is_any_active(self.active_sites, inner_sites) {
            return Ok(None);
        }
        let scaled = self.scaled(Some(part), expression);
        Ok(Some(self.assign("h", &scaled, x)))
    }

    fn add(&mut self, part: Sublayer, x: String, h: String) -> String {
        let name = match part {
            Sublayer::Attention => "middle",
            Sublayer::Mlp => "out",
        };
        self.assign(name, &format!("{{}} + {h}"), &x)
    }

    fn depthwise(&mut self, x: &String) -> Result<String> {
        // The input of the convolution is the grid from which the tokens were made.
        let mixed = "block.conv_dw(grid).permute(0, 2, 3, 1).flatten(1, 2)";
        Ok(self.assign("mixed", mixed, x))
    }

    fn norm(&mut self, part: Sublayer, x: &String) -> Result<String> {
        let norm = format!("block.{}({{}})", self.form.norms[part as usize]);
        Ok(self.assign("normed", &norm, x))
    }

    fn inner_norm(&mut self, part: Sublayer, x: String) -> Result<String> {
        let norm = match (part, self.form.mlp_norm) {
            (Sublayer::Attention, _) => "block.attn.norm({})",
            (Sublayer::Mlp, Some(MlpNorm::Response)) => "block.mlp.grn({}.unsqueeze(1)).squeeze(1)",
            (Sublayer::Mlp, _) => "block.mlp.norm({})",
        };
        Ok(self.assign(&x, norm, &x))
    }

    fn partition(&mut self, _: &String) -> Result<String> {
        Err(unsupported_export("within windows"))
    }

    fn reverse(&mut self, _: String) -> Result<String> {
        Err(unsupported_export("within windows"))
    }

    fn projections(&mut self, e: &String) -> Result<()> {
        self.assign("q, k, v", "block.attn.qkv({}).chunk(3, -1)", e);
        let reads_weight = |site: &Site| self.active_sites.get(site) == Some(&true);
        if Site::PACKED.iter().any(reads_weight) {
            self.body.push_line("w_q, w_k, w_v = block.attn.qkv.weight.T.chunk(3, -1)");
        }
        for (site, name) in Site::PACKED.into_iter().zip(["q", "k", "v"]) {
            let weight = format!("w_{name}");
            self.body.site(self.active_sites, site, [e, name], &weight);
        }
        let by_head = format!("part.unflatten(-1, ({}, -1)).transpose(1, 2)", self.heads);
        self.body.push_line(format!("q, k, v = ({by_head} for part in (q, k, v))"));
        Ok(())
    }

    fn transform_queries_and_keys(&mut self, (): ()) -> Result<()> {
        if self.form.query_key == QueryKey::Cosine {
            return Err(unsupported_export("in cosine attention"));
        }
        self.body.push_line("q, k = rotate(q), rotate(k)");
        Ok(())
    }

    fn attend(&mut self, (): ()) -> Result<String> {
        let attention = match self.active_sites.contains_key(&Site::Attend) {
            true => "pet.attend(q, k, v)",
            false => "F.scaled_dot_product_attention(q, k, v)",
        };
        self.assign("mixed", attention, "");
        Ok(self.assign("mixed", "{}.transpose(1, 2).flatten(2)", "mixed"))
    }

    fn linear(&mut self, site: Site, e: &String) -> Result<String> {
        let (layer, name, part) = match site {
            Site::Proj => ("block.attn.proj", "h", Some(Sublayer::Attention)),
            Site::Fc1 => ("block.mlp.fc1", "hidden", None),
            _ => ("block.mlp.fc2", "h", Some(Sublayer::Mlp)),
        };
        let scaled = self.scaled(part, &format!("{layer}({{}})"));
        let h = self.assign(name, &scaled, e);
        let weight = self.scaled(part, &format!("{layer}.weight.T"));
        self.body.site(self.active_sites, site, [e, &h], &weight);
        Ok(h)
    }

    fn activation(&mut self, x: &String) -> String {
        let activation = match self.form.swiglu {
            true => "block.mlp.act({}.chunk(2, -1)[0]) * {}.chunk(2, -1)[1]",
            false => "block.mlp.act({})",
        };
        self.assign("active", activation, x)
    }
}

/// Returns the error for a PET that acts where no Python is written.
fn unsupported_export(place: &str) -> Problem {
    Problem::new(format!("what a PET does {place} cannot be exported as Python"))
}

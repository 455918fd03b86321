//! `inside`: shows the inside of a run after a task.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::End;
use super::output::{Json, Table, complain};
use super::predict::picture;
use super::run_args::{RunArgs, finished, snapshot};
use crate::experiment::inside::look;
use crate::metrics::{ByExpert, Expert};
use crate::problem::{Problem, Result};
use crate::run::event::RunHeader;
use crate::run::inside::{AttentionKind, AttentionMap, Movement, ProbeInside};
use crate::run::refusal::{CountedOn, Refusal, Refused};
use crate::store;

/// Options of `inside`.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    pub asked: RunArgs,
    /// Also show how the network processes this image
    #[arg(long, value_name = "IMAGE")]
    image: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// The JSON output.
#[derive(Serialize)]
struct InsideOutput {
    run: String,
    /// Number of the task, from 1.
    task: usize,
    movement: PetDistances,
    /// The axes of each expert's feature map.
    maps: Vec<Axes>,
    pictures: Vec<OfPicture>,
    /// The limit of the out-of-distribution score of each expert, and how often it rejects images.
    none_of_these: ByExpert<Refusal>,
    /// Why there are no test images.
    problem: Option<Problem>,
    attention: Option<Attention>,
}

/// Relative distances of PETs by block.
#[derive(Serialize)]
struct PetDistances {
    /// Of each expert's PET since its initialisation.
    since_start: ByExpert<Vec<Block>>,
    /// Between the offline and the online PET.
    #[serde(rename = "apart")]
    distance: Vec<Block>,
}

#[derive(Serialize)]
struct Block {
    /// Index of the block from 0, as in the settings.
    block: usize,
    distance: f64,
}

#[derive(Serialize)]
struct Axes {
    expert: Expert,
    /// The task whose features define the axes, from 1.
    axes_of_task: usize,
    /// Share of the variance along each axis.
    variance: [f32; 2],
}

/// A test image.
#[derive(Serialize)]
struct OfPicture {
    /// 0 for the run's own dataset, k for its k-th added task.
    source: usize,
    /// Its index among the test images of the source.
    index: usize,
    class: String,
    /// Whether its class was learned before.
    learned: bool,
    answer: String,
    /// Its coordinates on the map of each expert.
    at: ByExpert<[f32; 2]>,
    energy: ByExpert<f32>,
}

#[derive(Serialize)]
struct Attention {
    image: String,
    after: ByExpert<AttentionMap>,
    /// Attention of the network before the first task; only with the first task.
    before: Option<AttentionMap>,
}

pub(super) fn run(args: &Args) -> Result<End> {
    args.json.check()?;
    let folder = args.asked.folder()?;
    let task = snapshot(&folder, args.asked.task)?;
    let anchor = finished(&folder)? - 1;
    let cache = args
        .asked
        .moved
        .cache(&store::load_facts(&folder)?.0.config);
    let (predictor, inside) = look(
        &folder,
        [anchor, task],
        args.asked.device.as_deref(),
        &cache,
    )?;
    let mut end = End::Done;
    if let Some(problem) = &inside.problem {
        complain(problem);
        end = End::Failed;
    }
    let seen = |path: &Path| -> Result<Attention> {
        let seen = predictor.attention_maps(&picture(path, &predictor)?)?;
        Ok(Attention {
            image: path.display().to_string(),
            after: seen.attention_maps.into_iter().collect(),
            before: seen.before,
        })
    };
    let header = predictor.header();
    let probe = inside.probe.as_ref();
    let reports = store::summarize(&folder)?.reports();
    let measurements = reports.get(task).map(|report| &report.measurements);
    let refusal = |expert: &Expert| Some((*expert, Refusal::of(measurements, probe, *expert)?));
    let experts = header.method.experts.iter();
    let told = InsideOutput {
        none_of_these: experts.filter_map(refusal).collect(),
        run: header.run.clone(),
        task: task + 1,
        movement: moved(&inside.movement),
        maps: probe.map_or_else(Vec::new, axes),
        pictures: probe.map_or_else(Vec::new, |probe| pictures(header, probe)),
        problem: inside.problem.clone(),
        attention: args.image.as_deref().map(seen).transpose()?,
    };
    args.json.print_results(&told, &text(&told))?;
    Ok(end)
}

fn moved(movement: &Movement) -> PetDistances {
    let blocks = |values: &[(usize, f64)]| {
        let each = values.iter();
        each.map(|&(block, distance)| Block { block, distance })
            .collect()
    };
    let since = movement.since_start.iter();
    PetDistances {
        since_start: since
            .map(|(expert, values)| (*expert, blocks(values)))
            .collect(),
        distance: blocks(&movement.distance),
    }
}

fn axes(probe: &ProbeInside) -> Vec<Axes> {
    let maps = probe.maps.iter();
    maps.map(|map| Axes {
        expert: map.expert,
        axes_of_task: map.anchor + 1,
        variance: map.shares,
    })
    .collect()
}

fn pictures(header: &RunHeader, probe: &ProbeInside) -> Vec<OfPicture> {
    let name = |class: usize| header.class_order.get(class).cloned().unwrap_or_default();
    let row = |at: usize| OfPicture {
        source: probe.places[at].0,
        index: probe.places[at].1,
        class: name(probe.labels[at]),
        learned: probe.labels[at] < probe.known,
        answer: name(probe.given[at]),
        at: probe
            .maps
            .iter()
            .map(|map| (map.expert, map.points[at]))
            .collect(),
        energy: probe
            .energies
            .iter()
            .map(|(expert, energies)| (*expert, energies[at]))
            .collect(),
    };
    (0..probe.labels.len()).map(row).collect()
}

/// Returns the views as tables.
fn text(told: &InsideOutput) -> String {
    let mut parts = Vec::new();
    if !told.movement.since_start.is_empty() {
        parts.push(movement_table(&told.movement));
    }
    for map in &told.maps {
        parts.push(format!(
            "map of features (PCA), expert {}: axes of task {}, {:.0} % and {:.0} % of the variance\n",
            map.expert.name(),
            map.axes_of_task,
            map.variance[0] * 100.0,
            map.variance[1] * 100.0
        ));
    }
    if !told.none_of_these.is_empty() {
        parts.push(refusals(&told.none_of_these));
    }
    if !told.pictures.is_empty() {
        parts.push(picture_table(&told.pictures));
    }
    if let Some(attention) = &told.attention {
        if let Some(before) = &attention.before {
            parts.push(grid("before task 1", before));
        }
        for (expert, map) in &attention.after {
            parts.push(grid(&format!("{} expert", expert.name()), map));
        }
    }
    parts.join("\n")
}

/// Returns the limit of the out-of-distribution score of each expert, and how often it rejects images, as a table.
fn refusals(of: &ByExpert<Refusal>) -> String {
    let mut table = Table::new(&[
        "expert",
        ">none of these above",
        ">known classes rejected",
        ">future classes rejected",
    ]);
    let share = |refused: Option<Refused>| match refused {
        Some(of) => format!("{} of {}", of.refused, of.pictures),
        None => "–".into(),
    };
    for (expert, refusal) in of {
        table.row([
            expert.name().to_string(),
            format!("{:.2}", refusal.threshold),
            match refusal.measured {
                CountedOn::CrossFitted => share(refusal.known),
                CountedOn::SamePictures => {
                    format!("{} (also used to choose it)", share(refusal.known))
                }
            },
            share(refusal.later),
        ]);
    }
    table.to_string()
}

fn movement_table(movement: &PetDistances) -> String {
    let experts = movement.since_start.keys();
    let mut titles = vec![">block".to_string()];
    titles.extend(experts.map(|expert| format!(">{}", expert.name())));
    if !movement.distance.is_empty() {
        titles.push(">apart".into());
    }
    let mut table = Table::new(&titles);
    let apart = Some(&movement.distance).filter(|distance| !distance.is_empty());
    let columns = movement.since_start.values().chain(apart);
    let columns: Vec<&Vec<Block>> = columns.collect();
    for (at, first) in columns.first().into_iter().copied().flatten().enumerate() {
        let cells = columns.iter().filter_map(|column| column.get(at));
        let cells = cells.map(|block| format!("{:.3}", block.distance));
        let cells: Vec<String> = cells.collect();
        table.row(std::iter::once(first.block.to_string()).chain(cells));
    }
    table.to_string()
}

fn picture_table(pictures: &[OfPicture]) -> String {
    let Some(first) = pictures.first() else {
        return String::new();
    };
    let mut titles = vec![">image".to_string(), "class".into(), "answer".into()];
    titles.extend(first.at.keys().map(|e| format!("map {}", e.name())));
    titles.extend(first.energy.keys().map(|e| format!(">energy {}", e.name())));
    let mut table = Table::new(&titles);
    for picture in pictures {
        let class = match picture.learned {
            true => picture.class.clone(),
            false => format!("{} (not learned)", picture.class),
        };
        let index = match picture.source {
            0 => picture.index.to_string(),
            added_task => format!("added task {added_task}: {}", picture.index),
        };
        let at = picture.at.values().map(|[x, y]| format!("{x:.2} {y:.2}"));
        let energy = picture.energy.values().map(|energy| format!("{energy:.2}"));
        let start = [index, class, picture.answer.clone()].into_iter();
        table.row(start.chain(at).chain(energy));
    }
    table.to_string()
}

/// Returns a map as rows of numbers.
fn grid(title: &str, map: &AttentionMap) -> String {
    let (what, scale) = match map.kind {
        AttentionKind::Attention => ("attention of the class token, %", 100.0),
        AttentionKind::Length => ("feature norm at each position", 1.0),
    };
    let mut text = format!("{what}, {title}\n");
    for row in map.values.chunks(map.columns.max(1)) {
        let row: Vec<String> = row.iter().map(|v| format!("{:6.2}", v * scale)).collect();
        text += &format!("{}\n", row.join(" "));
    }
    if map.kind == AttentionKind::Attention {
        text += &format!("{:6.2} elsewhere\n", map.rest * 100.0);
    }
    text
}

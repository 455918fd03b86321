//! `inside`: shows the inside of a run after a task.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::CommandOutcome;
use super::output::{JsonOutput, Table, print_problem};
use super::predict::read_image;
use super::run_args::{RunArgs, count_finished_tasks, snapshot};
use crate::experiment::inside::inspect_run;
use crate::metrics::{ByExpert, Expert};
use crate::problem::{Problem, Result};
use crate::run::event::RunHeader;
use crate::run::inside::{AttentionKind, AttentionMap, Movement, ProbeInspection};
use crate::run::rejection::{CountedOn, RejectionCount, RejectionThreshold};
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
    json: JsonOutput,
}

/// The JSON output.
#[derive(Serialize)]
struct InsideOutput {
    run: String,
    /// Number of the task, from 1.
    task: usize,
    movement: PetDistances,
    /// The axes of each expert's feature map.
    maps: Vec<MapAxes>,
    pictures: Vec<ImageEntry>,
    /// The limit of the out-of-distribution score of each expert, and how often it rejects images.
    none_of_these: ByExpert<RejectionThreshold>,
    /// Why there are no test images.
    problem: Option<Problem>,
    attention: Option<Attention>,
}

/// Relative distances of PETs by block.
#[derive(Serialize)]
struct PetDistances {
    /// Of each expert's PET since its initialisation.
    since_start: ByExpert<Vec<BlockDistance>>,
    /// Between the offline and the online PET.
    #[serde(rename = "apart")]
    distance: Vec<BlockDistance>,
}

#[derive(Serialize)]
struct BlockDistance {
    /// Index of the block from 0, as in the settings.
    block: usize,
    distance: f64,
}

#[derive(Serialize)]
struct MapAxes {
    expert: Expert,
    /// The task whose features define the axes, from 1.
    axes_of_task: usize,
    /// Share of the variance along each axis.
    variance: [f32; 2],
}

/// A test image.
#[derive(Serialize)]
struct ImageEntry {
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

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    args.json.check()?;
    let folder = args.asked.folder()?;
    let task = snapshot(&folder, args.asked.task)?;
    let anchor = count_finished_tasks(&folder)? - 1;
    let cache = args.asked.moved.cache(&store::load_facts(&folder)?.0.config);
    let (predictor, inside) =
        inspect_run(&folder, [anchor, task], args.asked.device.as_deref(), &cache)?;
    let mut end = CommandOutcome::Done;
    if let Some(problem) = &inside.problem {
        print_problem(problem);
        end = CommandOutcome::Failed;
    }
    let image_attention = |path: &Path| -> Result<Attention> {
        let maps = predictor.attention_maps(&read_image(path, &predictor)?)?;
        Ok(Attention {
            image: path.display().to_string(),
            after: maps.attention_maps.into_iter().collect(),
            before: maps.before,
        })
    };
    let header = predictor.header();
    let probe = inside.probe.as_ref();
    let reports = store::summarise(&folder)?.reports();
    let measurements = reports.get(task).map(|report| &report.measurements);
    let threshold = |expert: &Expert| {
        Some((*expert, RejectionThreshold::from_measurements(measurements, probe, *expert)?))
    };
    let experts = header.method.experts.iter();
    let output = InsideOutput {
        none_of_these: experts.filter_map(threshold).collect(),
        run: header.run.clone(),
        task: task + 1,
        movement: pet_distances(&inside.movement),
        maps: probe.map_or_else(Vec::new, map_axes),
        pictures: probe.map_or_else(Vec::new, |probe| image_entries(header, probe)),
        problem: inside.problem.clone(),
        attention: args.image.as_deref().map(image_attention).transpose()?,
    };
    args.json.print_results(&output, &text(&output))?;
    Ok(end)
}

fn pet_distances(movement: &Movement) -> PetDistances {
    let blocks = |values: &[(usize, f64)]| {
        let each = values.iter();
        each.map(|&(block, distance)| BlockDistance { block, distance }).collect()
    };
    let since = movement.since_start.iter();
    PetDistances {
        since_start: since.map(|(expert, values)| (*expert, blocks(values))).collect(),
        distance: blocks(&movement.distance),
    }
}

fn map_axes(probe: &ProbeInspection) -> Vec<MapAxes> {
    let maps = probe.maps.iter();
    maps.map(|map| MapAxes {
        expert: map.expert,
        axes_of_task: map.anchor + 1,
        variance: map.shares,
    })
    .collect()
}

fn image_entries(header: &RunHeader, probe: &ProbeInspection) -> Vec<ImageEntry> {
    let name = |class: usize| header.class_order.get(class).cloned().unwrap_or_default();
    let row = |index: usize| ImageEntry {
        source: probe.places[index].0,
        index: probe.places[index].1,
        class: name(probe.labels[index]),
        learned: probe.labels[index] < probe.known,
        answer: name(probe.given[index]),
        at: probe.maps.iter().map(|map| (map.expert, map.points[index])).collect(),
        energy: probe
            .energies
            .iter()
            .map(|(expert, energies)| (*expert, energies[index]))
            .collect(),
    };
    (0..probe.labels.len()).map(row).collect()
}

/// Returns the views as tables.
fn text(output: &InsideOutput) -> String {
    let mut parts = Vec::new();
    if !output.movement.since_start.is_empty() {
        parts.push(movement_table(&output.movement));
    }
    for map in &output.maps {
        parts.push(format!(
            "map of features (PCA), expert {}: axes of task {}, {:.0} % and {:.0} % of the variance\n",
            map.expert.key(),
            map.axes_of_task,
            map.variance[0] * 100.0,
            map.variance[1] * 100.0
        ));
    }
    if !output.none_of_these.is_empty() {
        parts.push(rejection_table(&output.none_of_these));
    }
    if !output.pictures.is_empty() {
        parts.push(image_table(&output.pictures));
    }
    if let Some(attention) = &output.attention {
        if let Some(before) = &attention.before {
            parts.push(attention_grid("before task 1", before));
        }
        for (expert, map) in &attention.after {
            parts.push(attention_grid(&format!("{} expert", expert.key()), map));
        }
    }
    parts.join("\n")
}

/// Returns the limit of the out-of-distribution score of each expert, and how often it rejects images, as a table.
fn rejection_table(refusals: &ByExpert<RejectionThreshold>) -> String {
    let mut table = Table::new(&[
        "expert",
        ">none of these above",
        ">known classes rejected",
        ">future classes rejected",
    ]);
    let share = |refused: Option<RejectionCount>| match refused {
        Some(counts) => format!("{} of {}", counts.refused, counts.pictures),
        None => "–".into(),
    };
    for (expert, threshold) in refusals {
        table.add_row([
            expert.key().to_string(),
            format!("{:.2}", threshold.threshold),
            match threshold.measured {
                CountedOn::CrossFitted => share(threshold.known),
                CountedOn::SamePictures => {
                    format!("{} (also used to choose it)", share(threshold.known))
                }
            },
            share(threshold.later),
        ]);
    }
    table.to_string()
}

fn movement_table(movement: &PetDistances) -> String {
    let experts = movement.since_start.keys();
    let mut titles = vec![">block".to_string()];
    titles.extend(experts.map(|expert| format!(">{}", expert.key())));
    if !movement.distance.is_empty() {
        titles.push(">apart".into());
    }
    let mut table = Table::new(&titles);
    let distances = Some(&movement.distance).filter(|distance| !distance.is_empty());
    let columns = movement.since_start.values().chain(distances);
    let columns: Vec<&Vec<BlockDistance>> = columns.collect();
    for (index, first) in columns.first().into_iter().copied().flatten().enumerate() {
        let cells = columns.iter().filter_map(|column| column.get(index));
        let cells = cells.map(|block| format!("{:.3}", block.distance));
        let cells: Vec<String> = cells.collect();
        table.add_row(std::iter::once(first.block.to_string()).chain(cells));
    }
    table.to_string()
}

fn image_table(images: &[ImageEntry]) -> String {
    let Some(first) = images.first() else {
        return String::new();
    };
    let mut titles = vec![">image".to_string(), "class".into(), "answer".into()];
    titles.extend(first.at.keys().map(|e| format!("map {}", e.key())));
    titles.extend(first.energy.keys().map(|e| format!(">energy {}", e.key())));
    let mut table = Table::new(&titles);
    for image in images {
        let class = match image.learned {
            true => image.class.clone(),
            false => format!("{} (not learned)", image.class),
        };
        let index = match image.source {
            0 => image.index.to_string(),
            added_task => format!("added task {added_task}: {}", image.index),
        };
        let coordinates = image.at.values().map(|[x, y]| format!("{x:.2} {y:.2}"));
        let energy = image.energy.values().map(|energy| format!("{energy:.2}"));
        let start = [index, class, image.answer.clone()].into_iter();
        table.add_row(start.chain(coordinates).chain(energy));
    }
    table.to_string()
}

/// Returns a map as rows of numbers.
fn attention_grid(title: &str, map: &AttentionMap) -> String {
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

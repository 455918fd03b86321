//! A drawing as a PDF file: one page with all outlines as paths, including those of letters, so that no font is needed.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use resvg::tiny_skia::{PathSegment, Point};
use resvg::usvg::{FillRule, Group, Node, Paint, Path};

use super::Figure;
use super::png::{drawing_problem, svg_tree};
use crate::problem::Result;

/// PDF points per unit of the drawing: a unit is a pixel of 1/96 inch, a point is 1/72 inch.
const SCALE: f32 = 0.75;

impl Figure {
    /// Returns the bytes of a PDF file.
    ///
    /// # Errors
    /// Returns a Problem if it cannot be drawn.
    pub fn to_pdf(&self) -> Result<Vec<u8>> {
        let tree = svg_tree(self)?;
        let size = tree.size();
        let [wide, high] = [size.width(), size.height()].map(|side| side * SCALE);
        let mut page = Page::default();
        // The y axis of a drawing points down, that of a PDF page up.
        let _ = writeln!(page.content, "{SCALE} 0 0 -{SCALE} 0 {high} cm");
        page.add_group(tree.root());
        page.into_file([wide, high]).map_err(|error| drawing_problem(&error))
    }
}

/// The content of a PDF page.
#[derive(Default)]
struct Page {
    /// The drawing operators.
    content: String,
    /// The used opacities of fill and stroke, each pair once.
    opacities: Vec<[f32; 2]>,
}

impl Page {
    fn add_group(&mut self, group: &Group) {
        for node in group.children() {
            match node {
                Node::Group(group) => self.add_group(group),
                Node::Path(path) => self.add_path(path),
                Node::Text(text) => self.add_group(text.flattened()),
                // Drawings contain no raster images.
                Node::Image(_) => {}
            }
        }
    }

    fn add_path(&mut self, path: &Path) {
        let fill = path.fill().and_then(|fill| Some((colour(fill.paint())?, fill)));
        let stroke = path.stroke();
        let stroke = stroke.and_then(|stroke| Some((colour(stroke.paint())?, stroke)));
        if !path.is_visible() || (fill.is_none() && stroke.is_none()) {
            return;
        }
        let opacity = [
            fill.map_or(1.0, |(_, fill)| fill.opacity().get()),
            stroke.map_or(1.0, |(_, stroke)| stroke.opacity().get()),
        ];
        let state = self.graphics_state(opacity);
        let t = path.abs_transform();
        let out = &mut self.content;
        let _ = writeln!(
            out,
            "q /A{state} gs {} {} {} {} {} {} cm",
            t.sx, t.ky, t.kx, t.sy, t.tx, t.ty
        );
        if let Some(([r, g, b], _)) = fill {
            let _ = writeln!(out, "{r} {g} {b} rg");
        }
        if let Some(([r, g, b], stroke)) = stroke {
            let dashes = stroke.dasharray().unwrap_or_default().iter();
            let dashes: Vec<String> = dashes.map(f32::to_string).collect();
            let _ = writeln!(
                out,
                "{r} {g} {b} RG {} w [{}] {} d",
                stroke.width().get(),
                dashes.join(" "),
                stroke.dashoffset()
            );
        }
        write_outline(out, path);
        let is_even_odd = fill.is_some_and(|(_, fill)| fill.rule() == FillRule::EvenOdd);
        let _ = writeln!(
            out,
            "{} Q",
            match (fill.is_some(), stroke.is_some(), is_even_odd) {
                (true, true, false) => "B",
                (true, true, true) => "B*",
                (true, false, false) => "f",
                (true, false, true) => "f*",
                (false, ..) => "S",
            }
        );
    }

    /// Returns the index of the graphics state with these opacities; adds it if it is new.
    fn graphics_state(&mut self, opacity: [f32; 2]) -> usize {
        let existing = self.opacities.iter().position(|other| *other == opacity);
        existing.unwrap_or_else(|| {
            self.opacities.push(opacity);
            self.opacities.len() - 1
        })
    }

    /// Returns the bytes of a PDF file with this page of the given width and height in points.
    fn into_file(self, [wide, high]: [f32; 2]) -> std::io::Result<Vec<u8>> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(self.content.as_bytes())?;
        let compressed = encoder.finish()?;
        let states = self.opacities.iter().enumerate();
        let states: String = states
            .map(|(at, [fill, stroke])| format!("/A{at} << /ca {fill} /CA {stroke} >> "))
            .collect();
        let objects = [
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {wide} {high}] /Contents 4 0 R \
                 /Resources << /ExtGState << {states}>> >> >>"
            )
            .into_bytes(),
            [
                format!("<< /Length {} /Filter /FlateDecode >>\nstream\n", compressed.len())
                    .into_bytes(),
                compressed,
                b"\nendstream".to_vec(),
            ]
            .concat(),
        ];
        // Bytes beyond ASCII in the second line mark the file as binary.
        let mut file = b"%PDF-1.4\n%\xE2\xE3\xCF\xD3\n".to_vec();
        let mut offsets = Vec::new();
        for (at, object) in objects.iter().enumerate() {
            offsets.push(file.len());
            writeln!(file, "{} 0 obj", at + 1)?;
            file.extend(object);
            file.extend(b"\nendobj\n");
        }
        let table = file.len();
        write!(file, "xref\n0 {}\n0000000000 65535 f \n", offsets.len() + 1)?;
        for offset in &offsets {
            writeln!(file, "{offset:010} 00000 n ")?;
        }
        write!(
            file,
            "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n",
            offsets.len() + 1
        )?;
        Ok(file)
    }
}

/// Returns red, green and blue (0..=1); `None` if the paint is not a plain colour.
fn colour(paint: &Paint) -> Option<[f32; 3]> {
    match paint {
        Paint::Color(colour) => {
            Some([colour.red, colour.green, colour.blue].map(|part| f32::from(part) / 255.0))
        }
        _ => None,
    }
}

/// Adds the outline of a path. PDF has no quadratic curves, so they are converted to equal cubic ones.
fn write_outline(out: &mut String, path: &Path) {
    let mut last = Point::zero();
    for segment in path.data().segments() {
        let (points, operator) = match segment {
            PathSegment::MoveTo(p) => (vec![p], "m"),
            PathSegment::LineTo(p) => (vec![p], "l"),
            PathSegment::QuadTo(q, p) => {
                let toward = |from: f32, to: f32| from + (to - from) * 2.0 / 3.0;
                let toward_q = |p: Point| Point::from_xy(toward(p.x, q.x), toward(p.y, q.y));
                (vec![toward_q(last), toward_q(p), p], "c")
            }
            PathSegment::CubicTo(a, b, p) => (vec![a, b, p], "c"),
            PathSegment::Close => (Vec::new(), "h"),
        };
        for point in &points {
            let _ = write!(out, "{} {} ", point.x, point.y);
        }
        let _ = writeln!(out, "{operator}");
        last = points.last().copied().unwrap_or(last);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::ZlibDecoder;

    use super::*;
    use crate::store::figure::{ChartLine, LineChart, Point};

    #[test]
    fn pdf_has_one_page_and_valid_xref_table() {
        let line = ChartLine {
            name: "LAE".into(),
            shade: None,
            points: (0..3)
                .map(|task| Point { std: Some(1.0), ..Point::from([f64::from(task), 90.0]) })
                .collect(),
        };
        let figure = Figure::line_chart("Accuracy", LineChart::accuracy(vec![line]));
        let file = figure.to_pdf().unwrap_or_else(|problem| panic!("{problem}"));
        assert!(file.starts_with(b"%PDF-1.4\n") && file.ends_with(b"%%EOF\n"));
        let find = |what: &[u8]| file.windows(what.len()).position(|part| part == what);
        let table = find(b"xref\n0 5\n").unwrap_or_default();
        let rows = String::from_utf8_lossy(&file[table..]).into_owned();
        for (at, row) in rows.lines().skip(3).take(4).enumerate() {
            let offset: usize = row[..10].parse().unwrap_or_default();
            let object = format!("{} 0 obj\n", at + 1);
            assert!(file[offset..].starts_with(object.as_bytes()), "{row}");
        }
        let (Some(start), Some(end)) = (find(b"stream\n"), find(b"\nendstream")) else {
            panic!("no page")
        };
        let mut page = String::new();
        let read = ZlibDecoder::new(&file[start + 7..end]).read_to_string(&mut page);
        assert!(read.is_ok() && page.starts_with("0.75 0 0 -0.75 0 "));
        assert_eq!(page.matches("q /A").count(), page.matches(" Q\n").count());
        // The band is drawn, and letters are outlines.
        assert!(page.matches(" c\n").count() > 20, "no letters");
        assert!(find(b"/ca 0.16").is_some(), "no band");
    }
}

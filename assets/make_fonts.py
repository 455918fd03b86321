"""Writes fonts/*.ttf, the fonts of the window, reduced to the characters that it displays.

    apt-get install --no-install-recommends fonts-inter fonts-jetbrains-mono fonts-dejavu-core
    pip install fonttools && python assets/make_fonts.py assets/fonts

Inter regular and semibold get TrueType outlines, and tabular figures by default, so that numbers do not move when
they change. Kerning, marks and composition are kept; alternates and ligatures are removed ("->" remains two
characters in code). JetBrains Mono is treated in the same way. Triangles and bars for buttons that are missing from
both are drawn here. `Symbols` has the other characters that are missing from either, from DejaVu Sans; it is the last
fallback.
"""

import sys
from pathlib import Path

from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont, newTable

SOURCES = Path("/usr/share/fonts")
INTER = SOURCES / "opentype/inter"
FACES = {
    "Inter-Regular": INTER / "Inter-Regular.otf",
    "Inter-SemiBold": INTER / "Inter-SemiBold.otf",
    "Mono-Regular": SOURCES / "truetype/jetbrains-mono/JetBrainsMono-Regular.ttf",
}
SYMBOLS = SOURCES / "truetype/dejavu/DejaVuSans.ttf"

TEXT = [
    (0x0020, 0x024F),  # Latin, Latin-1, Extended-A and -B
    (0x02B0, 0x036F),  # modifier letters, combining marks
    (0x0370, 0x052F),  # Greek, Cyrillic
    (0x1E00, 0x1EFF),  # Latin Extended Additional
]
SIGNS = [
    (0x1D2C, 0x1D6A),  # raised and lowered letters
    (0x2000, 0x20CF),  # punctuation, super- and subscripts, currency
    (0x2100, 0x22FF),  # letterlike, number forms, arrows, mathematics
    (0x2300, 0x23FF),  # technical
    (0x2500, 0x25FF),  # box drawing, blocks, geometric shapes
    (0x2605, 0x2605), (0x2606, 0x2606), (0x26A0, 0x26A0),
    (0x2713, 0x2718), (0x27E8, 0x27E9), (0x27F2, 0x27F3), (0x2B06, 0x2B0C),
]  # fmt: skip

# Polygons in a square of 100 units whose lower edge is the baseline.
BAR_LEFT, BAR_RIGHT = [(16, 8), (40, 8), (40, 92), (16, 92)], [(60, 8), (84, 8), (84, 92), (60, 92)]
SHAPES = {
    0x23F8: [BAR_LEFT, BAR_RIGHT],  # pause
    0x23F9: [[(12, 12), (88, 12), (88, 88), (12, 88)]],  # stop
    0x23F5: [[(20, 6), (92, 50), (20, 94)]],  # play
    0x23F4: [[(80, 94), (8, 50), (80, 6)]],
    0x23ED: [[(8, 6), (70, 50), (8, 94)], [(74, 6), (92, 6), (92, 94), (74, 94)]],  # next
    0x23EE: [[(92, 94), (30, 50), (92, 6)], [(8, 6), (26, 6), (26, 94), (8, 94)]],  # previous
    0x25B8: [[(30, 22), (76, 50), (30, 78)]],  # unfold
    0x25BE: [[(22, 66), (78, 66), (50, 22)]],  # unfolded
    0x25C2: [[(70, 78), (24, 50), (70, 22)]],
    0x25B4: [[(22, 26), (50, 70), (78, 26)]],
    0x2715: [  # close
        [(24, 12), (50, 38), (76, 12), (88, 24), (62, 50), (88, 76),
         (76, 88), (50, 62), (24, 88), (12, 76), (38, 50), (12, 24)]
    ],
}  # fmt: skip


def characters(ranges):
    return {code for first, last in ranges for code in range(first, last + 1)}


def with_tabular_figures(font):
    """Maps the ten digits to the glyphs of the feature `tnum`."""
    if "GSUB" not in font:
        return
    table = font["GSUB"].table
    lookups = {
        index
        for record in table.FeatureList.FeatureRecord
        if record.FeatureTag == "tnum"
        for index in record.Feature.LookupListIndex
    }
    for index in lookups:
        for part in table.LookupList.Lookup[index].SubTable:
            swap = getattr(part, "ExtSubTable", part).mapping
            for cmap in font["cmap"].tables:
                for code in range(ord("0"), ord("9") + 1):
                    if code in cmap.cmap:
                        cmap.cmap[code] = swap.get(cmap.cmap[code], cmap.cmap[code])
    names = [font.getBestCmap()[code] for code in range(ord("0"), ord("9") + 1)]
    width = font["hmtx"].metrics[names[0]][0]
    for name in names:  # one figure of the semibold is a thousandth narrower
        font["hmtx"].metrics[name] = (width, font["hmtx"].metrics[name][1])


def reduced(font, codes):
    """Only `codes` and what they need to be set well."""
    options = Options()
    options.layout_features = ["ccmp", "kern", "mark", "mkmk"]
    options.hinting = False
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 7, 13, 14]
    options.drop_tables += ["DSIG", "meta", "STAT"]
    options.notdef_outline = True
    worker = Subsetter(options)
    worker.populate(unicodes=codes)
    worker.subset(font)


def to_truetype(font):
    """Cubic outlines (CFF) to quadratic ones (glyf), within half a thousandth of an em."""
    if "glyf" in font:
        return
    glyphs, order = font.getGlyphSet(), font.getGlyphOrder()
    precision = font["head"].unitsPerEm / 2000
    outlines = {}
    for name in order:
        pen = TTGlyphPen(None)
        glyphs[name].draw(Cu2QuPen(pen, precision, reverse_direction=True))
        outlines[name] = pen.glyph()
    del font["CFF "]
    if "VORG" in font:
        del font["VORG"]
    font["loca"] = newTable("loca")
    font["glyf"] = newTable("glyf")
    font["glyf"].glyphOrder, font["glyf"].glyphs = order, outlines
    font["maxp"].tableVersion = 0x00010000
    for field in (
        "maxZones maxTwilightPoints maxStorage maxFunctionDefs maxInstructionDefs "
        "maxStackElements maxSizeOfInstructions maxComponentElements"
    ).split():
        setattr(font["maxp"], field, 1 if field == "maxZones" else 0)
    font["head"].glyphDataFormat = 0
    font.sfntVersion = "\x00\x01\x00\x00"
    set_left_bearings(font)


def set_left_bearings(font):
    for name, glyph in font["glyf"].glyphs.items():
        glyph.recalcBounds(font["glyf"])
        width = font["hmtx"].metrics[name][0]
        font["hmtx"].metrics[name] = (width, getattr(glyph, "xMin", 0))


def add_shapes(font, fixed_width):
    """Draws what SHAPES holds and `font` lacks; capitals are as high as the shapes."""
    known = font.getBestCmap()
    height = font["OS/2"].sCapHeight
    for code, polygons in SHAPES.items():
        if code in known:
            continue
        width = font["hmtx"].metrics[known[ord("0")]][0] if fixed_width else round(height * 1.1)
        scale = min(height, width * 0.96) / 100
        across, up = (width - 100 * scale) / 2, (height - 100 * scale) / 2
        pen = TTGlyphPen(None)
        for polygon in polygons:
            points = [(round(across + x * scale), round(up + y * scale)) for x, y in polygon]
            pen.moveTo(points[0])
            for point in points[1:]:
                pen.lineTo(point)
            pen.closePath()
        name = f"uni{code:04X}"
        font.setGlyphOrder(font.getGlyphOrder() + [name])
        font["glyf"].glyphs[name] = glyph = pen.glyph()
        glyph.recalcBounds(font["glyf"])
        font["hmtx"].metrics[name] = (width, glyph.xMin)
        for cmap in font["cmap"].tables:
            if cmap.isUnicode():
                cmap.cmap[code] = name
    font["glyf"].glyphOrder = font.getGlyphOrder()


def main(folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    common = None
    for name, source in FACES.items():
        font = TTFont(source, recalcTimestamp=False)
        with_tabular_figures(font)
        reduced(font, characters(TEXT + SIGNS))
        to_truetype(font)
        add_shapes(font, fixed_width=name.startswith("Mono"))
        held = set(font.getBestCmap())
        common = held if common is None else common & held
        font.save(folder / f"{name}.ttf")
    symbols = TTFont(SYMBOLS, recalcTimestamp=False)
    reduced(symbols, characters(SIGNS) - common)
    symbols.save(folder / "Symbols-Regular.ttf")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "fonts")

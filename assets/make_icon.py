"""Writes icon.png: three bars in the colours and with the markers of the experts.

    pip install pillow && python assets/make_icon.py assets/icon.png

From top to bottom online (disc), offline (triangle) and ensemble (square), each bar as
long as the expert is usually good, on the window's dark background.
"""

import sys

from PIL import Image, ImageDraw

SIDE, FINE = 256, 4
GROUND, EDGE, TROUGH = "#14161A", "#2E333D", "#22262E"
ONLINE, OFFLINE, ENSEMBLE = "#56B4E9", "#E69F00", "#2FBF8F"


def main(path):
    picture = Image.new("RGBA", (SIDE * FINE, SIDE * FINE))
    pen = ImageDraw.Draw(picture)

    def scaled(*numbers):
        return [number * FINE for number in numbers]

    pen.rounded_rectangle(
        scaled(6, 6, 250, 250), radius=52 * FINE, fill=GROUND, outline=EDGE, width=4 * FINE
    )
    for middle, end, colour in ((74, 168, ONLINE), (128, 190, OFFLINE), (182, 214, ENSEMBLE)):
        pen.rounded_rectangle(scaled(90, middle - 15, 214, middle + 15), 8 * FINE, fill=TROUGH)
        pen.rounded_rectangle(scaled(90, middle - 15, end, middle + 15), 8 * FINE, fill=colour)
    pen.ellipse(scaled(42, 59, 72, 89), fill=ONLINE)
    pen.polygon(scaled(57, 110, 75, 143, 39, 143), fill=OFFLINE)
    pen.rectangle(scaled(43, 168, 71, 196), fill=ENSEMBLE)
    picture.resize((SIDE, SIDE), Image.Resampling.LANCZOS).save(path, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "icon.png")

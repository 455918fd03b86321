"""Writes the Parquet files in tests/parquet in the format of the Hugging Face hub. Needs pyarrow and Pillow.
"""

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

FOLDER = Path(__file__).parent / "parquet"
FEATURES = {"image": {"_type": "Image"}, "label": {"names": ["cat", "Dog"], "_type": "ClassLabel"}}


def image(number):
    file = io.BytesIO()
    Image.new("RGB", (2, 2), (number * 9, 7, 7)).save(file, "PNG")
    return file.getvalue()


def write(name, numbers, compression="snappy", plain=False):
    images = [image(n) for n in numbers]
    kind = pa.binary()
    if not plain:
        images = [{"bytes": file, "path": f"{n}.png"} for n, file in zip(numbers, images)]
        kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    columns = {"image": pa.array(images, kind)}
    columns["label"] = pa.array([f"bird {n % 2}" if plain else n % 2 for n in numbers])
    columns["caption"] = pa.array([None if n % 3 else f"image {n}" for n in numbers])
    table = pa.table(columns)
    if not plain:
        table = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": FEATURES}})})
    pq.write_table(table, FOLDER / name, compression=compression, row_group_size=4)


FOLDER.mkdir(exist_ok=True)
write("train-00000-of-00002.parquet", range(6))
write("train-00001-of-00002.parquet", range(6, 12))
write("test-00000-of-00001.parquet", range(20, 24))
write("plain.parquet", range(10), plain=True)
write("zstd.parquet", range(2), compression="zstd")

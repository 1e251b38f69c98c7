"""Reads an eatt bundle with nothing but the standard library, as docs/formats.md describes it.

usage: read_bundle.py BUNDLE TENSOR    prints each tensor, then the values of TENSOR
"""
import hashlib
import json
import math
import struct
import sys
from pathlib import Path

bundle, wanted = Path(sys.argv[1]), sys.argv[2]
config = json.loads((bundle / "config.json").read_text("utf-8"))
assert config["format"] == "eatt-bundle" and config["format_version"] <= 1, "not a bundle we know"
checksum = config.pop("checksum", None)  # Bundles of the first eatt have none.
printed = json.dumps(config, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
assert checksum in (None, hashlib.sha256(printed.encode()).hexdigest()), "config.json was changed"
for name, record in config["files"].items():
    content = (bundle / name).read_bytes()
    assert len(content) == record["bytes"], f"{name}: wrong size"
    assert hashlib.sha256(content).hexdigest() == record["sha256"], f"{name}: wrong hash"

content = (bundle / "model.safetensors").read_bytes()
(length,) = struct.unpack_from("<Q", content)
header = json.loads(content[8:8 + length])
header.pop("__metadata__", None)
data = content[8 + length:]
formats = {"F32": "<f", "I32": "<i", "I16": "<h", "I8": "<b", "U8": "<B"}

covered = 0
for name, tensor in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
    begin, end = tensor["data_offsets"]
    assert begin == covered, f"{name}: gap or overlap"
    size = struct.calcsize(formats[tensor["dtype"]])
    assert end - begin == size * math.prod(tensor["shape"]), f"{name}: wrong size"
    assert (8 + length + begin) % size == 0, f"{name}: not aligned"
    covered = end
    print(name, tensor["shape"])
assert covered == len(data), "bytes after the last tensor"

begin, end = header[wanted]["data_offsets"]
for (value,) in struct.iter_unpack(formats[header[wanted]["dtype"]], data[begin:end]):
    print(value.hex() if isinstance(value, float) else value)

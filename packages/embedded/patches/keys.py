"""Keys and values of WiredTiger, packed by functions of strings. Its binding walks the format letter by letter, in Python.

Only the formats that the store uses most: names, each with a zero byte at its end, then bytes, a number, or nothing.
"""

import sys

from wiredtiger import swig_wiredtiger
from wiredtiger.intpacking import pack_int, unpack_int

from .replace import replace

NAMES = {"SS": 2, "SSS": 3, "SSSu": 3, "SSu": 2, "SSq": 2}
SAMPLES = [("u", b"\0x"), ("SS", "a", "é"), ("SSS", "a", "", "c"), ("SSSu", "a", "b", "c\0d", b"\0e"), ("SSq", "a", "b", -70000)]


def same_for_samples(original, quick):
    pack = swig_wiredtiger.pack
    for form, *values in SAMPLES:
        arguments = [pack(form, *values)] if original.__name__ == "unpack" else values
        if original(form, *arguments) != quick(form, *arguments):
            sys.exit(f"packages/embedded/patches/keys.py: {original.__name__} of {form} gives another result than WiredTiger's")
    return quick


@replace(swig_wiredtiger, "pack")
def pack_quickly(pack):
    def packed(form, *values):
        last = values[-1]
        names = NAMES.get(form)
        if names is None:
            return last if form == "u" and type(last) is bytes else pack(form, *values)
        head = "\0".join(values[:names])
        # The binding cuts a name at a zero byte.
        if head.count("\0") >= names or (form[-1] == "u" and type(last) is not bytes):
            return pack(form, *values)
        tail = last if form[-1] == "u" else pack_int(last) if form[-1] == "q" else b""
        return head.encode() + b"\0" + tail

    return same_for_samples(pack, packed)


@replace(swig_wiredtiger, "unpack")
def unpack_quickly(unpack):
    def unpacked(form, data):
        names = NAMES.get(form)
        if names is None or data is None:
            return [data] if form == "u" and data is not None else unpack(form, data)
        *values, tail = data.split(b"\0", names)
        values = [name.decode() for name in values]
        if form[-1] != "S":
            values.append(tail if form[-1] == "u" else unpack_int(tail)[0])
        return values

    return same_for_samples(unpack, unpacked)

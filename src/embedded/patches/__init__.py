from . import catalogue, disk, keys, lists, waits  # noqa: F401

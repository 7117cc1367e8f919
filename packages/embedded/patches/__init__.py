from . import catalogue, disk, keys, lists, plans, waits  # noqa: F401

from . import catalogue, keys, lists, waits  # noqa: F401

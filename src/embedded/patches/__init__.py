from . import catalogue, lists, waits  # noqa: F401

"""How the parts of this folder replace functions of SecantusDB, which is pinned (../requirements/mongo.in)."""

import sys


def replace(owner, name: str):
    """Replaces `owner.name` by what the decorated function makes of the original. Ends the process where it is missing."""
    original = getattr(owner, name, None)
    if original is None:
        sys.exit(f"This SecantusDB has no {owner.__name__}.{name}, which packages/embedded/patches replaces: wrong version?")

    def install(make):
        setattr(owner, name, make(original))
        return make

    return install

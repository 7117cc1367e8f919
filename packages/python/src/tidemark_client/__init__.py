"""Client of the Tidemark API: SEC 13F and Form 4 filings as briefs that prove themselves."""

from .client import Tidemark
from .errors import InsufficientCredits, NotFound, RateLimited, TidemarkError, Unauthorized
from .frame import to_frame
from .verify import Problem, verify, verify_evidence

__all__ = [
    "InsufficientCredits",
    "NotFound",
    "Problem",
    "RateLimited",
    "Tidemark",
    "TidemarkError",
    "Unauthorized",
    "to_frame",
    "verify",
    "verify_evidence",
]

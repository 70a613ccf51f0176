# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the library as exceptions and warnings."""
import os
import sys
import warnings
from typing import NamedTuple, Optional

from ._library import lib, text

SEVERITIES = ("note", "warning", "error")
_PACKAGE = os.path.dirname(os.path.abspath(__file__))


class Finding(NamedTuple):
    """What the library found: `severity` is "note", "warning" or "error"."""

    severity: str
    file: Optional[str]  # None: it concerns no file
    line: int  # from 1; 0: not known
    text: str

    def __str__(self):
        where = f"{self.file}:{self.line}: " if self.file and self.line else f"{self.file}: " if self.file else ""
        return f"{where}{self.severity}: {self.text}"


class ModelWarning(UserWarning):
    """A finding of severity "warning"."""


class Error(Exception):
    """A call failed. `findings` says why; `result` holds the rows of a run that failed, else None."""

    def __init__(self, message, findings=(), status=None, result=None):
        self.message, self.findings, self.status, self.result = message, list(findings), status, result
        super().__init__(message)

    def __str__(self):
        return "\n".join([self.message, *map(str, self.findings)])

    def __reduce__(self):
        return type(self), (self.message, self.findings, self.status, self.result)


class ModelError(Error, ValueError):
    """The model, a name or a value is wrong."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class RunError(Error, ArithmeticError):
    """The numerics failed: a singular matrix, Newton's method, values that are not finite."""


class TrustError(RunError):
    """The run has ended, but its results are wrong."""


class PluginError(RunError):
    """A plug-in failed, crashed or did not return."""


class Interrupted(Error):
    """The run was stopped from outside."""


_ERRORS = {
    "BXT_ERR_ARGUMENT": ModelError,
    "BXT_ERR_MODEL": ModelError,
    "BXT_ERR_IO": FileError,
    "BXT_ERR_TRUST": TrustError,
    "BXT_ERR_PLUGIN": PluginError,
    "BXT_ERR_INTERRUPTED": Interrupted,
}


class Diagnostics:
    """The findings of calls: `with Diagnostics() as d: d.check(lib.bxt_...(.., d.pointer, ..))`."""

    def __enter__(self):
        self.pointer = lib.bxt_diagnostics_new()
        if not self.pointer:
            raise MemoryError
        return self

    def __exit__(self, *_):
        self.pointer = lib.bxt_diagnostics_free(self.pointer)

    def findings(self):
        found = []
        for i in range(lib.bxt_diagnostics_count(self.pointer, 0)):
            f = lib.bxt_diagnostics_get(self.pointer, i).contents
            found.append(Finding(SEVERITIES[f.severity], text(f.file), f.line, text(f.text)))
        return found

    def check(self, status, result=None):
        """Raises what a status other than BXT_OK stands for."""
        if status == 0:
            return
        name, meaning = lib.bxt_status_name(status).decode(), lib.bxt_status_text(status).decode()
        if name == "BXT_ERR_MEMORY":
            raise MemoryError
        raise _ERRORS.get(name, RunError)(meaning, self.findings(), name, result)

    def warn(self):
        """Warns of what is worth a warning; returns all findings."""
        found = self.findings()
        for finding in found:
            if finding.severity == "warning":
                warn(finding)
        return found


def check(status):
    """Raises what a status stands for, of a call without findings."""
    if status:
        with Diagnostics() as d:
            d.check(status)


def warn(finding):
    """A warning at the line of the caller outside of this package."""
    level, frame = 1, sys._getframe(0)
    while frame is not None and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == _PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(str(finding), ModelWarning, stacklevel=level)

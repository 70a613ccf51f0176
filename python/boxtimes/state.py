# SPDX-License-Identifier: GPL-3.0-or-later
"""States: all of a simulation at one time."""
import ctypes
import os

from ._library import Handle, lib
from .errors import Diagnostics, check


class State:
    """All of a simulation at one time. `bytes(state)` and `state.save("f.state")` keep it beyond the process."""

    def __init__(self, handle, model):
        self._handle, self._model = handle, model

    @property
    def time(self):
        return lib.bxt_state_time(self._handle.value)

    @property
    def steps(self):
        return lib.bxt_state_steps(self._handle.value)

    def __repr__(self):
        return f"<boxtimes.State at {self.time:g} s after {self.steps} steps>"

    def save(self, path):
        """Writes it to a file, which is whole or not there."""
        with Diagnostics() as d:
            d.check(lib.bxt_state_save(self._handle.value, os.fsencode(path), d.pointer))

    def __bytes__(self):
        memory, length = ctypes.c_void_p(), ctypes.c_size_t()
        check(lib.bxt_state_to_memory(self._handle.value, memory, length))
        try:
            return ctypes.string_at(memory, length.value)
        finally:
            lib.bxt_release(memory)


def load_state(model, source):
    """A state of the model: of a file, or of bytes."""
    made = ctypes.c_void_p()
    with Diagnostics() as d:
        if isinstance(source, (bytes, bytearray, memoryview)):
            content = bytes(source)
            d.check(
                lib.bxt_state_from_memory(
                    model._system.value, content, len(content), b"bytes of a state", d.pointer, made
                )
            )
        else:
            d.check(lib.bxt_state_load(model._system.value, os.fsencode(source), d.pointer, made))
    return State(Handle(made.value, lib.bxt_state_free, model._system), model)

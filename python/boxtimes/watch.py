# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C and exceptions while the library runs and calls back."""
import signal
import threading

from ._library import PROGRESS


class Interrupts:
    """While the library runs in the main thread, Ctrl-C only leaves a mark: an exception inside of a callback would be
    lost. What Ctrl-C does otherwise is done at the end."""

    def __init__(self):
        self.signal, self.previous = None, None

    def _mark(self, number, frame):
        self.signal = number, frame

    def __enter__(self):
        self.signal, self.previous = None, None
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self.previous = signal.signal(signal.SIGINT, self._mark)
        return self

    def __exit__(self, *_):
        if self.previous is not None:
            signal.signal(signal.SIGINT, self.previous)
        if self.signal is not None:
            self.previous(*self.signal)


class Watch(Interrupts):
    """The progress of a run: lets it end at Ctrl-C, where `progress` returns False, and when `cancelled` is set."""

    def __init__(self, progress=None, cancelled=None):
        super().__init__()
        self.progress, self.cancelled, self.error = progress, cancelled, None
        self.callback = PROGRESS(self._call)

    def _call(self, _, fraction):
        try:
            if self.signal is not None or (self.cancelled is not None and self.cancelled.is_set()):
                return False
            return self.progress is None or self.progress(fraction) is not False
        except BaseException as error:  # raised again by __exit__
            self.error = error
            return False

    def __exit__(self, *_):
        super().__exit__()
        if self.error is not None:
            raise self.error


class Calls(Interrupts):
    """Controllers and the observer of a simulation. What they raise ends the call of step, and is raised there."""

    # the calls that are under way in this thread, the innermost last: a copy of a simulation has its controllers
    running = threading.local()

    def __init__(self):
        super().__init__()
        self.error, self.controllers, self.observer = None, [], None
        self.inside = None  # "controller" or "observer" while one of them is called

    def __bool__(self):
        return bool(self.controllers or self.observer)

    def __enter__(self):
        self.running.__dict__.setdefault("stack", []).append(self)
        return super().__enter__()

    def __exit__(self, *_):
        self.running.stack.pop()
        error, self.error = self.error, None
        super().__exit__()
        if error is not None:
            raise error

    @classmethod
    def call(cls, inside, function):
        """The result of function(), and whether it went well."""
        calls = cls.running.stack[-1]
        calls.inside = inside
        try:
            return (None, False) if calls.signal is not None else (function(), True)
        except BaseException as error:  # raised again by __exit__
            calls.error = error
            return None, False
        finally:
            calls.inside = None

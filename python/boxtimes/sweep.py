# SPDX-License-Identifier: GPL-3.0-or-later
"""Many runs of a model, in threads."""
import concurrent.futures
import itertools
import os
import threading

from .errors import Error
from .watch import Watch


class Sweep:
    """Runs of a model for many values of its parameters, in the order of `points`.

    points    [{path: value}, ..]
    values    what was measured of each; None where the run failed
    errors    {index of the point: exception} of the runs that failed
    """

    def __init__(self, points, values, errors):
        self.points, self.values, self.errors = points, values, errors

    def __len__(self):
        return len(self.points)

    def __iter__(self):
        return iter(zip(self.points, self.values))

    def __getitem__(self, index):
        return self.values[index]

    def __repr__(self):
        failed = f", {len(self.errors)} failed" if self.errors else ""
        return f"<boxtimes.Sweep of {len(self)} runs{failed}>"

    @property
    def df(self):
        """A pandas.DataFrame: a row for each point, columns for the parameters and for what was measured."""
        import pandas

        rows = []
        for point, value in self:
            measured = value if isinstance(value, dict) else {} if value is None else {"value": value}
            rows.append({**point, **measured})
        return pandas.DataFrame(rows)


def make_points(values):
    """[{path: value}, ..] of all combinations, or of a list of such."""
    if not hasattr(values, "items"):
        return [dict(point) for point in values]
    return [dict(zip(values, combination)) for combination in itertools.product(*values.values())]


def make_measure(measure):
    """A function of a Result."""
    if measure is None:
        return lambda result: result
    if isinstance(measure, str):
        return lambda result: result[measure][-1]
    if hasattr(measure, "items"):
        parts = {name: make_measure(part) for name, part in measure.items()}
        return lambda result: {name: part(result) for name, part in parts.items()}
    return measure


def run_sweep(model, values, measure, jobs, options):
    """The first wrong model or exception of `measure` ends the sweep; runs that fail are kept in `errors`."""
    points, measure = make_points(values), make_measure(measure)
    results, errors = [None] * len(points), {}
    cancelled = threading.Event()

    def run_one(i):
        if cancelled.is_set():
            return
        changed = model._again(points[i])
        try:
            result = changed._run(Watch(cancelled=cancelled), options)
        except ArithmeticError as error:
            if not isinstance(error, Error):
                raise
            errors[i] = error
            return
        results[i] = measure(result)

    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        futures = [pool.submit(run_one, i) for i in range(len(points))]
        try:
            for future in futures:
                future.result()
        except BaseException:
            cancelled.set()
            raise
    return Sweep(points, results, dict(sorted(errors.items())))

"""Runs commands on the workers of a Dask cluster: one that runs already, or one on this computer.

Dask gives the command of a worker that dies to another worker, three times at most.
"""

from collections.abc import Generator, Sequence
from contextlib import ExitStack

from homenode.errors import NOT_SUPPORTED
from homenode.study.engines.engine import Ended, run_here
from homenode.study.errors import StudyError


class DaskCluster:
    """The scheduler at `address`, such as tcp://HOST:PORT; or, without it, `workers` processes of
    this computer, which end with the iterator."""

    def __init__(self, address: str | None = None, workers: int = 0) -> None:
        self._address = address
        self._workers = workers

    def run(self, commands: Sequence[Sequence[str]]) -> Generator[Ended, None, None]:
        """As engine.Engine: all are submitted at once, and workers take them as they get free."""
        try:
            import distributed
        except ModuleNotFoundError as error:
            raise StudyError(
                "studies on Dask need the Python package distributed; run "
                "'pip install homenode[fleet]'",
                NOT_SUPPORTED,
            ) from error
        with ExitStack() as opened:
            where = self._address
            if where is None:
                where = opened.enter_context(
                    distributed.LocalCluster(
                        n_workers=self._workers, threads_per_worker=1, dashboard_address=None
                    )
                )
            try:
                client = opened.enter_context(distributed.Client(where))
            except (OSError, TimeoutError) as error:
                raise StudyError(
                    f"no Dask scheduler answers at {where}; start 'dask scheduler', or name "
                    "another with --on"
                ) from error
            futures = {
                client.submit(run_here, list(command), pure=False): index
                for index, command in enumerate(commands)
            }
            try:
                for future in distributed.as_completed(futures):
                    if (failure := future.exception()) is not None:
                        yield Ended(futures[future], None, "", f"Dask: {failure}")
                    else:
                        yield Ended(futures[future], *future.result())
            finally:
                client.cancel(list(futures))

# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Series and SeriesSet: containers over time, their deltas, and who is told of them."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import AsyncIterator, Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from collections.abc import Set as AbstractSet
from types import FunctionType, TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from . import _attributes, _core, _frames
from ._keyed import (
    Key,
    MapItems,
    MapKeys,
    MapValues,
    Plain,
    Record,
    combined,
    counted,
    expect_no_columns,
    expect_progress,
    expect_rows,
    infer_key,
    is_pandas_series,
    key_names,
)
from ._map import _with_types
from ._set import Set

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future

    import pandas
    import polars
    import pyarrow

K = TypeVar("K")
V = TypeVar("V")

__all__ = ["Delta", "DeltaStream", "Series", "SeriesSet", "Subscription", "Window"]



class _Nothing:
    """The default of an argument for which None says something else."""

    def __repr__(self) -> str:
        return "not given"


_NOTHING: Any = _Nothing()
_NEVER = -(2**63)


# ---- deltas ----


class _Stream:
    """A stream that was taken already, for those who ask for one."""

    __slots__ = ("capsule",)

    def __init__(self, capsule: object) -> None:
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.capsule


class Modified(Mapping[K, V]):
    """The written keys of a delta with their values. A record is made when it is asked for; frames make no object a
    row."""

    __slots__ = ("_delta", "_places", "_rows")

    def __init__(self, delta: Delta) -> None:
        self._delta = delta
        self._rows: list[int] = delta._value_rows()
        self._places: dict[Any, int] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[K]:
        return map(self._delta._key, self._rows)

    def __contains__(self, key: object) -> bool:
        return key in self._by_key()

    def __getitem__(self, key: K) -> V:
        return self._delta._record(self._by_key()[key])  # type: ignore[no-any-return]

    def _by_key(self) -> dict[Any, int]:
        if self._places is None:
            self._places = {self._delta._key(row): row for row in self._rows}
        return self._places

    def __repr__(self) -> str:
        some = [f"{key!r}: {self[key]!r}" for key, _ in zip(self, range(10))]
        return "{" + ", ".join(some) + (", ..." if len(self) > 10 else "") + "}"

    def to_numpy(self) -> dict[str, Any]:
        """Keys and values as columns of shape (len(self),)."""
        return self._delta._values_frame().to_numpy()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._delta._values_frame().__arrow_c_stream__(requested_schema)

    def _frame(self) -> Any:
        return self._delta._values_frame()

    def to_arrow(self) -> pyarrow.Table:
        """Keys and values as a pyarrow.Table."""
        return _frames.to_arrow(self)

    def to_polars(self) -> polars.DataFrame:
        """Keys and values as a polars.DataFrame."""
        return _frames.to_polars(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Keys and values as a pandas.DataFrame."""
        return _frames.to_pandas(self)


class Delta(_core.Delta):
    """What one or more windows of a series have changed, as columns. Immutable.

        delta = quotes.capture()
        delta.since, delta.until  # it leads from one window to another
        delta.added, delta.removed, delta.invalidated  # lists of keys
        delta.modified["bund"].bid  # a mapping of the written keys to their values
        delta.to_polars()  # a row for each key: time, op, key, and the fields
        replica.apply(delta)

    "op" is 1 (the key is new), 2 (its value was written), 3 (removed) or 4 (it has lost its value). Fields are null
    where there is no value.
    If all fields of the schema are nullable, a column "valid" says whether there is one. Deltas can be pickled.
    """

    @property
    def modified(self) -> Modified[Any, Any]:
        """The last value of each key that was written, new ones included: a mapping that makes records when they are
        asked for."""
        return Modified(self)

    def then(self, other: Delta) -> Delta:
        """Both as one: what has changed from self.since to other.until. Raises ValueError when `other` does not begin
        where this ends."""
        return Delta(self._then(other))

    def to_arrow(self) -> pyarrow.Table:
        """The changes as a pyarrow.Table, whose schema has the metadata of the stream. Raises ModuleNotFoundError
        without pyarrow."""
        return _frames._module("pyarrow", "to_arrow").table(self)

    to_polars = _frames.to_polars
    to_pandas = _frames.to_pandas
    to_numpy = _frames.to_numpy

    def __repr__(self) -> str:
        added, removed, written, reset = self._counts()
        since = "never" if self.since is None else self.since
        until = "never" if self.until is None else self.until
        text = f"{added} added, {removed} removed"
        if not self._is_of_set():
            text += f", {written} written, {reset} invalidated"
        text = "cleared, " * self.cleared + "replaced, " * self.replaced + text
        return f"<{type(self).__module__}.{type(self).__name__} {since} -> {until}: {text}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _delta_restored, (self.to_bytes(), *self._types(), type(self)), _attributes.state_of(self)


def _delta_restored(data: bytes, key: Any, value: Any, cls: type[Delta]) -> Delta:
    result = cls.__new__(cls)
    _core.Delta.__init__(result, _core._delta_from_bytes(data, key, value))
    return result


# ---- subscribers ----


class Subscription:
    """Keeps a callback subscribed until close(), or until the series is gone. A context manager closes it at its
    end."""

    __slots__ = ("__weakref__", "_call", "_hub", "_weak")

    def __init__(self, hub: _Hub, callback: Callable[[Delta], object], weak: bool) -> None:
        self._hub: _Hub | None = hub
        self._weak = weak
        self._call: Any = callback
        if weak:
            bound = hasattr(callback, "__self__") and hasattr(callback, "__func__")
            reference: Any = weakref.WeakMethod if bound else weakref.ref
            self._call = reference(callback, lambda _: self.close())

    @property
    def closed(self) -> bool:
        """Whether it is called no more."""
        return self._hub is None

    def close(self) -> None:
        """Ends the subscription. No effect when it has ended. A call that another thread is in is not waited for."""
        hub, self._hub = self._hub, None
        if hub is not None:
            hub.remove(self)

    def __enter__(self) -> Subscription:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _tell(self, delta: Delta) -> None:
        callback = self._call() if self._weak else self._call
        if callback is None:
            self.close()
        elif self._hub is not None:
            _core._call_subscriber(callback, delta)

    def __repr__(self) -> str:
        return f"<slotwise.Subscription {'closed' if self.closed else 'open'}>"


class _Hub:
    """The subscribers of a series, and the calls that are due. One thread at a time makes the calls, in order."""

    def __init__(self, series: Any) -> None:
        self.series = weakref.ref(series)
        self.lock = threading.RLock()  # a weak callback may be called while it is held
        self.subscriptions: tuple[Subscription, ...] = ()
        self.due: deque[tuple[Subscription, Delta]] = deque()
        self.busy = False

    def add(self, subscription: Subscription) -> None:
        with self.lock:
            self.subscriptions += (subscription,)
            series = self.series()
            if series is not None:
                series._watch(True)

    def remove(self, subscription: Subscription) -> None:
        with self.lock:
            self.subscriptions = tuple(each for each in self.subscriptions if each is not subscription)
            series = self.series()
            if series is not None and not self.subscriptions:
                series._watch(False)

    def publish(self, series: Any) -> None:
        with self.lock:
            for ended in series._take_ended():
                delta = Delta(ended)
                self.due.extend((each, delta) for each in self.subscriptions)
            if self.busy:
                return  # whoever makes calls now, perhaps this thread further up, makes these after them
            self.busy = True
        try:
            while True:
                with self.lock:
                    if not self.due:
                        self.busy = False
                        return
                    subscription, delta = self.due.popleft()
                subscription._tell(delta)
        except BaseException:
            with self.lock:
                self.busy = False
            raise


class DeltaStream(AsyncIterator[Delta]):
    """The deltas of a series for one task: `async for delta in series.deltas()`. It is subscribed from when it is made
    until aclose(), or
    until nothing refers to it."""

    def __init__(self, series: Any, limit: int, initial: bool) -> None:
        import asyncio

        if limit < 1:
            raise ValueError(f"limit: at least 1 is needed, not {limit}")
        self._loop: AbstractEventLoop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._limit = limit
        self._waiting: deque[Delta] = deque()
        self._waiter: Future[None] | None = None
        self._ended = False
        self._series = series
        self._subscription = series.subscribe(self._put, weak=True, initial=initial)

    def __aiter__(self) -> DeltaStream:
        return self

    async def __anext__(self) -> Delta:
        while True:
            with self._lock:
                if self._waiting:
                    return self._waiting.popleft()
                if self._ended:
                    raise StopAsyncIteration
                if self._waiter is not None and not self._waiter.done():
                    raise RuntimeError("deltas(): another task waits for this stream already; make a stream for each")
                waiter = self._waiter = self._loop.create_future()
            try:
                await waiter
            finally:  # also of a task that was cancelled
                with self._lock:
                    if self._waiter is waiter:
                        self._waiter = None

    async def aclose(self) -> None:
        """Ends the subscription. Deltas that are there already still come."""
        self._subscription.close()
        with self._lock:
            self._ended = True
        self._wake()

    def _put(self, delta: Delta) -> None:
        with self._lock:
            full = len(self._waiting) >= self._limit
            if full and (delta.since == self._waiting[-1].until or delta.replaced):
                self._waiting[-1] = self._waiting[-1].then(delta)
            else:
                self._waiting.append(delta)
            waiter, self._waiter = self._waiter, None
        if waiter is not None:
            try:
                self._loop.call_soon_threadsafe(_wake, waiter)
            except RuntimeError:  # the loop is closed: nobody waits
                self._subscription.close()

    def _wake(self) -> None:
        with self._lock:
            waiter, self._waiter = self._waiter, None
        if waiter is not None:
            _wake(waiter)


def _wake(waiter: Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


def _subscribe(
    self: Any, callback: Callable[[Delta], object], /, *, weak: bool = False, initial: bool = False
) -> Subscription:
    """Has `callback` called with the Delta of each window that closes: when a write opens a later one, close_window()
    is called, or a
    `with series.at(time)` ends. After restore() it is called with the whole state (delta.replaced).

    It is called by the thread whose call closed the window, before that call returns, and without a lock: it may read
    and write the series.
    Calls are in the order of windows, one at a time, those of one window in the order of subscribe(): if another
    thread is in a callback,
    that thread makes the calls. An exception of a callback goes to sys.unraisablehook, and the others are called;
    KeyboardInterrupt is
    raised out of the write.

    weak
        The callback, or the object of a bound method, is not kept alive; the subscription ends with it.
    initial
        Closes the open window, and calls this callback with the whole state first: a replica that applies each delta
        is complete.

    Returns the Subscription; to drop it does not end it. Raises TypeError of what is no function, and of an async one,
    which nothing would await: deltas() is for those.
    """
    if not callable(callback):
        raise TypeError(f"callback: a function of a Delta is needed, not {type(callback).__name__}")
    if _is_async(callback):
        raise TypeError(
            "callback: an async function does not run when it is called, and nobody would await it; "
            "take `async for delta in series.deltas()`"
        )
    hub = self._hub
    subscription = Subscription(hub, callback, weak)
    if initial:
        self.close_window()
        with hub.lock:
            hub.add(subscription)
            hub.due.append((subscription, Delta(self._state())))
    else:
        hub.add(subscription)
    self._publish()
    return subscription


def _is_async(function: Any) -> bool:
    import inspect

    called = getattr(type(function), "__call__", None)
    return any(
        inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each) for each in (function, called) if each
    )


def _publish(self: Any) -> None:
    self._hub.publish(self)


def _deltas(self: Any, *, limit: int = 64, initial: bool = False) -> DeltaStream:
    """The deltas of windows as they close, for `async for delta in series.deltas()` in a running event loop; writes
    may come from any thread.

    At most `limit` deltas wait for the task: what comes then is joined with the last of them (Delta.then()), so that a
    slow task gets fewer
    and larger ones, and none is lost. initial: as of subscribe().
    """
    return DeltaStream(self, limit, initial)


# ---- both classes ----


def _capture(self: Any, *, since: int | None = None) -> Delta:
    """The changes of the open window, from the window before it. since: that window, where it is not known."""
    return Delta(self._capture(since))


def _state(self: Any) -> Delta:
    """All members and their values as the delta that leads there from an empty series; reconcile() leads there from
    any."""
    return Delta(self._state())


def _as_delta(self: Any, delta: Any, **said: Any) -> Any:
    if isinstance(delta, _core.Delta):
        return delta
    if isinstance(delta, (bytes, bytearray, memoryview)):
        if bytes(delta[:4]) in (b"\xff\xff\xff\xff", b"ARRO"):
            raise ValueError(
                "delta: these bytes are an Arrow IPC stream or file, and those of Delta.to_bytes() are needed; give what "
                "pyarrow.ipc.open_stream(data) or open_file(data) returns"
            )
        return self._delta_from_bytes(delta)
    method = getattr(delta, "__arrow_c_stream__", None)
    if method is None and not (isinstance(delta, dict) or _core._is_columnar(delta)):
        raise TypeError(f"delta: a Delta, its bytes, or a frame or stream of one is needed, not {type(delta).__name__}")
    metadata: dict[str, str] = {}
    if method is not None:
        delta = _Stream(method())
        metadata = _core._stream_metadata(delta.capsule)
    if "slotwise.from" in metadata:
        try:
            flags = (
                int(metadata["slotwise.from"]),
                int(metadata["slotwise.to"]),
                metadata.get("slotwise.ticked") == "1",
                metadata.get("slotwise.keys_ticked") == "1",
                metadata.get("slotwise.invalidated") == "1",
                metadata.get("slotwise.replaced") == "1",
            )
        except (KeyError, ValueError):
            raise ValueError("delta: the metadata slotwise.from and slotwise.to of its schema are damaged") from None
    elif not said:
        raise ValueError(
            "state: the frame has no metadata of a delta; give state(), its to_bytes() or to_arrow(), or call "
            "assign(frame, time=...), which takes rows of keys and values"
        )
    else:
        for name in ("since", "cleared", "replaced"):
            if said[name] is _NOTHING:
                raise ValueError(
                    f"{name}: the frame has no metadata that say to what its changes apply; pass since=delta.since (None of "
                    "the first one), until=delta.until, cleared=delta.cleared, replaced=delta.replaced"
                )
        since, until = (_NEVER if said[name] is None else said[name] for name in ("since", "until"))
        until = None if until is _NOTHING else until  # the time of the rows
        flags = (since, until, True, None, said["cleared"], said["replaced"])  # type: ignore[assignment]
    return self._delta_from_source(delta, flags)


def _apply(
    self: Any,
    delta: Any,
    *,
    since: int | None = _NOTHING,
    until: int | None = _NOTHING,
    cleared: bool = _NOTHING,
    replaced: bool = _NOTHING,
    strict: bool = True,
) -> _core.Applied:
    """Leads a replica to delta.until, if it is at delta.since.

    delta
        A Delta, its to_bytes(), its to_numpy(), or its Arrow stream: a frame or table that was read from a file or a
        socket.
    since, cleared, replaced
        delta.since (None of the first delta of a series), delta.cleared and delta.replaced, for a frame whose schema has
        lost the metadata, as those of Polars, pandas, NumPy and DuckDB have. Rows do not say them: a delta that clears
        everything has none. Without effect where metadata say it.
    until
        The window that they lead to, for such a frame: delta.until. It is the time of the rows where it is not given, and
        needed where there is none: a window that changed nothing.
    strict
        False: keys that do not fit are no error; an update of a key that is no member makes it one, a removed one need
        not be there.

    Returns Applied.done; Applied.already, without effect, if the series is there or later, so that a delta may come
    twice; Applied.gap,
    without effect, if one is missing. Raises ValueError that names the row and its key when the delta does not fit;
    nothing has changed then.
    """
    said = {"since": since, "until": until, "cleared": cleared, "replaced": replaced}
    applied: _core.Applied = self._apply(_as_delta(self, delta, **said), strict)
    return applied


def _reconcile(self: Any, state: Any, /, *, time: int) -> None:
    """Makes members and values those of state(), another series or its bytes, whatever was there, and writes only what
    differs."""
    if isinstance(state, (_core.Series, _core.SeriesSet)):
        state = state._state()
    self._reconcile(_as_delta(self, state), time)


def _restore(
    self: Any, data: bytes | bytearray | memoryview, *, progress: Callable[[int], object] | None = None
) -> None:
    """Replaces the contents by those of a snapshot(). Every byte is checked before anything changes. Subscribers get
    the whole state; where there are any, its window is closed.

    progress: called with the number of bytes at the end. Raises ValueError when they are no snapshot, or one of other
    types.
    """
    expect_progress(progress)
    self._restore(data)
    if progress is not None:
        progress(len(data))


def _at(self: Any, time: int) -> Window:
    """The window `time` for several writes, which is closed at the end of the with statement:

        with quotes.at(3) as window:
            window.set("bund", bid=131.2)
            window.erase("gilt")

    If the body raises, what it has written stays and the window stays open.
    """
    return Window(self, time)


class Window:
    """One window of a series, from series.at(time): its methods are those of the series, without time=."""

    __slots__ = ("_series", "_time")

    def __init__(self, series: Any, time: int) -> None:
        self._series = series
        self._time = time

    @property
    def time(self) -> int:
        """The time of the window."""
        return self._time

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in _WRITES or not hasattr(self._series, name):
            of = type(self._series).__name__
            raise AttributeError(f"{of}.at(): there is no {name!r}; there are {', '.join(_WRITES)}")
        method = getattr(self._series, name)

        def write(*args: Any, **more: Any) -> Any:
            return method(*args, time=self.time, **more)

        return write

    def __enter__(self) -> Window:
        self._series.touch(time=self.time)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._series.window == self.time:
            self._series.close_window()


_WRITES = (
    "set add update assign erase erase_many discard pop create invalidate invalidate_all clear touch reconcile".split()
)


def _hub_of(self: Any) -> _Hub:
    hub = self.__dict__.get("_hub_")
    if hub is None:
        hub = self.__dict__.setdefault("_hub_", _Hub(self))
    return hub  # type: ignore[no-any-return]


def _plain_copy(self: Any) -> Any:
    result = _attributes.made(type(self), *_made_of(self))
    result._take(self)
    return result


def _copy(self: Any) -> Any:
    """A copy with the same members, window and delta and the attributes of a derived class, without subscribers. Nothing
    pins it."""
    return _attributes.copied(self)


def _shallow(self: Any) -> Any:
    return self.copy()


def _made_of(self: Any) -> tuple[Any, ...]:
    types = (self.key_type, self.schema) if isinstance(self, _core.Series) else (self.key_type,)
    return *types, self.on_write


def _reduce(self: Any) -> tuple[Any, ...]:
    return _attributes.restored, (type(self), _made_of(self), self.snapshot()), _attributes.state_of(self)


if TYPE_CHECKING:

    class _Base(Mapping[K, V], _core.Series):  # type: ignore[misc]
        """What type checkers see."""

        def __getitem__(self, key: K, /) -> V: ...
        def __iter__(self) -> Iterator[K]: ...
        def __len__(self) -> int: ...

    class _SetBase(_core.SeriesSet, AbstractSet[K]):
        """What type checkers see."""
else:
    _Base = _core.Series
    _SetBase = _core.SeriesSet


class Series(_Base[K, V]):
    """A mapping over time, whose values are columns. Each write names its time; all writes of one time are a window,
    and capture() has
    exactly what it changed.

        quotes = slotwise.Series(key=str, value={"bid": "f8", "ask": "f8", "size": "i4"})
        quotes.update(frame, time=1)  # columns by name
        quotes.set("bund", bid=131.2, ask=131.3, size=5, time=2)  # or a dict, a tuple, an instance of a dataclass
        quotes["bund"].bid, quotes.get_many(keys)["bid"], quotes.column("bid"), quotes.time_of("bund")
        replica.apply(quotes.capture())

    key, value
        The types, as slotwise.KeyType() and slotwise.Schema() take them.
    source, columns, time, progress
        As of update().
    on_write
        What a write does while a view of this series is alive: "detach" copies it first, "refuse" raises BufferError.

    Times are ints of any unit that never go back: a write at an older time raises ValueError. A member may have no
    value (create(),
    invalidate()), which is None. Iteration is in the order of slots. Threads may use a series at once: each call is
    atomic. At most 2**28
    elements, those removed in the open window included.
    """

    @overload
    def __init__(self: Series[Key, Plain], *, key: type[Key], value: type[Plain], on_write: str = "detach") -> None: ...
    @overload
    def __init__(self: Series[Key, Record], *, key: type[Key], value: type[Record], on_write: str = "detach") -> None: ...
    @overload
    def __init__(
        self,
        source: Any = None,
        columns: Any = None,
        /,
        *,
        key: Any = None,
        value: Any = None,
        time: int | None = None,
        on_write: str = "detach",
        progress: Callable[[int], object] | None = None,
    ) -> None: ...
    def __init__(  # type: ignore[misc]
        self,
        source: Any = None,
        columns: Any = None,
        /,
        *,
        key: Any = None,
        value: Any = None,
        time: int | None = None,
        on_write: str = "detach",
        progress: Callable[[int], object] | None = None,
    ) -> None:
        expect_progress(progress)
        if source is None and columns is not None:
            raise TypeError("source: the keys are needed with columns")
        if source is not None:
            if time is None:
                raise TypeError("time: the time of the first window is needed with a source")
            if key is None or value is None:
                source, columns, key, value = _with_types(source, columns, key, value)
        if key is None or value is None:
            missing = "key" if key is None else "value"
            raise TypeError(
                f"{missing}: a type is needed when there is no source to find it from, for instance {missing}=str"
            )
        super().__init__(key, value, on_write)
        if source is not None:
            self.update(source, columns, time=time, progress=progress)  # type: ignore[arg-type]

    # views

    def keys(self) -> KeysView[K]:
        """The keys, as dict.keys(): a view with the operations of a set."""
        return MapKeys(self)

    def values(self) -> ValuesView[V]:
        """The values, as dict.values(); None of a member without one."""
        return MapValues(self)

    def items(self) -> ItemsView[K, V]:
        """The pairs (key, value), as dict.items()."""
        return MapItems(self)

    def __eq__(self, other: object) -> bool:
        same = self._equals(other)
        if same is not NotImplemented:
            return bool(same)
        if not isinstance(other, Mapping):
            return NotImplemented
        return len(self) == len(other) and dict(self.items()) == dict(other.items())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return _text_of(self)

    # writes

    def set(self, key: K, value: V = _NOTHING, /, *, time: int, **fields: Any) -> None:
        """Writes the value of a key at `time`, or some fields of its record: quotes.set("bund", bid=131.2, time=2).

        Fields that are not given keep their values, and the whole record counts as written. A key that is no member
        becomes one; it, and a
        member without a value, need all fields that are not nullable. Raises ValueError when one is missing, TypeError
        when a name is
        unknown; and ValueError when `time` is older than the open window, or that is closed.
        """
        if value is _NOTHING:
            self._set_fields(key, fields, time)
        elif fields:
            raise TypeError("set(): a value or fields by name are needed, not both")
        else:
            self._set(key, value, time)

    def update(
        self, source: Any, columns: Any = None, /, *, time: int, progress: Callable[[int], object] | None = None
    ) -> None:
        """Writes every row of `source` at `time`: a mapping, an iterable of pairs (key, value), a frame or anything
        with
        __arrow_c_stream__ that has the columns of keys and values. With `columns`, `source` is the keys:
        quotes.update(keys, {"bid": array, "ask": array}, time=1).

        Columns of the schema that are not there keep their values; keys without a value need all that are not
        nullable. All of it is read
        and checked before anything is written: a call that raises changes nothing.

        progress
            Called with a number of rows that are done, at most every tenth of a second and at the end:
            tqdm(total=...).update.
        """
        self._write(source, columns, time, progress, False)

    def assign(
        self, source: Any, columns: Any = None, /, *, time: int, progress: Callable[[int], object] | None = None
    ) -> None:
        """As update(), and removes all members that `source` does not name."""
        self._write(source, columns, time, progress, True)

    def _write(self, source: Any, columns: Any, time: int, progress: Any, assign: bool) -> None:
        expect_progress(progress)
        if columns is not None:
            self._update_source(combined(self.key_type, self.schema, source, columns), "source", time, progress, assign)
        elif source is self:
            self.touch(time=time)
        elif is_pandas_series(source):
            columns = combined(self.key_type, self.schema, source.index, source)
            self._update_source(columns, "source", time, progress, assign)
        elif _core._is_columnar(source):
            self._update_source(source, "source", time, progress, assign)
        else:
            expect_rows(source)
            pairs, count = counted(source, progress)
            try:
                self._update_objects(pairs, time, assign)
            except (TypeError, ValueError):
                expect_no_columns(source, key_names(self.key_type))
                raise
            if progress is not None:
                progress(count)

    if not TYPE_CHECKING:

        def __setitem__(self, key: K, value: V) -> None:
            """Raises TypeError: a write needs its time, see set()."""
            raise TypeError("Series: a write needs its time: set(key, value, time=...), not series[key] = value")

        def __delitem__(self, key: K) -> None:
            """Raises TypeError: a write needs its time, see erase()."""
            raise TypeError("Series: a write needs its time: erase(key, time=...), not del series[key]")

    def pop(self, key: K, /, *default: Any, time: int) -> Any:
        """Removes the key and returns its value; without the key returns the default, or raises KeyError."""
        if len(default) > 1:
            raise TypeError(f"pop(): a key and a default are needed, not {1 + len(default)} arguments")
        found = self._pop(key, time)
        if found:
            return found[0]
        if default:
            return default[0]
        raise KeyError(key)

    at = _at
    _hub = property(_hub_of)
    _publish = _publish
    subscribe = _subscribe
    deltas = _deltas
    capture = _capture
    state = _state
    apply = _apply
    reconcile = _reconcile
    restore = _restore
    _plain_copy = _plain_copy
    copy = _copy
    __copy__ = _shallow
    __deepcopy__ = _attributes.deep
    __reduce__ = _reduce
    to_arrow = _frames.to_arrow
    to_polars = _frames.to_polars
    to_pandas = _frames.to_pandas
    to_numpy = _frames.to_numpy
    _repr_html_ = _frames._repr_html_
    __array__ = _frames.no_array


class SeriesSet(_SetBase[K]):
    """A set over time: as Series, with keys alone.

        active = slotwise.SeriesSet(key=str)
        active.add("bund", time=1)
        active.update(["gilt", "oat"], time=1)
        active.erase("gilt", time=2)
        active.capture().removed

    The column "time" is when each member was added. It is a collections.abc.Set: operators, and methods such as union(),
    make a slotwise.Set of its members, which has no time; a write needs one.
    """

    def __init__(
        self, source: Any = None, /, *, key: Any = None, time: int | None = None, on_write: str = "detach"
    ) -> None:
        if source is not None:
            if time is None:
                raise TypeError("time: the time of the first window is needed with a source")
            if key is None:
                if not _core._is_columnar(source):
                    expect_rows(source)
                    source = list(source)
                    key = infer_key(source)
                else:
                    from ._set import _with_type

                    source, key = _with_type(source)
        if key is None:
            raise TypeError("key: a type is needed when there is no source to find it from, for instance key=str")
        super().__init__(key, on_write)
        if source is not None:
            self.update(source, time=time)  # type: ignore[arg-type]

    # as a set: what makes one has no time, and makes a slotwise.Set

    def _members(self) -> Set[K]:
        result: Set[K] = Set(key=self.key_type)
        result.update(self)
        return result

    def union(self, *others: Any) -> Set[K]:
        """A new slotwise.Set with the keys of all."""
        return self._members().union(*others)

    def intersection(self, *others: Any) -> Set[K]:
        """A new slotwise.Set with the keys that all have."""
        return self._members().intersection(*others)

    def difference(self, *others: Any) -> Set[K]:
        """A new slotwise.Set without the keys of the others."""
        return self._members().difference(*others)

    def symmetric_difference(self, other: Any) -> Set[K]:
        """A new slotwise.Set with the keys that one of both has, and not the other."""
        return self._members().symmetric_difference(other)

    def issubset(self, other: Any) -> bool:
        """Whether the other has every key."""
        return self._members().issubset(other)

    def issuperset(self, other: Any) -> bool:
        """Whether every key of the other is a member."""
        return self._members().issuperset(other)

    def isdisjoint(self, other: Any) -> bool:
        """Whether no key of the other is a member."""
        return self._members().isdisjoint(other)

    def __le__(self, other: Any) -> bool:
        return self._members().__le__(other)

    def __lt__(self, other: Any) -> bool:
        return self._members().__lt__(other)

    def __ge__(self, other: Any) -> bool:
        return self._members().__ge__(other)

    def __gt__(self, other: Any) -> bool:
        return self._members().__gt__(other)

    def __or__(self, other: Any) -> Set[K]:
        return self._members().__or__(other)

    __ror__ = __or__

    def __and__(self, other: Any) -> Set[K]:
        return self._members().__and__(other)

    __rand__ = __and__

    def __sub__(self, other: Any) -> Set[K]:
        return self._members().__sub__(other)

    def __rsub__(self, other: Any) -> set[K]:
        return self._members().__rsub__(other)

    def __xor__(self, other: Any) -> Set[K]:
        return self._members().__xor__(other)

    __rxor__ = __xor__

    def __eq__(self, other: object) -> bool:
        same = self._equals(other)
        if same is not NotImplemented:
            return bool(same)
        return self._members().__eq__(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return _text_of(self)

    def update(self, source: Any, /, *, time: int, progress: Callable[[int], object] | None = None) -> None:
        """Makes every key of `source` a member at `time`: an iterable of keys, or anything columnar. All are checked
        before."""
        self._write(source, time, progress, False)

    def assign(self, source: Any, /, *, time: int, progress: Callable[[int], object] | None = None) -> None:
        """Makes the keys of `source` the members, and removes all others."""
        self._write(source, time, progress, True)

    def _write(self, source: Any, time: int, progress: Any, assign: bool) -> None:
        expect_progress(progress)
        if _core._is_columnar(source) or isinstance(source, dict):
            self._update_source(source, "source", time, progress, assign)
        else:
            expect_rows(source)
            keys, count = counted(source, progress)
            self._update_objects(keys, time, assign)
            if progress is not None:
                progress(count)

    def discard(self, key: K, /, *, time: int) -> None:
        """Removes the key if it is a member."""
        self.erase(key, time=time)

    at = _at
    _hub = property(_hub_of)
    _publish = _publish
    subscribe = _subscribe
    deltas = _deltas
    capture = _capture
    state = _state
    apply = _apply
    reconcile = _reconcile
    restore = _restore
    _plain_copy = _plain_copy
    copy = _copy
    __copy__ = _shallow
    __deepcopy__ = _attributes.deep
    __reduce__ = _reduce
    to_arrow = _frames.to_arrow
    to_polars = _frames.to_polars
    to_pandas = _frames.to_pandas
    to_numpy = _frames.to_numpy
    _repr_html_ = _frames._repr_html_
    __array__ = _frames.one_column


def _text_of(self: Any) -> str:
    window = self.window
    at = "never written" if window is None else f"window {window}"
    return _frames.__repr__(self).replace(">", f", {at}>", 1)


# What both classes have is called as they call it, in errors and in help().
for _name, _function in vars(SeriesSet).items():
    if isinstance(_function, FunctionType) and _function.__module__ == __name__ and _function.__name__ != _name:
        if not _name.startswith("_") or _name.endswith("__"):
            _function.__name__ = _function.__qualname__ = _name
del _name, _function

Mapping.register(Series)
AbstractSet.register(SeriesSet)

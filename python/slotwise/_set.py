# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Set: a set of keys that is one column."""

from __future__ import annotations

import collections.abc
from collections.abc import Callable, Iterable, Iterator, MutableSet, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from . import _attributes, _core, _frames
from ._keyed import (
    columns_of,
    counted,
    expect_progress,
    expect_rows,
    infer_from_columns,
    infer_key,
    key_names,
    levels_of,
    schema_names,
)

K = TypeVar("K")

if TYPE_CHECKING:

    class _Base(_core.Set, MutableSet[K]):
        """What type checkers see."""
else:
    _Base = _core.Set

__all__ = ["Set"]

_AnySet = (collections.abc.Set, _core.Set, _core.SeriesSet)


class Set(_Base[K]):
    """A set with the interface of Python's, whose keys are a column that NumPy and Arrow read without a copy.

        ids = slotwise.Set([3, 1, 2])
        ids.update(array)
        ids.contains_many(array)  # an array of bool
        ids.column()

    source
        An iterable of keys, an array, or anything with __arrow_c_stream__ or __arrow_c_array__. None: an empty set.
    key
        The type, as slotwise.KeyType() takes it. Found from the source when it is not given.
    on_write, progress
        As those of slotwise.Map.

    Iteration is in the order of slots: of inserts, where nothing was erased; an erased key's place is used again. It is
    safe while the set changes. Threads may use a set at once: each call is atomic. At most 2**28 keys.

    Operators take any set of Python, methods any iterable; the result has this set's type of keys. Raises TypeError or
    OverflowError that name the argument when a key does not fit it.
    """

    def __init__(
        self,
        source: Any = None,
        /,
        *,
        key: Any = None,
        on_write: str = "detach",
        progress: Callable[[int], object] | None = None,
    ) -> None:
        if key is None and source is not None:
            source, key = _with_type(source)
        if key is None:
            raise TypeError("key: a type is needed when there is no source to find it from, for instance key=int")
        super().__init__(key, on_write)
        if source is not None:
            self.update(source, progress=progress)

    def update(self, *sources: Any, progress: Callable[[int], object] | None = None) -> None:
        """Makes every key of the sources, each as that of the class, a member."""
        expect_progress(progress)
        for source in sources:
            if source is self:
                continue
            expect_rows(source)
            source = _as_keys(self, source)
            if _core._is_columnar(source):
                self._update_source(source, progress)
            else:
                source, count = counted(source, progress)
                self._update_keys(source)
                if progress is not None:
                    progress(count)

    def union(self, *others: Any) -> Set[K]:
        """A new set with the keys of all."""
        result = self._plain_copy()
        result.update(*others)
        return result

    def intersection(self, *others: Any) -> Set[K]:
        """A new set with the keys that all have."""
        result = self._plain_copy()
        result.intersection_update(*others)
        return result

    def intersection_update(self, *others: Any) -> None:
        """Removes the keys that one of the others lacks."""
        for other in others:
            if other is not self:
                self._retain_many(_as_keys(self, other))

    def difference(self, *others: Any) -> Set[K]:
        """A new set without the keys of the others."""
        result = self._plain_copy()
        for other in others:
            result.difference_update(self._plain_copy() if other is result else other)
        return result

    def difference_update(self, *others: Any) -> None:
        """Removes the keys of the others."""
        for other in others:
            if other is self:
                self.clear()
            else:
                self.erase_many(_as_keys(self, other))

    def symmetric_difference(self, other: Any) -> Set[K]:
        """A new set with the keys that one of both has, and not the other."""
        result = self._plain_copy()
        result.symmetric_difference_update(self if other is result else other)
        return result

    def symmetric_difference_update(self, other: Any) -> None:
        """Removes the keys of the other that are members, and makes the rest members."""
        if other is self:
            self.clear()
            return
        theirs = _attributes.made(type(self), *_made_of(self))
        theirs.update(other)
        both = self.intersection(theirs)
        self.update(theirs)
        self.erase_many(both)

    def issubset(self, other: Any) -> bool:
        """Whether the other has every key."""
        if isinstance(other, _AnySet):
            return self <= other
        members = self._plain_copy()
        members._retain_many(_as_keys(self, other))
        return len(members) == len(self)

    def issuperset(self, other: Any) -> bool:
        """Whether every key of the other is a member."""
        return bool(self.contains_many(_as_keys(self, other)).all())

    def isdisjoint(self, other: Any) -> bool:
        """Whether no key of the other is a member."""
        return not self.contains_many(_as_keys(self, other)).any()

    # operators

    def __eq__(self, other: object) -> bool:
        same = self._equals(other)
        if same is not NotImplemented:
            return bool(same)
        if not isinstance(other, _AnySet):
            return NotImplemented
        return len(self) == len(other) and all(key in self for key in other)

    __hash__ = None  # type: ignore[assignment]

    def __le__(self, other: Any) -> bool:
        if not isinstance(other, _AnySet):
            return NotImplemented
        return len(self) <= len(other) and all(key in other for key in self)

    def __lt__(self, other: Any) -> bool:
        if not isinstance(other, _AnySet):
            return NotImplemented
        return len(self) < len(other) and self <= other

    def __ge__(self, other: Any) -> bool:
        if not isinstance(other, _AnySet):
            return NotImplemented
        return len(self) >= len(other) and self.issuperset(other)

    def __gt__(self, other: Any) -> bool:
        if not isinstance(other, _AnySet):
            return NotImplemented
        return len(self) > len(other) and self.issuperset(other)

    def __or__(self, other: Any) -> Set[K]:
        return self.union(other) if isinstance(other, _AnySet) else NotImplemented

    __ror__ = __or__

    def __and__(self, other: Any) -> Set[K]:
        return self.intersection(other) if isinstance(other, _AnySet) else NotImplemented

    __rand__ = __and__

    def __sub__(self, other: Any) -> Set[K]:
        return self.difference(other) if isinstance(other, _AnySet) else NotImplemented

    def __rsub__(self, other: Any) -> set[K]:
        return {key for key in other if key not in self} if isinstance(other, _AnySet) else NotImplemented

    def __xor__(self, other: Any) -> Set[K]:
        return self.symmetric_difference(other) if isinstance(other, _AnySet) else NotImplemented

    __rxor__ = __xor__

    def __ior__(self, other: Any) -> Set[K]:
        if not isinstance(other, _AnySet):
            return NotImplemented
        self.update(other)
        return self

    def __iand__(self, other: Any) -> Set[K]:
        if not isinstance(other, _AnySet):
            return NotImplemented
        self.intersection_update(other)
        return self

    def __isub__(self, other: Any) -> Set[K]:
        if not isinstance(other, _AnySet):
            return NotImplemented
        self.difference_update(other)
        return self

    def __ixor__(self, other: Any) -> Set[K]:
        if not isinstance(other, _AnySet):
            return NotImplemented
        self.symmetric_difference_update(other)
        return self

    def __reversed__(self) -> Iterator[K]:
        return reversed(list(self))

    # frames

    to_arrow = _frames.to_arrow
    to_polars = _frames.to_polars
    to_pandas = _frames.to_pandas
    to_numpy = _frames.to_numpy
    __repr__ = _frames.__repr__
    _repr_html_ = _frames._repr_html_
    __array__ = _frames.one_column

    # whole

    def _plain_copy(self) -> Set[K]:
        result = _attributes.made(type(self), *_made_of(self))
        result._assign(self)
        return result

    def copy(self) -> Set[K]:
        """A copy with its keys in the same order and the attributes of a derived class. Nothing pins it."""
        return _attributes.copied(self)  # type: ignore[no-any-return]

    def __copy__(self) -> Set[K]:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Set[K]:
        return _attributes.deep(self, memo)  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return _attributes.restored, (type(self), _made_of(self), self.snapshot()), _attributes.state_of(self)


def _made_of(self: Set[K]) -> tuple[Any, ...]:
    return self.key_type, self.on_write


def _as_keys(like: Set[Any], source: Any) -> Any:
    """What a set of Python takes the source for: columns of keys, or a list of what it iterates over. Every method takes its
    arguments through here, so that what is a set of keys for one is that for all."""
    items: Any = source  # the classes below are iterated over in their own ways
    if isinstance(source, (_core.Set, _core.SeriesSet)):
        return source if source.key_type == like.key_type else list(source)
    if isinstance(source, (_core.Map, _core.Series, _core.SlotMap)):
        return list(items)
    if isinstance(source, _core.Table):  # a frame, if it has columns of keys
        names = schema_names(source.schema)
        return source if all(name in names for name in key_names(like.key_type)) else list(items)
    if _core._is_columnar(source) or not isinstance(source, (Iterable, Sequence)):
        return source
    return list(source)


def _with_type(source: Any) -> tuple[Any, Any]:
    """The source, which may be read once, and the type of its keys."""
    if isinstance(source, (_core.Map, _core.Set, _core.Series, _core.SeriesSet)):
        return source, source.key_type
    if _core._is_columnar(source):
        if hasattr(source, "read_all"):
            source = source.read_all()
        levels = levels_of(source)
        if levels is not None:
            return source, {name: infer_key(list(level)) for name, level in levels.items()}
        columns = columns_of(source)
        key, _ = infer_from_columns({"key": source} if columns is None else columns, None, None, False)
        return source, key
    expect_rows(source)
    if not isinstance(source, Iterable):
        raise TypeError(f"source: an iterable of keys or an array is needed, not {type(source).__name__}")
    keys: Iterable[Any] = list(source)
    return keys, infer_key(keys)


MutableSet.register(Set)

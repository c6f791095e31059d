# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Objects of a container and of classes that derive from it, for pickles and the module copy: made without a call of
__init__, which may have other parameters there, and with what such a class adds to them."""

from __future__ import annotations

import copyreg
import typing

from . import _core

_OURS = ("_hub_",)  # attributes of this package, which no copy has


_T = typing.TypeVar("_T")


def made(cls: type[_T], *arguments: typing.Any) -> _T:
    """A new object of `cls`. The arguments are those of the class of _core that it derives from."""
    core: typing.Any = next(each for each in cls.__mro__ if getattr(_core, each.__name__, None) is each)
    result = cls.__new__(cls)
    core.__init__(result, *arguments)
    return result


def restored(cls: type[typing.Any], arguments: tuple[typing.Any, ...], data: bytes) -> typing.Any:
    """What __reduce__() names: made(), with the contents of a snapshot."""
    result: typing.Any = made(cls, *arguments)
    result.restore(data)
    return result


def state_of(self: typing.Any) -> typing.Any:
    """What object.__reduce_ex__() takes for the state: that of a __getstate__() of its class, or attributes and slots."""
    method = getattr(type(self), "__getstate__", None)
    if method is not None and method is not getattr(object, "__getstate__", None):
        return method(self)
    state = {name: value for name, value in self.__dict__.items() if name not in _OURS} or None
    names: list[str] = copyreg._slotnames(type(self))  # type: ignore[attr-defined]
    slots = {name: getattr(self, name) for name in names if hasattr(self, name)}
    return (state, slots) if slots else state


def set_state(self: typing.Any, state: typing.Any) -> None:
    """What pickle does with that state."""
    if state is None:
        return
    method = getattr(self, "__setstate__", None)
    if method is not None:
        method(state)
        return
    slots = None
    if isinstance(state, tuple) and len(state) == 2:
        state, slots = state
    if state:
        self.__dict__.update(state)
    for name, value in (slots or {}).items():
        setattr(self, name, value)


def copied(self: typing.Any) -> typing.Any:
    """For copy(): a _plain_copy() with the attributes of this."""
    result = self._plain_copy()
    set_state(result, state_of(self))
    return result


def deep(self: typing.Any, memo: dict[int, typing.Any]) -> typing.Any:
    """For copy.deepcopy(): a _plain_copy() with copies of the attributes of this."""
    import copy

    result = self._plain_copy()
    memo[id(self)] = result
    set_state(result, copy.deepcopy(state_of(self), memo))
    return result

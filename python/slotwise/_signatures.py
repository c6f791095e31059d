# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""inspect.signature() of what _core has, and where public classes say that they are."""

from __future__ import annotations

import typing

from . import _core

if typing.TYPE_CHECKING:
    import inspect


def _signature(function: typing.Any) -> inspect.Signature:
    """The signature that the stub has, as that of a function which does nothing."""
    import inspect

    scope: dict[str, typing.Any] = {}
    exec(f"from __future__ import annotations\n{function.__nb_signature__[0][0]}: pass", scope)
    return inspect.signature(scope.popitem()[1])


def _bound(method: typing.Any) -> inspect.Signature:
    signature = _signature(method.__func__)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def show(names: dict[str, typing.Any], public: list[str]) -> None:
    """Has the public classes be of slotwise, where programs and pickles find them, and gives functions of _core a signature."""
    for name in public:
        if isinstance(names[name], type):
            names[name].__module__ = "slotwise"
    method = _core.Map.snapshot
    bound: typing.Any = method.__get__(0)
    for function in (_core.stable_hash, method):
        _core._show_signature(function, property(_signature))
    _core._show_signature(bound, property(_bound))

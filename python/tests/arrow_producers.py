# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Producers of Arrow data that say what a test wants them to say: structs of the C interface, field by field."""

import ctypes

import numpy as np


class CSchema(ctypes.Structure):
    pass


class CArray(ctypes.Structure):
    pass


class CStream(ctypes.Structure):
    pass


ReleaseSchema = ctypes.CFUNCTYPE(None, ctypes.POINTER(CSchema))
ReleaseArray = ctypes.CFUNCTYPE(None, ctypes.POINTER(CArray))
ReleaseStream = ctypes.CFUNCTYPE(None, ctypes.POINTER(CStream))
GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(CStream), ctypes.POINTER(CSchema))
GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(CStream), ctypes.POINTER(CArray))
GetError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(CStream))

CSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(CSchema))),
    ("dictionary", ctypes.POINTER(CSchema)),
    ("release", ReleaseSchema),
    ("private_data", ctypes.c_void_p),
]
CArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(CArray))),
    ("dictionary", ctypes.POINTER(CArray)),
    ("release", ReleaseArray),
    ("private_data", ctypes.c_void_p),
]
CStream._fields_ = [
    ("get_schema", GetSchema),
    ("get_next", GetNext),
    ("get_last_error", GetError),
    ("release", ReleaseStream),
    ("private_data", ctypes.c_void_p),
]

released = {"schema": 0, "array": 0, "stream": 0}
_kept = []  # for the whole run: nothing here may die before its consumer


def _release(kind, function_type):
    @function_type
    def release(at):
        released[kind] += 1
        ctypes.memset(ctypes.addressof(at.contents) + type(at.contents).release.offset, 0, ctypes.sizeof(ctypes.c_void_p))

    _kept.append(release)
    return release


release_schema = _release("schema", ReleaseSchema)
release_array = _release("array", ReleaseArray)
release_stream = _release("stream", ReleaseStream)


def pointers(structs, kind):
    addresses = [None if each is None else ctypes.pointer(each) for each in structs]
    table = (ctypes.POINTER(kind) * max(len(structs), 1))(*addresses)
    _kept.append(table)
    return table


def schema(format, /, *children, name="", dictionary=None, flags=2, **changes):
    """A schema; `changes` are set at last, whatever they are."""
    text = None if format is None else format.encode()
    made = CSchema(text, name.encode(), None, flags, len(children), pointers(children, CSchema))
    if dictionary is not None:
        made.dictionary = ctypes.pointer(dictionary)
    made.release = release_schema
    for field, value in changes.items():
        setattr(made, field, value)
    _kept.append((made, children, dictionary))
    return made


def array(length, buffers, /, *children, dictionary=None, null_count=0, offset=0, **changes):
    """An array over NumPy arrays or bytes; None is a buffer that is missing."""
    held = []
    for each in buffers:
        given = np.frombuffer(each, np.uint8) if isinstance(each, bytes) else each
        held.append(None if each is None else np.ascontiguousarray(given))
    table = (ctypes.c_void_p * max(len(held), 1))(*[None if each is None else each.ctypes.data for each in held])
    made = CArray(length, null_count, offset, len(held), len(children), table, pointers(children, CArray))
    if dictionary is not None:
        made.dictionary = ctypes.pointer(dictionary)
    made.release = release_array
    for field, value in changes.items():
        setattr(made, field, value)
    _kept.append((made, held, table, children, dictionary))
    return made


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def capsule(struct):
    """A capsule that does not release what nobody takes."""
    name = {CSchema: b"arrow_schema", CArray: b"arrow_array", CStream: b"arrow_array_stream"}[type(struct)]
    _kept.append(struct)
    return _new_capsule(ctypes.addressof(struct), name, None)


class ArrayProducer:
    """One batch, or one array."""

    def __init__(self, schema, array):
        self.schema, self.array = schema, array

    def __arrow_c_array__(self, requested_schema=None):
        return capsule(self.schema), capsule(self.array)


def table(columns, rows, /, **changes):
    """A batch of columns: {name: (schema, array)}."""
    for name, (each, _) in columns.items():
        each.name = name.encode()
    return ArrayProducer(
        schema("+s", *[each for each, _ in columns.values()]),
        array(rows, [None], *[each for _, each in columns.values()], **changes),
    )


class StreamProducer:
    """Batches in a stream: each one an array, or a number, which is the error that get_next returns."""

    def __init__(self, schema, batches, text=b"the line is dead", schema_error=0):
        left = list(batches)

        @GetSchema
        def get_schema(stream, out):
            if schema_error == 0:
                ctypes.memmove(out, ctypes.addressof(schema), ctypes.sizeof(CSchema))
            return schema_error

        @GetNext
        def get_next(stream, out):
            if not left:
                ctypes.memset(out, 0, ctypes.sizeof(CArray))
                return 0
            batch = left.pop(0)
            if isinstance(batch, int):
                return batch
            ctypes.memmove(out, ctypes.addressof(batch), ctypes.sizeof(CArray))
            return 0

        said = None if text is None else ctypes.create_string_buffer(text)

        @GetError
        def get_last_error(stream):
            return None if said is None else ctypes.addressof(said)

        self.stream = CStream(get_schema, get_next, get_last_error, release_stream, None)
        _kept.append((self.stream, get_schema, get_next, get_last_error, said, schema, batches))

    def __arrow_c_stream__(self, requested_schema=None):
        return capsule(self.stream)

# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""arrow/py_capsule.hpp in an extension module of its own: capsules.cpp, which `tools/dev python` builds."""

import gc

import pytest
import slotwise

capsules = pytest.importorskip("slotwise_capsules", reason="tools/dev python builds it from capsules.cpp")
pa = pytest.importorskip("pyarrow")


@pytest.fixture(autouse=True)
def everything_is_released():
    assert capsules.alive() == 0
    yield
    gc.collect()
    assert capsules.alive() == 0


class Source:
    """An object with __arrow_c_stream__, which remembers what it was asked for."""

    def __init__(self, capsule):
        self.capsule, self.asked = capsule, []

    def __arrow_c_stream__(self, requested_schema=None):
        self.asked.append(requested_schema)
        return self.capsule


def test_a_capsule_has_the_name_of_the_interface():
    assert '"arrow_array_stream"' in repr(capsules.stream(3))
    schema, array = capsules.array(3)
    assert '"arrow_schema"' in repr(schema) and '"arrow_array"' in repr(array)


def test_a_capsule_that_nobody_takes_releases_its_struct():
    capsule = capsules.stream(3)
    assert capsules.alive() == 1
    del capsule
    assert capsules.alive() == 0
    pair = capsules.array(3)
    assert capsules.alive() == 2
    del pair
    assert capsules.alive() == 0


def test_a_consumer_that_takes_the_struct_releases_it_once():
    capsule = capsules.stream(5)
    reader = pa.RecordBatchReader._import_from_c_capsule(capsule)
    del capsule
    assert capsules.alive() == 1
    assert reader.read_all().to_pylist()[4] == {"key": 4, "value": 2.0}
    reader.close()
    del reader


def test_a_batch_crosses_as_a_pair_of_capsules():
    batch = pa.RecordBatch._import_from_c_capsule(*capsules.array(5))
    batch.validate(full=True)
    assert batch.column_names == ["key", "value"] and batch.num_rows == 5
    assert capsules.alive() == 1  # the schema was copied
    del batch


def test_a_stream_is_taken_out_of_any_object_that_has_one():
    table = slotwise.Map(key=int, value=float)
    table.update({1: 0.5, 2: 1.5})
    for source in (table, pa.table(table), pa.table(table).to_reader(), Source(table.__arrow_c_stream__())):
        assert capsules.total(source) == 2.0
    assert not table.pinned
    assert capsules.total(Source(capsules.stream(5))) == 5.0


def test_a_requested_schema_is_passed_on():
    wanted = pa.schema({"key": pa.int64(), "value": pa.float64()}).__arrow_c_schema__()
    source = Source(capsules.stream(5))
    assert capsules.total(source, wanted) == 5.0 and source.asked == [wanted]
    source = Source(capsules.stream(5))
    assert capsules.total(source) == 5.0 and source.asked == [None]
    assert capsules.columns(wanted) == 2


def test_a_stream_is_taken_once():
    source = Source(capsules.stream(5))
    assert capsules.total(source) == 5.0
    with pytest.raises(ValueError, match="read already"):
        capsules.total(source)


@pytest.mark.parametrize("source", [5, None, [1.0], {"key": 1}])
def test_what_has_no_stream_is_a_type_error(source):
    with pytest.raises(TypeError, match="source: an object with __arrow_c_stream__ is needed, not " + type(source).__name__):
        capsules.total(source)


def test_what_is_no_capsule_of_that_name_is_a_type_error():
    for wrong in (5, None, capsules.array(1)[0]):
        with pytest.raises(TypeError, match="source.__arrow_c_stream__\\(\\): a capsule named 'arrow_array_stream' is needed"):
            capsules.total(Source(wrong))
    for wrong in (5, capsules.stream(1)):
        with pytest.raises(TypeError, match="capsule: a capsule named 'arrow_schema' is needed, not "):
            capsules.columns(wrong)


def test_what_the_method_raises_is_passed_on():
    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise KeyError("no stream today")

    with pytest.raises(KeyError, match="no stream today"):
        capsules.total(Broken())

    class Hidden:
        @property
        def __arrow_c_stream__(self):
            raise RuntimeError("not now")

    with pytest.raises(RuntimeError, match="not now"):
        capsules.total(Hidden())


def test_an_import_that_is_refused_releases_the_stream():
    with pytest.raises(ValueError, match='column "value"'):
        capsules.total(pa.table({"key": [1], "value": ["dear"]}))
    assert capsules.alive() == 0

// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Which shard a key belongs to.
#ifndef SLOTWISE_PYTHON_SHARDS_HPP
#define SLOTWISE_PYTHON_SHARDS_HPP

#include "convert.hpp"

#include <slotwise/arrow/shard.hpp>

namespace slotwise_python {

/// An int64 and the uint64 of the same bits have one hash.
inline std::uint64_t hash_of_key(nb::handle key) {
    if (PyUnicode_Check(key.ptr())) return slotwise::stable_hash(Py<std::string>::from(key, "key"));
    if (PyIndex_Check(key.ptr()) == 0) raise_type("key", "an int or a str", key);
    const nb::object number = nb::steal(PyNumber_Index(key.ptr()));
    if (!number.is_valid()) raise_again();
    int too_large = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &too_large);
    return slotwise::stable_hash(
        too_large > 0
            ? Py<std::uint64_t>::from(number, "key")
            : static_cast<std::uint64_t>(too_large < 0 ? Py<std::int64_t>::from(number, "key") : std::int64_t{value}));
}

template <class T>
using Numbers = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline void bind_shards(nb::module_& m) {
    m.def("stable_hash", &hash_of_key, argument("key"), nb::sig("def stable_hash(key: int | str) -> int"),
          "A 64-bit hash of an int (int64 or uint64) or a str, the same on every machine and in every version.");
    static const auto shards = [](nb::handle n) {
        if (PyIndex_Check(n.ptr()) == 0) raise_type("n", "an int", n);
        const auto count = Py<std::uint64_t>::find(n).value_or(0);
        if (count == 0 || count > 0xFFFF'FFFFu)
            raise(PyExc_ValueError, "n: at least 1 shard and fewer than 2**32, not " + repr_of(n));
        return static_cast<std::uint32_t>(count);
    };
    static const auto of_numbers = [](const auto& keys, std::uint32_t n) {
        std::vector<std::uint32_t> ids(keys.size());
        {
            const GilReleased released;
            for (std::size_t i = 0; i != ids.size(); ++i) ids[i] = slotwise::shard_of(slotwise::stable_hash(keys.data()[i]), n);
        }
        return to_array(std::move(ids));
    };
    m.def(
        "shard_ids",
        [](nb::handle keys, nb::handle shard_count) -> nb::object {
            const std::uint32_t n = shards(shard_count);
            // The binding library would drop an exception of __dlpack__, so that is called here.
            nb::object numbers = nb::borrow(keys);
            if (PyObject_CheckBuffer(keys.ptr()) == 0)
                if (const nb::object dlpack = attribute_of(keys, "__dlpack__"); dlpack.is_valid()) numbers = call(dlpack);
            if (PyObject_CheckBuffer(numbers.ptr()) != 0 || PyCapsule_CheckExact(numbers.ptr())) {
                if (Numbers<std::int64_t> array; nb::try_cast(numbers, array, false)) return of_numbers(array, n);
                if (Numbers<std::uint64_t> array; nb::try_cast(numbers, array, false)) return of_numbers(array, n);
            }
            if (PyUnicode_Check(keys.ptr()))
                raise(PyExc_TypeError, "keys: a sequence of keys is needed; of one key it is shard_ids([key], n)[0]");
            std::vector<std::uint32_t> ids;
            each_item(keys, "keys", "an array or an iterable",
                      [&](nb::handle key) { ids.push_back(slotwise::shard_of(hash_of_key(key), n)); });
            return to_array(std::move(ids));
        },
        argument("keys"), argument("n"),
        nb::sig("def shard_ids(keys: numpy.typing.NDArray[typing.Any] | collections.abc.Iterable[int | str], n: int) -> "
                "numpy.typing.NDArray[numpy.uint32]"),
        "The shard of each key, 0 to n - 1, as an array of the shape of `keys`: an array of int64 or uint64, or an iterable of "
        "ints "
        "or of strs. When n is doubled, shard s splits into 2 s and 2 s + 1, and no key moves between others.");
}

} // namespace slotwise_python

#endif

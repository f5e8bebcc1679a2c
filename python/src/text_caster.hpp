#pragma once

#include <pybind11/cast.h>

#include <string>

namespace pybind11::detail {

/// Text that is not UTF-8, in files and their names, becomes a str with surrogates and the same bytes again
/// (PEP 383), as Python's own names of files do.
template <>
struct type_caster<std::string> {
    PYBIND11_TYPE_CASTER(std::string, const_name("str"));

    bool load(handle given, bool) {
        object bytes = reinterpret_borrow<object>(given);
        if (PyUnicode_Check(given.ptr()) != 0)
            bytes =
                reinterpret_steal<object>(PyUnicode_AsEncodedString(given.ptr(), "utf-8", "surrogateescape"));
        PyErr_Clear();
        if (!bytes || PyBytes_Check(bytes.ptr()) == 0) return false;
        value.assign(PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr())));
        return true;
    }
    static handle cast(const std::string& text, return_value_policy, handle) {
        PyObject* const decoded =
            PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
        if (decoded == nullptr) throw error_already_set();
        return decoded;
    }
};

}  // namespace pybind11::detail

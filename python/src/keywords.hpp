#pragma once

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <set>
#include <string>
#include <type_traits>

#include "engine/core/error.hpp"
#include "engine/core/names.hpp"

namespace glycine::python {

namespace py = pybind11;

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

/// The options of one call, by name. None selects the library's default, so that no default is repeated here.
class Keywords {
  public:
    explicit Keywords(py::dict given) : given_(std::move(given)) {}

    bool has(const char* name) const { return given_.contains(name) && !given_[name].is_none(); }

    /// Sets `target` if the option is given: enumerations by name, numbers, flags, text. Throws UsageError
    /// for a value of another type or an unknown name.
    template <class T>
    void read(const char* name, T& target) {
        known_.insert(name);
        if (!has(name)) return;
        const py::object value = given_[name];
        if constexpr (IsOptional<T>::value)
            target = valueOf<typename T::value_type>(name, value);
        else
            target = valueOf<T>(name, value);
    }
    /// The same for several pairs of name and target.
    template <class T, class... Others>
    void read(const char* name, T& target, const char* next, Others&&... others) {
        read(name, target);
        read(next, std::forward<Others>(others)...);
    }
    /// The option unconverted; None if it is not given.
    py::object object(const char* name) {
        known_.insert(name);
        return has(name) ? py::object(given_[name]) : py::none();
    }
    bool flag(const char* name) {
        bool is = false;
        read(name, is);
        return is;
    }
    /// Raises TypeError for an option that was not read.
    void finish() const {
        for (const auto& [name, value] : given_)
            if (!value.is_none() && !known_.contains(py::str(name)))
                throw py::type_error(fmt::format("{} is no option of this call", std::string(py::str(name))));
    }

  private:
    template <class T>
    static T valueOf(const char* name, const py::object& value) {
        try {
            if constexpr (std::is_enum_v<T>) {
                return fromString<T>(value.cast<std::string>());
            } else {
                // True is not accepted as a number, nor 3.7 as 3.
                if constexpr (std::is_same_v<T, bool>)
                    return py::bool_(value);
                else if constexpr (std::is_arithmetic_v<T>)
                    if (py::isinstance<py::bool_>(value)) throw py::cast_error();
                return value.cast<T>();
            }
        } catch (const py::cast_error&) {
            throw UsageError(fmt::format("{} is {}; expected {}", name, std::string(py::repr(value)),
                                         std::is_enum_v<T>       ? "a name"
                                         : std::is_unsigned_v<T> ? "a whole number from 0 on"
                                                                 : "a value of another type"));
        }
    }
    py::dict given_;
    std::set<std::string> known_;
};

/// Adds pairs of name and value to the facts of a run; enumerations by name.
template <class T, class... Others>
void addItems(py::dict& run, const char* name, const T& value, const Others&... others) {
    if constexpr (std::is_enum_v<T>)
        run[name] = std::string(toString(value));
    else
        run[name] = value;
    if constexpr (sizeof...(others) > 0) addItems(run, others...);
}

}  // namespace glycine::python

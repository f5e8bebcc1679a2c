#pragma once

#include <functional>
#include <vector>

#include "python/src/keywords.hpp"

namespace glycine::python {

/// A function of the extension; the file that defines it registers it under this name.
struct Function {
    using Add = std::function<void(py::module_&)>;
    explicit Function(Add add) { all().push_back(std::move(add)); }
    template <class Callable>
    Function(const char* name, Callable callable)
        : Function([=](py::module_& module) { module.def(name, callable); }) {}
    static std::vector<Add>& all() {
        static std::vector<Add> functions;
        return functions;
    }
};

}  // namespace glycine::python

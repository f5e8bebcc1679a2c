#pragma once

#include "python/src/keywords.hpp"

/// The functions of the extension, a file a field.
namespace glycine::python {

void addDistances(py::module_& module);
void addPairs(py::module_& module);
void addDeviceArrays(py::module_& module);
void addBounds(py::module_& module);
void addInformation(py::module_& module);
void addEntropies(py::module_& module);
void addSequences(py::module_& module);
void addReaders(py::module_& module);
void addProgram(py::module_& module);

}  // namespace glycine::python

#include "engine/distance/input/input_data.hpp"
#include "python/src/arrays.hpp"
#include "python/src/module.hpp"

namespace glycine::python {

namespace {

using distance::DataSet;

/// Symbols as int8, missing ones −1; or coordinates.
py::array valuesOf(const DataSet& set) {
    const distance::DataView view = set.view();
    const std::size_t rows = view.instances(), columns = view.attributes();
    const std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns)};
    if (view.isCoordinates())
        return view.coordinates.visit([&]<class Number>(MatrixView<const Number> numbers) -> py::array {
            py::array_t<Number> values(shape);
            for (std::size_t i = 0; i < rows; ++i)
                std::copy_n(numbers.row(i), columns, values.mutable_data(static_cast<py::ssize_t>(i), 0));
            return values;
        });
    py::array_t<std::int8_t> values(shape);
    const MatrixView<std::uint8_t> target(reinterpret_cast<std::uint8_t*>(values.mutable_data()), rows,
                                          columns);
    view.discrete->readSymbols({0, rows}, {0, columns}, target);
    return values;
}

std::unique_ptr<DataSet> readData(const std::string& path, const py::dict& given) {
    Keywords keywords(given);
    distance::InputOptions options;
    keywords.read("kind", options.kind);
    keywords.read("gaps", options.gaps);
    keywords.read("ambiguous", options.ambiguous);
    keywords.read("any_alleles", options.anyAlleles);
    keywords.read("strict", options.strict);
    keywords.read("autosomes_only", options.autosomesOnly);
    keywords.read("transpose", options.transpose);
    keywords.read("header", options.header);
    keywords.finish();
    auto set = std::make_unique<DataSet>();
    Call call{py::none()};
    call.run([&] { *set = distance::readDataSet(path, options); });
    return set;
}

}  // namespace

void addReaders(py::module_& module) {
    py::class_<DataSet>(module, "DataSet")
        .def_property_readonly("shape",
                               [](const DataSet& set) {
                                   return py::make_tuple(set.view().instances(), set.view().attributes());
                               })
        .def_property_readonly("kind", [](const DataSet& set) { return std::string(toString(set.kind)); })
        .def_readonly("names", &DataSet::names)
        .def_readonly("description", &DataSet::description)
        .def_readonly("notes", &DataSet::notes)
        .def_property_readonly("left_out",
                               [](const DataSet& set) {
                                   std::vector<std::string> texts;
                                   for (const auto& sites : set.leftOut) texts.push_back(sites.text());
                                   return texts;
                               })
        .def_readonly("founders", &DataSet::founders)
        .def("values", &valuesOf);
    module.def("read_data", &readData);
}

}  // namespace glycine::python

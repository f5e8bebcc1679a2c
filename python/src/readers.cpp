#include "app/distance/run_options.hpp"
#include "app/mutualinfo/mutualinfo_options.hpp"
#include "engine/crossapen/input/signals.hpp"
#include "engine/distance/input/input_data.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "engine/io/structures/structure.hpp"
#include "python/src/arrays.hpp"

namespace glycine::python {

namespace {

using distance::DataSet;

/// Symbols as int8, with −1 for missing ones; or coordinates.
py::array valuesOf(const DataSet& set) {
    const distance::DataView view = set.view();
    const std::size_t rows = view.instances(), columns = view.attributes();
    const std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns)};
    if (view.isCoordinates())
        return view.coordinates.visit(
            [&]<class Number>(distance::CoordinateRows<Number> numbers) -> py::array {
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
    distance::RunOptions run;
    distance::InputOptions& options = run.reading;
    Options declared;
    distance::declareInputOptions(declared, run);
    keywords.parse(declared, {{"kind", "--data"}, "gaps", "ambiguous", "strict", "transpose", "header"});
    keywords.read("any_alleles", options.anyAlleles, "autosomes_only", options.autosomesOnly);
    keywords.finish();
    run.input = path;
    run.file = path;
    distance::requireReadersOf(declared, run);
    auto set = std::make_unique<DataSet>();
    unlocked([&](Progress&) { *set = distance::readDataSet(path, options); });
    return set;
}

/// Returns (epochs × channels × samples, names, sampling rate, units, description, notes, events).
py::tuple readSignals(const std::string& path, const py::dict& given) {
    Keywords keywords(given);
    crossapen::SignalOptions options;
    keywords.read("channels", options.channels, "types", options.types, "exclude", options.excluded, "epoch",
                  options.epochSamples, "epochs", options.maximumEpochs, "resample", options.resampleRate,
                  "reference", options.reference, "montage", options.montage, "events", options.events,
                  "event_start", options.eventStart, "artefact_annotations", options.artefactAnnotations,
                  "array", options.array, "keep_time", options.keepTime);
    if (std::string artefacts; keywords.has("artefacts")) {
        keywords.read("artefacts", artefacts);
        options.artefacts = artefacts;
    }
    if (std::optional<std::pair<double, double>> band; keywords.has("band")) {
        keywords.read("band", band);
        options.band = {band->first, band->second};
    }
    keywords.read("rate", options.samplingRate, "header", options.header, "transpose", options.transpose,
                  "max_flat", options.usability.flat, "max_clipped", options.usability.clipped);
    keywords.finish();
    crossapen::SignalSet set;
    unlocked([&](Progress& progress) { set = crossapen::readSignals(path, options, progress); });
    const std::size_t channels = set.channels.size();
    py::array_t<double> values(std::vector<py::ssize_t>{static_cast<py::ssize_t>(set.epochs.size()),
                                                        static_cast<py::ssize_t>(channels),
                                                        static_cast<py::ssize_t>(set.epochSamples)});
    double* target = values.mutable_data();
    for (std::size_t e = 0; e < set.epochs.size(); ++e)
        for (std::size_t c = 0; c < channels; ++c)
            target = std::copy_n(set.epoch(e).row(c), set.epochSamples, target);
    std::vector<std::string> events;
    for (const crossapen::EpochOrigin& origin : set.epochs) events.push_back(origin.event);
    return py::make_tuple(values, set.channels, set.samplingRate, set.units, set.description, set.notes,
                          events);
}

/// Returns (genes × samples, genes, samples, description, notes).
py::tuple readExpression(const std::string& path, const py::dict& given) {
    Keywords keywords(given);
    io::ExpressionReading reading;
    Options declared;
    mutualinfo::declareExpressionOptions(declared, reading);
    keywords.parse(declared, {"header", "transpose", "duplicates", "missing", "layer", "dataset"});
    keywords.finish();
    mutualinfo::requireReadersOf(declared, path, path);
    io::ExpressionTable table;
    unlocked([&](Progress&) { table = io::readExpression(path, reading); });
    return py::make_tuple(arrayOf(std::move(table.values)), table.genes, table.samples, table.description,
                          table.notes);
}

/// Returns (models × atoms × 3 in Å, labels of the atoms); all models must have the same atoms.
py::tuple readModels(const std::string& path) {
    io::Structure read;
    unlocked([&](Progress&) { read = io::readStructure(path, {.model = {}, .everyModel = true}); });
    const std::size_t atoms = read.atoms.size();
    std::vector<double> positions;
    std::vector<std::string> names;
    for (const io::StructureAtom& atom : read.atoms) names.push_back(atom.label());
    for (const std::vector<io::StructureAtom>& model : read.ensemble) {
        if (model.size() != atoms) throw InputError(fmt::format("{}: models differ in atoms", path));
        for (const io::StructureAtom& atom : model)
            positions.insert(positions.end(), atom.position.begin(), atom.position.end());
    }
    return py::make_tuple(arrayOf(std::move(positions), {read.ensemble.size(), atoms, std::size_t{3}}),
                          names);
}

void addDataSet(py::module_& module) {
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
}

const Function readerFunctions[] = {Function(addDataSet),
                                    {"read_data", &readData},
                                    {"read_signals", &readSignals},
                                    {"read_expression", &readExpression},
                                    {"read_models", &readModels}};

}  // namespace

}  // namespace glycine::python

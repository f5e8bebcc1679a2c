#include <numeric>

#include "app/crossapen/compute_subjects.hpp"
#include "engine/core/device_arrays.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/entropy_request.hpp"
#include "python/src/arrays.hpp"

namespace glycine::python {

namespace {

/// Epochs × quantities × rows × columns, in NumPy's memory.
class ArraySink final : public crossapen::EntropySink {
  public:
    ArraySink(double* values, std::size_t epochValues) : values_(values), epochValues_(epochValues) {}
    void store(Range epochs, std::span<const double> values) override {
        std::copy(values.begin(), values.end(), values_ + epochs.begin * epochValues_);
    }

  private:
    double* values_;
    std::size_t epochValues_;
};

crossapen::EntropyOptions optionsOf(Keywords& keywords) {
    crossapen::EntropyOptions options;
    std::optional<crossapen::NumberFormat> format;
    keywords.read("measure", options.measure, "m", options.rule.m, "tau", options.rule.delay, "strict",
                  options.rule.isStrict, "r", options.tolerance, "absolute", options.isAbsolute, "power",
                  options.fuzzyPower, "bias", options.bias, "deviation", options.deviation, "convention",
                  options.convention, "precision", format, "classes", options.classes, "scales",
                  options.scales);
    crossapen::applyDefaults(options,
                             {.m = keywords.has("m"),
                              .bias = keywords.has("bias"),
                              .fuzzyPower = keywords.has("power"),
                              .deviation = keywords.has("deviation"),
                              .isAbsolute = options.isAbsolute,
                              .tolerance = keywords.has("r"),
                              .classes = keywords.has("classes")},
                             format);
    return options;
}

/// `x`: epochs × channels × samples. `isOnDevice`: uses signals on a device in place; returns None if the
/// host has to compute.
py::object entropiesOf(const py::object& x, const py::dict& given, bool isOnDevice) {
    Keywords keywords(given);
    const Request request(keywords, crossapen::algorithm());
    crossapen::EntropyOptions options = optionsOf(keywords);
    keywords.finish();
    options.variant = fromString<crossapen::Variant>(request.variant);
    crossapen::DeviceEpochs there;
    std::vector<NumpyMatrix<double>> held;
    std::vector<crossapen::Signals> epochs;  // for signals on a device, only the shape
    if (isOnDevice) {
        there = {deviceMatrix(x, 3), x.attr("shape")[py::int_(0)].cast<std::size_t>(),
                 x.attr("strides")[py::int_(0)].cast<std::ptrdiff_t>()};
        if (there.first.kind != 'f' || !request.mayRunOnCuda()) return py::none();
        epochs.assign(there.count, crossapen::Signals(nullptr, there.first.rows, there.first.columns));
        crossapen::checkOptions(options, there.first.columns);
    } else {
        const py::array array = onHost(x);
        requireNumbers("x", array, 3);
        for (py::ssize_t e = 0; e < array.shape(0); ++e) {
            held.push_back(matrixOf<double>("x", py::array(array[py::int_(e)])));
            epochs.push_back(held.back().view);
        }
        if (epochs.empty()) throw InputError("there are no epochs; expected one at least");
        unlocked([&](Progress&) { crossapen::checkEntropies(epochs, options); });
    }
    const std::size_t channels = epochs[0].rows(), samples = epochs[0].columns();
    const crossapen::EpochShape shape = crossapen::epochShape(options, channels);
    py::array_t<double> values(
        std::vector<std::size_t>{epochs.size(), shape.quantities, shape.rows, shape.columns});
    double* const found = values.mutable_data();
    ArraySink sink(found, shape.values());
    std::optional<crossapen::EntropyReport> ran;
    std::vector<crossapen::UnusableChannel> unusable;
    std::optional<RecountReport> counted;
    const Computed computed = compute(
        request,
        [&](Backend& backend) { return crossapen::supportsEntropies(backend, options, channels, samples); },
        [&](Backend& backend, Progress& progress) {
            std::unique_ptr<DeviceArrays> arrays;
            Matrix<double> fetched;
            if (isOnDevice) {
                if (backend.name() != "cuda") return;
                arrays = deviceArraysOf(backend);
                there.first.device = arrays->deviceOf(there.first.data);
                ran = crossapen::computeEntropies(backend, there, options, sink, unusable, progress);
                if (!ran) return;
            } else {
                ran = crossapen::computeEntropies(backend, epochs, options, sink, progress);
                unusable = crossapen::unusableChannels(epochs, options);
            }
            Recount recount(backend, request, "pair", "with reference and cpu");
            if (recount.isWanted()) {
                std::vector<std::string> names;
                for (std::size_t c = 0; c < channels; ++c) names.push_back(std::to_string(c));
                crossapen::FoundEntropies all{epochs,
                                              names,
                                              [&](std::size_t e) { return found + e * shape.values(); },
                                              [](std::size_t e) { return fmt::format("epoch {}", e); },
                                              ran->variant,
                                              ran->times.total()};
                std::vector<std::size_t> rows(channels);
                std::iota(rows.begin(), rows.end(), std::size_t{0});
                if (isOnDevice)
                    all.fetch = [&](std::size_t e) -> crossapen::Signals {
                        DeviceMatrix one = there.first;
                        one.data =
                            static_cast<const char*>(one.data) + static_cast<std::ptrdiff_t>(e) * there.step;
                        fetched = rowsOnHost(*arrays, one, rows);
                        return fetched.view();
                    };
                const std::unique_ptr<Backend> host = createNamedBackend("cpu", {});
                crossapen::recountEntropies(recount, *host, all, options, progress);
            }
            counted = recount.report();
        });
    if (!ran) return py::none();
    py::dict run = describe(*ran, computed, counted,
                            {{"prepare", ran->times.prepare},
                             {"upload", ran->times.upload},
                             {"compute", ran->times.compute},
                             {"download", ran->times.download}});
    py::list left;
    for (const crossapen::UnusableChannel& one : unusable)
        left.append(py::make_tuple(one.epoch, one.channel, one.reason));
    addItems(run, "measure", options.measure, "comparisons", ran->comparisons, "unusable", left);
    std::vector<std::string> names;
    for (const crossapen::Quantity& quantity : crossapen::quantitiesOf(options))
        names.push_back(quantity.name);
    return py::make_tuple(values, names, run);
}

py::object entropies(const py::object& x, const py::dict& given) {
    const bool mayBeOnDevice = deviceMatrix(x, 3).data != nullptr;
    const py::object found = mayBeOnDevice ? entropiesOf(x, given, true) : py::none();
    return found.is_none() ? entropiesOf(x, given, false) : found;
}

const Function entropyFunctions[] = {{"entropies", &entropies}};

}  // namespace

}  // namespace glycine::python

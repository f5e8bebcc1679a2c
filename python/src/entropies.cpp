#include "app/crossapen/compute_subjects.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/entropy_request.hpp"
#include "python/src/arrays.hpp"
#include "python/src/module.hpp"

namespace glycine::python {

namespace {

using namespace crossapen;

/// Epochs × quantities × rows × columns, in memory of NumPy.
class ArraySink final : public EntropySink {
  public:
    ArraySink(double* values, std::size_t epochValues) : values_(values), epochValues_(epochValues) {}
    void store(Range epochs, std::span<const double> values) override {
        std::copy(values.begin(), values.end(), values_ + epochs.begin * epochValues_);
    }

  private:
    double* values_;
    std::size_t epochValues_;
};

EntropyOptions optionsOf(Keywords& keywords) {
    EntropyOptions options;
    std::optional<NumberFormat> format;
    keywords.read("measure", options.measure, "m", options.rule.m, "tau", options.rule.delay, "strict",
                  options.rule.isStrict, "r", options.tolerance, "absolute", options.isAbsolute, "power",
                  options.fuzzyPower, "bias", options.bias, "deviation", options.deviation, "convention",
                  options.convention, "precision", format);
    settle(options,
           {.m = keywords.has("m"),
            .bias = keywords.has("bias"),
            .fuzzyPower = keywords.has("power"),
            .deviation = keywords.has("deviation"),
            .isAbsolute = options.isAbsolute},
           format);
    return options;
}

/// `x`: epochs × channels × samples.
py::tuple entropies(const py::array& x, const py::dict& given) {
    Keywords keywords(given);
    const Request request(keywords, algorithm());
    EntropyOptions options = optionsOf(keywords);
    keywords.finish();
    options.variant = fromString<Variant>(request.variant);
    requireNumbers("x", x, 3);
    const auto count = static_cast<std::size_t>(x.shape(0)), channels = static_cast<std::size_t>(x.shape(1)),
               samples = static_cast<std::size_t>(x.shape(2));
    if (count == 0) throw InputError("there are no epochs; expected one at least");
    std::vector<HeldMatrix<double>> held;
    std::vector<Signals> epochs;
    for (std::size_t e = 0; e < count; ++e) {
        held.push_back(matrixOf<double>("x", py::array(x[py::int_(e)])));
        epochs.push_back(held.back().view);
    }
    checkEntropies(epochs, options);
    const EpochShape shape = epochShape(options, channels);
    py::array_t<double> values(std::vector<py::ssize_t>{
        static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(shape.quantities),
        static_cast<py::ssize_t>(shape.rows), static_cast<py::ssize_t>(shape.columns)});
    double* const found = values.mutable_data();
    ArraySink sink(found, shape.values());
    EntropyReport report;
    std::optional<RecountReport> counted;
    const std::string reason = compute(
        request, [&](Backend& backend) { return supportsEntropies(backend, options, channels, samples); },
        [&](Backend& backend, Progress& progress) {
            report = computeEntropies(backend, epochs, options, sink, progress);
            Recount recount(backend, request, "pair", "with reference and cpu");
            if (recount.isWanted()) {
                std::vector<std::string> names;
                for (std::size_t c = 0; c < channels; ++c) names.push_back(std::to_string(c));
                const std::unique_ptr<Backend> host = createNamedBackend("cpu", {});
                recountEntropies(recount, *host,
                                 {epochs, names, [&](std::size_t e) { return found + e * shape.values(); },
                                  [](std::size_t e) { return fmt::format("epoch {}", e); }, report.variant,
                                  report.times.total()},
                                 options, progress);
            }
            counted = recount.report();
        });
    py::dict run = describe(report, reason, counted,
                            {{"prepare", report.times.prepare},
                             {"upload", report.times.upload},
                             {"compute", report.times.compute},
                             {"download", report.times.download}});
    tell(run, "measure", options.measure, "comparisons", report.comparisons);
    py::list unusable;
    for (const UnusableChannel& one : unusableChannels(epochs, options))
        unusable.append(py::make_tuple(one.epoch, one.channel, one.reason));
    tell(run, "unusable", unusable);
    std::vector<std::string> names;
    for (const Quantity& quantity : quantitiesOf(options)) names.push_back(quantity.name);
    return py::make_tuple(values, names, run);
}

}  // namespace

void addEntropies(py::module_& module) {
    module.def("entropies", &entropies);
}

}  // namespace glycine::python

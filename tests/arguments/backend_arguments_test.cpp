// Calls every typed function of every algorithm with invalid arguments, on every backend: the same error with
// the same text everywhere, before the backend is used, and no signal.
#include "engine/bounds/bounds.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/distance/distance.hpp"
#include "engine/mutualinfo/network/bootstrap.hpp"
#include "engine/mutualinfo/network/information_null.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/storage/tile_store.hpp"
#include "tests/arguments/wrong_backend_calls.hpp"

namespace glycine::test {
namespace {

// ---- bounds

struct SomeBounds {
    Matrix<float> upper{4, 4, 9.0F};
    Matrix<float> lower{4, 4, 1.0F};
    bounds::BoundMatrices<float> view() { return {upper.view(), lower.view()}; }
};

WrongBackendCall smoothing(
    std::string what, std::string refusal,
    std::function<void(SomeBounds&, bounds::BoundMatrices<float>&, bounds::SmoothingOptions&)> spoil) {
    return {std::move(what), std::move(refusal), [spoil = std::move(spoil)](Backend& backend) {
                SomeBounds some;
                bounds::BoundMatrices<float> view = some.view();
                bounds::SmoothingOptions options;
                spoil(some, view, options);
                bounds::smooth(backend, view, options, silentProgress());
            }};
}

TEST(BackendArguments, Bounds) {
    std::vector<WrongBackendCall> calls{
        smoothing("variant", "UsageError: unknown variant '99'; known: default, serial, ",
                  [](auto&, auto&, auto& options) { options.variant = unknown<bounds::Variant>(); }),
        smoothing("rounding", "UsageError: unknown rounding '99'; known: nearest, outward",
                  [](auto&, auto&, auto& options) { options.rounding = unknown<bounds::Rounding>(); }),
        smoothing("no upper bounds", "InputError: the upper bounds are empty; expected an n x n matrix",
                  [](auto&, auto& view, auto&) { view.upper = {}; }),
        smoothing("upper without memory",
                  "InputError: the upper bounds are 4 × 4 elements without memory (a null pointer)",
                  [](auto&, auto& view, auto&) {
                      view.upper = {nullptr, 4, 4};
                  }),
        smoothing("lower without memory", "InputError: the lower bounds are 4 × 4 elements without memory",
                  [](auto&, auto& view, auto&) {
                      view.lower = {nullptr, 4, 4};
                  }),
        smoothing("not square", "InputError: the upper bounds are a 3 x 4 matrix; expected a square one",
                  [](auto& some, auto& view, auto&) {
                      view.upper = {some.upper.data(), 3, 4};
                  }),
        smoothing(
            "stride",
            "InputError: the upper bounds have rows of 4 elements, 3 elements apart; expected at least 4",
            [](auto& some, auto& view, auto&) {
                view.upper = {some.upper.data(), 4, 4, 3};
            }),
        smoothing("too large", "InputError: the upper bounds are 9223372036854775807 × ",
                  [](auto& some, auto& view, auto&) {
                      constexpr auto kMuch =
                          static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
                      view.upper = {some.upper.data(), kMuch, kMuch};
                  }),
        smoothing("sizes",
                  "InputError: the lower bounds are a 3 x 3 matrix, the upper bounds 4 x 4; expected equal",
                  [](auto& some, auto& view, auto&) {
                      view.lower = {some.lower.data(), 3, 3};
                  }),
        smoothing("one memory", "UsageError: the upper and the lower bounds share their memory",
                  [](auto& some, auto& view, auto&) { view.lower = some.upper.view(); }),
        smoothing("not symmetric", "InputError: the upper bounds: not symmetric: (1, 2) is 5, (2, 1) is 9",
                  [](auto& some, auto&, auto&) { some.upper(1, 2) = 5; }),
        smoothing("unlike unknown",
                  "InputError: the lower bounds: (0, 3) is 1e+30; expected a bound of at least 0",
                  [](auto& some, auto&, auto&) { some.lower(0, 3) = 1e30F; })};
    for (const auto& [name, value] : {std::pair{"nan", kNaN}, {"inf", kInfinity}, {"-1", -1.0}}) {
        const auto bound = static_cast<float>(value);
        calls.push_back(
            smoothing(fmt::format("tolerance {}", name),
                      fmt::format("UsageError: the tolerance of violations is {}; expected a finite", name),
                      [value = value](auto&, auto&, auto& options) { options.tolerance = value; }));
        calls.push_back(smoothing(
            fmt::format("upper {}", name),
            fmt::format("InputError: the upper bounds: (1, 2) is {}; expected a bound from 0", name),
            [bound](auto& some, auto&, auto&) { some.upper(1, 2) = some.upper(2, 1) = bound; }));
        calls.push_back(
            smoothing(fmt::format("lower {}", name),
                      fmt::format("InputError: the lower bounds: (1, 2) is {}; expected a bound of", name),
                      [bound](auto& some, auto&, auto&) { some.lower(1, 2) = some.lower(2, 1) = bound; }));
    }
    expectRefused(calls);
}

// ---- distance

struct SomeData {
    Matrix<double> numbers{5, 3, 1.0};
    distance::SymbolMatrix symbols{Matrix<std::uint8_t>(5, 3, std::uint8_t{1}),
                                   {.planes = 2, .isGenotypes = true}};
};

WrongBackendCall distances(
    std::string what, std::string refusal,
    std::function<void(SomeData&, distance::DataView&, distance::DistanceOptions&)> spoil) {
    return {std::move(what), std::move(refusal), [spoil = std::move(spoil)](Backend& backend) {
                SomeData some;
                distance::DataView view{.discrete = &some.symbols};
                distance::DistanceOptions options;
                spoil(some, view, options);
                pairs::PairStore store({.layout = {5, pairs::StoreLayout::Square}});
                distance::computeDistances(backend, view, options, store, silentProgress());
            }};
}

/// The same for coordinates.
WrongBackendCall coordinates(
    std::string what, std::string refusal,
    std::function<void(SomeData&, distance::DataView&, distance::DistanceOptions&)> spoil) {
    return distances(std::move(what), std::move(refusal),
                     [spoil = std::move(spoil)](auto& some, auto& view, auto& options) {
                         view = {.coordinates = some.numbers.view()};
                         options.measure = distance::Measure::Euclidean;
                         spoil(some, view, options);
                     });
}

TEST(BackendArguments, Distances) {
    expectRefused(
        {distances("measure", "UsageError: unknown measure '99'; known: mismatch, ",
                   [](auto&, auto&, auto& options) { options.measure = unknown<distance::Measure>(); }),
         distances("rule", "UsageError: unknown rule for missing entries '99'; known: ignore, ",
                   [](auto&, auto&, auto& options) { options.missing = unknown<distance::MissingRule>(); }),
         distances("variant", "UsageError: unknown variant '99'; known: ",
                   [](auto&, auto&, auto& options) { options.variant = unknown<distance::Variant>(); }),
         coordinates("precision", "UsageError: unknown ",
                     [](auto&, auto&, auto& options) { options.precision = unknown<Precision>(); }),
         distances("coordinates' measure", "UsageError: the measure 'euclidean' is for coordinates",
                   [](auto&, auto&, auto& options) { options.measure = distance::Measure::Euclidean; }),
         distances("weights of counts", "UsageError: missing entries can be weighted for allele",
                   [](auto&, auto&, auto& options) { options.missing = distance::MissingRule::Weighted; }),
         distances("founders",
                   "UsageError: the founders are 4; expected 5, a flag for each instance, or none",
                   [](auto&, auto&, auto& options) { options.founders.assign(4, true); }),
         coordinates("symbols' measure", "UsageError: the measure 'mismatch' counts symbols",
                     [](auto&, auto&, auto& options) { options.measure = distance::Measure::Mismatch; }),
         coordinates("nothing",
                     "InputError: the data are 0 instances × 0 attributes; expected at least one of each",
                     [](auto&, auto& view, auto&) { view = {}; }),
         coordinates("no attributes", "InputError: the data are 5 instances × 0 attributes",
                     [](auto& some, auto& view, auto&) {
                         view.coordinates = MatrixView<const double>(some.numbers.data(), 5, 0);
                     }),
         coordinates(
             "no memory", "InputError: the coordinates are 5 × 3 elements without memory",
             [](auto&, auto& view, auto&) { view.coordinates = MatrixView<const double>(nullptr, 5, 3); }),
         coordinates("stride", "InputError: the coordinates have rows of 3 elements, 2 elements apart",
                     [](auto& some, auto& view, auto&) {
                         view.coordinates = MatrixView<const double>(some.numbers.data(), 5, 3, 2);
                     }),
         coordinates("nan",
                     "InputError: instance 2, attribute 3: the coordinate is nan; expected a finite number",
                     [](auto& some, auto&, auto&) { some.numbers(1, 2) = kNaN; }),
         coordinates("inf",
                     "InputError: instance 5, attribute 1: the coordinate is inf; expected a finite number",
                     [](auto& some, auto&, auto&) { some.numbers(4, 0) = kInfinity; })});
}

// ---- mutualinfo

using Expression = Matrix<double>;

Expression someExpression() {
    Expression expression(4, 12);
    for (std::size_t g = 0; g < 4; ++g)
        for (std::size_t s = 0; s < 12; ++s) expression(g, s) = static_cast<double>((s * (g + 3)) % 7);
    return expression;
}

using SpoilInformation =
    std::function<void(Expression&, mutualinfo::ExpressionView&, mutualinfo::MutualInformationOptions&)>;

WrongBackendCall information(std::string what, std::string refusal, SpoilInformation spoil) {
    return {std::move(what), std::move(refusal), [spoil = std::move(spoil)](Backend& backend) {
                Expression expression = someExpression();
                mutualinfo::ExpressionView view = expression.view();
                mutualinfo::MutualInformationOptions options;
                spoil(expression, view, options);
                pairs::PairStore store({.layout = {4, pairs::StoreLayout::Square}});
                mutualinfo::computeMutualInformation(backend, view, options, store, silentProgress());
            }};
}

TEST(BackendArguments, MutualInformation) {
    std::vector<WrongBackendCall> calls{
        information("estimator", "UsageError: unknown method '99'; known: spline, bins",
                    [](auto&, auto&, auto& o) { o.splines.estimator = unknown<mutualinfo::Estimator>(); }),
        information("knots", "UsageError: unknown kind of knots '99'; known: ",
                    [](auto&, auto&, auto& o) { o.splines.knots = unknown<mutualinfo::Knots>(); }),
        information("transform", "UsageError: unknown rank transform '99'; known: ",
                    [](auto&, auto&, auto& o) { o.splines.transform = unknown<mutualinfo::Transform>(); }),
        information("unit", "UsageError: unknown unit '99'; known: bits, nats",
                    [](auto&, auto&, auto& o) { o.unit = unknown<mutualinfo::Unit>(); }),
        information("precision", "UsageError: unknown precision '99'; known: ",
                    [](auto&, auto&, auto& o) { o.precision = unknown<mutualinfo::WeightPrecision>(); }),
        information("variant", "UsageError: unknown variant '99'; known: ",
                    [](auto&, auto&, auto& o) { o.variant = unknown<mutualinfo::Variant>(); }),
        information("one bin", "UsageError: 1 bins: expected 2 to 256",
                    [](auto&, auto&, auto& o) { o.splines.bins = 1; }),
        information("no order", "UsageError: splines of order 0 on 10 bins",
                    [](auto&, auto&, auto& o) { o.splines.order = 0; }),
        information("nothing", "InputError: the data are 0 genes × 0 samples; expected at least one of each",
                    [](auto&, auto& view, auto&) { view = {}; }),
        information("no samples", "InputError: the data are 4 genes × 0 samples",
                    [](auto& e, auto& view, auto&) {
                        view = {e.data(), 4, 0};
                    }),
        information("no memory", "InputError: the expression values are 4 × 12 elements without memory",
                    [](auto&, auto& view, auto&) {
                        view = {nullptr, 4, 12};
                    }),
        information("stride", "InputError: the expression values have rows of 12 elements, 11 elements apart",
                    [](auto& e, auto& view, auto&) {
                        view = {e.data(), 4, 12, 11};
                    }),
        information("inf", "InputError: gene 3, sample 8: the value is inf; expected a finite number, or NaN",
                    [](auto& e, auto&, auto&) { e(2, 7) = kInfinity; }),
        information("-inf",
                    "InputError: gene 1, sample 1: the value is -inf; expected a finite number, or NaN",
                    [](auto& e, auto&, auto&) { e(0, 0) = -kInfinity; })};
    expectRefused(calls);
}

WrongBackendCall nullOf(std::string what, std::string refusal,
                        std::function<void(mutualinfo::ExpressionView&, mutualinfo::MutualInformationOptions&,
                                           mutualinfo::PermutationPlan&)>
                            spoil) {
    return {"null distribution, " + what, std::move(refusal), [spoil = std::move(spoil)](Backend& backend) {
                const Expression expression = someExpression();
                mutualinfo::ExpressionView view = expression.view();
                mutualinfo::MutualInformationOptions options;
                mutualinfo::PermutationPlan plan{.pairs = 50};
                spoil(view, options, plan);
                mutualinfo::permutationNull(backend, view, options, plan, silentProgress());
            }};
}

WrongBackendCall consensus(
    std::string what, std::string refusal,
    std::function<void(mutualinfo::ExpressionView&, mutualinfo::MutualInformationOptions&,
                       mutualinfo::InferenceOptions&, mutualinfo::BootstrapPlan&)>
        spoil,
    std::size_t genesOfInformation = 4) {
    return {"consensus, " + what, std::move(refusal),
            [spoil = std::move(spoil), genesOfInformation](Backend& backend) {
                const Expression expression = someExpression();
                mutualinfo::ExpressionView view = expression.view();
                mutualinfo::MutualInformationOptions options;
                mutualinfo::InferenceOptions inference;
                mutualinfo::BootstrapPlan plan{.count = 2};
                spoil(view, options, inference, plan);
                const pairs::PairStore of({.layout = {genesOfInformation, pairs::StoreLayout::Square}});
                storage::TileStore kept(mutualinfo::bootstrapBytes(4, 2));
                mutualinfo::inferConsensus(backend, view, options, inference, nullptr, plan, of, kept,
                                           silentProgress());
            }};
}

TEST(BackendArguments, Networks) {
    expectRefused(
        {nullOf("no pairs", "UsageError: a null distribution of 0 pairs; expected at least one",
                [](auto&, auto&, auto& plan) { plan.pairs = 0; }),
         nullOf("nothing", "InputError: the data are 0 genes", [](auto& view, auto&, auto&) { view = {}; }),
         nullOf("estimator", "UsageError: unknown method '99'",
                [](auto&, auto& o, auto&) { o.splines.estimator = unknown<mutualinfo::Estimator>(); }),
         consensus("no bootstraps", "UsageError: 0 bootstraps; expected at least one",
                   [](auto&, auto&, auto&, auto& plan) { plan.count = 0; }),
         consensus("significance",
                   "UsageError: the significance of an edge is nan; expected a number above 0 and below 1",
                   [](auto&, auto&, auto&, auto& plan) { plan.significance = kNaN; }),
         consensus("no data", "InputError: the data are 0 genes × 0 samples",
                   [](auto& view, auto&, auto&, auto&) { view = {}; }),
         consensus("method", "UsageError: unknown method '99'; known: mi, aracne, ",
                   [](auto&, auto&, auto& i, auto&) { i.method = unknown<mutualinfo::NetworkMethod>(); }),
         consensus("aracne without paths", "UsageError: the method aracne needs a path engine",
                   [](auto&, auto&, auto& i, auto&) { i.method = mutualinfo::NetworkMethod::Aracne; }),
         consensus("threshold", "UsageError: the threshold of information is nan; expected a finite number",
                   [](auto&, auto&, auto& i, auto&) { i.threshold = kNaN; }),
         consensus(
             "tolerance",
             "UsageError: a tolerance of the data-processing inequality is at least 0 and below 1, not nan",
             [](auto&, auto&, auto& i, auto&) { i.tolerance = kNaN; }),
         consensus("regulators",
                   "UsageError: the flags of regulators are 3; expected 4, one for each gene, or none",
                   [](auto&, auto&, auto& i, auto&) { i.regulators.flags.assign(3, 1); }),
         consensus(
             "information of others",
             "UsageError: the genes of the information are 5; expected 4, those of the data",
             [](auto&, auto&, auto&, auto&) {}, 5)});
}

// ---- crossapen

class NoSink final : public crossapen::EntropySink {
  public:
    void store(Range, std::span<const double>) override { ADD_FAILURE() << "entropies were handed over"; }
};

WrongBackendCall entropies(
    std::string what, std::string refusal,
    std::function<void(Matrix<double>&, std::vector<crossapen::Signals>&, crossapen::EntropyOptions&)>
        spoil) {
    return {std::move(what), std::move(refusal), [spoil = std::move(spoil)](Backend& backend) {
                Matrix<double> signals(2, 40);
                for (std::size_t c = 0; c < 2; ++c)
                    for (std::size_t s = 0; s < 40; ++s)
                        signals(c, s) = static_cast<double>((s * (c + 5)) % 11);
                std::vector<crossapen::Signals> epochs(2, signals.view());
                crossapen::EntropyOptions options;
                spoil(signals, epochs, options);
                NoSink sink;
                crossapen::computeEntropies(backend, epochs, options, sink, silentProgress());
            }};
}

TEST(BackendArguments, Entropies) {
    using namespace crossapen;
    std::vector<WrongBackendCall> calls{
        entropies("measure", "UsageError: unknown measure '99'; known: crossapen, ",
                  [](auto&, auto&, auto& o) { o.measure = unknown<Measure>(); }),
        entropies("bias", "UsageError: unknown bias correction '99'; known: zero, ",
                  [](auto&, auto&, auto& o) { o.bias = unknown<Bias>(); }),
        entropies("deviation", "UsageError: unknown divisor of the standard deviation '99'",
                  [](auto&, auto&, auto& o) { o.deviation = unknown<Deviation>(); }),
        entropies("convention", "UsageError: unknown convention '99'; known: paper, entropyhub",
                  [](auto&, auto&, auto& o) { o.convention = unknown<Convention>(); }),
        entropies("format", "UsageError: unknown number format '99'",
                  [](auto&, auto&, auto& o) { o.format = unknown<NumberFormat>(); }),
        entropies("variant", "UsageError: unknown variant '99'",
                  [](auto&, auto&, auto& o) { o.variant = unknown<Variant>(); }),
        entropies("without epochs, too", "UsageError: unknown measure '99'",
                  [](auto&, auto& epochs, auto& o) {
                      epochs.clear();
                      o.measure = unknown<Measure>();
                  }),
        entropies("m", "UsageError: m is the length of the templates: at least 1",
                  [](auto&, auto&, auto& o) { o.rule.m = 0; }),
        entropies("large m", "UsageError: ", [](auto&, auto&, auto& o) { o.rule.m = 4'000'000'000U; }),
        entropies("delay", "UsageError: the time delay is at least 1 sample",
                  [](auto&, auto&, auto& o) { o.rule.delay = 0; }),
        entropies("no channels", "InputError: epoch 0 has no channels; expected at least one",
                  [](auto& signals, auto& epochs, auto&) {
                      epochs.assign(1, {signals.data(), 0, 40});
                  }),
        entropies("no samples", "UsageError: ",
                  [](auto& signals, auto& epochs, auto&) {
                      epochs.assign(1, {signals.data(), 2, 0});
                  }),
        entropies("no memory", "InputError: the signals of epoch 1 are 2 × 40 elements without memory",
                  [](auto&, auto& epochs, auto&) {
                      epochs[1] = {nullptr, 2, 40};
                  }),
        entropies("stride", "InputError: the signals of epoch 0 have rows of 40 elements, 39 elements apart",
                  [](auto& signals, auto& epochs, auto&) {
                      epochs[0] = {signals.data(), 2, 40, 39};
                  }),
        entropies("shapes", "UsageError: epoch 1 has 1 × 40 samples, epoch 0 2 × 40: expected one shape",
                  [](auto& signals, auto& epochs, auto&) {
                      epochs[1] = {signals.data(), 1, 40};
                  }),
        entropies("single channels as EntropyHub", "UsageError: the convention 'entropyhub' is for crossapen",
                  [](auto&, auto&, auto& o) {
                      o.measure = Measure::ApEn;
                      o.convention = Convention::EntropyHub;
                  }),
        entropies("fuzzy of one sample", "UsageError: m = 1 is too short for crossfuzzyen",
                  [](auto&, auto&, auto& o) { o.measure = Measure::CrossFuzzyEn; })};
    for (const auto& [name, value] : {std::pair{"nan", kNaN}, {"inf", kInfinity}, {"-1", -1.0}, {"0", 0.0}}) {
        calls.push_back(entropies(fmt::format("tolerance {}", name),
                                  fmt::format("UsageError: r = {}: expected a number above 0", name),
                                  [value = value](auto&, auto&, auto& o) { o.tolerance = value; }));
        calls.push_back(entropies(fmt::format("power {}", name),
                                  fmt::format("UsageError: n = {}: expected a number above 0", name),
                                  [value = value](auto&, auto&, auto& o) { o.fuzzyPower = value; }));
    }
    expectRefused(calls);
}

}  // namespace
}  // namespace glycine::test

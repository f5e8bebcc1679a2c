// Calls every typed function of every algorithm with invalid arguments, on every backend: the same error with
// the same text everywhere, before the backend is used, and no signal.
#include "engine/alignment/add_to_alignment.hpp"
#include "engine/alignment/compute_alignment.hpp"
#include "engine/alignment/posterior/posterior_checkpoint.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/distance/distance.hpp"
#include "engine/mutualinfo/network/bootstrap.hpp"
#include "engine/mutualinfo/network/information_null.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/storage/tile_store.hpp"
#include "tests/arguments/wrong_calls.hpp"
#include "tests/backends/every_backend.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

/// A backend without any implementation, which fails on every use.
class UntouchedBackend final : public Backend {
  public:
    std::string_view name() const override { return touched(), "untouched"; }
    std::string device() const override { return touched(), ""; }
    std::string driver() const override { return touched(), ""; }
    const Capabilities& capabilities() const override { return touched(), capabilities_; }

  private:
    static void touched() { ADD_FAILURE() << "the backend was involved before the arguments were checked"; }
    Capabilities capabilities_;
};

using WrongBackendCall = WrongCall<Backend&>;

std::vector<std::unique_ptr<Backend>> everyBackend() {
    registerBackends();
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(std::make_unique<UntouchedBackend>());
    for (const auto& entry : BackendRegistry::instance().entries()) {
        try {
            backends.push_back(BackendRegistry::instance().create(entry.name, {}));
        } catch (const UnavailableError&) {
            // The machine does not have it.
        }
    }
    return backends;
}

void expectRefused(const std::vector<WrongBackendCall>& calls) {
    const std::vector<std::unique_ptr<Backend>> backends = everyBackend();
    EXPECT_GE(backends.size(), 3U);  // at least reference and cpu
    for (const WrongBackendCall& wrong : calls) {
        SCOPED_TRACE(wrong.what);
        std::string first;
        for (const auto& backend : backends) {
            const std::string refusal = refusalOf([&] { wrong.call(*backend); });
            expectRefusal(wrong.refusal, refusal);
            if (first.empty()) first = refusal;
            EXPECT_EQ(refusal, first);
        }
    }
}

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
        information("estimator", "UsageError: unknown estimator '99'; known: spline, bins",
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
         nullOf("estimator", "UsageError: unknown estimator '99'",
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

// ---- pairwise and align

Sequences someSequences() {
    return sequencesOf({"MKVLA", "MKVLLA", "MKALA", "MRVLA"}, Alphabet::Protein);
}

using SpoilPairs = std::function<void(Sequences&, pairwise::PairwiseOptions&)>;

WrongBackendCall pairwise(std::string what, std::string refusal, SpoilPairs spoil) {
    return {"pairs, " + what, std::move(refusal), [spoil = std::move(spoil)](Backend& backend) {
                Sequences sequences = someSequences();
                pairwise::PairwiseOptions options{
                    .scoring = {.matrix = namedMatrix("BLOSUM62", Alphabet::Protein),
                                .gaps = {.open = 11, .extend = 1}}};
                spoil(sequences, options);
                pairs::PairStore store({.layout = {4, pairs::StoreLayout::Square}});
                pairwise::computePairwise(backend, sequences, options, store, silentProgress());
            }};
}

using SpoilAlignment = std::function<void(Sequences&, align::AlignOptions&)>;

WrongBackendCall alignment(std::string what, std::string refusal, SpoilAlignment spoil) {
    return {"alignment, " + what, std::move(refusal), [spoil = std::move(spoil)](Backend& backend) {
                Sequences sequences = someSequences();
                align::AlignOptions options;
                spoil(sequences, options);
                align::computeAlignment(backend, sequences, options, silentProgress());
            }};
}

/// Invalid sequences that both functions refuse.
struct WrongSequences {
    std::string what;
    std::string refusal;
    std::function<void(Sequences&)> spoil;
};

std::vector<WrongSequences> wrongSequences() {
    return {
        {"alphabet", "UsageError: unknown alphabet '99'; known: protein, dna, rna",
         [](Sequences& s) { s.alphabet = unknown<Alphabet>(); }},
        {"empty sequence", "InputError: sequence 2 ('s2') has no letters; expected at least one",
         [](Sequences& s) {
             s.letters[1].clear();
             s.codes[1].clear();
         }},
        {"code 31", "InputError: sequence 3 ('s3'), letter 2: the code of 'K' is 31; expected 11",
         [](Sequences& s) { s.codes[2][1] = 31; }},
        {"code 200", "InputError: sequence 1 ('s1'), letter 5: the code of 'A' is 200; expected 0",
         [](Sequences& s) { s.codes[0][4] = 200; }},
        {"a gap", "InputError: sequence 1 ('s1'), letter 1: '-' is no letter of the alphabet protein",
         [](Sequences& s) {
             s.letters[0][0] = '-';
             s.codes[0][0] = kGapCode;
         }},
        {"a letter that is none",
         "InputError: sequence 4 ('s4'), letter 2: '#' is no letter of the alphabet protein",
         [](Sequences& s) {
             s.letters[3][1] = '#';
             s.codes[3][1] = kNoCode;
         }},
        {"codes of another length",
         "InputError: sequence 1 ('s1') has 4 codes; expected 5, one for each letter",
         [](Sequences& s) { s.codes[0].pop_back(); }},
        {"codes of fewer sequences",
         "UsageError: the sequences of codes are 3; expected 4, one for each sequence",
         [](Sequences& s) { s.codes.pop_back(); }},
        {"names", "UsageError: the names are 5; expected 4, one for each sequence",
         [](Sequences& s) { s.names.emplace_back("more"); }},
        {"no name", "InputError: sequence 3 has no name", [](Sequences& s) { s.names[2].clear(); }},
        {"a name twice", "InputError: sequence 4: the name 's1' is there already; expected each name once",
         [](Sequences& s) { s.names[3] = "s1"; }},
    };
}

TEST(BackendArguments, Pairs) {
    std::vector<WrongBackendCall> calls{
        pairwise("method", "UsageError: unknown method '99'; known: global, local, clustalw",
                 [](auto&, auto& o) { o.scoring.method = unknown<pairwise::PairMethod>(); }),
        pairwise("measure", "UsageError: unknown measure '99'; known: score, ",
                 [](auto&, auto& o) { o.measure = unknown<pairwise::PairMeasure>(); }),
        pairwise("variant", "UsageError: unknown variant '99'",
                 [](auto&, auto& o) { o.variant = unknown<pairwise::Variant>(); }),
        pairwise("no matrix",
                 "UsageError: the substitution matrix '' has scores of 0 letters; expected those of the 27",
                 [](auto&, auto& o) { o.scoring.matrix = {}; }),
        pairwise("nucleotides' matrix",
                 "UsageError: the substitution matrix IUB is for dna, but the sequences are protein",
                 [](auto&, auto& o) { o.scoring.matrix = namedMatrix("IUB", Alphabet::Dna); }),
        pairwise("asymmetric matrix",
                 "UsageError: the substitution matrix 'BLOSUM62' scores R with A as 7, and A with R as",
                 [](auto&, auto& o) { o.scoring.matrix.scores[1][0] = 7; }),
        pairwise("scores beyond the largest",
                 "UsageError: the substitution matrix 'BLOSUM62' scores A with A as 40000; expected -32000 "
                 "… 32000",
                 [](auto&, auto& o) { o.scoring.matrix.scores[0][0] = 40000; }),
        pairwise("matrix of an unknown alphabet", "UsageError: unknown alphabet '99'",
                 [](auto&, auto& o) { o.scoring.matrix.alphabet = unknown<Alphabet>(); }),
        pairwise("opening", "UsageError: gap penalties are -1 and 1; expected 0 … 32000",
                 [](auto&, auto& o) { o.scoring.gaps.open = -1; }),
        pairwise("extension", "UsageError: gap penalties are 11 and 40000; expected 0 … 32000",
                 [](auto&, auto& o) { o.scoring.gaps.extend = 40000; }),
        pairwise("nothing", "InputError: there are no sequences to align; expected at least one",
                 [](auto& s, auto&) { s = {}; })};
    for (const WrongSequences& wrong : wrongSequences())
        for (const pairwise::PairMethod method :
             {pairwise::PairMethod::Global, pairwise::PairMethod::Local, pairwise::PairMethod::ClustalW})
            calls.push_back(pairwise(fmt::format("{}, {}", toString(method), wrong.what), wrong.refusal,
                                     [spoil = wrong.spoil, method](Sequences& s, auto& o) {
                                         o.scoring.method = method;
                                         spoil(s);
                                     }));
    expectRefused(calls);
}

/// ((0,1),(2,3)).
trees::Tree someTree() {
    trees::Tree tree{.leaves = 4, .nodes = std::vector<trees::TreeNode>(7), .root = 6};
    trees::attach(tree, 4, 0, 1);
    trees::attach(tree, 4, 1, 1);
    trees::attach(tree, 5, 2, 1);
    trees::attach(tree, 5, 3, 1);
    trees::attach(tree, 6, 4, 1);
    trees::attach(tree, 6, 5, 1);
    return tree;
}

trees::Tree spoiled(const std::function<void(trees::Tree&)>& spoil) {
    trees::Tree tree = someTree();
    spoil(tree);
    return tree;
}

constexpr std::array kMethods{align::AlignMethod::Accuracy, align::AlignMethod::ClustalW,
                              align::AlignMethod::Thesis, align::AlignMethod::Fast};

TEST(BackendArguments, AlignmentsOfAllMethods) {
    std::vector<WrongBackendCall> calls;
    const auto add = [&](const std::string& what, const std::string& refusal, const SpoilAlignment& spoil) {
        for (const align::AlignMethod method : kMethods)
            calls.push_back(alignment(fmt::format("{}, {}", toString(method), what), refusal,
                                      [spoil, method](Sequences& s, align::AlignOptions& o) {
                                          o.method = method;
                                          spoil(s, o);
                                      }));
    };
    for (const WrongSequences& wrong : wrongSequences())
        add(wrong.what, wrong.refusal, [spoil = wrong.spoil](Sequences& s, auto&) { spoil(s); });
    add("one sequence", "UsageError: an alignment needs at least two sequences",
        [](auto& s, auto&) { s = sequencesOf({"MKV"}, Alphabet::Protein); });
    add("variant", "UsageError: unknown variant '99'",
        [](auto&, auto& o) { o.variant = unknown<pairwise::Variant>(); });
    add("tree method", "UsageError: unknown tree method '99'; known: nj, upgma",
        [](auto&, auto& o) { o.treeMethod = unknown<trees::TreeMethod>(); });
    add("too few distances", "UsageError: the distances are 5; expected 6, one for each pair of 4 sequences",
        [](auto&, auto& o) { o.distances.emplace(5, 0.5); });
    add("too many distances", "UsageError: the distances are 7; expected 6",
        [](auto&, auto& o) { o.distances.emplace(7, 0.5); });
    for (const auto& [name, value] : {std::pair{"nan", kNaN}, {"inf", kInfinity}})
        add(fmt::format("distance {}", name),
            fmt::format("InputError: the distance of sequences 3 and 2 is {}; expected a finite number",
                        name),
            [value = value](auto&, auto& o) {
                o.distances.emplace(6, 0.5);
                (*o.distances)[2] = value;
            });
    add("tree and distances", "UsageError: a guide tree and distances exclude each other",
        [](auto&, auto& o) {
            o.distances.emplace(6, 0.5);
            o.guideTree = someTree();
        });
    add("empty tree", "InputError: the guide tree has 0 leaves; expected one for each of the 4 sequences",
        [](auto&, auto& o) { o.guideTree.emplace(); });
    add("tree of others", "InputError: the guide tree has 3 leaves; expected one for each of the 4 sequences",
        [](auto&, auto& o) { o.guideTree = spoiled([](auto& tree) { tree.leaves = 3; }); });
    const std::vector<std::pair<std::string, std::function<void(trees::Tree&)>>> trees{
        {"the root is node -1 of 7", [](auto& tree) { tree.root = trees::kNoNode; }},
        {"it has 0 nodes; expected more, or as many as its 4 leaves", [](auto& tree) { tree.nodes.clear(); }},
        {"the root has a parent", [](auto& tree) { tree.nodes[6].parent = 4; }},
        {"node 5 has the child 70; expected a number below 7",
         [](auto& tree) { tree.nodes[5].children[1] = 70; }},
        {"node 6 is a child of node 5, and hangs below another one, too",
         [](auto& tree) { tree.nodes[5].children[1] = 6; }},
        {"node 2 is a child of node 5, and hangs below another one, too",
         [](auto& tree) { tree.nodes[5].children[1] = 2; }},
        {"node 5 has 0 children; expected some, as there are 4 leaves",
         [](auto& tree) { tree.nodes[5].children.clear(); }},
        {"node 0 has 1 children; expected none",
         [](auto& tree) {
             tree.nodes[0].children = {3};
             tree.nodes[3].parent = 0;
             tree.nodes[5].children = {2};
         }},
        {"3 of 4 leaves hang below the root", [](auto& tree) { tree.nodes[5].children.pop_back(); }},
    };
    for (const auto& [what, spoil] : trees)
        add(what, "InputError: this is not a tree: " + what,
            [spoil = spoil](auto&, auto& o) { o.guideTree = spoiled(spoil); });
    add("lengths",
        "InputError: the tree: the branch above node 2 has the length nan; expected a finite number",
        [](auto&, auto& o) { o.guideTree = spoiled([](auto& tree) { tree.nodes[2].length = kNaN; }); });
    calls.push_back(alignment("method", "UsageError: unknown method '99'; known: ", [](auto&, auto& o) {
        o.method = unknown<align::AlignMethod>();
    }));
    calls.push_back(alignment("fast with a variant", "UsageError: a variant is not for the method fast",
                              [](auto&, auto& o) {
                                  o.method = align::AlignMethod::Fast;
                                  o.variant = pairwise::Variant::InterPair;
                              }));
    calls.push_back(alignment("fast with a tree method",
                              "UsageError: a tree method is not for the method fast", [](auto&, auto& o) {
                                  o.method = align::AlignMethod::Fast;
                                  o.treeMethod = trees::TreeMethod::Upgma;
                              }));
    calls.push_back(alignment("clustalw that ends with the tree",
                              "UsageError: an end with the tree is not for the method clustalw",
                              [](auto&, auto& o) {
                                  o.method = align::AlignMethod::ClustalW;
                                  o.endsWithTree = true;
                              }));
    expectRefused(calls);
}

WrongBackendCall adding(
    std::string what, std::string refusal,
    std::function<void(MultipleAlignment&, MultipleAlignment&, align::AddOptions&)> spoil) {
    return {"adding, " + what, std::move(refusal), [spoil = std::move(spoil)](Backend& backend) {
                MultipleAlignment base{
                    .alphabet = Alphabet::Protein, .names = {"a", "b"}, .rows = {"MK-VLA", "MKLVLA"}};
                MultipleAlignment added{.alphabet = Alphabet::Protein, .names = {"c"}, .rows = {"MKLA"}};
                align::AddOptions options;
                spoil(base, added, options);
                align::addToAlignment(backend, base, added, options, silentProgress());
            }};
}

TEST(BackendArguments, AddingToAlignments) {
    expectRefused(
        {adding("variant", "UsageError: unknown variant '99'",
                [](auto&, auto&, auto& o) { o.variant = unknown<pairwise::Variant>(); }),
         adding("no base", "InputError: the alignment has no rows; expected at least one",
                [](auto& base, auto&, auto&) { base = {}; }),
         adding("nothing", "InputError: the alignment has no rows",
                [](auto&, auto& added, auto&) { added = {}; }),
         adding("lengths", "InputError: row 2 ('b') has 5 columns; expected 6 as in row 1",
                [](auto& base, auto&, auto&) { base.rows[1].pop_back(); }),
         adding("no letters", "InputError: sequence 1 ('a') has no letters; expected at least one",
                [](auto& base, auto&, auto&) { base.rows[0] = "------"; }),
         adding("no residue",
                "InputError: row 1 ('c'), column 2: '#' is neither '-' nor a letter of the alphabet protein",
                [](auto&, auto& added, auto&) { added.rows[0][1] = '#'; }),
         adding("names", "UsageError: the names are 1; expected 2, one for each row",
                [](auto& base, auto&, auto&) { base.names.pop_back(); }),
         adding("order", "UsageError: the order names row 7; expected each of 0 … 1 once",
                [](auto& base, auto&, auto&) {
                    base.order = {0, 7};
                }),
         adding("one name in both", "InputError: sequence 3: the name 'a' is there already",
                [](auto&, auto& added, auto&) { added.names[0] = "a"; }),
         adding("alphabets", "UsageError: the alignment is protein, but what is to be added is dna",
                [](auto&, auto& added, auto&) {
                    added.alphabet = Alphabet::Dna;
                    added.rows[0] = "ACGT";
                })});
}

}  // namespace
}  // namespace glycine::test

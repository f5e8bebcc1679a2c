// Typed functions without a backend: trees, statistics, generators, stores, results derived from alignments
// and networks. Invalid arguments and the expected messages.
#include "engine/alignment/alignment_summary.hpp"
#include "engine/alignment/compute_alignment.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/bounds/input/random_bounds.hpp"
#include "engine/core/backend.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/groups/group_comparison.hpp"
#include "engine/crossapen/random_signals.hpp"
#include "engine/distance/random_data.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/mutualinfo/network/edges.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"
#include "engine/mutualinfo/network/information_null.hpp"
#include "engine/mutualinfo/simulated_expression.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/sequences/alignment.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "engine/sequences/substitution.hpp"
#include "engine/statistics/chi_squared_mixture.hpp"
#include "engine/statistics/rank_tests.hpp"
#include "engine/trees/clustering.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/newick.hpp"
#include "engine/trees/rooting.hpp"
#include "engine/trees/tree.hpp"
#include "tests/arguments/wrong_calls.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

using WrongHostCall = WrongCall<>;

void expectAllRefused(const std::vector<WrongHostCall>& calls) {
    for (const WrongHostCall& wrong : calls) {
        SCOPED_TRACE(wrong.what);
        expectRefusal(wrong.refusal, refusalOf(wrong.call));
    }
}

TEST(HostArguments, Backends) {
    registerHostBackends();
    const auto create = [](const char* what, const char* refusal,
                           const std::function<void(BackendOptions&)>& spoil) {
        return WrongHostCall{what, refusal, [spoil] {
                                 BackendOptions options;
                                 spoil(options);
                                 BackendRegistry::instance().create("cpu", options);
                             }};
    };
    expectAllRefused(
        {{"name", "UsageError: unknown backend 'tpu'; nearest: cpu; known: ",
          [] { BackendRegistry::instance().create("tpu", {}); }},
         create("threads", "UsageError: the number of threads is -3; expected 0",
                [](auto& options) { options.threads = -3; }),
         create("device", "UsageError: the device is -1; expected an index of 0 or more",
                [](auto& options) { options.device = -1; }),
         create("instructions", "UsageError: unknown instruction set '99'; known: generic, avx2, avx512",
                [](auto& options) { options.instructions = unknown<InstructionSet>(); }),
         create("dialect", "UsageError: unknown dialect '99'; known: gl33, ",
                [](auto& options) { options.dialect = unknown<Dialect>(); }),
         create("context", "UsageError: unknown context '99'",
                [](auto& options) { options.context = unknown<ContextKind>(); }),
         create("draws of no length", "UsageError: the longest draw is nan; expected a finite number",
                [](auto& options) { options.passBudgetMilliseconds = kNaN; })});
}

TEST(HostArguments, Stores) {
    using namespace pairs;
    const auto make = [](const PairFormat& format) { return [format] { PairStore store(format); }; };
    const auto on = [](const std::function<void(PairStore&)>& use) {
        return [use] {
            PairStore store({.layout = {3, StoreLayout::Square}});
            use(store);
        };
    };
    static const Matrix<double> values(3, 3, 0.5);
    expectAllRefused(
        {{"layout", "UsageError: unknown ", make({.layout = {3, unknown<StoreLayout>()}})},
         {"type", "UsageError: unknown ",
          make({.layout = {3, StoreLayout::Square}, .type = unknown<ValueType>()})},
         {"diagonals", "UsageError: the values of the diagonal are 2; expected 3, one for each instance",
          make({.layout = {3, StoreLayout::Square}, .diagonals = {1, 2}})},
         {"references",
          "UsageError: 3 references among 3 instances; expected at least one, and at least one other "
          "instance",
          make({.layout = {3, StoreLayout::Rectangle, 3}})},
         {"rows of a rectangle", "UsageError: a rectangle holds no values of whole rows",
          [] {
              const PairStore store({.layout = {3, StoreLayout::Rectangle, 1}});
              Matrix<double> row(1, 3);
              store.readBlock({0, 1}, {0, 3}, row.view());
          }},
         {"tile", "UsageError: instances 0 to 4 of a result of 3; expected a part of it",
          on([](PairStore& store) {
              store.store({{0, 4}, {0, 3}}, {values.data(), 4, 3});
          })},
         {"size", "UsageError: 2 × 3 values for a block of 3 × 3 pairs; expected as many",
          on([](PairStore& store) {
              store.store({{0, 3}, {0, 3}}, {values.data(), 2, 3});
          })},
         {"memory", "InputError: the values of the block are 3 × 3 elements without memory",
          on([](PairStore& store) {
              store.store({{0, 3}, {0, 3}}, {nullptr, 3, 3});
          })},
         {"block", "UsageError: instances 2 to 9 of a result of 3", on([](PairStore& store) {
              Matrix<double> target(1, 7);
              store.readBlock({0, 1}, {2, 9}, target.view());
          })}});
}

trees::Tree cherry() {
    trees::Tree tree{.leaves = 2, .nodes = std::vector<trees::TreeNode>(3), .root = 2};
    trees::attach(tree, 2, 0, 1);
    trees::attach(tree, 2, 1, 1);
    return tree;
}

TEST(HostArguments, Trees) {
    using namespace trees;
    const std::vector<std::string> names{"a", "b"};
    Tree circle = cherry();
    circle.nodes[2].children = {0, 2};
    circle.nodes[2].parent = 2;
    Tree lost = cherry();
    lost.nodes[2].children = {0};
    Tree endless = cherry();
    endless.nodes[1].length = kInfinity;
    std::vector<WrongHostCall> calls{
        {"joining nothing", "UsageError: 0 instances are to be joined; expected at least one",
         [] { joinNeighbours(0, {}, silentProgress()); }},
        {"joining too few distances",
         "UsageError: the distances are 2; expected 3, one for each pair of 3 instances",
         [] {
             joinNeighbours(3, {1, 2}, silentProgress());
         }},
        {"joining too many", "UsageError: the distances are 4; expected 3",
         [] {
             joinNeighbours(3, {1, 2, 3, 4}, silentProgress());
         }},
        {"joining nan", "InputError: a distance is nan; neighbour joining needs finite numbers",
         [] {
             joinNeighbours(3, {1, 2, kNaN}, silentProgress());
         }},
        {"negligible length", "UsageError: the negligible length is nan; expected a number of at least 0",
         [] {
             joinNeighbours(3, {1, 2, 3}, silentProgress(), {.negligibleLength = kNaN});
         }},
        {"clustering nothing", "UsageError: 0 instances are to be clustered; expected at least one",
         [] { clusterByAverageLinkage(0, {}, silentProgress()); }},
        {"clustering too few distances", "UsageError: the distances are 1; expected 3",
         [] { clusterByAverageLinkage(3, {1}, silentProgress()); }},
        {"clustering what is merged",
         "InputError: step 1 of the clustering merges cluster 0; expected one that is there",
         [] {
             Clustering clustering;
             clustering.merges = {{0, 1, 1, 2}, {0, 2, 2, 3}};
             treeOf(clustering);
         }},
        {"names", "UsageError: 1 names for a tree of 2 leaves; expected one for each leaf, or node",
         [=] { newickTree(cherry(), std::span(names).first(1), NewickForm::RoundTrip); }},
        {"form", "UsageError: unknown form of trees '99'",
         [=] { newickTree(cherry(), names, unknown<NewickForm>()); }},
        {"a root above the root", "UsageError: a root above node 2 of 3: expected a node that has a branch",
         [] { rootAbove(cherry(), 2, 0); }},
        {"a root nowhere", "UsageError: the place of the root is nan; expected a finite length",
         [] { rootAbove(cherry(), 0, kNaN); }},
        {"support of no trees", "UsageError: no trees were counted for the support; expected at least one",
         [] { supportOf(cherry(), SplitCounts()); }}};
    const std::vector<std::pair<std::string, std::function<void(const Tree&)>>> uses{
        {"checkTree", checkTree},
        {"postorder", [](const Tree& tree) { postorder(tree); }},
        {"resolved", [](const Tree& tree) { resolved(tree); }},
        {"pathLengths", [](const Tree& tree) { pathLengths(tree); }},
        {"newickTree", [=](const Tree& tree) { newickTree(tree, names, NewickForm::RoundTrip); }},
        {"rootAbove", [](const Tree& tree) { rootAbove(tree, 0, 0.5); }},
        {"rootAtMidpoint", [](const Tree& tree) { rootAtMidpoint(tree); }},
        {"rootAtMeanDistance", [](const Tree& tree) { rootAtMeanDistance(tree); }},
        {"leafWeights", [](const Tree& tree) { leafWeights(tree); }},
        {"relativeLeafWeights", [](const Tree& tree) { relativeLeafWeights(tree); }},
        {"splitsOf", [](const Tree& tree) { splitsOf(tree); }}};
    for (const auto& [name, use] : uses) {
        calls.push_back({name + " of a circle", "InputError: this is not a tree: the root has a parent",
                         [use = use, circle] { use(circle); }});
        calls.push_back({name + " of half a tree",
                         "InputError: this is not a tree: 1 of 2 leaves hang below the root",
                         [use = use, lost] { use(lost); }});
        calls.push_back({name + " of nothing", "InputError: this is not a tree: it has no leaves",
                         [use = use] { use(Tree{}); }});
    }
    for (const char* name : {"checkTree", "rootAtMidpoint", "rootAtMeanDistance", "leafWeights"})
        for (const auto& [use, call] : uses)
            if (use == name)
                calls.push_back(
                    {use + " of an endless branch",
                     "InputError: the tree: the branch above node 1 has the length inf; expected a finite",
                     [call = call, endless] { call(endless); }});
    expectAllRefused(calls);
}

TEST(HostArguments, Statistics) {
    using namespace statistics;
    expectAllRefused(
        {{"no weights", "UsageError: a mixture has no weights; expected at least one",
          [] { ChiSquaredMixture(std::vector<double>{}); }},
         {"a weight of nan", "UsageError: a weight of a mixture is nan; expected finite numbers above 0",
          [] {
              ChiSquaredMixture(std::vector<double>{1, kNaN});
          }},
         {"P of nan", "UsageError: P is nan; expected a number above 0 and below 1",
          [] { static_cast<void>(ChiSquaredMixture(std::vector<double>{1}).quantile(kNaN)); }},
         {"p-values", "UsageError: p-value 2 is 1.5; expected 0 … 1, or NaN", [] {
              benjaminiHochberg(std::vector<double>{0.5, 1.5});
          }}});
    // Rank tests must accept any values.
    const std::vector<std::vector<double>> samples{{}, {kNaN, kInfinity}, {-kInfinity, kNaN}};
    kruskalWallis(samples);
    kruskalWallis({});
    mannWhitney(samples[0], samples[1]);
    mannWhitney(samples[1], samples[2]);
}

TEST(HostArguments, Generators) {
    std::vector<WrongHostCall> calls{
        {"alphabet", "UsageError: unknown alphabet '99'",
         [] { randomSequences({.count = 2, .length = 5, .alphabet = unknown<Alphabet>()}); }},
        {"family's alphabet", "UsageError: unknown alphabet '99'",
         [] { randomFamily({.count = 2, .length = 5, .alphabet = unknown<Alphabet>()}); }},
        {"no sequences", "UsageError: 0 sequences of 5 letters; expected at least one of each",
         [] { randomSequences({.count = 0, .length = 5}); }},
        {"divergence", "UsageError: a share of nan; expected 0 … 1",
         [] { randomSequences({.count = 2, .length = 5, .divergence = kNaN}); }},
        {"family's gaps", "UsageError: a share of nan; expected 0 … 1",
         [] { randomFamily({.count = 2, .length = 5, .gaps = kNaN}); }},
        {"kind of signals", "UsageError: unknown kind of signals '99'",
         [] { crossapen::randomSignals({.kind = unknown<crossapen::SignalKind>()}, 2, 5, 1); }},
        {"coupling", "UsageError: the coupling is nan; expected a number from 0 to 1",
         [] { crossapen::randomSignals({.coupling = kNaN}, 2, 5, 1); }},
        {"no signals", "UsageError: 0 channels of 5 samples", [] { crossapen::randomSignals({}, 0, 5, 1); }},
        {"topology", "UsageError: unknown topology '99'",
         [] { mutualinfo::simulateNetwork({.genes = 5, .topology = unknown<mutualinfo::Topology>()}); }},
        {"regulators", "UsageError: ", [] { mutualinfo::simulateNetwork({.genes = 5, .regulators = kNaN}); }},
        {"no samples", "UsageError: 0 samples: expected 1 at least",
         [] {
             mutualinfo::simulateExpression(mutualinfo::simulateNetwork({.genes = 5}), {}, silentProgress());
         }},
        {"noise", "UsageError: variation 0.25 and noise nan",
         [] {
             mutualinfo::simulateExpression(mutualinfo::simulateNetwork({.genes = 5}),
                                            {.samples = 3, .noise = kNaN}, silentProgress());
         }},
        {"missing expression",
         "UsageError: ", [] { mutualinfo::randomExpression({.genes = 2, .samples = 3, .missing = kNaN}); }},
        {"missing genotypes", "UsageError: ",
         [] { distance::randomGenotypes({.instances = 2, .attributes = 3, .missing = kNaN}); }},
        {"symbols", "UsageError: ", [] { distance::randomSymbols(2, 3, 0, 0, 1); }},
        {"no coordinates", "UsageError: random data of 0 instances × 3 attributes",
         [] { distance::randomCoordinates(0, 3, 1); }},
        {"no atoms", "UsageError: a random molecule of 0 atoms; expected at least 1",
         [] { bounds::randomBounds({}, bounds::NumberFormat::Float32); }},
        {"format of bounds", "UsageError: unknown number format '99'",
         [] { bounds::randomBounds({.atoms = 3}, unknown<bounds::NumberFormat>()); }},
        {"known bounds", "UsageError: the known share is nan; expected 0 to 1",
         [] { bounds::randomBounds({.atoms = 3, .known = kNaN}, bounds::NumberFormat::Float32); }}};
    expectAllRefused(calls);
    // More than any memory can hold.
    EXPECT_THROW(randomSequences({.count = std::size_t{1} << 60, .length = 1000}), Error);
    EXPECT_THROW(randomFamily({.count = std::size_t{1} << 60, .length = 1000}), Error);
}

TEST(HostArguments, Alignments) {
    using namespace align;
    const auto with = [](const std::function<void(MultipleAlignment&)>& use) {
        return [use] {
            MultipleAlignment alignment{
                .alphabet = Alphabet::Protein, .names = {"a", "b"}, .rows = {"MK-V", "MKLV"}};
            use(alignment);
        };
    };
    std::vector<WrongHostCall> calls{
        {"row order", "UsageError: unknown order '99'; known: input, aligned",
         with([](auto& a) { inOrder(a, unknown<RowOrder>()); })},
        {"order", "UsageError: the order names row 5; expected each of 0 … 1 once", with([](auto& a) {
             a.order = {1, 5};
             inOrder(a, RowOrder::Aligned);
         })},
        {"correction", "UsageError: unknown correction '99'; known: none, kimura", with([](auto& a) {
             alignmentDistances(a, {.correction = unknown<DistanceCorrection>()}, {}, silentProgress());
         })},
        {"weights", "UsageError: the weights are 3; expected 4, one for each column, or none",
         with([](auto& a) {
             alignmentDistances(a, {}, {1, 1, 1}, silentProgress());
         })},
        {"separate rows", "UsageError: the distance of separate rows is nan; expected a number of at least 0",
         with([](auto& a) { alignmentDistances(a, {.ofSeparateRows = kNaN}, {}, silentProgress()); })},
        {"share", "UsageError: the share of differing letters is nan; expected 0 … 1",
         [] { kimuraProtein(kNaN); }},
        {"negative share", "UsageError: the share of differing letters is -1; expected 0 … 1",
         [] { kimuraProtein(-1); }},
        {"alphabet of a matrix", "UsageError: unknown alphabet '99'",
         [] { matchMatrix(unknown<Alphabet>(), 1, 0); }},
        {"alphabet of a known matrix", "UsageError: unknown alphabet '99'",
         [] { namedMatrix("IDENTITY", unknown<Alphabet>()); }},
        {"alphabet of sequences", "UsageError: unknown alphabet '99'",
         [] { sequencesOf({"ACGT"}, unknown<Alphabet>()); }},
        {"tree of one", "UsageError: a guide tree needs at least two sequences",
         [] { guideTreeOf(1, AlignMethod::ClustalW, {}, silentProgress()); }},
        {"tree of no method", "UsageError: unknown method '99'",
         [] {
             guideTreeOf(3, unknown<AlignMethod>(), {1, 2, 3}, silentProgress());
         }},
        {"tree of too few distances",
         "UsageError: the distances are 2; expected 3, one for each pair of 3 sequences",
         [] {
             guideTreeOf(3, AlignMethod::Accuracy, {1, 2}, silentProgress());
         }},
        {"tree of nan", "InputError: a guide tree needs distances that are finite numbers",
         [] {
             guideTreeOf(3, AlignMethod::Thesis, {1, 2, kNaN}, silentProgress());
         }},
        {"distances of others",
         "UsageError: the instances of the distances are 3; expected 2, one for each sequence", [] {
             const pairs::PairStore store({.layout = {3, pairs::StoreLayout::Square}});
             distancesOf(sequencesOf({"MK", "MV"}), AlignMethod::Thesis, store);
         }}};
    const std::vector<std::pair<std::string, std::function<void(const MultipleAlignment&)>>> uses{
        {"inOrder", [](const auto& a) { inOrder(a, RowOrder::Aligned); }},
        {"withoutGaps", [](const auto& a) { withoutGaps(a); }},
        {"summarize", [](const auto& a) { summarize(a); }},
        {"conservation", [](const auto& a) { conservation(a); }},
        {"alignmentDistances", [](const auto& a) { alignmentDistances(a, {}, {}, silentProgress()); }}};
    for (const auto& [name, use] : uses) {
        calls.push_back({name + " of no rows", "InputError: the alignment has no rows; expected at least one",
                         [use = use] { use({}); }});
        calls.push_back({name + " of fewer names",
                         "UsageError: the names are 1; expected 2, one for each row",
                         with([use = use](auto& a) {
                             a.names.pop_back();
                             use(a);
                         })});
        if (name != "withoutGaps")  // except withoutGaps, whose rows need not be aligned
            calls.push_back({name + " of rows of two lengths",
                             "InputError: row 2 ('b') has 3 columns; expected 4 as in row 1",
                             with([use = use](auto& a) {
                                 a.rows[1].pop_back();
                                 use(a);
                             })});
        calls.push_back({name + " of no letters",
                         "InputError: row 1 ('a'), column 2: '#' is neither '-' nor a letter",
                         with([use = use](auto& a) {
                             a.rows[0][1] = '#';
                             use(a);
                         })});
    }
    expectAllRefused(calls);
}

TEST(HostArguments, Networks) {
    using namespace mutualinfo;
    static const pairs::PairStore store({.layout = {4, pairs::StoreLayout::Square}});
    const auto infer = [](const InferenceOptions& options) {
        return [options] { inferNetwork(store, options, nullptr, silentProgress()); };
    };
    std::vector<WrongHostCall> calls{
        {"method", "UsageError: unknown method '99'; known: mi, ",
         infer({.method = unknown<NetworkMethod>()})},
        {"aracne without paths", "UsageError: the method aracne needs a path engine",
         infer({.method = NetworkMethod::Aracne})},
        {"threshold", "UsageError: the threshold of information is nan", infer({.threshold = kNaN})},
        {"negative threshold", "UsageError: the threshold of information is -1", infer({.threshold = -1})},
        {"tolerance",
         "UsageError: a tolerance of the data-processing inequality is at least 0 and below 1, not 1",
         infer({.tolerance = 1})},
        {"bins of a null", "UsageError: 1 bins: expected 2 to 256", [] { rankNull({.bins = 1}, 20); }},
        {"samples of a null", "UsageError: the analytic null distribution needs two samples",
         [] { rankNull({}, 1); }},
        {"samples of ARACNE's null", "UsageError: 0 samples; expected at least one", [] { aracneNull(0); }},
        {"P", "UsageError: P is nan; expected a number above 0 and below 1",
         [] { static_cast<void>(aracneNull(20)->threshold(kNaN)); }},
        {"P of 1", "UsageError: P is 1; expected a number above 0 and below 1",
         [] { static_cast<void>(rankNull({}, 20)->threshold(1)); }},
        {"genes to permute", "UsageError: gene 9 of 2: expected a number below it",
         [] {
             const Matrix<double> data(2, 3, 1.0);
             permutedGenes(data.view(), std::vector<std::size_t>{1, 9}, 1);
         }},
        {"nothing to permute", "InputError: the data are 0 genes", [] { permutedGenes({}, {}, 1); }},
        {"nothing to draw from", "InputError: the data are 0 genes", [] { bootstrapSample({}, 1); }},
        {"nothing that varies", "InputError: the data are 0 genes", [] { varyingGenes({}); }},
        {"ranks of nothing", "InputError: the data are 0 genes", [] { haveEvenRanks({}); }},
        {"summary of nothing", "InputError: the data are 0 genes",
         [] { summarizeGenes({}, {}, Unit::Bits, silentProgress()); }},
        {"unit of a summary", "UsageError: unknown unit '99'; known: bits, nats",
         [] {
             const Matrix<double> data(2, 3, 1.0);
             summarizeGenes(data.view(), {}, unknown<Unit>(), silentProgress());
         }},
        {"edges of others",
         "UsageError: an edge links genes 9 and 0; expected two of the 4, the larger first",
         [] {
             compareWithTruth(std::vector<Edge>{{9, 0, 1, 1}}, {}, 4, {});
         }},
        {"truth of others", "UsageError: a true pair links genes 1 and 1; expected two of the 4",
         [] {
             compareWithTruth({}, {{1, 1}}, 4, {});
         }},
        {"regulators of others", "UsageError: the flags of regulators are 2; expected 4", [] {
             compareWithTruth({}, {}, 4, {.flags = {1, 0}});
         }}};
    for (const NetworkMethod method :
         {NetworkMethod::Information, NetworkMethod::Clr, NetworkMethod::Mrnet, NetworkMethod::Consensus})
        calls.push_back({fmt::format("regulators of {}", toString(method)),
                         "UsageError: the flags of regulators are 3; expected 4, one for each gene, or none",
                         infer({.method = method, .regulators = {.flags = {1, 1, 1}}})});
    expectAllRefused(calls);
}

TEST(HostArguments, Others) {
    std::vector<bounds::Violation> worst;
    static const Matrix<double> three(3, 3, 0.5);
    expectAllRefused(
        {{"violations within nan",
          "UsageError: the tolerance of violations is nan; expected a finite number of Å",
          [&] { bounds::findViolations(bounds::BoundMatrices<float>{}, kNaN, 5, worst); }},
         {"violations of nothing", "InputError: the upper bounds are empty",
          [&] { bounds::findViolations(bounds::BoundMatrices<float>{}, 0, 5, worst); }},
         {"signals without memory", "InputError: the signals of epoch 0 are 2 × 9 elements without memory",
          [] {
              const std::vector<crossapen::Signals> epochs(1, crossapen::Signals(nullptr, 2, 9));
              crossapen::unusableChannels(epochs, {});
          }},
         {"quantities of no measure", "UsageError: unknown measure '99'; known: crossapen, ",
          [] { crossapen::quantitiesOf({.measure = unknown<crossapen::Measure>()}); }},
         {"shape of no measure", "UsageError: unknown measure '99'; known: crossapen, ",
          [] { crossapen::epochShape({.measure = unknown<crossapen::Measure>()}, 3); }},
         {"groups at alpha nan", "UsageError: alpha is nan; expected a number between 0 and 1",
          [] { crossapen::compareGroups({}, {}, kNaN); }},
         {"no name", "UsageError: unknown measure '99'; known: ", [] {
              static_cast<void>(toString(unknown<crossapen::Measure>()));
          }}});
}

}  // namespace
}  // namespace glycine::test

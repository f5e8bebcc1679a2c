#include "engine/trees/study/tree_subject.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <string>
#include <utility>

#include "engine/command/common_options.hpp"
#include "engine/core/device_probe.hpp"
#include "engine/core/names.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/tree_algorithm.hpp"
#include "engine/trees/tree_engine.hpp"

namespace glycine::trees {

namespace {

/// Rounds whose pairs are all compared, of large trees.
constexpr std::size_t kSearchedRounds = 16;

enum class Kind {
    Random,  ///< any numbers
    Tenths,  ///< ten numbers that binary fractions do not hold, so that many pairs are equally near
    Nested,  ///< of a balanced tree, with noise
};
constexpr Kind kKinds[] = {Kind::Random, Kind::Tenths, Kind::Nested};
constexpr auto namesOf(Kind) {
    return namesAre<Kind>("kind",
                          {{Kind::Random, "random"}, {Kind::Tenths, "tenths"}, {Kind::Nested, "nested"}});
}

/// Below the diagonal.
std::vector<double> distancesOf(Kind kind, std::size_t instances, std::uint64_t seed) {
    RandomSequence random(seed);
    std::vector<double> distances;
    distances.reserve(instances * (instances - 1) / 2);
    for (std::size_t j = 1; j < instances; ++j)
        for (std::size_t i = 0; i < j; ++i)
            distances.push_back(kind == Kind::Random   ? random.uniform()
                                : kind == Kind::Tenths ? 0.1 * static_cast<double>(random.below(10))
                                                       : 0.05 * static_cast<double>(std::bit_width(i ^ j)) +
                                                             0.04 * random.uniform());
    return distances;
}

/// Distances, and the method that builds a tree of them.
struct Input {
    std::size_t instances;
    TreeMethod method;
    std::vector<double> distances;

    /// Pairs of clusters that the definition of the method compares, in 10⁹.
    double work() const {
        const auto n = static_cast<double>(instances);
        return (method == TreeMethod::NeighbourJoining ? n * n * n / 6 : n * n) / 1e9;
    }
    std::size_t rounds() const {
        return method == TreeMethod::Upgma ? instances - 1 : std::max<std::size_t>(instances, 3) - 3;
    }
};

class Building final : public study::Computation {
  public:
    Building(Backend& backend, const Input& input, study::CheckScope scope)
        : backend_(backend), input_(input), scope_(scope) {}

    study::Outcome run(Progress& progress) override {
        TreeDevice device(backend_, nullptr);
        device.takeSmallTrees();
        std::vector<double> distances = input_.distances;
        const Stopwatch watch;
        found_ = treeOfDistances(input_.method, input_.instances, std::move(distances), progress, &device);
        const double seconds = watch.seconds();
        leftToHost_ = findImplementation<TreeEngine>(backend_) == nullptr ? "" : device.reason();
        return {treeVariantOn(backend_),
                {{std::string(toString(input_.method)), seconds, input_.work()}},
                seconds,
                input_.work(),
                leftToHost_.empty() ? "" : fmt::format("on the host: {}", leftToHost_)};
    }

    Comparison check(Progress& progress) override {
        const bool isWhole = scope_ == study::CheckScope::Full;
        const std::size_t rounds = input_.rounds();
        const std::vector<std::size_t> searched =
            spreadSamples(rounds, isWhole ? rounds : std::min(rounds, kSearchedRounds), 1);
        Comparison comparison = compareWithDefinition(found_, input_.method, input_.distances, searched);
        if (comparison.agrees()) {
            comparison.verdict =
                fmt::format("all branches within {:.1g}, the pairs of {}", comparison.largestDifference,
                            formatCount(searched.size(), "round"));
            // A device gives the host's tree to the bit.
            if (isWhole && findImplementation<TreeEngine>(backend_) != nullptr &&
                found_ != treeOfDistances(input_.method, input_.instances, input_.distances, progress))
                comparison.fail("a tree that is not the host's to the bit");
            if (!leftToHost_.empty() && leftToHost_ != kNoRoomForTree && leftToHost_ != kSmallTree)
                comparison.fail(fmt::format("the device left the tree to the host: {}", leftToHost_));
        }
        found_ = {};
        return comparison;
    }

    std::optional<study::ResultDigest> digest() override {
        study::ResultDigester digester;
        for (std::size_t node = 0; node < found_.nodes.size(); ++node) {
            digester.take(0, node, 0, found_.nodes[node].length);
            digester.take(1, node, 0, static_cast<std::uint64_t>(found_.nodes[node].parent));
        }
        return digester.digest();
    }

  private:
    Backend& backend_;
    const Input& input_;
    study::CheckScope scope_;
    Tree found_;
    std::string_view leftToHost_;  ///< why; empty: it was not
};

class TreeProblem final : public study::Problem {
  public:
    TreeProblem(std::string name, Input input) : name_(std::move(name)), input_(std::move(input)) {}

    std::string name() const override { return name_; }
    Dimensions dimensions() const override { return {{"instances", input_.instances}}; }
    bool concerns(const Configuration&) const override { return true; }
    Support supports(Backend& backend, const Configuration& configuration) override {
        return treeAlgorithm().supports(backend, configuration, dimensions());
    }
    std::unique_ptr<study::Computation> start(Backend& backend, const Configuration&, study::CheckScope scope,
                                              Progress&) override {
        return std::make_unique<Building>(backend, input_, scope);
    }
    /// Each distance is read once.
    std::vector<study::RequiredWork> needs(const Configuration&) const override {
        return {{.ceiling = std::string(kCopyBandwidth),
                 .amount = static_cast<double>(input_.distances.size() * sizeof(double)) / 1e9}};
    }

  private:
    std::string name_;
    Input input_;
};

/// Trees of generated distances.
class TreeSet : public study::ProblemSet {
  public:
    void declare(Options& options) override {
        isForGenerated(options.value("--sizes N,…", sizes_, "Numbers of instances").positive());
        isForGenerated(addSeedOption(options, seed_, "distances"));
        options.footer(footer_);
    }
    void prepare(const Options&, Progress&) override {}
    std::vector<study::InputBytes> bytes(const std::vector<std::string>&) const override {
        std::vector<study::InputBytes> inputs;
        for (const std::size_t instances : sizes_) {
            const double square = study::bytesOfPairs<double>(instances);
            inputs.insert(inputs.end(), kinds_.size() * methods_.size(),
                          study::InputBytes{square / 2, 0, square * 3 / 2});
        }
        return inputs;
    }
    std::size_t count() const override { return sizes_.size() * kinds_.size() * methods_.size(); }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        const TreeMethod method = methods_[index % methods_.size()];
        index /= methods_.size();
        const Kind kind = kinds_[index % kinds_.size()];
        const std::size_t instances = sizes_[index / kinds_.size()];
        return std::make_unique<TreeProblem>(
            fmt::format("{}, {}, {}", toString(method), toString(kind), formatCount(instances, "instance")),
            Input{instances, method, distancesOf(kind, instances, seed_)});
    }

  protected:
    TreeSet(std::vector<std::size_t> sizes, std::vector<Kind> kinds, const char* footer)
        : sizes_(std::move(sizes)), kinds_(std::move(kinds)), footer_(footer) {}
    std::string describeInput() const {
        std::vector<std::string_view> kinds;
        for (const Kind kind : kinds_) kinds.push_back(toString(kind));
        return fmt::format("generated: {} distances of {} instances, seed {}", fmt::join(kinds, ", "),
                           fmt::join(sizes_, ", "), seed_);
    }

    std::vector<TreeMethod> methods_{TreeMethod::NeighbourJoining, TreeMethod::Upgma};

  private:
    std::vector<std::size_t> sizes_;
    std::vector<Kind> kinds_;
    const char* footer_;
    std::uint64_t seed_ = 1;
};

class ValidationSet final : public TreeSet {
  public:
    ValidationSet()
        : TreeSet({1, 2, 3, 4, 5, 8, 33, 130}, {std::begin(kKinds), std::end(kKinds)},
                  "Compares every backend with the definitions of neighbour joining and average\n"
                  "linkage, round by round, and devices with the processor to the bit. Exit code 1\n"
                  "if any disagree.\n\n"
                  "Examples:\n"
                  "  glycine validate tree\n"
                  "  glycine validate tree --sizes 1000 --backend cpu,cuda") {}
    Fields settings() const override {
        return {{"input", describeInput()},
                {"allowed", "1e-09 in lengths of branches; joined pairs are the nearest, but for rounding"}};
    }
};

class TimingSet final : public TreeSet {
  public:
    TimingSet()
        : TreeSet({500, 2000}, {Kind::Nested},
                  "A run builds a tree of distances in memory.\n\n"
                  "Examples:\n"
                  "  glycine bench tree --backend cpu,cuda\n"
                  "  glycine bench tree --method upgma --sizes 10000 --repeats 3") {}
    void declare(Options& options) override {
        options.choice("--method METHOD", method_,
                       "nj: neighbour joining; upgma: average linkage, all leaves at one depth");
        TreeSet::declare(options);
    }
    void prepare(const Options&, Progress&) override { methods_ = {method_}; }
    Fields settings() const override {
        return {{"input", describeInput()},
                {"rates",
                 "pairs of clusters in 10⁹ / s (minimum time): N³ / 6 by neighbour joining, N² by average "
                 "linkage, whatever a search skipped"},
                {"check",
                 fmt::format("all branches by the definition of the method, and all pairs in up to {} rounds",
                             kSearchedRounds)}};
    }

  private:
    TreeMethod method_ = TreeMethod::NeighbourJoining;
};

class TreeSubject final : public study::SubjectOf<ValidationSet, TimingSet> {
  public:
    const Algorithm& algorithm() const override { return treeAlgorithm(); }
    std::string unit() const override { return "in length"; }
    std::string rateUnit() const override { return "G/s"; }
    std::string sizeLabel() const override { return "instances"; }
    bool leavesVariantToBackend() const override { return false; }
    std::vector<study::SweepStep> sweep() const override {
        return study::sweepOver("--sizes", {"100,200", "1000", "4000"},
                                {{"nj"}, {"upgma", {"--method", "upgma"}}});
    }
};

}  // namespace

std::unique_ptr<study::Subject> treeSubject() {
    return std::make_unique<TreeSubject>();
}

}  // namespace glycine::trees

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "engine/core/quantity.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/spline_basis.hpp"
#include "engine/mutualinfo/study/information_problem.hpp"
#include "engine/study/data_sizes.hpp"
#include "engine/study/published.hpp"
#include "engine/study/study_memory.hpp"

namespace glycine::mutualinfo {

namespace {

/// Memory for the matrix if it is generated, for the reference's results of `checked` genes in `problems`
/// problems, and for a backend's results for all pairs or a tile.
study::InputBytes bytesOf(DataSize size, bool isGenerated, std::size_t checked, std::size_t problems) {
    const double values =
        static_cast<double>(size.instances) * static_cast<double>(size.attributes) * sizeof(double);
    return {isGenerated ? values : 0,
            static_cast<double>(problems) * study::bytesOfPairs<double>(std::min(size.instances, checked)),
            study::bytesOfTile<double>(size.instances)};
}

/// Generated expression of some sizes, or a file.
class ExpressionSet : public study::SizedSet {
  protected:
    using SizedSet::SizedSet;
    /// Throws UsageError if an option for generated data was given.
    std::shared_ptr<io::ExpressionTable> readFile(const Options& options) const {
        requireFromFile(options);
        return std::make_shared<io::ExpressionTable>(io::readExpression(file_, {}));
    }
    std::shared_ptr<io::ExpressionTable> generate(DataSize size, double missing, bool hasIdleGenes) const {
        return std::make_shared<io::ExpressionTable>(io::ExpressionTable{
            .values = randomExpression({size.instances, size.attributes, missing, hasIdleGenes, seed_}),
            .description = formatDataSize(size) + (missing > 0 ? ", with gaps" : "")});
    }
    static DataSize sizeOf(const io::ExpressionTable& expression) {
        return {expression.values.rows(), expression.values.columns()};
    }
};

/// Each size with and without gaps, with several kinds of splines, and with correlations; or a file with the
/// usual ones.
class ValidationSet final : public ExpressionSet {
  public:
    ValidationSet() : ExpressionSet({{1, 1}, {2, 1}, {3, 2}, {5, 31}, {17, 65}, {33, 100}, {20, 1100}}) {}
    void declare(Options& options) override {
        options.value("EXPR", file_,
                      "Expression matrix (.tsv, .csv, .txt, .exp, .npy, .h5ad); generated ones if absent");
        declareGenerated(options, "Genes x samples of the generated inputs");
        options.footer(
            "Compares every backend, variant and precision with the serial reference, tile by tile. Exit\n"
            "code 1 if any disagree; work that a variant does not support counts as declined.\n\n"
            "Examples:\n"
            "  glycine validate mutualinfo\n"
            "  glycine validate mutualinfo expression.tsv.gz --backend cpu --precision float32");
    }
    void prepare(const Options& options, Progress&) override {
        if (file_.empty()) return;
        const auto file = readFile(options);
        for (const Estimator estimator : {Estimator::Splines, Estimator::Pearson, Estimator::Spearman})
            problems_.push_back({file, {.estimator = estimator}});
    }
    std::vector<study::InputBytes> bytes(const std::vector<std::string>&) const override {
        constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
        if (!file_.empty()) return {bytesOf(sizeOf(*problems_.front().first), false, kAll, 3)};
        std::vector<study::InputBytes> inputs;
        for (const DataSize size : sizes_) {
            inputs.push_back(bytesOf(size, true, kAll, 4));  // whole
            inputs.push_back(bytesOf(size, true, kAll, 5));  // with gaps
        }
        return inputs;
    }
    void makeInputs(Progress& progress) override {
        if (!file_.empty()) return;
        const SimulatedNetwork network = simulateNetwork({.genes = 60, .seed = seed_});
        const auto truth = std::make_shared<TruePairs>(truePairsOf(network));
        const auto simulated = std::make_shared<io::ExpressionTable>(io::ExpressionTable{
            .values = simulateExpression(network, {.samples = 80, .seed = seed_}, progress)});
        for (const NetworkMethod method :
             {NetworkMethod::Aracne, NetworkMethod::Mrnet, NetworkMethod::Consensus})
            networks_.push_back({fmt::format("network by {}", toString(method)),
                                 simulated,
                                 truth,
                                 {.p = 0.1, .inference = {.method = method}}});
        for (const DataSize size : sizes_) {
            const auto whole = generate(size, 0, false);
            const auto gapped = generate(size, 0.1, true);
            problems_.push_back({whole, {}});
            problems_.push_back({gapped, {}});
            problems_.push_back({gapped, {.bins = 7, .order = 1, .transform = Transform::Ranks}});
            problems_.push_back({whole, {.bins = 6, .order = 4, .transform = Transform::Ordinals}});
            problems_.push_back({gapped, {.bins = 19, .order = 7, .knots = Knots::Uniform}});
            problems_.push_back({whole, {.estimator = Estimator::Pearson}});
            problems_.push_back({whole, {.estimator = Estimator::Spearman}});
            problems_.push_back({gapped, {.estimator = Estimator::Pearson}});
            problems_.push_back({gapped, {.estimator = Estimator::Spearman}});
        }
    }
    std::size_t count() const override { return problems_.size() + networks_.size(); }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        if (index >= problems_.size()) return networkProblem(networks_[index - problems_.size()]);
        return informationProblem(problems_[index].first, problems_[index].second);
    }
    Fields settings() const override {
        return {{"input", !file_.empty()
                              ? problems_.front().first->description
                              : fmt::format("generated: {} (genes × samples), with and without "
                                            "gaps, splines of several kinds and correlations; networks "
                                            "of 60 simulated genes, their edges to the bit; seed {}",
                                            sizes_.text(), seed_)},
                {"tiles", "one, and thirds of the genes, on and off the diagonal"},
                {"allowed", fmt::format("{} bits in float64, {} in float32, {} in tf32 and fp16",
                                        allowedDifference(WeightPrecision::Float64),
                                        allowedDifference(WeightPrecision::Float32),
                                        allowedDifference(WeightPrecision::Float16))}};
    }

  private:
    std::vector<std::pair<std::shared_ptr<io::ExpressionTable>, SplineOptions>> problems_;
    std::vector<NetworkCase> networks_;
};

/// The default splines, or others, on large data.
class TimingSet final : public ExpressionSet {
  public:
    TimingSet() : ExpressionSet({{200, 200}, {1000, 500}}) {}
    void declare(Options& options) override {
        declareGenerated(options, "Genes x samples");
        isForGenerated(options.value("--missing SHARE", missing_, "Share of values that are missing, 0 to 1")
                           .within(0, 1));
        options.value("--input FILE", file_, "Time this file instead (.tsv, .csv, .txt, .exp, .npy, .h5ad)");
        options.choice("--method E", splines_.estimator, "Estimator: spline, bins, pearson or spearman")
            .formerly("--estimator");
        options.value("--bins R", splines_.bins, "Number of bins").positive();
        options.value("--spline-order K", splines_.order, "Order of the splines")
            .positive()
            .formerly("--order");
        options.choice("--precision P", precision_, "Number format: float64, float32, tf32 or fp16")
            .byDefault("float64, and float32 where a backend has it");
        options.footer(
            "A result that fails its check gets no time, and exit code 1.\n\n"
            "Examples:\n"
            "  glycine bench mutualinfo --sizes 1000x500 --backend cpu\n"
            "  glycine bench mutualinfo --sizes 1000x500 --backend cpu --precision float32 -o report.json");
    }
    void prepare(const Options& options, Progress&) override {
        splines_ = withImplied(splines_);
        checkSplines(splines_);
        if (!file_.empty()) input_ = readFile(options);
    }
    std::vector<study::InputBytes> bytes(const std::vector<std::string>&) const override {
        if (input_) return {bytesOf(sizeOf(*input_), false, kCheckedGenes, 1)};
        std::vector<study::InputBytes> inputs;
        for (const DataSize size : sizes_) inputs.push_back(bytesOf(size, true, kCheckedGenes, 1));
        return inputs;
    }
    std::vector<std::string> numberFormats() const override {
        if (precision_) return {std::string(toString(*precision_))};
        return {std::string(toString(WeightPrecision::Float64)),
                std::string(toString(WeightPrecision::Float32))};
    }
    std::size_t count() const override { return input_ ? 1 : sizes_.size(); }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        return informationProblem(input_ ? input_ : generate(sizes_[index], missing_, false), splines_,
                                  kCheckedGenes, seed_);
    }
    Fields settings() const override {
        return {
            {"input", input_
                          ? input_->description
                          : fmt::format("generated, {} missing, seed {}", formatShare(missing_, 1), seed_)},
            {"splines", describeSplines(splines_)},
            {"total", "on the clock, from the start of a run until its last tile lies in memory"},
            {"rates",
             "N² · M in 10⁹ / s (minimum time), counted in full although each pair is computed once: "
             "twice the samples of unordered pairs"},
            {"check", fmt::format("all pairs among up to {} genes of the first and the last result computed "
                                  "again by the reference",
                                  kCheckedGenes)}};
    }

  private:
    SplineOptions splines_;
    std::optional<WeightPrecision> precision_;
    double missing_ = 0;
    std::shared_ptr<io::ExpressionTable> input_;  ///< from the file
};

class MutualInformationSubject final : public study::SubjectOf<ValidationSet, TimingSet> {
  public:
    const Algorithm& algorithm() const override { return mutualinfo::algorithm(); }
    std::string unit() const override { return "bits"; }
    std::string rateUnit() const override { return "G/s"; }
    std::string sizeLabel() const override { return "genes × samples"; }
    std::vector<study::SweepStep> sweep() const override {
        return study::sweepOver("--sizes",
                                {"64x200,128x200,256x200", "512x200,1024x200", "2048x200,4096x200"},
                                {{"splines"}, {"pearson", {"--method", "pearson"}}});
    }
    std::vector<study::EndToEndRun> endToEndRuns(study::Extent extent) const override {
        const std::string generate = "expression -o in.tsv {}";
        return study::endToEndRunsOf(
            extent, {"--genes 200 --samples 100", "--genes 2000 --samples 300", "--genes 8000 --samples 300"},
            {{"all pairs", generate, "mutualinfo in.tsv -o out.npy"},
             {"network", generate, "network in.tsv -o out.tsv --top 10000"}});
    }
    std::vector<study::PublishedFigure> published() const override { return publishedFigures(); }
};

}  // namespace

std::unique_ptr<study::Subject> subject() {
    return std::make_unique<MutualInformationSubject>();
}

namespace {

using study::Scale;
using Problems = std::vector<std::unique_ptr<study::Problem>>;

/// Two problems per case: all genes, and the first of them, which represent all genes for gl and for the
/// stand-in of MIBE. `usesPublishedSizes`: the same size at both scales, and no second problem.
Problems problemsOf(const std::vector<Json>& cases, Work work, Scale scale, std::uint64_t seed,
                    bool usesPublishedSizes) {
    Problems problems;
    const bool isQuick = scale == Scale::Quick;
    std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<io::ExpressionTable>> made;  // by size
    for (const Json& one : cases) {
        const std::size_t genes =
            one.at("genes").get<std::size_t>() / (isQuick && !usesPublishedSizes ? 16 : 1);
        const std::size_t samples =
            one.at("samples").get<std::size_t>() / (isQuick && !usesPublishedSizes ? 4 : 1);
        const SplineOptions splines{.bins = one.at("bins"), .order = one.at("order")};
        std::vector<std::size_t> counts{genes};
        if (!usesPublishedSizes) counts.push_back(std::min(genes, std::size_t{512}));
        for (const std::size_t count : counts) {
            auto& expression = made[{count, samples}];
            if (!expression)
                expression = std::make_shared<io::ExpressionTable>(io::ExpressionTable{
                    .values = randomExpression({.genes = count, .samples = samples, .seed = seed}),
                    .description = "generated"});
            problems.push_back(informationProblem(expression, splines, kCheckedGenes, seed, work));
        }
    }
    return problems;
}

Problems networkProblems(const std::vector<Json>& inputs, Scale scale, std::uint64_t seed,
                         Progress& progress) {
    const SimulatedNetwork network =
        simulateNetwork({.genes = scale == Scale::Quick ? 100U : 250U, .seed = seed});
    const auto truth = std::make_shared<TruePairs>(truePairsOf(network));
    Problems problems;
    for (const Json& input : inputs) {
        const std::size_t samples = input.at("samples");
        const auto expression = std::make_shared<io::ExpressionTable>(io::ExpressionTable{
            .values = simulateExpression(network, {.samples = samples, .seed = seed}, progress)});
        const auto add = [&](const char* method, const SplineOptions& splines, NullModel null) {
            problems.push_back(
                networkProblem({method,
                                expression,
                                truth,
                                {.information = {.splines = withImplied(splines)}, .null = null}}));
        };
        add("ARACNE", {.estimator = Estimator::Bins}, NullModel::Aracne);
        add("TINGe", {.transform = Transform::Ordinals}, NullModel::Analytic);
        add("CARACNE", {}, NullModel::Aracne);
    }
    return problems;
}
}  // namespace

std::vector<study::PublishedFigure> publishedFigures() {
    const study::PublishedData data("cudami");
    std::vector<study::PublishedFigure> figures = data.figures();
    for (study::PublishedFigure& figure : figures) {
        const bool isOfNetworks = figure.id == "cudami-table-5";
        const Work work = figure.id == "cudami-table-4" ? Work::Products : Work::Samples;
        const bool isOfLoops = figure.id == "cudami-complexity";
        figure.problems = [data, id = figure.id, isOfNetworks, isOfLoops, work](
                              Scale scale, std::uint64_t seed, Progress& progress) {
            const std::vector<Json> inputs = data.inputs(id, scale);
            return isOfNetworks ? networkProblems(inputs, scale, seed, progress)
                                : problemsOf(inputs, work, scale, seed, isOfLoops);
        };
    }
    return figures;
}

}  // namespace glycine::mutualinfo

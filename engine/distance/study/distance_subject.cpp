#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/core/error.hpp"
#include "engine/distance/distance_engine.hpp"
#include "engine/distance/input/random_data_set.hpp"
#include "engine/distance/study/distance_problem.hpp"
#include "engine/study/data_sizes.hpp"
#include "engine/study/published.hpp"
#include "engine/study/study_memory.hpp"

namespace glycine::distance {

namespace {

/// For large data, all pairs among this many instances are computed again.
constexpr std::size_t kCheckedInstances = 16;

/// Memory of the reference's answers for all pairs, and of the largest request to a backend: as many counts.
study::InputBytes bytesOfAnswers(DataSize size, bool isCoordinates) {
    const double counts = 3 * study::bytesOfPairs<std::uint32_t>(size.instances);
    const double sums = study::bytesOfPairs<double>(size.instances);
    return isCoordinates ? study::InputBytes{0, std::size(kSumTerms) * sums, sums}
                         : study::InputBytes{0, counts, counts};
}

/// Memory of a result tile.
double bytesOfResult(std::size_t instances, const PairQuestion& question, bool isCoordinates) {
    const int counts = 1 + (question.needs.opposite ? 1 : 0) + (question.needs.valid ? 1 : 0);
    return isCoordinates ? study::bytesOfTile<double>(instances)
                         : counts * study::bytesOfTile<std::uint32_t>(instances);
}

/// Generated data of several sizes, or a file.
class InputSet : public study::ProblemSet {
  public:
    std::vector<std::string> inputFiles() const override {
        std::vector<std::string> files;
        if (!file_.empty())
            for (const auto& path : distance::inputFiles(file_)) files.push_back(path.string());
        return files;
    }

  protected:
    explicit InputSet(std::vector<DataSize> sizes) : sizes_(std::move(sizes)) {}
    /// Throws UsageError if an option for generated data was given.
    DataSet readFile(const Options& options, const InputOptions& reading) const {
        requireFromFile(options);
        return readDataSet(file_, reading);
    }
    static void addFile(Fields& settings, const DataSet& set) {
        settings.emplace_back("input", set.description);
        for (const LeftOutSites& sites : set.leftOut) settings.emplace_back("left out", sites.text());
        if (!set.notes.empty()) settings.emplace_back("notes", fmt::format("{}", fmt::join(set.notes, "\n")));
    }

    study::DataSizes sizes_;
    std::string file_;
};

/// All questions for all kinds of data; or for a file, whose default measure is also compared by value.
class ValidationSet final : public InputSet {
  public:
    ValidationSet() : InputSet({{1, 1}, {2, 1}, {1, 64}, {3, 63}, {17, 65}, {33, 129}, {70, 1000}}) {}
    void declare(Options& options) override {
        options.value("IN", file_,
                      "Genotypes, aligned sequences or coordinates (.bed, .vcf, .fa, .npy, .csv, …); "
                      "generated ones if absent");
        isForGenerated(sizes_.declare(options, "Instances x attributes of the generated inputs"));
        isForGenerated(options.value("--seed S", seed_, "Random seed of the generated inputs"));
        options.footer(
            "Compares every backend, variant, dialect and number format with the serial reference, tile by\n"
            "tile, as well as kinships and, for a file, the values of its usual measure. Exit code 1 if\n"
            "any disagree; work that a variant does not support counts as declined.\n\n"
            "Examples:\n"
            "  glycine validate distance\n"
            "  glycine validate distance cohort.bed --backend gl,cpu\n"
            "  glycine validate distance --sizes 300x5000 --backend gl --max-texture 128 --precision counts");
    }
    void prepare(const Options& options, Progress&) override {
        if (!file_.empty()) addQuestions(readFile(options, {}));
    }
    std::vector<study::InputBytes> bytes(const std::vector<std::string>&) const override {
        std::vector<study::InputBytes> inputs;
        if (!file_.empty()) {
            const DataView data = firstSet().view();
            inputs.push_back(bytesOfAnswers({data.instances(), data.attributes()}, data.isCoordinates()));
            const double values = study::bytesOfPairs<double>(data.instances()) *
                                  static_cast<double>(checkedMeasures(firstSet().kind).size());
            inputs.front().answers += values;
            inputs.front().result = std::max(inputs.front().result, values);
            return inputs;
        }
        for (const DataSize size : sizes_)
            for (const SampleKind& kind : kSampleKinds) {
                inputs.push_back(bytesOfAnswers(size, kind.kind == DataKind::Coordinates));
                inputs.back().input = bytesOf(kind, size);
                if (kind.kind == DataKind::Genotypes)
                    inputs.back().answers += study::bytesOfPairs<double>(size.instances);
            }
        return inputs;
    }
    void makeInputs(Progress&) override {
        if (!file_.empty()) return;
        for (const DataSize size : sizes_)
            for (const SampleKind& kind : kSampleKinds) addQuestions(sampleDataSet(kind, size, seed_));
    }
    std::vector<std::string> numberFormats() const override {
        if (file_.empty()) return {};
        return numberFormatsOf(firstSet().view());
    }
    std::size_t count() const override { return questions_.size() + values_.size(); }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        if (index < questions_.size())
            return pairProblem({questions_[index].first}, questions_[index].second);
        const auto& [input, measure] = values_.at(index - questions_.size());
        return valuesProblem(input, measure);
    }
    Fields settings() const override {
        Fields settings;
        if (!file_.empty()) {
            addFile(settings, firstSet());
        } else {
            std::vector<std::string_view> kinds;
            for (const SampleKind& kind : kSampleKinds) kinds.push_back(kind.name);
            settings.emplace_back("input", fmt::format("generated: {}; {} (instances × attributes); seed {}",
                                                       fmt::join(kinds, ", "), sizes_.text(), seed_));
        }
        settings.emplace_back("tiles", "one, and thirds of the instances, on and off the diagonal");
        settings.emplace_back(
            "allowed",
            "no difference for counts; for sums the rounding of terms added up in any order, "
            "and of coordinates that become float32");
        return settings;
    }

  private:
    const DataSet& firstSet() const { return questions_.front().first->set(); }
    void addQuestions(DataSet set) {
        const auto input = std::make_shared<StudyInput>(std::move(set));
        for (PairQuestion& question : questionsAbout(input->data()))
            questions_.emplace_back(input, std::move(question));
        for (const Measure measure : checkedMeasures(input->set().kind))
            if (!file_.empty() || measure == Measure::King) values_.emplace_back(input, measure);
    }

    std::uint64_t seed_ = 1;
    std::vector<std::pair<std::shared_ptr<StudyInput>, PairQuestion>> questions_;
    std::vector<std::pair<std::shared_ptr<StudyInput>, Measure>> values_;
};

/// The question of a measure on large data. Generated genotypes and sequences are in memory as bit planes, so
/// that packing does not time the random generator.
class TimingSet final : public InputSet {
  public:
    TimingSet() : InputSet({{112, 512}, {2000, 100000}}) {}
    void declare(Options& options) override {
        isForGenerated(sizes_.declare(options, "Instances x attributes"));
        isForGenerated(options.choice("--data KIND", data_.kind,
                                      "Data to generate: genotypes, dna, protein or coordinates"));
        isForGenerated(
            options.value("--missing SHARE", data_.missing, "Share of entries that are missing, 0 to 1")
                .within(0, 1))
            .readBy("data", {"genotypes", "dna", "protein"}, "genotypes and sequences");
        isForGenerated(options.value("--seed S", data_.seed, "Random seed of the generated data"));
        options.value("--input FILE", file_, "Time this file instead (.bed, .vcf, .fa, .npy, .csv, …)");
        options.choice("--measure M", measure_, "Measure to compute, up to counts or sums")
            .byDefault("mismatch; euclidean for coordinates");
        options.choice("--precision P", precision_, "Precision of coordinates: float32 or float64")
            .byDefault("that of the data")
            .readBy("data", {"coordinates"});
        options.footer(
            "A result that fails its check gets no time, and exit code 1.\n\n"
            "Examples:\n"
            "  glycine bench distance --sizes 112x512,2000x100000\n"
            "  glycine bench distance --sizes 500x20000 --backend gl --variant scalar,packed,bits\n"
            "  glycine bench distance --data coordinates --sizes 1000x2000 --measure manhattan\n"
            "  glycine bench distance --input cohort.bed --measure allele --backend cpu,cuda -o report.json");
    }
    void prepare(const Options& options, Progress&) override {
        if (data_.kind == DataKind::Automatic)
            throw UsageError("--data: expected genotypes, dna, protein or coordinates");
        if (!(data_.missing >= 0 && data_.missing < 1))
            throw UsageError(
                fmt::format("--missing: {}; expected a share of at least 0 and below 1", data_.missing));
        if (file_.empty()) requireForData(options, data_.kind);
        InputOptions reading;
        reading.anyAlleles = !measure_ || !isForGenotypes(*measure_);
        if (!file_.empty()) input_ = share(readFile(options, reading));
        const DataSet smallest = input_ ? DataSet() : generate({1, 1});
        const DataView data = input_ ? input_->data() : smallest.view();
        if (!measure_) measure_ = defaultMeasure(data.isCoordinates());
        question_ = questionFor(data, *measure_);
        const bool isWide = data.isCoordinates() && data.coordinates.precision() == Precision::Float64;
        if (input_) requireForData(options, input_->set().kind);
        format_ = !data.isCoordinates()
                      ? "counts"
                      : toString(precision_.value_or(isWide ? Precision::Float64 : Precision::Float32));
    }
    std::vector<study::InputBytes> bytes(const std::vector<std::string>&) const override {
        const auto bytesFor = [this](std::size_t instances, double input) {
            return study::InputBytes{input, 0, bytesOfResult(instances, question_, format_ != "counts")};
        };
        if (input_) return {bytesFor(input_->data().instances(), 0)};
        std::vector<study::InputBytes> inputs;
        for (const DataSize size : sizes_) {
            RandomDataOptions data = data_;
            data.size = size;
            inputs.push_back(bytesFor(size.instances, bytesOf(data)));
        }
        return inputs;
    }
    std::vector<std::string> numberFormats() const override { return {format_}; }
    std::size_t count() const override { return input_ ? 1 : sizes_.size(); }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress& progress) override {
        if (input_) return pairProblem({input_}, question_);
        DataSet set = generate(sizes_[index]);
        if (set.discrete) set.discrete = std::make_unique<PlaneSource>(*set.discrete, progress);
        return pairProblem({share(std::move(set))}, question_);
    }
    Fields settings() const override {
        const bool isCounted = format_ == "counts";
        Fields settings;
        if (input_)
            addFile(settings, input_->set());
        else
            settings.emplace_back("input", describe(data_) + (isCounted ? ", in memory as bit planes" : ""));
        settings.emplace_back("measure", fmt::format("{}, {}: {}", toString(*measure_),
                                                     isCounted ? "counted" : "summed", question_.name));
        settings.emplace_back("total",
                              "on the clock, from the start of a run until its last tile lies in memory");
        settings.emplace_back(
            "rates",
            "N² · M comparisons in 10⁹ / s (minimum time), counted in full although each pair "
            "is computed once");
        settings.emplace_back("check", fmt::format("all pairs among up to {} rows of the first and the last "
                                                   "result counted again",
                                                   kCheckedInstances));
        return settings;
    }

  private:
    static void requireForData(const Options& options, DataKind kind) {
        options.requireReaders(
            {"data", {std::string(toString(kind))}, fmt::format("the data are {}", toString(kind))});
    }
    DataSet generate(DataSize size) {
        data_.size = size;
        return randomDataSet(data_);
    }
    std::shared_ptr<StudyInput> share(DataSet set) const {
        return std::make_shared<StudyInput>(std::move(set), kCheckedInstances, data_.seed);
    }

    RandomDataOptions data_;
    std::optional<Measure> measure_;
    std::optional<Precision> precision_;
    std::shared_ptr<StudyInput> input_;  ///< of the file
    PairQuestion question_;
    std::string format_;
};

class DistanceSubject final : public study::SubjectOf<ValidationSet, TimingSet> {
  public:
    const Algorithm& algorithm() const override { return distance::algorithm(); }
    std::string unit() const override { return "of the value"; }
    std::string rateUnit() const override { return "G/s"; }
    std::string sizeLabel() const override { return "instances × attributes"; }
    std::vector<study::SweepStep> sweep() const override {
        return study::sweepOver("--sizes",
                                {"64x4096,128x4096,256x4096", "512x4096,1024x4096", "2048x4096,4096x4096"},
                                {{"genotypes"}, {"coordinates", {"--data", "coordinates"}}});
    }
    std::vector<study::EndToEndRun> endToEndRuns(study::Extent extent) const override {
        const std::string generate = "genotypes --missing 0 -o in.bed {}";
        // The nearest one in a thousand pairs of these genotypes, and one in ten thousand of more instances.
        constexpr std::array kLargest{"1970", "8090", "50200"};
        const std::string close = fmt::format("distance in.bed -o out.tsv --molten --max-distance {}",
                                              kLargest[static_cast<std::size_t>(extent)]);
        return study::endToEndRunsOf(
            extent,
            {"--instances 500 --attributes 4096", "--instances 5000 --attributes 16384",
             "--instances 20000 --attributes 100000"},
            {{"all pairs", generate, "distance in.bed -o out.npy"}, {"close pairs", generate, close}});
    }
    std::vector<study::PublishedFigure> published() const override { return {publishedFigure()}; }
};

std::vector<DataSet> dataSets(study::Scale scale, std::uint64_t seed) {
    std::vector<DataSet> sets;
    for (std::size_t set = 0; set < (scale == study::Scale::Published ? 25 : 5); ++set)
        sets.push_back(randomDataSet({.size = {112, 512}, .uniform = true, .seed = seed + set}));
    return sets;
}

/// The data sets of the figure as one problem, because its times are means.
std::vector<std::unique_ptr<study::Problem>> makeProblems(study::Scale scale, std::uint64_t seed, Progress&) {
    StudyInputs inputs;
    for (DataSet& set : dataSets(scale, seed)) inputs.push_back(std::make_shared<StudyInput>(std::move(set)));
    PairQuestion question = questionFor(inputs.front()->data(), Measure::Mismatch);
    std::vector<std::unique_ptr<study::Problem>> problems;
    problems.push_back(pairProblem(std::move(inputs), std::move(question)));
    return problems;
}

/// Number of 32-byte segments in which a warp finds integers with this stride.
double segmentsOfWarp(std::size_t stride) {
    std::set<std::size_t> segments;
    for (std::size_t thread = 0; thread < 32; ++thread) segments.insert(thread * stride * sizeof(int) / 32);
    return static_cast<double>(segments.size());
}

}  // namespace

std::unique_ptr<study::Subject> subject() {
    return std::make_unique<DistanceSubject>();
}

/// Reads and writes of the paper's kernels, counted on the figure's data.
std::map<std::string, double> countsOfKernels(study::Scale scale, std::uint64_t seed) {
    double differing = 0, groups = 0, reads = 0, instances = 0;
    for (const DataSet& set : dataSets(scale, seed)) {
        const DataView data = set.view();
        const std::size_t n = data.instances(), attributes = data.attributes();
        instances = static_cast<double>(n);
        reads += static_cast<double>(n * n * attributes);
        Matrix<std::uint8_t> symbols(n, attributes, 0);
        data.discrete->readSymbols({0, n}, {0, attributes}, {symbols.data(), n, attributes});
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                for (std::size_t a = 0; a < attributes; ++a)
                    differing += symbols(i, a) != symbols(j, a) ? 1 : 0;
                groups += static_cast<double>((attributes + 3) / 4);
            }
    }
    return {{"bytes of char4 over those of naive", double(sizeof(char)) / double(sizeof(int))},
            {"transactions of coalesced over those of naive",
             segmentsOfWarp(1) / segmentsOfWarp(static_cast<std::size_t>(instances))},
            {"reads of char4 over those of coalesced", groups / reads},
            {"writes of register over those of char4", groups / differing}};
}

study::PublishedFigure publishedFigure() {
    study::PublishedFigure figure = study::PublishedData("allpairs").figures().front();
    figure.problems = makeProblems;
    figure.facts = countsOfKernels;
    return figure;
}

}  // namespace glycine::distance

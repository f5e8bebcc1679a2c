#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/distance/derived_results.hpp"
#include "app/distance/distance_commands.hpp"
#include "app/distance/run_options.hpp"
#include "app/distance/run_report.hpp"
#include "app/pair_command.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/recount.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/distance.hpp"
#include "engine/distance/distance_engine.hpp"
#include "engine/distance/distance_request.hpp"
#include "engine/distance/input/chosen_instances.hpp"
#include "engine/distance/input/genotype_files.hpp"
#include "engine/distance/input/input_data.hpp"
#include "engine/distance/input/joined_data.hpp"
#include "engine/distance/measures.hpp"
#include "engine/distance/random_data.hpp"
#include "engine/distance/recount_distances.hpp"
#include "engine/distance/relationship.hpp"
#include "engine/distance/results/distance_files.hpp"
#include "engine/distance/study/distance_problem.hpp"
#include "engine/io/arrays/mapped_npy.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/text/json.hpp"
#include "engine/pairs/checked_sink.hpp"
#include "engine/pairs/clusters.hpp"
#include "engine/pairs/few_instances.hpp"
#include "engine/pairs/files/cluster_files.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/study/study_commands.hpp"
#include "engine/trees/tree_engine.hpp"

namespace glycine::distance {

namespace fs = std::filesystem;

namespace {

std::string identify(const Options& declared, const RunOptions& run, const DataSet& data,
                     const Backend& backend) {
    RunIdentity identity(declared);
    identity.add("instances", fmt::format("{}", data.view().instances()));
    identity.add("attributes", fmt::format("{}", data.view().attributes()));
    identity.addContents("contents of the input", run.filesOfValues());
    identity.add("tile", fmt::format("{}", run.distance.tile));
    if (run.distance.missing == MissingRule::Weighted)
        identity.add("weights", std::string(toString(run.distance.weights)));
    // Counts are the same on all backends; sums of coordinates depend on the order of addition.
    if (isSummed(run.distance.measure)) {
        identity.add("backend", backend.name());
        identity.add("variant", run.backend.variant);
    }
    return identity.text();
}

class DistanceCommand final : public PairCommand {
  public:
    void declare(Options& options) { declareRunOptions(options, run_); }

  protected:
    PairArguments& arguments() override { return run_; }
    PairReport& report() override { return report_; }
    const Algorithm& algorithm() const override { return distance::algorithm(); }
    std::vector<StagePlacement> stages() const override {
        std::vector<StagePlacement> stages{{"packing", kStageOfInput, kStageOfInput},
                                           {"counts and sums of pairs", "", ""}};
        if (report_.hasMissing && run_.distance.missing == MissingRule::Weighted)
            stages.push_back({"missing weights", kStageInDouble, kStageInDouble});
        stages.push_back({"values", kStageInDouble, kStageInDouble});
        return stages;
    }

    bool drawsItself() const override { return run_.clusterDistance || run_.coordinates || run_.tree; }
    std::vector<fs::path> planFiles(const Options& declared) override {
        completeRunOptions(declared, run_);
        return filesToWrite(run_, planOutputs(run_));
    }
    std::vector<fs::path> inputFiles() const override { return run_.filesOfValues(); }
    void read() override {
        run_.reading.team = processTeam();
        data_ = readDataSet(run_.file, run_.reading);
        // Filters queries and references together, so that both keep the same variants.
        const VariantLimits& limits = run_.limits;
        if (!run_.keep.empty() || !run_.remove.empty() || (limits.areGiven() && !isAgainst()))
            chooseInstances(data_, run_.keep, run_.remove, isAgainst() ? VariantLimits{} : limits);
        if (isAgainst())
            run_.distance.references =
                putReferencesBefore(data_, run_.file, readDataSet(run_.against, run_.reading), run_.against);
        if (isAgainst() && limits.areGiven()) chooseInstances(data_, {}, {}, limits);
    }

    void completeForData(const Options& declared) override {
        distance::completeForData(declared, run_, data_);
        outputs_ = planOutputs(run_);
        const ResultLabels labels = this->labels();
        // References and queries may share names.
        if (!isAgainst())
            for (const Output& output : outputs_) checkLabels(output.path, output.format, labels);
        run_.distance.weights = weightsFor(run_, outputs_);
        type_ = run_.valueType.value_or(areCounts(data_.view(), run_.distance) ? pairs::ValueType::Int32
                                                                               : pairs::ValueType::Float64);
        const DataView view = data_.view();
        report_.input = data_.description;
        report_.leftOut = data_.leftOut;
        report_.notes = data_.notes;
        if (run_.distance.measure == Measure::Grm && run_.distance.founders.size() != data_.founders.size())
            report_.notes.emplace_back(
                "no founders: allele frequencies are those of all samples, as with PLINK's --nonfounders");
        report_.names = data_.names;
        report_.measure = run_.distance.measure;
        report_.missing = run_.distance.missing;
        report_.hasMissing = !view.isCoordinates() && data_.discrete->shape().hasMissing;
        report_.isCoordinates = view.isCoordinates();
        report_.references = run_.distance.references;
        report_.leastInCommon = run_.distance.leastInCommon;
    }
    Support supports(Backend& backend) override {
        return supportsDistances(backend, data_.view(), run_.distance);
    }
    double hostSeconds() const override {
        const auto instances = static_cast<double>(data_.view().instances());
        const double work = instances * instances / 2 * static_cast<double>(data_.view().attributes());
        const bool isDiscrete = !isSummed(run_.distance.measure);
        return hostSecondsFor(isDiscrete ? work * data_.view().discrete->shape().planes : work,
                              isDiscrete ? 60e9 : 1e9, run_.backend.device);
    }
    void completeForBackend(Backend& backend) override {
        if (data_.view().isCoordinates())
            run_.distance.precision = precisionOn(backend, data_.view(), run_.distance);
        const bool isGivenTile = run_.distance.tile > 0;
        run_.distance.tile = tileSide(backend, data_.view(), run_.distance);
        constexpr double kLongestText = 2e9;
        constexpr std::size_t kSmallestTile = 1024;
        const bool isChosen = !isGivenTile && backend.devicesAtWork() == 1;
        while (isChosen && run_.distance.tile > kSmallestTile && bytesOfTables(backend) > kLongestText)
            run_.distance.tile = roundUp(run_.distance.tile / 2, 8);
    }

    void prepare(Progress& progress) override {
        diagonals_ = diagonalsOf(data_.view(), run_.distance, progress);
    }
    pairs::PairFormat format() const override {
        pairs::PairLayout layout{data_.view().instances(), suitableLayout(firstFormat(), run_.files)};
        if (run_.distance.references > 0)
            layout = {layout.instances, pairs::StoreLayout::Rectangle, run_.distance.references};
        return {layout, type_, diagonal(), diagonals_};
    }
    std::size_t tile() const override { return run_.distance.tile; }
    double diagonal() const override { return diagonalValue(run_.distance.measure); }
    void requireMemory(Backend& backend, double kept, double clustering) override {
        const double computing = hostBytesForDistances(backend, data_.view(), run_.distance);
        const auto n = static_cast<double>(data_.view().instances());
        clustering += bytesForDerived(run_, data_.view().instances());
        if (run_.linkage == trees::Linkage::Average)
            kept += n * (n - 1) / 2 * (sizeof(pairs::ClosePair) + sizeof(double));
        const bool keepsTable = lists(ResultFormat::Kinship) && isForTeam();
        if ((lists(ResultFormat::Relatives) && leastOfRelatives() < 0) || (keepsTable && leastOfTable() < 0))
            kept += n * (n - 1) * sizeof(KinshipPair);
        kept += bytesOfTables(backend);
        if (selectedPairs().nearest && !run_.part)
            kept += pairs::NearestPairs::bytes(data_.view().instances(), *run_.files.nearest);
        requireHostMemory(
            fmt::format("computing distances of {}", formatCount(data_.view().instances(), "instance")),
            kept + std::max(computing, clustering));
    }
    SelectedPairs selectedPairs() const override {
        constexpr double kAll = std::numeric_limits<double>::infinity();
        if (isKinshipList(firstFormat())) return {.largest = -kAll};
        if (run_.clusterDistance)
            return {.largest = run_.linkage == trees::Linkage::Average ? kAll : *run_.clusterDistance};
        if (!run_.png.empty()) return {};
        if (run_.files.nearest && keepsNearest())
            return {.nearest = pairs::NearestRequest{*run_.files.nearest,
                                                     traitsOf(run_.distance.measure).isSimilarity}};
        return {.largest = run_.files.maxDistance};
    }
    std::string reasonAgainstParts() const override {
        return isKinshipList(firstFormat()) ? "lists of relatives need more of a pair than its "
                                              "kinship, which parts keep; expected a matrix"
                                            : "";
    }
    std::string identity(const Options& declared, const Backend& backend) const override {
        return identify(declared, run_, data_, backend);
    }
    void compute(Backend& backend, pairs::PairSink& sink, Progress& progress) override {
        computedOn_ = &backend;
        ProcessTeam* const team = teamAtWork();
        KinshipTable table;
        const bool isList = isKinshipList(firstFormat());
        if (isList) {
            run_.distance.kinships = &table;
            table.least =
                lists(ResultFormat::Relatives) ? leastOfRelatives() : std::numeric_limits<double>::infinity();
            tables_.clear();  // those of a run with a device that was wrong
            // The lead of a team writes the tables from the pairs of all.
            if (team != nullptr && lists(ResultFormat::Kinship))
                table.least = std::min(table.least, leastOfTable());
            if (team == nullptr) openKinshipTables();
            if (!tables_.empty())
                table.take = [this](const pairs::PairTile& tile, const KinshipRow& rowOf) {
                    for (KinshipTableFile& file : tables_) file.add(tile, rowOf);
                };
        }
        std::optional<pairs::CheckedSink> checked;
        if (data_.inFile != nullptr) checked.emplace(sink, [this] { data_.inFile->requireUnchanged(); });
        report_.distances =
            computeDistances(backend, data_.view(), run_.distance, checked ? *checked : sink, progress);
        run_.distance.kinships = nullptr;
        if (!isList) return;
        if (team != nullptr) table.moveToLead(*team);
        kinships_ = std::move(table.pairs);
        report_.hasRelatives = true;
        report_.relatives.clear();
        for (std::size_t degree = 0; degree < static_cast<std::size_t>(Degree::Unrelated); ++degree)
            if (table.degrees[degree] > 0)
                report_.relatives[static_cast<Degree>(degree)] = table.degrees[degree];
    }

    const pairs::RunOutcome& outcome() const override { return report_.distances; }
    std::optional<RecountReport> recount(const FoundPairs& found, Progress& progress) override {
        const RecountCost cost = costOfRecount(data_.view(), run_.distance);
        const auto again = [this, cost](Backend& reference, std::span<const std::size_t> numbers,
                                        Progress& counting,
                                        const std::function<bool(const RecountedPair&)>& take) {
            const auto countAmong = [&](const DataView& data, std::span<const std::size_t> some,
                                        const pairs::TakePair& takeOne) {
                recountByReference(reference, data, run_.distance, report_.distances, some, counting,
                                   takeOne);
            };
            // Only the sampled instances are read from a file, unless values depend on all.
            if (data_.inFile == nullptr || cost.fixed > 0) return countAmong(data_.view(), numbers, take);
            pairs::countAmongFew(numbers, data_.view().attributes() * sizeof(double), take,
                                 [&](const pairs::FewInstances& few, const pairs::TakePair& takeOne) {
                                     const DataSet read = selectInstances(data_.view(), few.rows);
                                     data_.inFile->requireUnchanged();
                                     countAmong(read.view(), few.pairs, takeOne);
                                 });
        };
        return recountPairs(found,
                            {.quantity = std::string(toString(run_.distance.measure)),
                             .time = {.each = cost.each, .fixed = cost.fixed},
                             .recountByReference = again},
                            run_.backend, progress);
    }

    double prepareSeconds() const override { return report_.distances.prepareSeconds; }
    std::vector<storage::ExpectedFile> expectedFiles() const override {
        // A genotype and the opposite one differ in two alleles.
        const double largest = areCounts(data_.view(), run_.distance)
                                   ? 2 * static_cast<double>(data_.view().attributes())
                                   : std::numeric_limits<double>::infinity();
        std::vector<storage::ExpectedFile> files;
        for (const Output& output : outputs_)
            if (auto file = expectedFile(output.path, output.format, run_.files,
                                         {data_.names, type_, run_.distance.references, largest}))
                files.push_back(std::move(*file));
        return files;
    }
    void write(const pairs::PairOutput& values, Progress& progress) override {
        const ResultLabels labels = this->labels();
        const DerivedInput derived{values.store(),    labels,  run_.picture.groups, outputs_,
                                   data_.description, footer()};
        if (run_.coordinates) return writeCoordinates(derived, *run_.coordinates, report_, progress);
        if (run_.tree) {
            Recount recount(*computedOn_, run_.backend, "round", "on the host");
            trees::TreeDevice device(*computedOn_, &recount);
            return writeTree(derived, *run_.tree, device, report_, progress);
        }
        for (const Output& output : outputs_) {
            if (values.becomes(output.path))
                io::writeNpyNames(output.path, labels.names);
            else if (run_.distance.references > 0)
                writeRectangle(output, values.store(), labels, progress);
            else if (output.format == ResultFormat::Grm)
                writeRelationships(output.path, values.store(), labels, progress);
            else
                writeResult(output.path, output.format, values.store(), labels, run_.files, progress);
        }
    }
    void draw(const pairs::PairStore& values, Progress& progress) override {
        drawResult(run_.png, values, labels(), pictureOf({}, data_.description), progress);
    }
    void writeClose(pairs::ClosePairs& close, Progress& progress) override {
        if (report_.hasRelatives) {
            report_.stages.push_back({"degrees of relatives", kStageInDouble, kStageInDouble});
            return writeKinships();
        }
        if (run_.clusterDistance) return writeClusters(close, progress);
        for (const Output& output : outputs_)
            pairs::writeMolten(
                output.path, close, data_.names, diagonal(),
                isAgainst() ? pairs::StoreLayout::Rectangle : suitableLayout(output.format, run_.files),
                moltenOptions(run_.files, run_.distance.measure), progress);
    }
    void writeNearest(const pairs::NearestPairs& nearest, Progress& progress) override {
        for (const Output& output : outputs_)
            pairs::writeNearest(output.path, nearest, data_.names,
                                moltenOptions(run_.files, run_.distance.measure), progress);
    }

  private:
    bool isAgainst() const { return !run_.against.empty(); }
    /// Whether the nearest neighbours take less room than all pairs.
    bool keepsNearest() const {
        return pairs::NearestPairs::bytes(data_.view().instances(), *run_.files.nearest) <=
               static_cast<double>(pairs::storedBytes(format().layout, type_));
    }
    /// Whether processes share the tiles.
    bool isForTeam() const {
        return processTeam() != nullptr && run_.distance.tile < data_.view().instances();
    }
    /// Format of the file whose elements the run keeps; for a picture alone, an array.
    ResultFormat firstFormat() const {
        return outputs_.empty() ? ResultFormat::Npy : outputs_.front().format;
    }
    bool lists(ResultFormat format) const {
        return std::ranges::count(outputs_, format, &Output::format) > 0;
    }
    double leastOfRelatives() const { return run_.leastKinship.value_or(kLeastKinshipOfRelatives); }
    double leastOfTable() const {
        return run_.leastKinship.value_or(-std::numeric_limits<double>::infinity());
    }
    void writeRectangle(const Output& output, const pairs::PairStore& store, const ResultLabels& labels,
                        Progress& progress) const {
        const pairs::PairFile file{store, labels.names, progress};
        const pairs::MoltenOptions molten = moltenOptions(run_.files, labels.measure);
        if (output.format == ResultFormat::Npy) {
            pairs::writeRectangleNpy(output.path, file);
        } else if (output.format != ResultFormat::Molten) {
            pairs::writeRectangle(output.path, file, output.format == ResultFormat::Csv ? ',' : '\t');
        } else if (run_.files.nearest) {
            pairs::writeNearest(output.path, file, *run_.files.nearest, molten);
        } else {
            pairs::writeMolten(output.path, file, pairs::StoreLayout::Rectangle, molten);
        }
    }
    void writeRelationships(const fs::path& path, const pairs::PairStore& store, const ResultLabels& labels,
                            Progress& progress) {
        report_.stages.push_back({"attributes in common", "", ""});
        CommonAttributes inCommon(*computedOn_, *data_.discrete);
        writeGrm(
            path, store, labels, [&](Range rows, MatrixView<float> counts) { inCommon.count(rows, counts); },
            progress);
    }
    /// Bytes of the text that waits for other tiles: that of a row of tiles, or of all pairs if several
    /// devices take tiles in another order.
    double bytesOfTables(const Backend& backend) const {
        const std::size_t n = data_.view().instances(), tile = run_.distance.tile;
        if (!lists(ResultFormat::Kinship) || tile >= n || isForTeam()) return 0;
        return KinshipTableFile::bytes(labels(), backend.devicesAtWork() > 1 ? n / 2 : tile);
    }
    void openKinshipTables() {
        const bool hasFamilies = inputFamily(run_.file).name == "plink";
        for (const Output& output : outputs_)
            if (output.format == ResultFormat::Kinship)
                tables_.emplace_back(output.path, labels(), hasFamilies, leastOfTable());
    }
    void writeKinships() {
        if (tables_.empty() && lists(ResultFormat::Kinship)) {
            openKinshipTables();
            for (KinshipTableFile& file : tables_) file.add(kinships_, data_.names.size());
        }
        for (KinshipTableFile& file : tables_) file.commit();
        std::erase_if(kinships_,
                      [this](const KinshipPair& pair) { return pair.kinship() < leastOfRelatives(); });
        for (const Output& output : outputs_) {
            if (output.format != ResultFormat::Relatives) continue;
            writeRelatives(output.path, kinships_, labels());
        }
    }
    void writeClusters(pairs::ClosePairs& close, Progress& progress) {
        const double within = *run_.clusterDistance;
        report_.clusters =
            pairs::clustersWithin(data_.names.size(), close.sorted(), within, run_.linkage, progress);
        report_.stages.push_back({"clusters", trees::kNoTreeKernels, trees::kNoTreeKernels});
        report_.clusterRule = fmt::format("within {}, {} linkage", within, toString(run_.linkage));
        for (const Output& output : outputs_)
            pairs::writeClusters(output.path,
                                 {*report_.clusters, close.sorted(), data_.names, within,
                                  fmt::format("{}: clusters {}", data_.description, report_.clusterRule),
                                  footer(), run_.picture.groups});
    }
    ResultLabels labels() const { return {data_.names, data_.familyIds, run_.distance.measure}; }

    RunOptions run_;
    RunReport report_;
    DataSet data_;
    std::vector<Output> outputs_;
    std::list<KinshipTableFile> tables_;
    std::vector<KinshipPair> kinships_;
    std::vector<double> diagonals_;  ///< for grm
    Backend* computedOn_ = nullptr;
    pairs::ValueType type_ = pairs::ValueType::Float64;
};

struct GenerateOptions {
    RandomGenotypesOptions genotypes;
    std::string output;
    bool json = false;
};

std::string describe(const RandomGenotypesOptions& options) {
    std::string text = fmt::format(
        "{} × {}, {}, seed {}", formatCount(options.instances, "instance"),
        formatCount(options.attributes, "variant"),
        options.uniform ? "0, 1, 2 with equal probability" : "Hardy-Weinberg proportions", options.seed);
    if (options.missing > 0) text += fmt::format(", {} missing", formatShare(options.missing, 1));
    return text;
}

int generate(CommandContext& context, const Options& declared, const GenerateOptions& options) {
    requireGenotypeFile(options.output);
    const std::vector<std::filesystem::path> files = genotypeFiles(options.output);
    checkOutputFiles(files, {});
    writeGenotypes(options.output, *randomGenotypes(options.genotypes), context.progress());
    context.clearProgressLine();
    printGenerated(context, options.json, "distance", declared, files, describe(options.genotypes));
    return 0;
}

}  // namespace

CommandAction declareRun(Options& options) {
    auto command = std::make_shared<DistanceCommand>();
    command->declare(options);
    return [command, &options](CommandContext& context) { return command->run(context, options); };
}

CommandAction declareGenerate(Options& options) {
    auto generated = std::make_shared<GenerateOptions>();
    RandomGenotypesOptions& genotypes = generated->genotypes;
    options.value("--instances N", genotypes.instances, "Number of instances (samples)")
        .positive()
        .required();
    options.value("--attributes M", genotypes.attributes, "Number of attributes (variants)")
        .positive()
        .required();
    options
        .value("-o,--output FILE", generated->output,
               "The file to write: .bed (with .bim and .fam), .vcf, .npy (int8, missing: -1) or .csv; - is "
               ".vcf to standard output")
        .required()
        .notASetting();
    options.value("--missing SHARE", genotypes.missing, "Share of genotypes that are missing, 0 to 1")
        .within(0, 1);
    options.flag("--uniform", genotypes.uniform,
                 "Draw 0, 1 and 2 with equal probability, as in the paper (default: Hardy-Weinberg "
                 "proportions with allele frequencies between 0.05 and 0.5)");
    options.value("--seed S", genotypes.seed, "Random seed; the same seed gives the same file");
    addJsonOption(options, generated->json);
    options.footer(
        "Each genotype depends only on the seed and its position. Files of any size are written in\n"
        "blocks.\n\n"
        "Examples:\n"
        "  glycine generate genotypes --instances 2000 --attributes 100000 -o cohort.bed\n"
        "  glycine generate genotypes --instances 112 --attributes 512 --uniform --seed 7 -o paper.npy\n"
        "  glycine generate genotypes --instances 500 --attributes 20000 --missing 0.01 -o gaps.vcf");
    return [generated, &options](CommandContext& context) { return generate(context, options, *generated); };
}

}  // namespace glycine::distance

namespace glycine {

void register_distance();
void register_distance() {
    using namespace distance;
    AlgorithmRegistry::instance().add(algorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add({"", "distance", "Algorithms", std::string(algorithm().summary()), declareRun});
    commands.add({"generate", "genotypes", "", "Generate random genotypes of any size, for distance",
                  declareGenerate});
    study::addSubject(subject());
}

}  // namespace glycine

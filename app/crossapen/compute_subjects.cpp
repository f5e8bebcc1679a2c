#include "app/crossapen/compute_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/algorithms/crossapen/epoch_values.hpp"
#include "engine/algorithms/crossapen/results/epoch_summary.hpp"
#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::crossapen {

namespace {

/// Comparisons of a tile: what the backend does in some seconds, so that a stop loses no more.
double tileComparisons(const Backend& backend) {
    if (backend.name() == "reference") return 0x1p27;
    if (backend.name() == "cuda") return 0x1p42;
    return backend.isEmulated() ? 0x1p34 : 0x1p38;
}

SubjectEntropies summarise(const SignalSet& signals, const SubjectFile& file, std::size_t index,
                           const SubjectOptions& options, ValueStore& store) {
    SubjectEntropies subject;
    subject.name = file.name;
    subject.description = signals.description;
    subject.channels = signals.channels;
    subject.epochs = signals.epochs;
    subject.skipped = signals.skipped;
    subject.unusable = unusableChannels(signals, options.entropy);
    subject.notes = signals.notes;

    const EpochShape shape = epochShape(options.entropy, signals.channels.size());
    const std::vector<Quantity> quantities = quantitiesOf(options.entropy);
    for (std::size_t q = 0; q < quantities.size(); ++q) {
        EpochSummary summary(shape.rows, shape.columns, options.keepEpochs && q == 0);
        for (std::size_t e = 0; e < signals.epochs.size(); ++e) {
            const double* values = store.values(index, {e, e + 1}).data() + q * shape.matrixValues();
            summary.add({values, shape.rows, shape.columns});
        }
        subject.quantities.push_back(summary.finish(quantities[q].name, quantities[q].label));
        subject.quantities.back().isSymmetric = isSymmetric(options.entropy);
    }
    return subject;
}

/// The epochs that the store does not have, in tiles of consecutive ones.
std::vector<Range> missingTiles(const ValueStore& store, std::size_t file, std::size_t epochs,
                                std::size_t tileEpochs) {
    std::vector<Range> tiles;
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
        if (store.has(file, epoch)) continue;
        if (!tiles.empty() && tiles.back().end == epoch && tiles.back().size() < tileEpochs)
            ++tiles.back().end;
        else
            tiles.push_back({epoch, epoch + 1});
    }
    return tiles;
}

/// The file may have been exchanged since it was inspected.
void requireShape(const SignalSet& signals, const SubjectFile& file) {
    if (signals.channels != file.shape.channels || signals.epochs.size() != file.shape.epochs.size())
        throw InputError(
            fmt::format("{}: the file has changed while the program was running", file.path.string()));
}

}  // namespace

std::size_t tileEpochs(const Backend& backend, const EntropyOptions& options, const SubjectFile& file,
                       std::size_t samples) {
    const double epoch = comparisonsPerEpoch(options, file.shape.channels.size(), samples);
    return static_cast<std::size_t>(std::clamp(tileComparisons(backend) / epoch, 1.0, 1e6));
}

std::vector<SubjectEntropies> computeSubjects(CommandContext& context, Backend& backend,
                                              const std::vector<SubjectFile>& files,
                                              const SubjectOptions& options, ValueStore& store,
                                              BatchReport& report,
                                              const std::function<void(const SubjectEntropies&)>& finished) {
    EpochEntropies entropies(backend, options.entropy);
    std::vector<SubjectEntropies> subjects;
    Progress& progress = context.progress();
    for (std::size_t f = 0; f < files.size(); ++f) {
        const SubjectFile& file = files[f];
        if (files.size() > 1)
            context.setProgressPrefix(fmt::format("{} ({} of {}): ", file.name, f + 1, files.size()));
        Stopwatch watch;
        const SignalSet signals = readSignals(file.path, options.signals, progress);
        requireShape(signals, file);
        report.readSeconds += watch.restart();

        const std::vector<Range> tiles =
            missingTiles(store, f, signals.epochs.size(),
                         tileEpochs(backend, options.entropy, file, signals.epochSamples));
        std::size_t missing = 0;
        for (const Range tile : tiles) missing += tile.size();
        report.epochs += signals.epochs.size();
        report.epochsKept += signals.epochs.size() - missing;
        const double work =
            comparisonsPerEpoch(options.entropy, signals.channels.size(), signals.epochSamples) *
            static_cast<double>(missing);
        progress.begin("entropies", work);
        for (const Range tile : tiles) {
            entropies.compute(signals, tile, store.values(f, tile), progress);
            store.enter(f, tile);
        }
        report.comparisons += work;
        subjects.push_back(summarise(signals, file, f, options, store));
        report.computeSeconds += watch.seconds();
        finished(subjects.back());
    }
    context.setProgressPrefix("");
    report.outcome = entropies.outcome();
    return subjects;
}

}  // namespace glycine::crossapen

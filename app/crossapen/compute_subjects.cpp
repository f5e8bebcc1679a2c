#include "app/crossapen/compute_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/algorithms/crossapen/results/epoch_summary.hpp"
#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::crossapen {

namespace {

/// One file's part of the store.
class FileSink final : public EntropySink {
  public:
    FileSink(ValueStore& store, std::size_t file) : store_(store), file_(file) {}
    bool has(std::size_t epoch) const override { return store_.has(file_, epoch); }
    void store(Range epochs, std::span<const double> values) override {
        std::copy(values.begin(), values.end(), store_.values(file_, epochs).begin());
        store_.enter(file_, epochs);
    }

  private:
    ValueStore& store_;
    std::size_t file_;
};

std::vector<Signals> epochsOf(const SignalSet& signals) {
    std::vector<Signals> epochs;
    for (std::size_t e = 0; e < signals.epochs.size(); ++e) epochs.push_back(signals.epoch(e));
    return epochs;
}

void addReport(EntropyReport& all, const EntropyReport& one) {
    all.backend = one.backend;
    if (all.variant.empty() || one.epochs > one.epochsResumed) all.variant = one.variant;
    all.device = one.device;
    all.epochs += one.epochs;
    all.epochsResumed += one.epochsResumed;
    all.comparisons += one.comparisons;
    all.times += one.times;
}

/// What the file's own samples say, and what came of the others on the way to the entropies.
std::vector<UnusableChannel> unusableOf(const SignalSet& signals, const EntropyOptions& options) {
    std::vector<UnusableChannel> all = signals.unusable;
    std::set<std::pair<std::size_t, std::size_t>> known;
    for (const UnusableChannel& one : all) known.emplace(one.epoch, one.channel);
    for (UnusableChannel& one : unusableChannels(epochsOf(signals), options))
        if (!known.contains({one.epoch, one.channel})) all.push_back(std::move(one));
    std::stable_sort(all.begin(), all.end(),
                     [](const UnusableChannel& a, const UnusableChannel& b) { return a.epoch < b.epoch; });
    return all;
}

SubjectEntropies summarise(const SignalSet& signals, const SubjectFile& file, std::size_t index,
                           const SubjectOptions& options, ValueStore& store) {
    SubjectEntropies subject;
    static_cast<SignalSetShape&>(subject) = signals;
    subject.name = file.name;
    subject.unusable = unusableOf(signals, options.entropy);

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

/// The file may have been exchanged since it was inspected.
void requireShape(const SignalSet& signals, const SubjectFile& file) {
    if (signals.channels != file.shape.channels || signals.epochs.size() != file.shape.epochs.size())
        throw InputError(
            fmt::format("{}: the file has changed while the program was running", file.path.string()));
}

}  // namespace

std::vector<SubjectEntropies> computeSubjects(CommandContext& context, Backend& backend,
                                              const std::vector<SubjectFile>& files,
                                              const SubjectOptions& options, ValueStore& store,
                                              BatchReport& report,
                                              const std::function<void(const SubjectEntropies&)>& finished) {
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

        FileSink sink(store, f);
        addReport(report.entropies,
                  computeEntropies(backend, epochsOf(signals), options.entropy, sink, progress));
        subjects.push_back(summarise(signals, file, f, options, store));
        report.computeSeconds += watch.seconds();
        finished(subjects.back());
    }
    context.setProgressPrefix("");
    return subjects;
}

}  // namespace glycine::crossapen

#include "app/crossapen/compute_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/crossapen/results/subject_entropies.hpp"
#include "engine/crossapen/verify_pairs.hpp"
#include "engine/pairs/pair_tile.hpp"

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

/// The reference, which compares all with all, takes this many times as long as `cpu` at least.
constexpr double kFasterThanReference = 10;

}  // namespace

void recountEntropies(Recount& recount, Backend& host, const FoundEntropies& found,
                      const EntropyOptions& options, Progress& progress) {
    if (found.epochs.empty()) return;
    const std::size_t channels = found.channels.size();
    const std::size_t samples = found.epochs[0].columns();
    const bool isSingle = isOfSingleChannels(options.measure);
    const bool hasPairs = !isSingle && channels > 1;
    const std::size_t most = std::max<std::size_t>(1, hasPairs ? found.most / 4 : found.most);
    const std::size_t places = hasPairs ? channels * (channels - 1) / 2 : channels;  // of an epoch
    const EpochShape shape = epochShape(options, channels);
    const std::vector<Quantity> quantities = quantitiesOf(options);
    const double byReference = secondsForRecount(options, samples);
    const RecountTime time{byReference / kFasterThanReference, found.seconds, byReference};
    bool isFirst = true;
    recount.countSome(found.epochs.size() * places, most, time, [&](std::size_t place) {
        const std::size_t epoch = place / places;
        std::vector<std::size_t> chosen{place % places};
        if (hasPairs) {
            const pairs::PairTile pair = pairs::pairNumber(place % places);
            chosen = {pair.rows.begin, pair.columns.begin};
        }
        const double* const values = found.valuesOf(epoch);
        const std::vector<RecountedEntropies> expected =
            countAgain(isFirst ? recount.reference() : host, found.epochs[epoch], chosen, options, progress);
        // Each of two backends may lie so far from the exact numbers.
        const double allowed = isFirst ? 1 : 2;
        isFirst = false;
        for (const RecountedEntropies& pair : expected)
            for (std::size_t q = 0; q < quantities.size(); ++q) {
                const double value =
                    values[q * shape.matrixValues() + pair.row * shape.columns + pair.column];
                recount.compare(found.variant, value, pair.values[q], allowed * pair.allowed, [&] {
                    const std::string& row = found.channels[pair.row];
                    return fmt::format(
                        "{} of {} in {}", quantities[q].label,
                        isSingle ? row : fmt::format("({}‖{})", found.channels[pair.column], row),
                        found.nameOf(epoch));
                });
            }
        return expected.size();
    });
}

namespace {

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
                                              Recount& recount, EntropyReport& report,
                                              const std::function<void(const SubjectEntropies&)>& finished) {
    std::vector<SubjectEntropies> subjects;
    const std::unique_ptr<Backend> host = createNamedBackend("cpu", {});
    Progress& progress = context.progress();
    TimeLine& times = context.times();
    for (std::size_t f = 0; f < files.size(); ++f) {
        const SubjectFile& file = files[f];
        if (files.size() > 1)
            context.setProgressPrefix(fmt::format("{} ({} of {}): ", file.name, f + 1, files.size()));
        const SignalSet signals = readSignals(file.path, options.signals, progress);
        requireShape(signals, file);
        times.end("read");

        const auto epochs = epochsOf(signals);
        FileSink sink(store, f);
        const EntropyReport found = computeEntropies(backend, epochs, options.entropy, sink, progress);
        addReport(report, found);
        const double seconds = times.divide({{"prepare", found.times.prepare},
                                             {"upload", found.times.upload},
                                             {"compute", found.times.compute},
                                             {"download", found.times.download}});
        recountEntropies(recount, *host,
                         {epochs, signals.channels,
                          [&](std::size_t e) {
                              return store.values(f, {e, e + 1}).data();
                          },
                          [&](std::size_t e) {
                              return fmt::format("epoch {} of {}", signals.epochs[e].number, file.name);
                          },
                          report.variant, seconds, std::max<std::size_t>(1, Recount::kMost / files.size())},
                         options.entropy, progress);
        times.end("recount");
        subjects.push_back(summarise(signals, file, f, options, store));
        times.end("summarize");
        finished(subjects.back());
    }
    context.setProgressPrefix("");
    return subjects;
}

}  // namespace glycine::crossapen

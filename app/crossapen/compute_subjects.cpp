#include "app/crossapen/compute_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/process_team.hpp"
#include "engine/crossapen/results/subject_entropies.hpp"
#include "engine/crossapen/verify_pairs.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine::crossapen {

namespace {

/// The values of one file within the store.
class FileSink final : public EntropySink {
  public:
    /// `journal`: locked while epochs are looked up and entered, if several devices do so; null for a single
    /// device.
    FileSink(ValueStore& store, std::size_t file, std::mutex* journal = nullptr)
        : store_(store), file_(file), journal_(journal) {}
    bool has(std::size_t epoch) const override {
        const auto lock = locked();
        return store_.has(file_, epoch);
    }
    void store(Range epochs, std::span<const double> values) override {
        std::copy(values.begin(), values.end(), store_.values(file_, epochs).begin());
        const auto lock = locked();
        store_.enter(file_, epochs);
    }

  private:
    std::unique_lock<std::mutex> locked() const {
        return journal_ != nullptr ? std::unique_lock(*journal_) : std::unique_lock<std::mutex>();
    }

    ValueStore& store_;
    std::size_t file_;
    std::mutex* journal_;
};

/// The values of one file within a part.
class PartSink final : public EntropySink {
  public:
    PartSink(storage::PartStore& store, std::size_t file) : store_(store), file_{file, file + 1} {}
    bool has(std::size_t epoch) const override { return store_.has(file_, {epoch, epoch + 1}); }
    void store(Range epochs, std::span<const double> values) override {
        const std::size_t each = values.size() / epochs.size();
        for (std::size_t e = 0; e < epochs.size(); ++e)
            store_.store(file_, {epochs.begin + e, epochs.begin + e + 1},
                         std::as_bytes(values.subspan(e * each, each)));
    }

  private:
    storage::PartStore& store_;
    Range file_;
};

std::vector<Signals> epochsOf(const SignalSet& signals) {
    std::vector<Signals> epochs;
    for (std::size_t e = 0; e < signals.epochs.size(); ++e) epochs.push_back(signals.epoch(e));
    return epochs;
}

/// Unusable channels of the file itself, and those found on the way to the entropies.
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

/// The reference, which compares all pairs of templates, takes at least this many times as long as `cpu`.
constexpr double kFasterThanReference = 10;

}  // namespace

void addReport(EntropyReport& all, const EntropyReport& one) {
    all.backend = one.backend;
    if (all.variant.empty() || one.epochs > one.epochsResumed) all.variant = one.variant;
    all.device = one.device;
    all.epochs += one.epochs;
    all.epochsResumed += one.epochsResumed;
    all.comparisons += one.comparisons;
    all.times += one.times;
}

void recountEntropies(Recount& recount, Backend& host, const FoundEntropies& found,
                      const EntropyOptions& options, Progress& progress) {
    if (found.epochs.empty()) return;
    const std::size_t channels = found.channels.size();
    const std::size_t samples = found.epochs[0].columns();
    const bool isSingle = isOfSingleChannels(options.measure);
    const bool hasPairs = !isSingle && channels > 1;
    const std::size_t most = std::max<std::size_t>(1, hasPairs ? found.most / 4 : found.most);
    const std::size_t places = hasPairs ? channels * (channels - 1) / 2 : channels;  // per epoch
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
        const std::vector<RecountedEntropies> expected = recountByReference(
            isFirst ? recount.reference() : host, found.fetch ? found.fetch(epoch) : found.epochs[epoch],
            chosen, options, progress);
        // Between two backends, the errors of both add up.
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

/// Detects a file that was replaced after it was inspected.
void requireShape(const SignalSet& signals, const SubjectFile& file) {
    if (signals.channels != file.shape.channels || signals.epochs.size() != file.shape.epochs.size())
        throw InputError(
            fmt::format("{}: the file has changed while the program was running", file.path.string()));
}

struct ComputedFile {
    SignalSet signals;
    std::vector<Signals> epochs;
    double seconds = 0;  ///< time of the computation
};

/// Reads a file and computes the epochs that the sink lacks; calls `wasRead` in between.
ComputedFile computeFile(Backend& backend, const SubjectFile& file, const SubjectOptions& options,
                         EntropySink& sink, EntropyReport& report, Progress& progress,
                         const std::function<void()>& wasRead) {
    ComputedFile computed;
    computed.signals = readSignals(file.path, options.signals, progress);
    requireShape(computed.signals, file);
    wasRead();
    computed.epochs = epochsOf(computed.signals);
    report = computeEntropies(backend, computed.epochs, options.entropy, sink, progress);
    return computed;
}

/// The same with the command's progress and times.
ComputedFile computeFile(CommandContext& context, Backend& backend, const std::vector<SubjectFile>& files,
                         std::size_t number, const SubjectOptions& options, EntropySink& sink,
                         EntropyReport& report) {
    const SubjectFile& file = files[number];
    if (files.size() > 1)
        context.setProgressPrefix(fmt::format("{} ({} of {}): ", file.name, number + 1, files.size()));
    EntropyReport found;
    ComputedFile computed = computeFile(backend, file, options, sink, found, context.progress(),
                                        [&] { context.times().end("read"); });
    addReport(report, found);
    computed.seconds = context.times().divide({{"prepare", found.times.prepare},
                                               {"upload", found.times.upload},
                                               {"compute", found.times.compute},
                                               {"download", found.times.download}});
    return computed;
}

/// Recounts some pairs of a file; `valuesOf` returns the values of an epoch.
void recountFile(Recount& recount, Backend& host, const ComputedFile& computed, const SubjectFile& file,
                 std::size_t files, const std::function<const double*(std::size_t)>& valuesOf,
                 const std::string& variant, const EntropyOptions& options, Progress& progress) {
    const SignalSet& signals = computed.signals;
    recountEntropies(
        recount, host,
        {computed.epochs, signals.channels, valuesOf,
         [&](std::size_t e) { return fmt::format("epoch {} of {}", signals.epochs[e].number, file.name); },
         variant, computed.seconds, std::max<std::size_t>(1, Recount::kMax / files)},
        options, progress);
}

}  // namespace

std::vector<SubjectEntropies> computeSubjects(CommandContext& context, Backend& backend,
                                              const std::vector<SubjectFile>& files,
                                              const SubjectOptions& options, ValueStore& store,
                                              Recount& recount, EntropyReport& report,
                                              const std::function<void(const SubjectEntropies&)>& finished) {
    std::vector<SubjectEntropies> subjects;
    const std::unique_ptr<Backend> host = createNamedBackend("cpu", {});
    TimeLine& times = context.times();
    for (std::size_t f = 0; f < files.size(); ++f) {
        const SubjectFile& file = files[f];
        FileSink sink(store, f);
        const ComputedFile computed = computeFile(context, backend, files, f, options, sink, report);
        recountFile(
            recount, *host, computed, file, files.size(),
            [&](std::size_t e) {
                return store.values(f, {e, e + 1}).data();
            },
            report.variant, options.entropy, context.progress());
        times.end("recount");
        subjects.push_back(summarise(computed.signals, file, f, options, store));
        times.end("summarize");
        finished(subjects.back());
    }
    context.setProgressPrefix("");
    return subjects;
}

std::vector<pairs::DeviceShare> computeShared(CommandContext& context, Backend& backend,
                                              const std::vector<SubjectFile>& files,
                                              const SubjectOptions& options, ValueStore& store,
                                              EntropyReport& report) {
    std::vector<std::size_t> left;  // epochs of each file that are not computed yet
    std::vector<std::size_t> open;
    for (std::size_t f = 0; f < files.size(); ++f) {
        left.push_back(0);
        for (std::size_t e = 0; e < files[f].shape.epochs.size(); ++e) left[f] += store.has(f, e) ? 0 : 1;
        if (left[f] > 0) open.push_back(f);
    }
    OpenShares shares(open, teamAtWork());
    AnswerThread answers(teamAtWork(),
                         {[&](std::size_t& file) { return shares.takeFor(file); },
                          [&](const StoredTile& tile) {
                              recordTileOfOtherProcess(tile);
                              left[tile.rows.begin] -= tile.columns.size();
                              if (left[tile.rows.begin] == 0) shares.markDone();
                          }},
                         [&] { shares.stop(); });
    std::vector<pairs::DeviceShare> found;
    if (backend.crew() != nullptr)
        for (const int device : backend.crew()->devices) found.push_back({device});
    std::mutex journal;
    std::mutex reporting;
    EntropyReport others;
    const auto takeFiles = [&](std::size_t member, Backend* own) {
        if (own != nullptr && found[member].device == DeviceCrew::kHost)
            throw UnavailableError("files are shared among devices alone");
        while (std::optional<TakenShare> taken = shares.take()) {
            const std::size_t f = taken->number();
            FileSink sink(store, f, &journal);
            if (own == nullptr) {
                computeFile(context, backend, files, f, options, sink, report);
            } else {
                EntropyReport one;
                computeFile(*own, files[f], options, sink, one, silentProgress(), [] {});
                const std::lock_guard lock(reporting);
                addReport(others, one);
            }
            if (!found.empty()) {
                ++found[member].tiles;
                found[member].pairs += static_cast<double>(files[f].shape.epochs.size());
            }
            taken->done();
        }
    };
    const std::vector<std::string> reasons = actTogether(backend.crew(), shares, answers, takeFiles);
    for (std::size_t member = 0; member < found.size(); ++member) found[member].failure = reasons[member];
    if (others.epochs > 0) addReport(report, others);
    store.addTilesOfOtherProcesses();
    return found;
}

std::vector<storage::PartTile> tilesOfPart(const storage::Part& part, const std::vector<SubjectFile>& files,
                                           const EntropyOptions& options) {
    std::vector<storage::PartTile> tiles;
    for (std::size_t f = 0; f < files.size(); ++f) {
        if (!part.has(f)) continue;
        const SignalSetShape& shape = files[f].shape;
        const std::size_t bytes = epochShape(options, shape.channels.size()).values() * sizeof(double);
        for (std::size_t e = 0; e < shape.epochs.size(); ++e)
            tiles.push_back({{f, f + 1}, {e, e + 1}, bytes});
    }
    return tiles;
}

void computePart(CommandContext& context, Backend& backend, const std::vector<SubjectFile>& files,
                 const SubjectOptions& options, storage::PartStore& store, Recount& recount,
                 EntropyReport& report) {
    const std::unique_ptr<Backend> host = createNamedBackend("cpu", {});
    std::set<std::size_t> own;
    for (const storage::PartTile& tile : store.tiles()) own.insert(tile.rows.begin);
    for (const std::size_t f : own) {
        PartSink sink(store, f);
        const ComputedFile computed = computeFile(context, backend, files, f, options, sink, report);
        recountFile(
            recount, *host, computed, files[f], files.size(),
            [&](std::size_t e) {
                return reinterpret_cast<const double*>(store.values({f, f + 1}, {e, e + 1}).data());
            },
            report.variant, options.entropy, context.progress());
        context.times().end("recount");
    }
    context.setProgressPrefix("");
}

void handOver(const Parts& parts, const std::vector<SubjectFile>& files, const EntropyOptions& options,
              ValueStore& store) {
    for (const auto& part : parts) {
        const std::vector<storage::PartTile> expected = tilesOfPart(part->head().part, files, options);
        for (std::size_t t = 0; t < expected.size(); ++t) {
            const auto& [rows, columns, bytes] = expected[t];
            if (part->tiles().size() != expected.size() || part->tiles()[t].bytes != bytes)
                throw InputError(fmt::format("{}: damaged: its tiles are others", part->path().string()));
            if (store.has(rows.begin, columns.begin)) continue;
            std::memcpy(store.values(rows.begin, columns).data(), part->values(t).data(), bytes);
            store.enter(rows.begin, columns);
        }
    }
}

}  // namespace glycine::crossapen

#include "app/crossapen/compute_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/crossapen/results/subject_entropies.hpp"
#include "engine/crossapen/verify_pairs.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "engine/pairs/tile_sharing.hpp"

namespace glycine::crossapen {

namespace {

/// The values of one file within the store.
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

/// The values of a share within the store, which several devices fill.
class ShareSink final : public EntropySink {
  public:
    /// `journal`: locked while epochs are looked up and entered.
    ShareSink(ValueStore& store, const EpochShare& share, std::mutex& journal)
        : store_(store), share_(share), journal_(journal) {}
    bool has(std::size_t epoch) const override {
        const std::lock_guard lock(journal_);
        return store_.has(share_.file, share_.epochs.begin + epoch);
    }
    void store(Range epochs, std::span<const double> values) override {
        const Range own{share_.epochs.begin + epochs.begin, share_.epochs.begin + epochs.end};
        std::copy(values.begin(), values.end(), store_.values(share_.file, own).begin());
        const std::lock_guard lock(journal_);
        store_.enter(share_.file, own);
        stored_.push_back({{share_.file, share_.file + 1}, own});
    }
    const std::vector<pairs::PairTile>& stored() const { return stored_; }

  private:
    ValueStore& store_;
    const EpochShare& share_;
    std::mutex& journal_;
    std::vector<pairs::PairTile> stored_;
};

/// The values of some epochs of a file within a part.
class PartSink final : public EntropySink {
  public:
    /// `epochs`: numbers of the epochs in the file; must outlive the object.
    PartSink(storage::PartStore& store, std::size_t file, std::span<const std::size_t> epochs)
        : store_(store), file_{file, file + 1}, epochs_(epochs) {}
    bool has(std::size_t epoch) const override { return store_.has(file_, placeOf(epoch)); }
    void store(Range epochs, std::span<const double> values) override {
        const std::size_t each = values.size() / epochs.size();
        for (std::size_t e = 0; e < epochs.size(); ++e)
            store_.store(file_, placeOf(epochs.begin + e), std::as_bytes(values.subspan(e * each, each)));
    }

  private:
    Range placeOf(std::size_t epoch) const { return {epochs_[epoch], epochs_[epoch] + 1}; }

    storage::PartStore& store_;
    Range file_;
    std::span<const std::size_t> epochs_;
};

/// The number of epochs of each file.
std::vector<std::size_t> lengthsOf(const std::vector<SubjectFile>& files) {
    std::vector<std::size_t> lengths;
    for (const SubjectFile& file : files) lengths.push_back(file.shape.epochs.size());
    return lengths;
}

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

/// The reference takes at least this many times as long as `cpu` on one thread. Both compare all pairs of
/// templates at worst, `cpu` several in a vector; of memberships, most time are exponentials.
double leastTimesAsLong(Measure measure) {
    return measure == Measure::CrossFuzzyEn || isOfPatterns(measure) ? 10 : 100;
}

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
    const double byHost = byReference / leastTimesAsLong(options.measure);
    RecountTime time{byHost, found.seconds, byReference};
    bool isFirst = Recount::hasTimeFor(time);
    if (!isFirst) {  // Epochs are too long for the reference.
        time.fixed = 0;
        recount.countBy("with cpu");
    }
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
                const auto where = [&] {
                    const std::string& row = found.channels[pair.row];
                    return fmt::format(
                        "{} of {} in {}", quantities[q].label,
                        isSingle ? row : fmt::format("({}‖{})", found.channels[pair.column], row),
                        found.nameOf(epoch));
                };
                try {
                    recount.compare(found.variant, value, pair.values[q], allowed * pair.allowed, where);
                } catch (const WrongResultError& error) {
                    throw WrongPairError(error, found.file, epoch);
                }
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

ReadFile readFile(const std::vector<SubjectFile>& files, std::size_t number, const SubjectOptions& options,
                  Progress& progress) {
    ReadFile read;
    read.signals = readSignals(files[number].path, options.signals, progress);
    requireShape(read.signals, files[number]);
    read.epochs = epochsOf(read.signals);
    read.number = number;
    return read;
}

void showFile(CommandContext& context, const std::vector<SubjectFile>& files, std::size_t number) {
    if (files.size() == 1) return;
    context.setProgressPrefix(fmt::format("{} ({} of {}): ", files[number].name, number + 1, files.size()));
}

/// Computes the epochs that the sink lacks, with the command's progress and times. Returns the time in
/// seconds.
double computeEpochs(CommandContext& context, Backend& backend, std::span<const Signals> epochs,
                     const EntropyOptions& options, EntropySink& sink, EntropyReport& report) {
    const EntropyReport found = computeEntropies(backend, epochs, options, sink, context.progress());
    addReport(report, found);
    return context.times().divide({{"prepare", found.times.prepare},
                                   {"upload", found.times.upload},
                                   {"compute", found.times.compute},
                                   {"download", found.times.download}});
}

struct ComputedFile : ReadFile {
    std::vector<std::size_t> computed{};  ///< numbers of `epochs` in the file
    double seconds = 0;                   ///< time of the computation
};

/// Reads a file, unless it is `last`, and computes the epochs that the sink lacks. `some`: only epochs with
/// these numbers, which the sink counts from 0.
ComputedFile computeFile(CommandContext& context, Backend& backend, const std::vector<SubjectFile>& files,
                         std::size_t number, const SubjectOptions& options, EntropySink& sink,
                         EntropyReport& report, ReadFile* last = nullptr,
                         const std::optional<std::vector<std::size_t>>& some = {}) {
    showFile(context, files, number);
    const bool isRead = last != nullptr && last->number == number;
    ComputedFile computed{isRead ? std::move(*last) : readFile(files, number, options, context.progress())};
    if (some) {
        computed.computed = *some;
        std::vector<Signals> epochs;
        for (const std::size_t epoch : *some) epochs.push_back(computed.epochs[epoch]);
        computed.epochs = std::move(epochs);
    } else {
        computed.computed.resize(computed.epochs.size());
        std::iota(computed.computed.begin(), computed.computed.end(), std::size_t{0});
    }
    context.times().end("read");
    computed.seconds = computeEpochs(context, backend, computed.epochs, options.entropy, sink, report);
    return computed;
}

/// Recounts some pairs of a file; `valuesOf` returns the values of a computed epoch.
void recountFile(Recount& recount, Backend& host, const ComputedFile& computed, const SubjectFile& file,
                 std::size_t files, const std::function<const double*(std::size_t)>& valuesOf,
                 const std::string& variant, const EntropyOptions& options, Progress& progress) {
    const SignalSet& signals = computed.signals;
    recountEntropies(recount, host,
                     {computed.epochs,
                      signals.channels,
                      valuesOf,
                      [&](std::size_t e) {
                          return fmt::format("epoch {} of {}", signals.epochs[computed.computed[e]].number,
                                             file.name);
                      },
                      variant,
                      computed.seconds,
                      std::max<std::size_t>(1, Recount::kMax / files),
                      {},
                      computed.number},
                     options, progress);
}

}  // namespace

std::vector<SubjectEntropies> computeSubjects(CommandContext& context, Backend& backend,
                                              const std::vector<SubjectFile>& files,
                                              const SubjectOptions& options, ValueStore& store,
                                              Recount& recount, EntropyReport& report,
                                              const std::function<void(const SubjectEntropies&)>& finished,
                                              ReadFile last) {
    std::vector<SubjectEntropies> subjects;
    const std::unique_ptr<Backend> host = createNamedBackend("cpu", {});
    TimeLine& times = context.times();
    for (std::size_t f = 0; f < files.size(); ++f) {
        const SubjectFile& file = files[f];
        FileSink sink(store, f);
        const ComputedFile computed = computeFile(context, backend, files, f, options, sink, report, &last);
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

std::vector<EpochShare> sharesOf(const std::vector<SubjectFile>& files, const std::vector<std::size_t>& left,
                                 std::size_t toCut, const EpochsAtOnce& epochsAtOnce) {
    std::vector<EpochShare> shares;
    for (std::size_t f = files.size(); f-- > 0;) {
        const SignalSetShape& shape = files[f].shape;
        std::size_t most = shape.epochs.size();
        if (toCut > 0 && left[f] > 0) {
            --toCut;
            most = std::max((most + 3) / 4, epochsAtOnce(shape.channels.size()));
        }
        for (const Range& piece : splitRange(shape.epochs.size(), std::max<std::size_t>(1, most)))
            shares.push_back({f, piece});
    }
    std::ranges::stable_sort(shares, {}, &EpochShare::file);
    return shares;
}

std::vector<EpochShare> sharesOfProcesses(const std::vector<std::size_t>& epochs, std::size_t processes) {
    constexpr std::size_t kSharesOfProcess = 4;
    const std::size_t files = epochs.size();
    const std::size_t pieces = std::max<std::size_t>(1, (kSharesOfProcess * processes + files - 1) / files);
    std::vector<EpochShare> shares;
    for (std::size_t f = 0; f < files; ++f)
        for (const Range& piece :
             splitRange(epochs[f], std::max<std::size_t>(1, (epochs[f] + pieces - 1) / pieces)))
            shares.push_back({f, piece});
    return shares;
}

namespace {

/// Values of an epoch of `channels` channels: the work of an epoch, as all files have epochs of one length.
double workOfEpoch(const EntropyOptions& options, std::size_t channels) {
    return static_cast<double>(epochShape(options, channels).matrixValues());
}

/// Work per second of `host`, found with a few channels of an epoch, so that no device has to wait for it.
double measureRate(Backend& host, Signals epoch, const EntropyOptions& options) {
    struct NoSink final : EntropySink {
        void store(Range, std::span<const double>) override {}
    };
    const auto* const processor = dynamic_cast<const HostBackend*>(&host);
    const auto threads = static_cast<std::size_t>(processor != nullptr ? processor->threads() : 1);
    // Each thread gets some pairs, or a channel.
    const auto enough =
        isOfSingleChannels(options.measure)
            ? threads
            : static_cast<std::size_t>(std::ceil(2 * std::sqrt(static_cast<double>(threads))));
    const std::size_t channels = std::min(epoch.rows(), enough);
    const Signals some[] = {epoch.block(0, 0, channels, epoch.columns())};
    NoSink none;
    const Stopwatch watch;
    computeEntropies(host, some, options, none, silentProgress());
    return workOfEpoch(options, channels) / watch.seconds();
}

/// A run whose shares several devices or processes compute.
class SharedEntropies {
  public:
    SharedEntropies(CommandContext& context, Backend& backend, const std::vector<SubjectFile>& files,
                    const SubjectOptions& options, ValueStore& store)
        : context_(context), backend_(backend), files_(files), options_(options), store_(store) {
        const std::vector<std::size_t> lengths = lengthsOf(files);
        for (std::size_t f = 0; f < files.size(); ++f) {
            left_.push_back(0);
            for (std::size_t e = 0; e < lengths[f]; ++e) left_[f] += store.has(f, e) ? 0 : 1;
        }
        if (const DeviceCrew* const crew = backend.crew())
            for (const int device : crew->devices) found_.push_back({device});
        const bool haveHost = !found_.empty() && found_.back().device == DeviceCrew::kHost;
        parts_ = team_ != nullptr ? sharesOfProcesses(lengths, team_->processes())
                                  : sharesOf(files, left_, haveHost ? 2 : 0, [&](std::size_t channels) {
                                        return tileEpochs(backend, options.entropy, channels,
                                                          options.signals.epochSamples);
                                    });
        double all = 0;
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            const auto& [file, epochs] = parts_[p];
            std::size_t missing = 0;
            for (std::size_t e = epochs.begin; e < epochs.end; ++e) missing += store.has(file, e) ? 0 : 1;
            missing_.push_back(missing);
            work_.push_back(static_cast<double>(missing) *
                            workOfEpoch(options.entropy, files[file].shape.channels.size()));
            all += work_.back();
            if (missing > 0) open_.push_back(p);
        }
        pace_.emplace(all, std::max<std::size_t>(1, found_.size()));
    }

    std::vector<pairs::DeviceShare> compute(EntropyReport& report, ReadFile* last) {
        OpenShares shares(open_, team_);
        AnswerThread answers(team_,
                             {[&](std::size_t& share) { return shares.takeFor(share); },
                              [&](const StoredTile& tile) {
                                  recordTileOfOtherProcess(tile);
                                  std::size_t& missing = missing_[shareOf(tile)];
                                  missing -= tile.columns.size();
                                  if (missing == 0) shares.markDone();
                              }},
                             [&] { shares.stop(); });
        const std::vector<std::string> reasons = actTogether(
            backend_.crew(), shares, answers,
            [&](std::size_t member, Backend* own) { takeShares(shares, member, own, report, last); },
            [&](std::size_t member) { pace_->left(member); });
        for (std::size_t member = 0; member < found_.size(); ++member)
            found_[member].failure = reasons[member];
        if (others_.epochs > 0) {
            // In this order: device and variant are those of the first member, unless it has failed at once.
            if (report.epochs > 0) addReport(others_, report);
            report = others_;
        }
        store_.addTilesOfOtherProcesses();
        return found_;
    }

  private:
    /// The share to which the epochs of a tile belong.
    std::size_t shareOf(const StoredTile& tile) const {
        const auto found = std::ranges::find_if(parts_, [&](const EpochShare& share) {
            return share.file == tile.rows.begin && tile.columns.begin >= share.epochs.begin &&
                   tile.columns.begin < share.epochs.end;
        });
        return static_cast<std::size_t>(found - parts_.begin());
    }
    /// Takes shares until none is left. `own`: the backend of a member other than the first.
    void takeShares(OpenShares& shares, std::size_t member, Backend* own, EntropyReport& report,
                    ReadFile* last) {
        const bool isHost = own != nullptr && found_[member].device == DeviceCrew::kHost;
        if (isHost) pairs::requireSharedWithHost(options_.entropy.measure != Measure::CrossFuzzyEn, team_);
        Progress& progress = own == nullptr ? context_.progress() : silentProgress();
        // The file read last, of which the next share often is, too.
        ReadFile read;
        double readSeconds = 0;
        const auto need = [&](std::size_t file) {
            if (read.number == file) return;
            const Stopwatch watch;
            read = {};
            read = readFile(files_, file, options_, progress);
            readSeconds = watch.seconds();
            if (own == nullptr) context_.times().end("read");
        };
        double rate = 0;  // of cpu
        if (isHost && pace_->paysToMeasure(member, shares)) {
            const auto& [file, epochs] = parts_[open_.back()];
            need(file);
            rate = measureRate(*own, read.epochs[epochs.begin], options_.entropy);
        }
        const auto take = [&] {
            if (!isHost) return shares.take();
            return shares.takeLast([&](std::size_t share) {
                const double seconds =
                    work_[share] / rate + (parts_[share].file == read.number ? 0 : readSeconds);
                return pace_->pays(member, work_[share], work_[share] / seconds);
            });
        };
        std::set<std::size_t> touched;
        while (std::optional<TakenShare> taken = take()) {
            const Stopwatch sinceTaken;
            const EpochShare& share = parts_[taken->number()];
            const double work = work_[taken->number()];
            if (own == nullptr) showFile(context_, files_, share.file);
            need(share.file);
            const std::span<const Signals> epochs =
                std::span(read.epochs).subspan(share.epochs.begin, share.epochs.size());
            ShareSink sink(store_, share, journal_);
            const auto count = [&] {
                if (found_.empty()) return;
                pairs::DeviceShare& mine = found_[member];
                mine.done.insert(mine.done.end(), sink.stored().begin(), sink.stored().end());
                for (const pairs::PairTile& tile : sink.stored())
                    mine.pairs += static_cast<double>(tile.columns.size());
                if (!sink.stored().empty() && touched.insert(share.file).second) ++mine.tiles;
            };
            const Stopwatch watch;
            try {
                if (own == nullptr) {
                    computeEpochs(context_, backend_, epochs, options_.entropy, sink, report);
                } else {
                    const EntropyReport one =
                        computeEntropies(*own, epochs, options_.entropy, sink, silentProgress());
                    const std::lock_guard lock(reporting_);
                    addReport(others_, one);
                }
            } catch (...) {
                count();
                throw;
            }
            count();
            rate = work / watch.seconds();
            pace_->finished(member, work, sinceTaken.seconds());
            taken->done();
            shares.wake();  // cpu may take a share now
        }
        // Of several files, the lead reads another one first.
        if (own == nullptr && last != nullptr && files_.size() == 1) *last = std::move(read);
    }

    CommandContext& context_;
    Backend& backend_;
    const std::vector<SubjectFile>& files_;
    const SubjectOptions& options_;
    ValueStore& store_;
    ProcessTeam* const team_ = teamAtWork();
    std::vector<std::size_t> left_;  ///< epochs of each file that are not computed yet
    std::vector<EpochShare> parts_;
    std::vector<std::size_t> missing_;  ///< epochs of each part that are not computed yet
    std::vector<double> work_;          ///< of each part
    std::vector<std::size_t> open_;     ///< parts that are not computed yet
    std::optional<pairs::TilePace> pace_;
    std::vector<pairs::DeviceShare> found_;
    std::mutex journal_;
    std::mutex reporting_;
    EntropyReport others_;
};

}  // namespace

double bytesOfSignals(const SubjectFile& file, std::size_t epochSamples) {
    return static_cast<double>(file.shape.channels.size()) * static_cast<double>(file.shape.epochs.size()) *
           static_cast<double>(epochSamples) * sizeof(double);
}

double bytesOfSignalsAtOnce(const std::vector<SubjectFile>& files, std::size_t epochSamples,
                            const DeviceCrew& crew) {
    std::vector<double> bytes;
    for (const SubjectFile& file : files) bytes.push_back(bytesOfSignals(file, epochSamples));
    std::ranges::sort(bytes, std::greater());
    if (crew.devices.back() == DeviceCrew::kHost)
        return bytes.front() * static_cast<double>(crew.devices.size());
    const std::size_t held = std::min(bytes.size(), crew.devices.size());
    return std::accumulate(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(held), 0.0);
}

std::vector<pairs::DeviceShare> computeShared(CommandContext& context, Backend& backend,
                                              const std::vector<SubjectFile>& files,
                                              const SubjectOptions& options, ValueStore& store,
                                              EntropyReport& report, ReadFile* last) {
    return SharedEntropies(context, backend, files, options, store).compute(report, last);
}

std::vector<storage::PartTile> tilesOfPart(const storage::Part& part, const std::vector<SubjectFile>& files,
                                           const EntropyOptions& options) {
    std::vector<storage::PartTile> tiles;
    const std::vector<EpochShare> shares = sharesOfProcesses(lengthsOf(files), part.of);
    for (std::size_t s = 0; s < shares.size(); ++s) {
        if (!part.has(s)) continue;
        const auto& [file, epochs] = shares[s];
        const std::size_t bytes =
            epochShape(options, files[file].shape.channels.size()).values() * sizeof(double);
        for (std::size_t e = epochs.begin; e < epochs.end; ++e)
            tiles.push_back({{file, file + 1}, {e, e + 1}, bytes});
    }
    return tiles;
}

void computePart(CommandContext& context, Backend& backend, const std::vector<SubjectFile>& files,
                 const SubjectOptions& options, storage::PartStore& store, Recount& recount,
                 EntropyReport& report) {
    const std::unique_ptr<Backend> host = createNamedBackend("cpu", {});
    std::map<std::size_t, std::vector<std::size_t>> own;  // epochs by file
    for (const storage::PartTile& tile : store.tiles()) own[tile.rows.begin].push_back(tile.columns.begin);
    for (const auto& [file, epochs] : own) {
        PartSink sink(store, file, epochs);
        const ComputedFile computed =
            computeFile(context, backend, files, file, options, sink, report, nullptr, epochs);
        recountFile(
            recount, *host, computed, files[file], files.size(),
            [&, f = file](std::size_t e) {
                const std::size_t epoch = computed.computed[e];
                return reinterpret_cast<const double*>(store.values({f, f + 1}, {epoch, epoch + 1}).data());
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
                throw InputError(
                    fmt::format("{}: damaged: its tiles are not those of the input files; run its command "
                                "with --part again",
                                part->path().string()));
            if (store.has(rows.begin, columns.begin)) continue;
            std::memcpy(store.values(rows.begin, columns).data(), part->values(t).data(), bytes);
            store.enter(rows.begin, columns);
        }
    }
}

}  // namespace glycine::crossapen

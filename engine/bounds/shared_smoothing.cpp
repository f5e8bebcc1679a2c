#include "engine/bounds/shared_smoothing.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "engine/bounds/number_format.hpp"
#include "engine/bounds/worker_rates.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/implementation.hpp"
#include "engine/core/names.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::bounds {

void BlockWorker::copyFrom(BlockWorker& other, const PanelBlock& block) {
    std::memcpy(room(block), other.give(block), blockBytes_);
    received(block);
}

namespace {

std::size_t ownerOf(const BlockLayout& layout, const PanelBlock& at) {
    if (at.matrix == SharedMatrix::HalfWay) return layout.ownerOf(at.k, at.block);
    return layout.ownerOf(std::min(at.k, at.block), std::max(at.k, at.block));
}

/// Sends panel blocks from their owners to the workers that need them. One object per worker.
class BlockExchange {
  public:
    BlockExchange(const BlockLayout& layout, std::size_t self) : layout_(layout), self_(self) {}
    virtual ~BlockExchange() = default;
    /// Collective: all workers call it with the same blocks.
    virtual void exchange(BlockWorker& worker, const std::vector<PanelBlock>& blocks) = 0;
    std::size_t self() const { return self_; }
    const BlockLayout& layout() const { return layout_; }
    std::size_t receivedBytes() const { return receivedBytes_; }

  protected:
    bool receives(const PanelBlock& block) const {
        return layout_.needs(self_, block.block) && ownerOf(layout_, block) != self_;
    }
    void count(std::size_t bytes) { receivedBytes_ += bytes; }

  private:
    const BlockLayout& layout_;
    std::size_t self_;
    std::size_t receivedBytes_ = 0;
};

/// The rounds of one worker, which has its blocks.
class SharedRounds {
  public:
    SharedRounds(BlockWorker& worker, BlockExchange& exchange) : worker_(worker), exchange_(exchange) {}

    void closeUpper(Progress& progress) {
        progress.begin("upper bounds", static_cast<double>(layout().atoms()));
        const auto makePanels = [this](Range rounds) {
            for (std::size_t k = rounds.begin; k < rounds.end; ++k) {
                makePanel(k);
                if (k + 1 < rounds.end) worker_.relaxAhead({k, k + 1}, {k + 1, rounds.end});
            }
        };
        forGroups(makePanels, [&](Range rounds, Range next) {
            if (next.size() > 0) worker_.relaxAhead(rounds, next);
            worker_.beginRest(rounds, next);
            makePanels(next);
            worker_.wait();
            const Range atoms{layout().range(rounds.begin).begin, layout().range(rounds.end - 1).end};
            progress.advance(static_cast<double>(atoms.size()));
        });
    }

    void raiseLower(Progress& progress) {
        progress.begin("lower bounds", static_cast<double>(2 * layout().count()));
        for (const SharedMatrix raised : {SharedMatrix::HalfWay, SharedMatrix::Lower}) {
            const auto makePanels = [this, raised](Range rounds) {
                for (std::size_t k = rounds.begin; k < rounds.end; ++k) fetchPanels(raised, k);
            };
            worker_.beginProduct(raised);
            forGroups(makePanels, [&](Range rounds, Range next) {
                worker_.beginRaise(raised, rounds);
                makePanels(next);
                worker_.wait();
                progress.advance(static_cast<double>(rounds.size()));
            });
        }
    }

  private:
    const BlockLayout& layout() const { return exchange_.layout(); }

    /// Calls work(rounds, next) for the rounds that are gone through at a time, when the first ones have
    /// panels.
    template <class MakePanels, class Work>
    void forGroups(const MakePanels& makePanels, const Work& work) {
        const std::size_t count = layout().count();
        const std::vector<Range> groups = splitRange(count, worker_.depth());
        makePanels(groups.front());
        for (std::size_t group = 0; group < groups.size(); ++group)
            work(groups[group], group + 1 < groups.size() ? groups[group + 1] : Range{count, count});
    }

    void makePanel(std::size_t k) {
        worker_.gather(SharedMatrix::Upper, k);
        worker_.closePivot(k);
        exchange_.exchange(worker_, {{SharedMatrix::Upper, k, k}});
        worker_.finishPanel(k);
        std::vector<PanelBlock> panel;
        for (std::size_t block = 0; block < layout().count(); ++block)
            if (block != k) panel.push_back({SharedMatrix::Upper, k, block});
        exchange_.exchange(worker_, panel);
        worker_.preparePanel(SharedMatrix::Upper, k);
    }

    void fetchPanels(SharedMatrix raised, std::size_t k) {
        const SharedMatrix other =
            raised == SharedMatrix::HalfWay ? SharedMatrix::Lower : SharedMatrix::HalfWay;
        std::vector<PanelBlock> panels;
        for (const SharedMatrix matrix : {SharedMatrix::Upper, other}) {
            worker_.gather(matrix, k);
            for (std::size_t block = 0; block < layout().count(); ++block)
                panels.push_back({matrix, k, block});
        }
        exchange_.exchange(worker_, panels);
        worker_.preparePanel(raised, k);
    }

    BlockWorker& worker_;
    BlockExchange& exchange_;
};

// ---- Blocks of the caller's matrices

/// A block of the input, as the worker loads it.
void cut(const AnyBoundMatrices& matrices, const BlockLayout& layout, const BlockPlace& at,
         std::byte* block) {
    std::visit(
        [&]<class T>(const BoundMatrices<T>& typed) {
            const bool isUpper = at.matrix == SharedMatrix::Upper;
            cutBlock<T>(isUpper ? typed.upper : typed.lower, layout.range(at.row), layout.range(at.column),
                        layout.side(), isUpper ? kUnknownUpper<T> : T(0), reinterpret_cast<T*>(block));
        },
        matrices);
}

/// A block of the result; `isAboveAlone`: see pasteBlock().
void paste(const std::byte* block, const BlockLayout& layout, const BlockPlace& at,
           const AnyBoundMatrices& matrices, bool isAboveAlone) {
    std::visit(
        [&]<class T>(const BoundMatrices<T>& typed) {
            pasteBlock<T>(reinterpret_cast<const T*>(block), layout.side(), layout.range(at.row),
                          layout.range(at.column),
                          at.matrix == SharedMatrix::Upper ? typed.upper : typed.lower, isAboveAlone);
        },
        matrices);
}

/// Blocks of a row that workers start with: of HalfWay those below the diagonal, where the others have none.
/// Of the result, which has no HalfWay, the same.
template <class IsWanted>
void addBlocks(const BlockLayout& layout, SharedMatrix matrix, std::size_t row, const IsWanted& isWanted,
               std::vector<BlockPlace>& places) {
    const bool isHalfWay = matrix == SharedMatrix::HalfWay;
    for (std::size_t column = isHalfWay ? 0 : row; column < (isHalfWay ? row : layout.count()); ++column)
        if (isWanted(layout.ownerOf(row, column))) places.push_back({matrix, row, column});
}

std::vector<BlockPlace> blocksOf(const BlockLayout& layout, std::size_t owner, SharedMatrix matrix) {
    std::vector<BlockPlace> places;
    for (std::size_t row = 0; row < layout.count(); ++row)
        addBlocks(
            layout, matrix, row, [owner](std::size_t of) { return of == owner; }, places);
    return places;
}

void loadFrom(const AnyBoundMatrices& matrices, BlockWorker& worker, const BlockLayout& layout,
              std::size_t self, SharedMatrix matrix, const Progress& progress) {
    const std::vector<BlockPlace> places = blocksOf(layout, self, matrix);
    worker.load(places, [&](std::size_t index, std::byte* block) {
        progress.throwIfCancelled();
        cut(matrices, layout, places[index], block);
    });
}

void storeInto(const AnyBoundMatrices& matrices, BlockWorker& worker, const BlockLayout& layout,
               std::size_t self, SharedMatrix matrix, bool isAboveAlone, const Progress& progress) {
    const std::vector<BlockPlace> places = blocksOf(layout, self, matrix);
    worker.store(places, [&](std::size_t index, const std::byte* block) {
        progress.throwIfCancelled();
        paste(block, layout, places[index], matrices, isAboveAlone);
    });
}

// ---- Workers of one process

/// Thrown in all other workers after one has failed.
struct Stopped {};

/// Barrier of the workers of one process.
class Meeting {
  public:
    explicit Meeting(std::size_t workers) : workers_(workers), present_(workers, nullptr) {}

    void enter(std::size_t self, BlockWorker& worker) {
        present_[self] = &worker;
        wait();
    }
    BlockWorker& worker(std::size_t index) const { return *present_[index]; }

    void wait() {
        std::unique_lock lock(mutex_);
        if (isStopped_) throw Stopped();
        if (++arrived_ == workers_) {
            arrived_ = 0;
            ++turn_;
            changed_.notify_all();
            return;
        }
        changed_.wait(lock, [this, turn = turn_] { return isStopped_ || turn_ != turn; });
        if (isStopped_) throw Stopped();
    }
    void stop() {
        const std::lock_guard lock(mutex_);
        isStopped_ = true;
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t workers_;
    std::size_t arrived_ = 0;
    std::size_t turn_ = 0;
    bool isStopped_ = false;
    std::vector<BlockWorker*> present_;
};

class LocalExchange final : public BlockExchange {
  public:
    LocalExchange(const BlockLayout& layout, std::size_t self, Meeting& meeting)
        : BlockExchange(layout, self), meeting_(meeting) {}

    void exchange(BlockWorker& worker, const std::vector<PanelBlock>& blocks) override {
        worker.settle();
        meet();
        for (const PanelBlock& block : blocks)
            if (receives(block)) {
                worker.copyFrom(meeting_.worker(ownerOf(layout(), block)), block);
                count(worker.blockBytes());
            }
        worker.settle();
        meet();
    }
    double waitedSeconds() const { return waitedSeconds_; }

  private:
    void meet() {
        const Stopwatch watch;
        meeting_.wait();
        waitedSeconds_ += watch.seconds();
    }

    Meeting& meeting_;
    double waitedSeconds_ = 0;
};

void addNote(SmoothingOutcome& outcome, const std::string& note) {
    if (!outcome.note.empty() && !note.empty()) outcome.note += "; ";
    outcome.note += note;
}

/// Copies between the caller's matrices and a worker that the rounds need not wait for, where the worker can
/// do both at a time.
class BackgroundCopies {
  public:
    explicit BackgroundCopies(const BlockWorker& worker) : isSupported_(worker.canCopyDuringRounds()) {}
    void begin(const std::function<void()>& work) {
        if (!isSupported_ || !startThread(thread_, work)) work();
    }
    void wait() {
        if (thread_.valid()) thread_.get();
    }

  private:
    bool isSupported_;
    std::future<void> thread_;  ///< waits for its end where it is destroyed
};

/// Runs all rounds of one device of the process. Adds their times to `share`. Returns the received bytes of
/// panels. Lower bounds are loaded during the rounds of upper bounds; upper bounds are stored during the
/// rounds of lower bounds. Times of copies are therefore times of waiting.
std::size_t workOn(SmoothingEngine& engine, const SharedTask& task, const BlockLayout& layout,
                   std::size_t self, std::uint64_t hostBytes, const AnyBoundMatrices& matrices,
                   Meeting& meeting, SmoothingOutcome& outcome, WorkerShare& share, Progress& progress) {
    SmoothingTimes& times = outcome.times;
    Stopwatch watch;
    const std::unique_ptr<BlockWorker> worker =
        engine.worker({task.format, layout, self, task.hasLower, layout.workers(), hostBytes});
    addNote(outcome, worker->note());
    const auto load = [&](SharedMatrix matrix) {
        loadFrom(matrices, *worker, layout, self, matrix, progress);
    };
    const auto store = [&](SharedMatrix matrix) {
        storeInto(matrices, *worker, layout, self, matrix, task.keepsInput, progress);
    };
    BackgroundCopies copies(*worker);
    load(SharedMatrix::Upper);
    // A matrix is written only after all have read it, which they have before the rounds that change it.
    meeting.enter(self, *worker);
    LocalExchange exchange(layout, self, meeting);
    SharedRounds rounds(*worker, exchange);
    if (task.hasLower)
        copies.begin([&load] {
            load(SharedMatrix::Lower);
            load(SharedMatrix::HalfWay);
        });
    times.upload += watch.restart();
    if (task.closesUpper) {
        rounds.closeUpper(progress);
        const double seconds = watch.restart();
        times.upper += seconds;
        share.seconds += seconds;
    }
    copies.wait();
    times.upload += watch.restart();
    if (task.closesUpper) copies.begin([&store] { store(SharedMatrix::Upper); });
    times.download += watch.restart();
    if (task.hasLower) {
        rounds.raiseLower(progress);
        const double seconds = watch.restart();
        times.lower += seconds;
        share.seconds += seconds;
    }
    share.busySeconds = share.seconds - exchange.waitedSeconds();
    copies.wait();
    if (task.hasLower) store(SharedMatrix::Lower);
    times.download += watch.restart();
    return exchange.receivedBytes();
}

/// The devices of a process, and possibly the processor, which share a run.
class CrewAtWork {
  public:
    CrewAtWork(const DeviceCrew& crew, const SharedTask& task, const AnyBoundMatrices& matrices)
        : crew_(crew),
          task_(task),
          matrices_(matrices),
          workers_(crew.devices.size()),
          withHost_(workers_ > 1 && crew.devices.back() == DeviceCrew::kHost),
          layout_(task.atoms, task.side, workers_),
          hostBytes_(availableHostMemory().bytes / workers_),
          meeting_(workers_),
          received_(workers_),
          shares_(workers_) {
        for (std::size_t worker = 0; worker < workers_; ++worker)
            shares_[worker].device = crew.devices[worker];
    }

    /// The first worker is the caller's thread. `engine`: of its device; null: it makes one.
    void smooth(SmoothingEngine* engine, SmoothingOutcome& outcome, Progress& progress) {
        std::vector<std::thread> others;
        for (std::size_t self = 1; self < workers_; ++self)
            others.emplace_back([this, self] {
                Progress silent;
                SmoothingOutcome unread;
                workOnDevice(nullptr, self, unread, silent);
            });
        workOnDevice(engine, 0, outcome, progress);
        for (std::thread& other : others) other.join();
        if (failure_) std::rethrow_exception(failure_);
        for (std::size_t worker = 0; worker < workers_; ++worker)
            shares_[worker].blocks = layout_.blocksOf(worker);
    }

    /// The worker whose device has failed, or cannot do the work, if that ended the run.
    std::optional<std::size_t> failedWorker() const { return failedWorker_; }
    const BlockLayout& layout() const { return layout_; }
    const std::vector<WorkerShare>& shares() const { return shares_; }
    std::size_t receivedBytes() const {
        return std::accumulate(received_.begin(), received_.end(), std::size_t{0});
    }

  private:
    void workOnDevice(SmoothingEngine* engine, std::size_t self, SmoothingOutcome& outcome,
                      Progress& progress) {
        const auto fail = [&](bool isOfDevice) {
            {
                const std::lock_guard lock(mutex_);
                if (!failure_) {
                    failure_ = std::current_exception();
                    if (isOfDevice) failedWorker_ = self;
                }
            }
            meeting_.stop();
        };
        try {
            if (engine != nullptr) return work(*engine, self, outcome, progress);
            const std::unique_ptr<Backend> backend = crew_.make(crew_.devices[self]);
            const std::unique_ptr<SmoothingEngine> own = createImplementation<SmoothingEngine>(*backend);
            work(*own, self, outcome, progress);
        } catch (const Stopped&) {
        } catch (const DeviceError&) {
            fail(true);
        } catch (const UnavailableError&) {
            fail(true);
        } catch (...) {
            fail(false);
        }
    }

    void work(SmoothingEngine& engine, std::size_t self, SmoothingOutcome& outcome, Progress& progress) {
        if (withHost_) divide(engine, self);
        received_[self] = workOn(engine, task_, layout_, self, hostBytes_, matrices_, meeting_, outcome,
                                 shares_[self], progress);
    }

    /// Collective: chooses the layout by the rates of the first device and of the processor.
    void divide(SmoothingEngine& engine, std::size_t self) {
        const std::size_t devices = workers_ - 1;
        const auto measure = [&](bool isHost) {
            shares_[self].rate = measureRate(engine, task_.format, task_.atoms, task_.side, isHost);
        };
        if (self == 0) measure(false);
        meeting_.wait();
        const double rate = shares_[0].rate;
        const std::string reason = reasonNotToMeasureHost(rate, devices, task_.atoms, task_.hasLower,
                                                          std::max(1U, std::thread::hardware_concurrency()));
        if (self == devices && reason.empty()) measure(true);
        meeting_.wait();
        if (self == 0) {
            const Division division =
                reason.empty() ? divideByRate(devices, rate, shares_[devices].rate, layout_.count())
                               : Division{{devices, 0, 0}, reason};
            layout_ = BlockLayout(task_.atoms, task_.side, workers_, division.corner);
            shares_[division.corner.worker].reason = division.reason;
            for (std::size_t device = 1; device < devices; ++device) shares_[device].rate = rate;
        }
        meeting_.wait();
    }

    const DeviceCrew& crew_;
    const SharedTask& task_;
    const AnyBoundMatrices& matrices_;
    std::size_t workers_;
    bool withHost_;
    BlockLayout layout_;
    std::uint64_t hostBytes_;  ///< for each, measured before any has blocks
    Meeting meeting_;
    std::vector<std::size_t> received_;  ///< bytes of panels, by workers
    std::vector<WorkerShare> shares_;
    std::exception_ptr failure_;
    std::optional<std::size_t> failedWorker_;
    std::mutex mutex_;
};

// ---- Processes

class TeamExchange final : public BlockExchange {
  public:
    TeamExchange(const BlockLayout& layout, ProcessTeam& team)
        : BlockExchange(layout, team.rank()), team_(team), groups_(layout.gridRows() * layout.gridColumns()) {
        // Workers that need block b of a panel also need block b + groups_.size().
        for (std::size_t block = 0; block < groups_.size(); ++block)
            for (std::size_t worker = 0; worker < layout.workers(); ++worker)
                if (layout.needs(worker, block)) groups_[block].push_back(worker);
    }

    void exchange(BlockWorker& worker, const std::vector<PanelBlock>& blocks) override {
        worker.settle();
        std::vector<ProcessTeam::Parcel> parcels;
        for (const PanelBlock& block : blocks) {
            if (!layout().needs(self(), block.block)) continue;
            const bool isReceived = receives(block);
            std::byte* const data =
                isReceived ? worker.room(block) : const_cast<std::byte*>(worker.give(block));
            if (isReceived) count(worker.blockBytes());
            parcels.push_back(
                {data, worker.blockBytes(), ownerOf(layout(), block), groups_[block.block % groups_.size()]});
        }
        team_.broadcast(parcels);
        for (const PanelBlock& block : blocks)
            if (receives(block)) worker.received(block);
    }

  private:
    ProcessTeam& team_;
    std::vector<std::vector<std::size_t>> groups_;
};

/// Runs one process; only the lead has `matrices`. Returns to the lead the panel bytes that each process
/// received.
std::vector<std::size_t> smoothInTeam(SmoothingEngine& engine, const SharedTask& task,
                                      const AnyBoundMatrices* matrices, ProcessTeam& team,
                                      SmoothingOutcome& outcome, Progress& progress) {
    SmoothingTimes& times = outcome.times;
    Stopwatch watch;
    const BlockLayout layout(task.atoms, task.side, team.processes());
    const std::size_t self = team.rank();
    const std::unique_ptr<BlockWorker> worker =
        engine.worker({task.format, layout, self, task.hasLower, team.processesOnHost(),
                       availableHostMemory().bytes / team.processesOnHost()});
    addNote(outcome, worker->note());
    const std::size_t bytes = worker->blockBytes();

    // The lead's own blocks stay where they are; those of others travel, a row of blocks at a time.
    std::vector<BlockPlace> places;
    std::vector<std::byte> buffer;
    std::vector<ProcessTeam::Parcel> parcels;
    const auto isTravelling = [self](std::size_t owner) {
        return owner != 0 && (self == 0 || owner == self);
    };
    const auto forTravelling = [&](SharedMatrix matrix, bool isInput, const auto& filled,
                                   const auto& arrived) {
        for (std::size_t row = 0; row < layout.count(); ++row) {
            progress.throwIfCancelled();
            places.clear();
            parcels.clear();
            addBlocks(layout, matrix, row, isTravelling, places);
            buffer.resize(std::max(buffer.size(), places.size() * bytes));
            for (std::size_t place = 0; place < places.size(); ++place) {
                const std::size_t owner = layout.ownerOf(row, places[place].column);
                parcels.push_back({buffer.data() + place * bytes, bytes, isInput ? 0 : owner, {0, owner}});
            }
            const bool isGiven = (self == 0) == isInput;
            if (isGiven) filled();
            team.broadcast(parcels);
            if (!isGiven) arrived();
        }
    };
    const auto inParallel = [&](const auto& visit) {
        parallelFor(worker->threads(), places.size(), [&](std::size_t place, std::size_t) {
            visit(places[place], buffer.data() + place * bytes);
        });
    };

    const auto load = [&](SharedMatrix matrix) {
        if (self == 0) loadFrom(*matrices, *worker, layout, self, matrix, progress);
        forTravelling(
            matrix, true,
            [&] {
                inParallel(
                    [&](const BlockPlace& at, std::byte* block) { cut(*matrices, layout, at, block); });
            },
            [&] {
                worker->load(places, [&](std::size_t place, std::byte* block) {
                    std::memcpy(block, buffer.data() + place * bytes, bytes);
                });
            });
    };
    const auto store = [&](SharedMatrix matrix) {
        if (self == 0) storeInto(*matrices, *worker, layout, self, matrix, task.keepsInput, progress);
        forTravelling(
            matrix, false,
            [&] {
                worker->store(places, [&](std::size_t place, const std::byte* block) {
                    std::memcpy(buffer.data() + place * bytes, block, bytes);
                });
            },
            [&] {
                inParallel([&](const BlockPlace& at, std::byte* block) {
                    paste(block, layout, at, *matrices, task.keepsInput);
                });
            });
    };

    load(SharedMatrix::Upper);
    if (task.hasLower)
        for (const SharedMatrix matrix : {SharedMatrix::Lower, SharedMatrix::HalfWay}) load(matrix);
    times.upload += watch.restart();
    TeamExchange exchange(layout, team);
    SharedRounds rounds(*worker, exchange);
    if (task.closesUpper) rounds.closeUpper(progress);
    times.upper += watch.restart();
    if (task.hasLower) rounds.raiseLower(progress);
    times.lower += watch.restart();
    if (task.closesUpper) store(SharedMatrix::Upper);
    if (task.hasLower) store(SharedMatrix::Lower);

    std::vector<std::size_t> received = valuesOfAll(team, exchange.receivedBytes());
    times.download += watch.restart();
    return received;
}

}  // namespace

std::optional<SharedTask> receiveTask(ProcessTeam& team) {
    std::istringstream text(team.fromLead({}));
    SharedTask task;
    std::string format;
    if (!(text >> task.backend >> format >> task.atoms >> task.side >> task.hasLower >> task.closesUpper))
        return std::nullopt;
    task.format = fromString<NumberFormat>(format);
    return task;
}

void serveSmoothing(Backend& backend, const SharedTask& task, ProcessTeam& team) {
    const std::unique_ptr<SmoothingEngine> engine = createImplementation<SmoothingEngine>(backend);
    Progress silent;
    SmoothingOutcome unread;
    smoothInTeam(*engine, task, nullptr, team, unread, silent);
}

SharedTask taskOf(const AnyBoundMatrices& matrices) {
    SharedTask task;
    task.format = numberFormat(matrices);
    task.atoms = atomCount(matrices);
    task.hasLower = std::visit([](const auto& typed) { return typed.hasLower(); }, matrices);
    return task;
}

SmoothingOutcome smoothInBlocks(SmoothingEngine& engine, const AnyBoundMatrices& matrices, Variant variant,
                                Progress& progress) {
    SharedTask task = taskOf(matrices);
    SmoothingOutcome outcome = engine.beginShared(matrices, variant, progress, task);
    const DeviceCrew alone{{0}, nullptr};
    CrewAtWork(alone, task, matrices).smooth(&engine, outcome, progress);
    return outcome;
}

SmoothingOutcome smoothTogether(Backend& backend, SmoothingEngine& engine, const AnyBoundMatrices& matrices,
                                Variant variant, bool keepsInput, Progress& progress) {
    ProcessTeam* const team = teamAtWork();
    if (team != nullptr && backend.crew() != nullptr)
        throw UsageError(
            "processes of glycine-mpi share bounds with a device each; expected --device or none, "
            "not --devices, and one backend");
    SharedTask task = taskOf(matrices);
    task.backend = backend.name();
    task.keepsInput = keepsInput;
    SmoothingOutcome outcome = engine.beginShared(matrices, variant, progress, task);
    if (!task.closesUpper && !task.hasLower) {
        if (team != nullptr) team->fromLead("alone");
        return outcome;
    }
    const auto describe = [&](const BlockLayout& layout) -> SharedWork& {
        SharedWork& shared = outcome.shared.emplace();
        shared.workers = layout.workers();
        shared.gridRows = layout.gridRows();
        shared.gridColumns = layout.gridColumns();
        shared.side = layout.side();
        const std::size_t block =
            layout.side() * layout.side() * withNumberOf(task.format, [](auto zero) { return sizeof zero; });
        const std::size_t panels = ((task.closesUpper ? 1 : 0) + (task.hasLower ? 4 : 0)) * layout.count();
        shared.expectedBytes = panels * layout.receivedBlocks() * block;
        return shared;
    };
    if (team != nullptr) {
        team->fromLead(fmt::format("{} {} {} {} {:d} {:d}", task.backend, toString(task.format), task.atoms,
                                   task.side, task.hasLower, task.closesUpper));
        const std::vector<std::size_t> received =
            smoothInTeam(engine, task, &matrices, *team, outcome, progress);
        describe(BlockLayout(task.atoms, task.side, team->processes())).exchangedBytes =
            std::accumulate(received.begin(), received.end(), std::size_t{0});
        return outcome;
    }
    DeviceCrew devices = *backend.crew();
    const SmoothingOutcome begun = outcome;
    std::vector<WorkerShare> leftOut;
    SmoothingEngine* first = &engine;
    std::exception_ptr firstFailure;
    for (;;) {
        CrewAtWork crew(devices, task, matrices);
        try {
            crew.smooth(first, outcome, progress);
        } catch (const Error& failure) {
            if (!firstFailure) firstFailure = std::current_exception();
            const std::optional<std::size_t> failed = crew.failedWorker();
            if (!failed) throw;
            if (!keepsInput || devices.devices.size() == 1) std::rethrow_exception(firstFailure);
            // The others begin again: each has panels of the one that failed.
            leftOut.push_back({});
            leftOut.back().device = devices.devices[*failed];
            leftOut.back().reason = fmt::format("left out: {}", failure.what());
            devices.devices.erase(devices.devices.begin() + static_cast<std::ptrdiff_t>(*failed));
            if (*failed == 0) first = nullptr;
            restoreInput(matrices);
            outcome = begun;
            continue;
        }
        SharedWork& shared = describe(crew.layout());
        shared.exchangedBytes = crew.receivedBytes();
        shared.shares = crew.shares();
        shared.shares.insert(shared.shares.end(), leftOut.begin(), leftOut.end());
        return outcome;
    }
}

}  // namespace glycine::bounds

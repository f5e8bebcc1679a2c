#include "engine/bounds/shared_smoothing.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

#include "engine/bounds/number_format.hpp"
#include "engine/core/error.hpp"
#include "engine/core/implementation.hpp"
#include "engine/core/names.hpp"
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

/// How panels come from the worker that made a block to those that need it. Each worker has one of its own.
class BlockExchange {
  public:
    BlockExchange(const BlockLayout& layout, std::size_t self) : layout_(layout), self_(self) {}
    virtual ~BlockExchange() = default;
    /// All workers call it with the same blocks.
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
        const std::size_t count = layout().count();
        progress.begin("upper bounds", static_cast<double>(layout().atoms()));
        makePanel(0);
        for (std::size_t k = 0; k < count; ++k) {
            if (k + 1 < count) worker_.relaxBand(k, k + 1);
            worker_.beginRest(k, k + 1);
            if (k + 1 < count) makePanel(k + 1);
            worker_.wait();
            progress.advance(static_cast<double>(layout().range(k).size()));
        }
    }

    void raiseLower(Progress& progress) {
        const std::size_t count = layout().count();
        progress.begin("lower bounds", static_cast<double>(2 * count));
        for (const SharedMatrix raised : {SharedMatrix::HalfWay, SharedMatrix::Lower}) {
            worker_.beginProduct(raised);
            fetchPanels(raised, 0);
            for (std::size_t k = 0; k < count; ++k) {
                worker_.beginRaise(raised, k);
                if (k + 1 < count) fetchPanels(raised, k + 1);
                worker_.wait();
                progress.advance(1);
            }
        }
    }

  private:
    const BlockLayout& layout() const { return exchange_.layout(); }

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

void run(BlockWorker& worker, BlockExchange& exchange, const SharedTask& task, SmoothingTimes& times,
         Progress& progress) {
    Stopwatch watch;
    SharedRounds rounds(worker, exchange);
    if (task.closesUpper) {
        rounds.closeUpper(progress);
        times.upper += watch.restart();
    }
    if (task.hasLower) {
        rounds.raiseLower(progress);
        times.lower += watch.restart();
    }
}

// ---- Blocks of the caller's matrices

/// Block (row, column) of the input, as the worker loads it.
void cut(const AnyBoundMatrices& matrices, const BlockLayout& layout, SharedMatrix matrix, std::size_t row,
         std::size_t column, std::byte* block) {
    std::visit(
        [&]<class T>(const BoundMatrices<T>& typed) {
            const bool isUpper = matrix == SharedMatrix::Upper;
            cutBlock<T>(isUpper ? typed.upper : typed.lower, layout.range(row), layout.range(column),
                        layout.side(), isUpper ? kUnknownUpper<T> : T(0), reinterpret_cast<T*>(block));
        },
        matrices);
}

void paste(const std::byte* block, const BlockLayout& layout, SharedMatrix matrix, std::size_t row,
           std::size_t column, const AnyBoundMatrices& matrices) {
    std::visit(
        [&]<class T>(const BoundMatrices<T>& typed) {
            pasteBlock<T>(reinterpret_cast<const T*>(block), layout.side(), layout.range(row),
                          layout.range(column), matrix == SharedMatrix::Upper ? typed.upper : typed.lower);
        },
        matrices);
}

/// Calls visit(matrix, row, column) for the blocks that workers start with, a row of blocks after another.
template <class Visit, class RowEnd>
void forInput(const SharedTask& task, const BlockLayout& layout, const Visit& visit, const RowEnd& rowEnd) {
    for (std::size_t row = 0; row < layout.count(); ++row) {
        for (std::size_t column = row; column < layout.count(); ++column) {
            visit(SharedMatrix::Upper, row, column);
            if (task.hasLower) visit(SharedMatrix::Lower, row, column);
        }
        for (std::size_t column = 0; task.hasLower && column < row; ++column)
            visit(SharedMatrix::HalfWay, row, column);
        rowEnd();
    }
}

/// The same for the blocks of the result.
template <class Visit, class RowEnd>
void forResult(const SharedTask& task, const BlockLayout& layout, const Visit& visit, const RowEnd& rowEnd) {
    for (std::size_t row = 0; row < layout.count(); ++row) {
        for (std::size_t column = row; column < layout.count(); ++column) {
            if (task.closesUpper) visit(SharedMatrix::Upper, row, column);
            if (task.hasLower) visit(SharedMatrix::Lower, row, column);
        }
        rowEnd();
    }
}

// ---- Workers of one process

/// Thrown in the others when one worker has failed.
struct Stopped {};

/// Where the workers of a process wait for each other.
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
        meeting_.wait();
        for (const PanelBlock& block : blocks)
            if (receives(block)) {
                worker.copyFrom(meeting_.worker(ownerOf(layout(), block)), block);
                count(worker.blockBytes());
            }
        worker.settle();
        meeting_.wait();
    }

  private:
    Meeting& meeting_;
};

/// What one device of the process does.
std::size_t workOn(Smoother& smoother, const SharedTask& task, const BlockLayout& layout, std::size_t self,
                   const AnyBoundMatrices& matrices, Meeting& meeting, SmoothingTimes& times,
                   Progress& progress) {
    Stopwatch watch;
    const std::unique_ptr<BlockWorker> worker = smoother.worker(task.format, layout, self, task.hasLower);
    std::vector<std::byte> block(worker->blockBytes());
    const auto isOwn = [&](std::size_t row, std::size_t column) {
        return layout.ownerOf(row, column) == self;
    };
    const auto rowEnd = [&] { progress.throwIfCancelled(); };
    forInput(
        task, layout,
        [&](SharedMatrix matrix, std::size_t row, std::size_t column) {
            if (!isOwn(row, column)) return;
            cut(matrices, layout, matrix, row, column, block.data());
            worker->load(matrix, row, column, block.data());
        },
        rowEnd);
    // The matrices are written only after all have read them.
    meeting.enter(self, *worker);
    times.upload += watch.restart();
    LocalExchange exchange(layout, self, meeting);
    run(*worker, exchange, task, times, progress);
    watch.restart();
    forResult(
        task, layout,
        [&](SharedMatrix matrix, std::size_t row, std::size_t column) {
            if (!isOwn(row, column)) return;
            worker->store(matrix, row, column, block.data());
            paste(block.data(), layout, matrix, row, column, matrices);
        },
        rowEnd);
    times.download += watch.restart();
    return exchange.receivedBytes();
}

std::size_t smoothByCrew(const DeviceCrew& crew, Smoother& smoother, const SharedTask& task,
                         const BlockLayout& layout, const AnyBoundMatrices& matrices, SmoothingTimes& times,
                         Progress& progress) {
    Meeting meeting(layout.workers());
    std::vector<std::size_t> received(layout.workers());
    std::exception_ptr failure;
    std::mutex mutex;
    const auto guarded = [&](const std::function<void()>& work) {
        try {
            work();
        } catch (const Stopped&) {
        } catch (...) {
            {
                const std::lock_guard lock(mutex);
                if (!failure) failure = std::current_exception();
            }
            meeting.stop();
        }
    };
    std::vector<std::thread> others;
    for (std::size_t self = 1; self < layout.workers(); ++self)
        others.emplace_back([&, self] {
            guarded([&] {
                const std::unique_ptr<Backend> backend = crew.make(crew.devices[self]);
                const std::unique_ptr<Smoother> own = createImplementation<Smoother>(*backend);
                Progress silent;
                SmoothingTimes unread;
                received[self] = workOn(*own, task, layout, self, matrices, meeting, unread, silent);
            });
        });
    guarded([&] { received[0] = workOn(smoother, task, layout, 0, matrices, meeting, times, progress); });
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
    std::size_t all = 0;
    for (const std::size_t bytes : received) all += bytes;
    return all;
}

// ---- Processes

class TeamExchange final : public BlockExchange {
  public:
    TeamExchange(const BlockLayout& layout, ProcessTeam& team)
        : BlockExchange(layout, team.rank()), team_(team), groups_(layout.gridRows() * layout.gridColumns()) {
        // Those that need block b of a panel also need block b + groups_.size().
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

/// What one process does; the lead has `matrices`. Returns what all have received as panels.
std::size_t smoothInTeam(Smoother& smoother, const SharedTask& task, const AnyBoundMatrices* matrices,
                         ProcessTeam& team, SmoothingTimes& times, Progress& progress) {
    Stopwatch watch;
    const BlockLayout layout(task.atoms, task.side, team.processes());
    const std::size_t self = team.rank();
    const std::unique_ptr<BlockWorker> worker = smoother.worker(task.format, layout, self, task.hasLower);

    // A row of blocks travels at a time.
    struct Place {
        SharedMatrix matrix;
        std::size_t row, column;
    };
    std::vector<Place> places;
    std::vector<std::vector<std::byte>> blocks;
    std::vector<ProcessTeam::Parcel> parcels;
    const auto add = [&](SharedMatrix matrix, std::size_t row, std::size_t column, std::size_t root) {
        const std::size_t owner = layout.ownerOf(row, column);
        places.push_back({matrix, row, column});
        if (blocks.size() < places.size()) blocks.emplace_back(worker->blockBytes());
        std::byte* const block = blocks[places.size() - 1].data();
        if (owner != 0) parcels.push_back({block, worker->blockBytes(), root, {0, owner}});
        return block;
    };
    const auto travel = [&](const auto& arrived) {
        progress.throwIfCancelled();
        team.broadcast(parcels);
        for (std::size_t place = 0; place < places.size(); ++place)
            arrived(places[place], blocks[place].data());
        places.clear();
        parcels.clear();
    };
    const auto isOwn = [&](std::size_t row, std::size_t column) {
        return layout.ownerOf(row, column) == self;
    };

    forInput(
        task, layout,
        [&](SharedMatrix matrix, std::size_t row, std::size_t column) {
            if (self != 0 && !isOwn(row, column)) return;
            std::byte* const block = add(matrix, row, column, 0);
            if (self == 0) cut(*matrices, layout, matrix, row, column, block);
        },
        [&] {
            travel([&](const Place& at, const std::byte* block) {
                if (isOwn(at.row, at.column)) worker->load(at.matrix, at.row, at.column, block);
            });
        });
    times.upload += watch.restart();
    TeamExchange exchange(layout, team);
    run(*worker, exchange, task, times, progress);
    watch.restart();
    forResult(
        task, layout,
        [&](SharedMatrix matrix, std::size_t row, std::size_t column) {
            if (self != 0 && !isOwn(row, column)) return;
            std::byte* const block = add(matrix, row, column, layout.ownerOf(row, column));
            if (isOwn(row, column)) worker->store(matrix, row, column, block);
        },
        [&] {
            travel([&](const Place& at, const std::byte* block) {
                if (self == 0) paste(block, layout, at.matrix, at.row, at.column, *matrices);
            });
        });

    std::vector<std::size_t> received(layout.workers());
    received[self] = exchange.receivedBytes();
    for (std::size_t worker0 = 1; worker0 < layout.workers(); ++worker0)
        if (self == 0 || self == worker0)
            parcels.push_back({reinterpret_cast<std::byte*>(&received[worker0]),
                               sizeof(std::size_t),
                               worker0,
                               {0, worker0}});
    team.broadcast(parcels);
    times.download += watch.restart();
    std::size_t all = 0;
    for (const std::size_t bytes : received) all += bytes;
    return all;
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
    const std::unique_ptr<Smoother> smoother = createImplementation<Smoother>(backend);
    Progress silent;
    SmoothingTimes unread;
    smoothInTeam(*smoother, task, nullptr, team, unread, silent);
}

SmootherOutcome smoothTogether(Backend& backend, Smoother& smoother, const AnyBoundMatrices& matrices,
                               Variant variant, Progress& progress) {
    ProcessTeam* const team = teamAtWork();
    if (team != nullptr && backend.crew() != nullptr)
        throw UsageError(
            "processes of glycine-mpi share bounds with a device each; expected --device or none, "
            "not --devices");
    SharedTask task{std::string(backend.name()),
                    numberFormat(matrices),
                    atomCount(matrices),
                    0,
                    std::visit([](const auto& typed) { return typed.hasLower(); }, matrices),
                    true};
    SmootherOutcome outcome = smoother.beginShared(matrices, variant, progress, task);
    if (!task.closesUpper && !task.hasLower) {
        if (team != nullptr) team->fromLead("alone");
        return outcome;
    }
    const std::size_t workers = team != nullptr ? team->processes() : backend.devicesAtWork();
    const BlockLayout layout(task.atoms, task.side, workers);
    SharedWork& shared = outcome.shared.emplace();
    if (team != nullptr) {
        team->fromLead(fmt::format("{} {} {} {} {:d} {:d}", task.backend, toString(task.format), task.atoms,
                                   task.side, task.hasLower, task.closesUpper));
        shared.exchangedBytes = smoothInTeam(smoother, task, &matrices, *team, outcome.times, progress);
    } else {
        shared.exchangedBytes =
            smoothByCrew(*backend.crew(), smoother, task, layout, matrices, outcome.times, progress);
    }
    shared.workers = workers;
    shared.gridRows = layout.gridRows();
    shared.gridColumns = layout.gridColumns();
    shared.side = layout.side();
    const std::size_t padded = layout.count() * layout.side();
    const std::size_t bytes =
        withNumberOf(task.format, [](auto zero) { return sizeof zero; }) * padded * padded;
    shared.expectedBytes =
        ((task.closesUpper ? 1 : 0) + (task.hasLower ? 4 : 0)) * bytes * layout.receivers();
    return outcome;
}

}  // namespace glycine::bounds

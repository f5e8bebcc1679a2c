#include "engine/core/process_team.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <utility>

#include <fmt/ranges.h>

#include "engine/core/cancellation.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/stage_recount.hpp"

namespace glycine {

namespace {
ProcessTeam* presentTeam = nullptr;
bool isPresentAtWork = false;
std::function<void(const StoredTile&)> storeTile;
}  // namespace

ProcessTeam* processTeam() {
    return presentTeam;
}
void setProcessTeam(ProcessTeam* team) {
    presentTeam = team;
}
ProcessTeam* teamAtWork() {
    return isPresentAtWork ? presentTeam : nullptr;
}

namespace {

Range partOf(std::size_t rank, std::size_t processes, std::size_t items) {
    return {items * rank / processes, items * (rank + 1) / processes};
}

}  // namespace

Range ownPart(const ProcessTeam& team, std::size_t items) {
    return partOf(team.rank(), team.processes(), items);
}

void completeParts(ProcessTeam& team, std::span<std::byte> array, std::size_t items) {
    if (items == 0) return;
    const std::size_t each = array.size() / items, processes = team.processes();
    std::vector<std::size_t> all(processes);
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<ProcessTeam::Parcel> parcels;
    for (std::size_t root = 0; root < processes; ++root) {
        const Range part = partOf(root, processes, items);
        if (part.size() > 0)
            parcels.push_back({array.data() + part.begin * each, part.size() * each, root, all});
    }
    team.broadcast(parcels);
}

void sendToLead(ProcessTeam& team, const std::vector<std::size_t>& bytes,
                const std::vector<std::byte*>& places) {
    std::vector<ProcessTeam::Parcel> parcels;
    for (std::size_t rank = 1; rank < bytes.size(); ++rank)
        if (bytes[rank] > 0 && (team.leads() || team.rank() == rank))
            parcels.push_back({places[rank], bytes[rank], rank, {0, rank}});
    team.broadcast(parcels);
}

bool isTrueOfAny(ProcessTeam& team, bool isTrue) {
    const std::vector<char> ofAll = valuesOfAll(team, static_cast<char>(isTrue));
    return std::ranges::find(ofAll, 1) != ofAll.end();
}

TeamAtWork::TeamAtWork() {
    isPresentAtWork = true;
}
TeamAtWork::~TeamAtWork() {
    isPresentAtWork = false;
}

OpenShares::OpenShares(const std::vector<std::size_t>& open, ProcessTeam* team)
    : lead_(team != nullptr && !team->leads() ? team : nullptr) {
    if (lead_ == nullptr) open_.assign(open.begin(), open.end());
}

std::optional<TakenShare> OpenShares::take() {
    std::unique_lock lock(mutex_);
    if (lead_ != nullptr && open_.empty()) {
        lock.unlock();
        const std::optional<std::size_t> number = lead_->take();
        if (!number) return std::nullopt;
        lock.lock();
        ++atWork_;
        return TakenShare(*this, *number);
    }
    waitFor(lock, [this] { return isStopped_ || !open_.empty() || atWork_ == 0; });
    if (isStopped_ || open_.empty()) return std::nullopt;
    return TakenShare(*this, takeOne());
}

std::optional<TakenShare> OpenShares::takeLast(const std::function<bool(std::size_t number)>& wants) {
    std::unique_lock lock(mutex_);
    waitFor(lock, [&] { return isFinished() || (!open_.empty() && wants(open_.back())); });
    if (isFinished()) return std::nullopt;
    ++atWork_;
    const std::size_t number = open_.back();
    open_.pop_back();
    return TakenShare(*this, number);
}

bool OpenShares::waitUntil(const std::function<bool()>& isReady) {
    std::unique_lock lock(mutex_);
    waitFor(lock, [&] { return isFinished() || isReady(); });
    return !isFinished();
}

void OpenShares::waitFor(std::unique_lock<std::mutex>& lock, const std::function<bool()>& isReady) {
    // The share of another process may take long.
    while (!changed_.wait_for(lock, std::chrono::milliseconds(100), isReady)) throwIfCancellationRequested();
}

void OpenShares::wake() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
}

ProcessTeam::Next OpenShares::takeFor(std::size_t& number) {
    const std::lock_guard lock(mutex_);
    if (isFinished()) return ProcessTeam::Next::End;
    if (open_.empty()) return ProcessTeam::Next::Wait;
    number = takeOne();
    return ProcessTeam::Next::Share;
}

void OpenShares::stop() {
    const std::lock_guard lock(mutex_);
    isStopped_ = true;
    changed_.notify_all();
}

bool OpenShares::isComplete() {
    const std::lock_guard lock(mutex_);
    return open_.empty() && atWork_ == 0;
}

std::size_t OpenShares::takeOne() {
    ++atWork_;
    const std::size_t number = open_.front();
    open_.pop_front();
    return number;
}

void OpenShares::end(std::optional<std::size_t> unfinished) {
    const std::lock_guard lock(mutex_);
    --atWork_;
    if (unfinished) open_.push_front(*unfinished);
    changed_.notify_all();
}

void OpenShares::addLast(std::span<const std::size_t> numbers) {
    const std::lock_guard lock(mutex_);
    open_.insert(open_.end(), numbers.begin(), numbers.end());
    changed_.notify_all();
}

void TakenShare::replaceBy(const std::vector<std::size_t>& numbers) {
    number_ = numbers.front();
    from_->addLast(std::span(numbers).subspan(1));
}

std::vector<std::size_t> largestFirst(std::vector<std::size_t> open, const std::vector<double>& work) {
    std::stable_sort(open.begin(), open.end(),
                     [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });
    return open;
}

SimulatedRun simulateShares(const std::vector<double>& work, const std::vector<double>& speeds) {
    std::vector<std::size_t> all(work.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    OpenShares shares(largestFirst(std::move(all), work), nullptr);
    using Free = std::pair<double, std::size_t>;  // time and device
    std::priority_queue<Free, std::vector<Free>, std::greater<>> devices;
    for (std::size_t d = 0; d < speeds.size(); ++d) devices.emplace(0, d);
    SimulatedRun run{.devices = std::vector<std::size_t>(work.size())};
    for (std::size_t share = 0; shares.takeFor(share) == ProcessTeam::Next::Share;) {
        const auto [now, device] = devices.top();
        devices.pop();
        const double end = now + work[share] / speeds[device];
        run.seconds = std::max(run.seconds, end);
        run.devices[share] = device;
        devices.emplace(end, device);
    }
    const double done = std::accumulate(work.begin(), work.end(), 0.0);
    const double possible = std::accumulate(speeds.begin(), speeds.end(), 0.0) * run.seconds;
    run.efficiency = possible > 0 ? done / possible : 1;
    return run;
}

AnswerThread::AnswerThread(ProcessTeam* team, ProcessTeam::LeadCallbacks answers,
                           std::function<void()> failed) {
    if (team == nullptr || !team->leads() || team->processes() == 1) return;
    thread_ = std::thread([this, team, answers = std::move(answers), failed = std::move(failed)] {
        try {
            team->answer(answers);
        } catch (...) {
            failure_ = std::current_exception();
            failed();
        }
    });
}

AnswerThread::~AnswerThread() {
    if (thread_.joinable()) thread_.join();
}

void AnswerThread::join() {
    if (thread_.joinable()) thread_.join();
    if (failure_) std::rethrow_exception(failure_);
}

std::vector<std::string> actTogether(const DeviceCrew* crew, OpenShares& open, AnswerThread& answers,
                                     const std::function<void(std::size_t member, Backend* own)>& act,
                                     const std::function<void(std::size_t member)>& isLeft) {
    const std::size_t members = crew != nullptr ? crew->devices.size() : 1;
    std::vector<std::string> reasons(members);
    std::vector<std::exception_ptr> failures(members);
    const auto guarded = [&](std::size_t member, const auto& actOfMember) {
        const auto dropMember = [&](const Error& error) {
            const auto* const wrong = dynamic_cast<const WrongResultError*>(&error);
            reasons[member] = wrong != nullptr ? wrong->finding() : error.what();
            failures[member] = std::current_exception();
            if (isLeft) isLeft(member);
            open.wake();
        };
        try {
            actOfMember();
        } catch (const DeviceError& error) {
            dropMember(error);
        } catch (const UnavailableError& error) {
            dropMember(error);
        } catch (...) {
            failures[member] = std::current_exception();
            open.stop();
        }
    };
    const auto isDropped = [&](std::size_t member) {
        if (crew == nullptr || !crew->dropped.contains(member)) return false;
        reasons[member] = crew->dropped.at(member);
        if (isLeft) isLeft(member);
        return true;
    };
    std::vector<std::thread> threads;
    for (std::size_t member = 1; member < members; ++member) {
        if (isDropped(member)) continue;
        threads.emplace_back([&, member] {
            guarded(member, [&] {
                const std::unique_ptr<Backend> own = crew->make(crew->devices[member]);
                const ThreadsOf hostThreads(*own);
                act(member, own.get());
            });
        });
    }
    if (!isDropped(0)) guarded(0, [&] { act(0, nullptr); });
    for (std::thread& thread : threads) thread.join();
    answers.join();
    for (std::size_t member = 0; member < members; ++member)
        if (failures[member] && reasons[member].empty()) std::rethrow_exception(failures[member]);
    if (open.isComplete()) return reasons;
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
    throw DeviceError(fmt::format("no device is left: {}", fmt::join(reasons, "; ")));
}

void setTileRecorder(std::function<void(const StoredTile&)> store) {
    storeTile = std::move(store);
}
void recordTileOfOtherProcess(const StoredTile& tile) {
    if (!storeTile) throw std::logic_error("a tile was stored elsewhere, but no store is open");
    storeTile(tile);
}

}  // namespace glycine

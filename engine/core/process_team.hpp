#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/tiling.hpp"

/// Processes that compute one result together, started by `glycine-mpi`. The lead opens the working file next
/// to the output, hands out shares of the work, enters finished tiles in the journal and writes the outputs.
/// The others compute shares and write the values into the same file.
namespace glycine {

/// A tile that another process has written into the working file, with the checksum of its bytes.
struct StoredTile {
    Range rows;
    Range columns;
    std::uint64_t checksum = 0;
};

class ProcessTeam {
  public:
    enum class Next { Share, Wait, End };
    /// Callbacks of the lead, run on a thread of their own.
    struct LeadCallbacks {
        /// Decides what a process does next; sets `number` for Next::Share.
        std::function<Next(std::size_t& number)> next;
        /// Called when another process has stored a tile.
        std::function<void(const StoredTile&)> stored;
    };

    virtual ~ProcessTeam() = default;
    /// Bytes that one process sends to others.
    struct Parcel {
        std::byte* data;
        std::size_t bytes;
        std::size_t root;                  ///< sender
        std::vector<std::size_t> members;  ///< participants, ascending; they include the root
    };

    /// 0: the lead.
    virtual std::size_t rank() const = 0;
    bool leads() const { return rank() == 0; }
    virtual std::size_t processes() const = 0;
    virtual std::size_t processesOnHost() const = 0;
    /// This process's number among those on its host.
    virtual std::size_t placeOnHost() const = 0;
    /// Memory that the processes of this host share, at different addresses, first filled with zeros. The
    /// system frees it with the last process that uses it. All processes of a host must call it with the same
    /// number of bytes, each on the thread that makes its other collective calls. Null if the host has none.
    virtual std::shared_ptr<std::byte> memoryOfHost(std::size_t /*bytes*/) { return nullptr; }
    /// Returns the lead's text on every process. All processes must call it.
    virtual std::string fromLead(const std::string& text) = 0;
    /// Returns when all parcels have arrived. Members that share several parcels must list them in the same
    /// order; other processes do not list them.
    virtual void broadcast(const std::vector<Parcel>& parcels) = 0;
    /// Not for the lead: waits for the number of the next share; nothing if none is left. Throws
    /// CancelledError if the user stops the run.
    virtual std::optional<std::size_t> take() = 0;
    /// Not for the lead: reports a tile that is in the working file. Any thread may call it.
    virtual void reportStored(const StoredTile& tile) = 0;
    /// Lead only: answers until all others have learned that no share is left.
    virtual void answer(const LeadCallbacks& answers) = 0;
};

/// The consecutive items, of `items` in an array that the team shares, that this process computes. All
/// processes have about equally many.
Range ownPart(const ProcessTeam& team, std::size_t items);
/// Gives every process the whole array: `items` items of equal size, of which each process has filled its
/// ownPart(). All processes must call it, each on the thread that makes its other collective calls.
void completeParts(ProcessTeam& team, std::span<std::byte> array, std::size_t items);
/// Moves the items of all processes to the lead, after its own and in the order of ranks. All processes must
/// call it, like completeParts().
template <class T>
requires std::is_trivially_copyable_v<T>
void moveToLead(ProcessTeam& team, std::vector<T>& items);
/// Whether any process passed true. All processes must call it, like completeParts().
bool isTrueOfAny(ProcessTeam& team, bool isTrue);

/// The value that each process passed, by rank. All processes must call it, like completeParts().
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> valuesOfAll(ProcessTeam& team, const T& value) {
    std::vector<T> values(team.processes(), value);
    completeParts(team, std::as_writable_bytes(std::span(values)), values.size());
    return values;
}
/// Sends so many bytes of each other process to the lead. `places`: one for each process, where the lead puts
/// them; the others send from theirs. All processes must call it, like completeParts().
void sendToLead(ProcessTeam& team, const std::vector<std::size_t>& bytes,
                const std::vector<std::byte*>& places);

template <class T>
requires std::is_trivially_copyable_v<T>
void moveToLead(ProcessTeam& team, std::vector<T>& items) {
    std::vector<std::size_t> sizes = valuesOfAll(team, items.size());
    std::vector<std::byte*> places(sizes.size(), reinterpret_cast<std::byte*>(items.data()));
    if (team.leads()) {
        // Without room for more, unlike a vector that grows by itself.
        items.reserve(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
        for (std::size_t rank = 1; rank < sizes.size(); ++rank) {
            places[rank] = reinterpret_cast<std::byte*>(items.data() + items.size());
            items.resize(items.size() + sizes[rank]);
        }
    }
    for (std::size_t& size : sizes) size *= sizeof(T);
    sendToLead(team, sizes, places);
    if (!team.leads()) items = {};
}

/// The team of this process; null without one.
ProcessTeam* processTeam();
void setProcessTeam(ProcessTeam* team);
/// The team while a TeamAtWork lives, else null.
ProcessTeam* teamAtWork();

/// During its lifetime, the team shares the working file and the loop over its tiles.
class TeamAtWork {
  public:
    TeamAtWork();
    TeamAtWork(const TeamAtWork&) = delete;
    TeamAtWork& operator=(const TeamAtWork&) = delete;
    ~TeamAtWork();
};

class TakenShare;

/// Numbers of the shares of work still to be done, for the threads of this process and for other processes.
class OpenShares {
  public:
    /// `team` is null or shares the work. If this process does not lead, the lead hands out the shares and
    /// `open` is ignored.
    OpenShares(const std::vector<std::size_t>& open, ProcessTeam* team);
    /// The next share. Waits while another thread or process may still give one back. Nothing at the end and
    /// after stop().
    std::optional<TakenShare> take();
    /// The last share, once `wants` accepts it. `wants` is called again after each share that ends or is
    /// given back, and after wake(). Nothing if another process leads.
    std::optional<TakenShare> takeLast(const std::function<bool(std::size_t number)>& wants);
    /// Waits until `isReady`, which is called as `wants` of takeLast. Returns false if all shares are done
    /// before.
    bool waitUntil(const std::function<bool()>& isReady);
    void wake();
    /// Takes a share for another process, without waiting: says what that process does next, and sets
    /// `number` for Next::Share.
    ProcessTeam::Next takeFor(std::size_t& number);
    /// Records that another process has done a share.
    void markDone() { end({}); }
    void stop();
    /// Whether every share is done.
    bool isComplete();

  private:
    friend class TakenShare;
    /// With the mutex locked.
    bool isFinished() const { return isStopped_ || (open_.empty() && atWork_ == 0); }
    std::size_t takeOne();
    void waitFor(std::unique_lock<std::mutex>& lock, const std::function<bool()>& isReady);
    void end(std::optional<std::size_t> unfinished);
    void addLast(std::span<const std::size_t> numbers);

    ProcessTeam* lead_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::size_t> open_;
    std::size_t atWork_ = 0;
    bool isStopped_ = false;
};

/// A share that a worker has taken. If destroyed before done(), it goes back to the open shares: no exception
/// can lose one.
class TakenShare {
  public:
    TakenShare(OpenShares& from, std::size_t number) : from_(&from), number_(number) {}
    TakenShare(TakenShare&& other) noexcept
        : from_(std::exchange(other.from_, nullptr)), number_(other.number_) {}
    TakenShare& operator=(TakenShare&&) = delete;
    ~TakenShare() {
        if (from_ != nullptr) from_->end(number_);
    }
    std::size_t number() const { return number_; }
    /// Puts several in the place of this share: keeps the first, and gives back the others, to be taken last.
    void replaceBy(const std::vector<std::size_t>& numbers);
    void done() { std::exchange(from_, nullptr)->end({}); }

  private:
    OpenShares* from_;
    std::size_t number_;
};

/// The numbers in the order in which several workers take them: most work first, so that the last shares,
/// which everyone waits for, are short.
std::vector<std::size_t> largestFirst(std::vector<std::size_t> open, const std::vector<double>& work);

/// Simulated result of devices sharing work.
struct SimulatedRun {
    double seconds = 0;                  ///< until the last share is done
    std::vector<std::size_t> devices{};  ///< the device of each share
    double efficiency = 0;               ///< work done over the work that all devices could do in this time
};
/// Hands out shares of this much work, as OpenShares does, to devices of these speeds (work per second).
SimulatedRun simulateShares(const std::vector<double>& work, const std::vector<double>& speeds);

/// The lead's thread that answers the other processes, from construction to `join`.
class AnswerThread {
  public:
    /// `failed` is called if answering throws. Does nothing if no team is at work.
    AnswerThread(ProcessTeam* team, ProcessTeam::LeadCallbacks answers, std::function<void()> failed);
    AnswerThread(const AnswerThread&) = delete;
    AnswerThread& operator=(const AnswerThread&) = delete;
    ~AnswerThread();
    /// Waits until the others have learned that no share is left; throws what answering threw.
    void join();

  private:
    std::exception_ptr failure_;
    std::thread thread_;
};

/// Runs the workers that share `open` concurrently. The first member runs on the calling thread with the
/// existing backend (`own` is null). Each other member of a crew has its own thread and backend. A null
/// `crew` means no further members.
///
/// A member that throws DeviceError or UnavailableError leaves, and `isLeft` is called if set. The other
/// members, including other processes, do its shares. If shares remain undone, the first of these exceptions
/// is rethrown. Any other exception stops all members and is rethrown. Members that were dropped from the
/// crew earlier count as having left from the start. Returns the reasons; they are empty for members that
/// stayed.
std::vector<std::string> actTogether(const DeviceCrew* crew, OpenShares& open, AnswerThread& answers,
                                     const std::function<void(std::size_t member, Backend* own)>& act,
                                     const std::function<void(std::size_t member)>& isLeft = {});

/// Sets how the lead's store records tiles that other processes stored; empty if no store is open.
void setTileRecorder(std::function<void(const StoredTile&)> store);
void recordTileOfOtherProcess(const StoredTile& tile);

}  // namespace glycine

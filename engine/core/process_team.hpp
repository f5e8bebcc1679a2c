#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/tiling.hpp"

/// Processes that work on one result together, started by `glycine-mpi`. One of them leads: it opens the
/// working file next to the output, hands out shares of the work, enters finished tiles in the journal and
/// writes the outputs. The others compute shares and put the values into the same file.
namespace glycine {

/// A tile that another process has put into the working file, with the checksum of its bytes.
struct StoredTile {
    Range rows;
    Range columns;
    std::uint64_t checksum = 0;
};

class ProcessTeam {
  public:
    enum class Next { Share, Wait, End };
    /// What the lead answers with, from a thread of its own.
    struct Answers {
        /// What a process does next; of Next::Share with its number.
        std::function<Next(std::size_t& number)> next;
        /// A tile was stored elsewhere.
        std::function<void(const StoredTile&)> stored;
    };

    virtual ~ProcessTeam() = default;
    /// Bytes that go from one process to others.
    struct Parcel {
        std::byte* data;
        std::size_t bytes;
        std::size_t root;                  ///< who has them
        std::vector<std::size_t> members;  ///< who takes part, ascending; the root is one of them
    };

    /// 0: the lead.
    virtual std::size_t rank() const = 0;
    bool leads() const { return rank() == 0; }
    virtual std::size_t processes() const = 0;
    virtual std::size_t processesOnHost() const = 0;
    /// This one's number among those on its host.
    virtual std::size_t placeOnHost() const = 0;
    /// The lead's text, on every process; all of them call it.
    virtual std::string fromLead(const std::string& text) = 0;
    /// Returns when all have arrived. The members of a parcel name it in the same order among those that they
    /// share; others do not name it.
    virtual void broadcast(const std::vector<Parcel>& parcels) = 0;
    /// Where not the lead: number of the next share; nothing once there is none. Waits. Stops where the user
    /// wants it (CancelledError).
    virtual std::optional<std::size_t> take() = 0;
    /// Where not the lead: tells of a tile that is in the working file. Called from any thread.
    virtual void tell(const StoredTile& tile) = 0;
    /// The lead: answers until all others were told that there is no more.
    virtual void answer(const Answers& answers) = 0;
};

/// The team of this process; null without one.
ProcessTeam* processTeam();
void setProcessTeam(ProcessTeam* team);
/// The team while a TeamAtWork lives, else null.
ProcessTeam* teamAtWork();

/// While it lives, the working file is shared, and so is the loop over its tiles.
class TeamAtWork {
  public:
    TeamAtWork();
    TeamAtWork(const TeamAtWork&) = delete;
    TeamAtWork& operator=(const TeamAtWork&) = delete;
    ~TeamAtWork();
};

/// Numbers of shares of the work that nobody has done yet, for the threads of this process and for others.
class OpenShares {
  public:
    /// `team`: null, or who shares them; where this process does not lead, the lead hands them out, and
    /// `open` is of no account.
    OpenShares(const std::vector<std::size_t>& open, ProcessTeam* team);
    /// The next one; waits while another thread or process may give one back. Nothing at the end and after
    /// stop().
    std::optional<std::size_t> take();
    /// The last one, once `wants` it; asked again whenever a share was ended or given back, and after wake().
    /// Not where another process leads.
    std::optional<std::size_t> takeLast(const std::function<bool(std::size_t number)>& wants);
    void wake();
    /// The same for another process, which does not wait here.
    ProcessTeam::Next takeFor(std::size_t& number);
    void isDone() { end({}); }
    void giveBack(std::size_t number) { end(number); }
    void stop();
    bool isEmpty();

  private:
    std::size_t takeOne();
    void waitFor(std::unique_lock<std::mutex>& lock, const std::function<bool()>& isReady);
    void end(std::optional<std::size_t> unfinished);

    ProcessTeam* lead_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::size_t> open_;
    std::size_t atWork_ = 0;
    bool isStopped_ = false;
};

/// The numbers in the order in which several share them: those of more work first, so that the last ones, for
/// which others wait, are short.
std::vector<std::size_t> largestFirst(std::vector<std::size_t> open, const std::vector<double>& work);

/// What becomes of shares that devices take.
struct SimulatedRun {
    double seconds = 0;     ///< until the last one is done
    double efficiency = 0;  ///< of what all devices could have done in this time
};
/// Hands shares of so much work out as OpenShares does, to devices that do so much a second.
SimulatedRun simulateShares(const std::vector<double>& work, const std::vector<double>& speeds);

/// The lead's thread that answers the others, from now to `join`.
class AnswersBeside {
  public:
    /// `failed` is called where answering throws. Nothing is done where there is no team at work.
    AnswersBeside(ProcessTeam* team, ProcessTeam::Answers answers, std::function<void()> failed);
    AnswersBeside(const AnswersBeside&) = delete;
    AnswersBeside& operator=(const AnswersBeside&) = delete;
    ~AnswersBeside();
    /// Waits until the others were told that there is no more; throws what answering has thrown.
    void join();

  private:
    std::exception_ptr failure_;
    std::thread thread_;
};

/// What those who share `open` do side by side: the first member on the calling thread, with the backend that
/// is there (`own` is null), each other one of a crew on a thread of its own, with its own backend. Null: no
/// crew.
///
/// A member that throws DeviceError or UnavailableError is left out (`isLeft` is told, where there is one):
/// what it could not do, the others do, those who are answered included. What else is thrown stops all, and
/// is thrown here; so is why a member was left out, where nobody did its shares. Returns the reasons, empty
/// ones of those that were not left out. Those that
/// were dropped from the crew are left out from the beginning.
std::vector<std::string> actTogether(const DeviceCrew* crew, OpenShares& open, AnswersBeside& answers,
                                     const std::function<void(std::size_t member, Backend* own)>& act,
                                     const std::function<void(std::size_t member)>& isLeft = {});

/// What the lead's store does with tiles that were stored elsewhere; empty: none is open.
void setStoredElsewhere(std::function<void(const StoredTile&)> store);
void storeElsewhere(const StoredTile& tile);

}  // namespace glycine

#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/process_team.hpp"

namespace glycine::test {

/// A process of a team, simulated in this process after the other members. Their messages were recorded;
/// messages that have not been sent yet are 0.
class RecordedTeam final : public ProcessTeam {
  public:
    /// Messages of each process in each of its calls, by call and process.
    using Record = std::map<std::pair<std::size_t, std::size_t>, std::vector<std::byte>>;

    RecordedTeam(std::size_t rank, std::size_t processes, Record& record)
        : rank_(rank), processes_(processes), record_(record) {}
    std::size_t rank() const override { return rank_; }
    std::size_t processes() const override { return processes_; }
    std::size_t processesOnHost() const override { return processes_; }
    std::size_t placeOnHost() const override { return rank_; }
    void broadcast(const std::vector<Parcel>& parcels) override {
        for (const Parcel& parcel : parcels) {
            std::vector<std::byte>& sent = record_[{calls_, parcel.root}];
            if (parcel.root == rank_)
                sent.assign(parcel.data, parcel.data + parcel.bytes);
            else
                std::copy_n(sent.begin(), std::min(sent.size(), parcel.bytes), parcel.data);
        }
        ++calls_;
    }
    std::string fromLead(const std::string&) override { throw Error("not of a recorded team"); }
    std::optional<std::size_t> take() override { return std::nullopt; }
    void reportStored(const StoredTile&) override {}
    void answer(const LeadCallbacks&) override {}

  private:
    std::size_t rank_, processes_, calls_ = 0;
    Record& record_;
};

/// Results of work(team) in each of several processes that make up to `calls` collective calls.
template <class Work>
auto inProcesses(std::size_t processes, std::size_t calls, RecordedTeam::Record& record, const Work& work) {
    std::vector<decltype(work(std::declval<RecordedTeam&>()))> results(processes);
    for (std::size_t round = 0; round <= calls; ++round)
        for (std::size_t rank = 0; rank < processes; ++rank) {
            RecordedTeam team(rank, processes, record);
            results[rank] = work(team);
        }
    return results;
}

}  // namespace glycine::test

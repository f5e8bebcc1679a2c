#pragma once

#include <mutex>
#include <set>
#include <string>

#include "engine/core/process_team.hpp"

namespace glycine {

/// The processes that mpirun has started; rank 0 leads. One thread of a process calls MPI at a time. Whoever
/// waits sleeps between looks, so that processors are left to those who compute.
class MpiTeam final : public ProcessTeam {
  public:
    /// Initialises MPI. Throws Error where it cannot serve several threads.
    MpiTeam(int& argc, char**& argv);
    MpiTeam(const MpiTeam&) = delete;
    MpiTeam& operator=(const MpiTeam&) = delete;
    /// Waits for all processes.
    ~MpiTeam() override;
    /// Ends all processes.
    [[noreturn]] static void abort(int exitCode);

    bool leads() const override { return rank_ == 0; }
    std::size_t processes() const override { return static_cast<std::size_t>(processes_); }
    std::size_t processesOnHost() const override { return static_cast<std::size_t>(onHost_); }
    std::size_t placeOnHost() const override { return static_cast<std::size_t>(placeOnHost_); }
    std::string fromLead(const std::string& text) override;
    std::optional<std::size_t> take() override;
    void tell(const StoredTile& tile) override;
    void answer(const Answers& answers) override;

  private:
    void answerOne(const Answers& answers, int rank, std::set<int>& waiting, int& ended);

    int rank_ = 0;
    int processes_ = 1;
    int onHost_ = 1;
    int placeOnHost_ = 0;
    std::mutex mutex_;
};

}  // namespace glycine

#pragma once

// MPI no longer contains the C++ bindings.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engine/core/process_team.hpp"
#include "mpi/host_mail.hpp"

namespace glycine {

/// The processes started by mpirun; rank 0 leads. Only one thread per process calls MPI at a time. Waiting
/// threads sleep between checks, which leaves the processors to computing threads; those of the same host
/// wake each other.
class MpiTeam final : public ProcessTeam {
  public:
    /// Initialises MPI. Throws Error if MPI does not support several threads.
    MpiTeam(int& argc, char**& argv);
    MpiTeam(const MpiTeam&) = delete;
    MpiTeam& operator=(const MpiTeam&) = delete;
    /// Waits for all processes.
    ~MpiTeam() override;
    /// Lets the other processes know that this one has failed.
    void announceFailure();
    /// Whether a process of lower rank has announced a failure; of any other rank, if `ofAny`.
    bool haveOthersFailed(bool ofAny);
    /// Ends all processes.
    [[noreturn]] static void abort(int exitCode);

    std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
    std::size_t processes() const override { return static_cast<std::size_t>(processes_); }
    std::size_t processesOnHost() const override { return static_cast<std::size_t>(onHost_); }
    std::size_t placeOnHost() const override { return static_cast<std::size_t>(placeOnHost_); }
    std::shared_ptr<std::byte> memoryOfHost(std::size_t bytes) override;
    std::string fromLead(const std::string& text) override;
    void broadcast(const std::vector<Parcel>& parcels) override;
    std::optional<std::size_t> take() override;
    void reportStored(const StoredTile& tile) override;
    void answer(const LeadCallbacks& answers) override;

  private:
    void sleepUntilRung(std::uint32_t rings, GrowingSleep& sleep, bool isRung) const;
    void ring(int rank) const;
    void answerOne(const LeadCallbacks& answers, int rank, std::set<int>& waiting, int& ended);
    MPI_Comm communicatorOf(const std::vector<std::size_t>& members);

    int rank_ = 0;
    int processes_ = 1;
    int onHost_ = 1;
    int placeOnHost_ = 0;
    MPI_Comm host_ = MPI_COMM_NULL;      ///< processes of this host
    MPI_Comm failures_ = MPI_COMM_NULL;  ///< of all, for announced failures alone
    std::map<int, std::size_t> places_;  ///< on this host, of the ranks there
    std::unique_ptr<HostMail> mail_;     ///< null if the host's processes share no memory
    std::mutex mutex_;
    std::map<std::vector<std::size_t>, MPI_Comm> communicators_;
};

}  // namespace glycine

#include "mpi/mpi_team.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <thread>

#include "engine/core/cancellation.hpp"
#include "engine/core/error.hpp"

namespace glycine {

namespace {

enum Tag : int { kRequest, kAnswer, kStored };
/// Sent instead of a number.
constexpr std::uint64_t kNoMore = ~std::uint64_t{0};
/// Bytes.
constexpr std::size_t kLargestMessage = std::size_t{1} << 30;
using TileMessage = std::array<std::uint64_t, 5>;

using std::chrono_literals::operator""us;
using std::chrono_literals::operator""ms;

/// Waits without busy looping. Only one thread makes collective calls.
void waitFor(MPI_Request& request) {
    // MPI sends further pieces of long messages during a check.
    GrowingSleep sleep(50us, 200us);
    for (int done = 0; (MPI_Test(&request, &done, MPI_STATUS_IGNORE), done) == 0;) {
        throwIfCancellationRequested();
        std::this_thread::sleep_for(sleep.next());
    }
}

/// For messages that come with a ring. A message may be seen only at the second check after its ring.
GrowingSleep betweenChecks() {
    return {100us, 20ms};
}

/// If all processes share a host, keeps Open MPI from looking for networks, which takes a third of the time
/// of its start. A setting of the user's environment, or of mpirun, stays; one of Open MPI's files does not.
void preferSharedMemory() {
    const char* const all = std::getenv("OMPI_COMM_WORLD_SIZE");
    const char* const onHost = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (all == nullptr || onHost == nullptr || std::string_view(all) != onHost) return;
    ::setenv("OMPI_MCA_pml", "ob1", 0);
}

}  // namespace

MpiTeam::MpiTeam(int& argc, char**& argv) {
    preferSharedMemory();
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED)
        throw Error("this MPI serves one thread alone; glycine-mpi needs MPI_THREAD_SERIALIZED");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &processes_);
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &placeOnHost_);
    MPI_Comm_size(host, &onHost_);
    MPI_Group all, here;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(host, &here);
    std::vector<int> places(static_cast<std::size_t>(onHost_)), ranks(places.size());
    std::iota(places.begin(), places.end(), 0);
    MPI_Group_translate_ranks(here, onHost_, places.data(), all, ranks.data());
    MPI_Group_free(&here);
    MPI_Group_free(&all);
    for (std::size_t place = 0; place < ranks.size(); ++place) places_[ranks[place]] = place;
    bells_ = std::make_unique<HostBells>(host);
    MPI_Comm_free(&host);
}

MpiTeam::~MpiTeam() {
    // The lead may need long to write the results.
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    GrowingSleep sleep(50us, 2ms);
    for (int done = 0; (MPI_Test(&request, &done, MPI_STATUS_IGNORE), done) == 0;)
        std::this_thread::sleep_for(sleep.next());
    bells_.reset();
    for (auto& [members, communicator] : communicators_) MPI_Comm_free(&communicator);
    MPI_Finalize();
}

void MpiTeam::abort(int exitCode) {
    MPI_Abort(MPI_COMM_WORLD, exitCode);
    std::abort();
}

std::string MpiTeam::fromLead(const std::string& text) {
    std::uint64_t size = text.size();
    MPI_Request request;
    MPI_Ibcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD, &request);
    waitFor(request);
    std::string shared = text;
    shared.resize(size);
    MPI_Ibcast(shared.data(), static_cast<int>(size), MPI_CHAR, 0, MPI_COMM_WORLD, &request);
    waitFor(request);
    return shared;
}

MPI_Comm MpiTeam::communicatorOf(const std::vector<std::size_t>& members) {
    const auto [place, isNew] = communicators_.try_emplace(members, MPI_COMM_NULL);
    if (!isNew) return place->second;
    const std::vector<int> ranks(members.begin(), members.end());
    MPI_Group all, some;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &place->second);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return place->second;
}

void MpiTeam::broadcast(const std::vector<Parcel>& parcels) {
    std::vector<MPI_Request> requests;
    for (const Parcel& parcel : parcels) {
        if (parcel.members.size() < 2) continue;
        const auto root = std::ranges::find(parcel.members, parcel.root) - parcel.members.begin();
        // MPI counts in 32 bits.
        for (std::size_t sent = 0; sent < parcel.bytes; sent += kLargestMessage)
            MPI_Ibcast(parcel.data + sent, static_cast<int>(std::min(kLargestMessage, parcel.bytes - sent)),
                       MPI_BYTE, static_cast<int>(root), communicatorOf(parcel.members),
                       &requests.emplace_back());
    }
    for (MPI_Request& request : requests) waitFor(request);
}

/// `isRung`: whoever sends the awaited message rings afterwards.
void MpiTeam::sleepUntilRung(std::uint32_t rings, GrowingSleep& sleep, bool isRung) const {
    // Of messages by the network, nothing is heard until the next check.
    if (!isRung || !bells_->work()) {
        std::this_thread::sleep_for(std::min<GrowingSleep::Time>(sleep.next(), 500us));
        return;
    }
    bells_->wait(rings, sleep.next());
    if (bells_->rings() != rings) sleep.restart();
}

void MpiTeam::ring(int rank) const {
    if (const auto place = places_.find(rank); place != places_.end()) bells_->ring(place->second);
}

std::optional<std::size_t> MpiTeam::take() {
    std::uint64_t number = kNoMore;
    MPI_Request request;
    {
        const std::lock_guard lock(mutex_);
        MPI_Irecv(&number, 1, MPI_UINT64_T, 0, kAnswer, MPI_COMM_WORLD, &request);
        MPI_Send(nullptr, 0, MPI_UINT64_T, 0, kRequest, MPI_COMM_WORLD);
    }
    ring(0);
    GrowingSleep sleep = betweenChecks();
    for (int done = 0; done == 0;) {
        const std::uint32_t rings = bells_->rings();
        {
            const std::lock_guard lock(mutex_);
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        }
        if (done != 0) break;
        throwIfCancellationRequested();
        sleepUntilRung(rings, sleep, places_.contains(0));
    }
    if (number == kNoMore) return std::nullopt;
    return number;
}

void MpiTeam::reportStored(const StoredTile& tile) {
    const TileMessage message{tile.rows.begin, tile.rows.end, tile.columns.begin, tile.columns.end,
                              tile.checksum};
    {
        const std::lock_guard lock(mutex_);
        MPI_Send(message.data(), static_cast<int>(message.size()), MPI_UINT64_T, 0, kStored, MPI_COMM_WORLD);
    }
    ring(0);
}

void MpiTeam::answerOne(const LeadCallbacks& answers, int rank, std::set<int>& waiting, int& ended) {
    std::size_t share = 0;
    const Next next = answers.next(share);
    if (next == Next::Wait) {
        waiting.insert(rank);
        return;
    }
    waiting.erase(rank);
    if (next == Next::End) ++ended;
    const std::uint64_t number = next == Next::End ? kNoMore : share;
    {
        const std::lock_guard lock(mutex_);
        MPI_Send(&number, 1, MPI_UINT64_T, rank, kAnswer, MPI_COMM_WORLD);
    }
    ring(rank);
}

void MpiTeam::answer(const LeadCallbacks& answers) {
    std::set<int> waiting;  // ranks with unanswered requests
    GrowingSleep sleep = betweenChecks();
    for (int ended = 0; ended < processes_ - 1;) {
        const std::uint32_t rings = bells_->rings();
        int isPresent = 0;
        MPI_Status status;
        TileMessage message{};
        {
            const std::lock_guard lock(mutex_);
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &isPresent, &status);
            if (isPresent != 0)
                MPI_Recv(message.data(), static_cast<int>(message.size()), MPI_UINT64_T, status.MPI_SOURCE,
                         status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (isPresent != 0) sleep.restart();
        if (isPresent != 0 && status.MPI_TAG == kStored)
            answers.stored({{message[0], message[1]}, {message[2], message[3]}, message[4]});
        else if (isPresent != 0)
            answerOne(answers, status.MPI_SOURCE, waiting, ended);
        else  // those that wait may get a share back that the lead's own devices had
            sleepUntilRung(rings, sleep, onHost_ == processes_ && waiting.empty());
        for (const int rank : std::set<int>(waiting)) answerOne(answers, rank, waiting, ended);
    }
}

}  // namespace glycine

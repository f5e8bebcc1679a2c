#include "mpi/mpi_team.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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

/// For tests: each process takes itself for the only one of its host (docs/testing.md).
bool hasHostOfItsOwn() {
    const char* const given = std::getenv("GLYCINE_OWN_HOSTS");
    return given != nullptr && std::string_view(given) == "1";
}

/// Open MPI ends by several short messages to mpirun over TCP. By default the system holds the last one back
/// until the others are acknowledged, which takes 40 ms. Files that are no such connection refuse.
void sendShortMessagesAtOnce() {
    constexpr int kFirstFiles = 256;  // MPI opens its own early
    for (int file = 0; file < kFirstFiles; ++file) {
        const int isOn = 1;
        (void)::setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &isOn, sizeof isOn);
    }
}

}  // namespace

MpiTeam::MpiTeam(int& argc, char**& argv) {
    preferSharedMemory();
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED)
        throw Error("this MPI serves one thread alone; glycine-mpi needs MPI_THREAD_SERIALIZED");
    sendShortMessagesAtOnce();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &processes_);
    MPI_Comm_dup(MPI_COMM_WORLD, &failures_);
    if (hasHostOfItsOwn())
        MPI_Comm_dup(MPI_COMM_SELF, &host_);
    else
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host_);
    MPI_Comm_rank(host_, &placeOnHost_);
    MPI_Comm_size(host_, &onHost_);
    MPI_Group all, here;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(host_, &here);
    std::vector<int> places(static_cast<std::size_t>(onHost_)), ranks(places.size());
    std::iota(places.begin(), places.end(), 0);
    MPI_Group_translate_ranks(here, onHost_, places.data(), all, ranks.data());
    MPI_Group_free(&here);
    MPI_Group_free(&all);
    for (std::size_t place = 0; place < ranks.size(); ++place) places_[ranks[place]] = place;
    if (auto memory = memoryOfHost(HostMail::bytesFor(processesOnHost())))
        mail_ = std::make_unique<HostMail>(std::move(memory), processesOnHost(), placeOnHost());
}

MpiTeam::~MpiTeam() {
    // The lead may need long to write the results.
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    GrowingSleep sleep(50us, 2ms);
    for (int done = 0; (MPI_Test(&request, &done, MPI_STATUS_IGNORE), done) == 0;)
        std::this_thread::sleep_for(sleep.next());
    mail_.reset();
    MPI_Comm_free(&host_);
    MPI_Comm_free(&failures_);
    for (auto& [members, communicator] : communicators_) MPI_Comm_free(&communicator);
    MPI_Finalize();
}

void MpiTeam::announceFailure() {
    const std::lock_guard lock(mutex_);
    for (int rank = 0; rank < processes_; ++rank) {
        if (rank == rank_) continue;
        // MPI sends an empty message at once; nobody has to wait for it.
        MPI_Request request;
        MPI_Isend(nullptr, 0, MPI_BYTE, rank, 0, failures_, &request);
        MPI_Request_free(&request);
    }
}

bool MpiTeam::haveOthersFailed(bool ofAny) {
    const std::lock_guard lock(mutex_);
    for (int rank = 0; rank < (ofAny ? processes_ : rank_); ++rank) {
        int isPresent = 0;
        if (rank != rank_) MPI_Iprobe(rank, 0, failures_, &isPresent, MPI_STATUS_IGNORE);
        if (isPresent != 0) return true;
    }
    return false;
}

void MpiTeam::abort(int exitCode) {
    MPI_Abort(MPI_COMM_WORLD, exitCode);
    std::abort();
}

std::shared_ptr<std::byte> MpiTeam::memoryOfHost(std::size_t bytes) {
    if (onHost_ == 1) return nullptr;
    // A file without a name: nothing is left of it, however the processes end. The others open it by the
    // descriptor of the first one. In a container of their own, that number may belong to another file.
    const auto identityOf = [](int file) {
        struct stat found {};
        return ::fstat(file, &found) == 0 ? std::array<std::uint64_t, 2>{found.st_dev, found.st_ino}
                                          : std::array<std::uint64_t, 2>{};
    };
    int file = -1;
    std::array<std::uint64_t, 4> source{};  // process, descriptor, identity
    if (placeOnHost_ == 0) {
        file = ::memfd_create("glycine", MFD_CLOEXEC);
        const bool isLargeEnough = file >= 0 && ::ftruncate(file, static_cast<off_t>(bytes)) == 0;
        const auto [device, inode] = isLargeEnough ? identityOf(file) : std::array<std::uint64_t, 2>{};
        source = {static_cast<std::uint64_t>(::getpid()), static_cast<std::uint64_t>(file), device, inode};
    }
    MPI_Request request;
    MPI_Ibcast(source.data(), static_cast<int>(source.size()), MPI_UINT64_T, 0, host_, &request);
    waitFor(request);
    const std::array<std::uint64_t, 2> identity{source[2], source[3]};
    if (placeOnHost_ > 0 && identity[1] != 0)
        file = ::open(fmt::format("/proc/{}/fd/{}", source[0], source[1]).c_str(), O_RDWR | O_CLOEXEC);
    void* memory = MAP_FAILED;
    if (file >= 0 && identity[1] != 0 && identityOf(file) == identity)
        memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    int isMapped = memory != MAP_FAILED ? 1 : 0, areAllMapped = 0;
    MPI_Iallreduce(&isMapped, &areAllMapped, 1, MPI_INT, MPI_MIN, host_, &request);
    waitFor(request);
    if (file >= 0) ::close(file);
    if (isMapped == 0) return nullptr;
    std::shared_ptr<std::byte> shared(static_cast<std::byte*>(memory),
                                      [bytes](std::byte* mapped) { ::munmap(mapped, bytes); });
    return areAllMapped != 0 ? shared : nullptr;
}

std::string MpiTeam::fromLead(const std::string& text) {
    std::vector<std::size_t> all(processes());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::uint64_t size = text.size();
    broadcast({{reinterpret_cast<std::byte*>(&size), sizeof size, 0, all}});
    std::string shared = text;
    shared.resize(size);
    broadcast({{reinterpret_cast<std::byte*>(shared.data()), size, 0, all}});
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
    std::vector<HostMail::Letter> letters;
    for (const Parcel& parcel : parcels) {
        if (parcel.members.size() < 2) continue;
        const auto isHere = [this](std::size_t rank) { return places_.contains(static_cast<int>(rank)); };
        if (mail_ && std::ranges::all_of(parcel.members, isHere)) {
            HostMail::Letter& letter = letters.emplace_back(
                HostMail::Letter{parcel.data, parcel.bytes, places_.at(static_cast<int>(parcel.root)), {}});
            for (const std::size_t member : parcel.members)
                if (member != parcel.root) letter.to.push_back(places_.at(static_cast<int>(member)));
            continue;
        }
        const auto root = std::ranges::find(parcel.members, parcel.root) - parcel.members.begin();
        // MPI counts in 32 bits.
        for (std::size_t sent = 0; sent < parcel.bytes; sent += kLargestMessage)
            MPI_Ibcast(parcel.data + sent, static_cast<int>(std::min(kLargestMessage, parcel.bytes - sent)),
                       MPI_BYTE, static_cast<int>(root), communicatorOf(parcel.members),
                       &requests.emplace_back());
    }
    // Other hosts may wait for what MPI sends only when it is checked.
    if (!letters.empty())
        mail_->exchange(letters, [&requests]() -> std::chrono::microseconds {
            throwIfCancellationRequested();
            if (requests.empty()) return 20ms;
            int areDone = 0;
            MPI_Testall(static_cast<int>(requests.size()), requests.data(), &areDone, MPI_STATUSES_IGNORE);
            return 200us;
        });
    for (MPI_Request& request : requests) waitFor(request);
}

/// `isRung`: whoever sends the awaited message rings afterwards.
void MpiTeam::sleepUntilRung(std::uint32_t rings, GrowingSleep& sleep, bool isRung) const {
    // Of messages by the network, nothing is heard until the next check.
    if (!isRung || !mail_) {
        std::this_thread::sleep_for(std::min<GrowingSleep::Time>(sleep.next(), 500us));
        return;
    }
    mail_->bells().wait(rings, sleep.next());
    if (mail_->bells().rings() != rings) sleep.restart();
}

void MpiTeam::ring(int rank) const {
    if (const auto place = places_.find(rank); mail_ && place != places_.end())
        mail_->bells().ring(place->second);
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
        const std::uint32_t rings = mail_ ? mail_->bells().rings() : 0;
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
        const std::uint32_t rings = mail_ ? mail_->bells().rings() : 0;
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

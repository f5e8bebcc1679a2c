#define XXH_INLINE_ALL
#include "engine/storage/content_hash.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/progress.hpp"
#include "engine/storage/folder.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::storage {

namespace {
/// Bytes per task of a thread, and between two checks for a stop request.
constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;
}  // namespace

bool areSameFiles(const std::vector<std::filesystem::path>& files, ProcessTeam& team) {
    std::vector<std::uint64_t> numbers;
    for (const std::filesystem::path& path : files) {
        struct stat status {};
        if (::stat(openablePath(path).c_str(), &status) != 0)
            throw UnreadableInputError(systemErrorText(path, "read", errno));
        for (const auto number :
             {static_cast<std::uint64_t>(status.st_ino), static_cast<std::uint64_t>(status.st_size),
              static_cast<std::uint64_t>(status.st_mtim.tv_sec),
              static_cast<std::uint64_t>(status.st_mtim.tv_nsec)})
            numbers.push_back(number);
    }
    std::vector<std::uint64_t> all(team.processes());
    all[team.rank()] = XXH3_64bits(numbers.data(), numbers.size() * sizeof(std::uint64_t));
    completeParts(team, std::as_writable_bytes(std::span(all)), all.size());
    return std::ranges::adjacent_find(all, std::not_equal_to()) == all.end();
}

std::uint64_t contentHash(const std::vector<std::filesystem::path>& files, ProcessTeam* team) {
    if (team != nullptr && !areSameFiles(files, *team)) team = nullptr;
    const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                                XXH3_freeState);
    if (state == nullptr) throw Error("xxHash does not start");
    XXH3_64bits_reset(state.get());
    for (const std::filesystem::path& path : files) {
        const MappedFile file(path);
        // Hashing the length prevents bytes from moving unnoticed from the end of one file to the start of
        // the next.
        const std::uint64_t length = file.bytes().size();
        XXH3_64bits_update(state.get(), &length, sizeof length);
        std::vector<std::uint64_t> pieces((length + kPiece - 1) / kPiece);
        const Range own = team != nullptr ? ownPart(*team, pieces.size()) : Range{0, pieces.size()};
        const std::uint64_t ownBytes =
            std::min(length, own.end * kPiece) - std::min(length, own.begin * kPiece);
        BackgroundWork work(fmt::format("reading {}", path.filename().string()),
                            static_cast<double>(ownBytes));
        std::mutex mutex;
        parallelFor(omp_get_max_threads(), own.size(), [&](std::size_t place, std::size_t) {
            const std::size_t p = own.begin + place;
            const std::uint64_t begin = p * kPiece;
            const std::uint64_t count = std::min(kPiece, length - begin);
            pieces[p] = XXH3_64bits(file.bytes().data() + begin, count);
            const std::lock_guard lock(mutex);
            work.advance(static_cast<double>(count));
        });
        if (team != nullptr) completeParts(*team, std::as_writable_bytes(std::span(pieces)), pieces.size());
        XXH3_64bits_update(state.get(), pieces.data(), pieces.size() * sizeof(std::uint64_t));
        file.requireUnchanged();
    }
    return XXH3_64bits_digest(state.get());
}

}  // namespace glycine::storage

#define XXH_INLINE_ALL
#include "engine/storage/content_hash.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <xxhash.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/progress.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::storage {

namespace {
/// Bytes per task of a thread, and between two checks for a stop request.
constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;
}  // namespace

std::uint64_t contentHash(const std::vector<std::filesystem::path>& files) {
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
        BackgroundWork work(fmt::format("reading {}", path.filename().string()), static_cast<double>(length));
        std::vector<std::uint64_t> pieces((length + kPiece - 1) / kPiece);
        std::mutex mutex;
        parallelFor(omp_get_max_threads(), pieces.size(), [&](std::size_t p, std::size_t) {
            const std::uint64_t begin = p * kPiece;
            const std::uint64_t count = std::min(kPiece, length - begin);
            pieces[p] = XXH3_64bits(file.bytes().data() + begin, count);
            const std::lock_guard lock(mutex);
            work.advance(static_cast<double>(count));
        });
        XXH3_64bits_update(state.get(), pieces.data(), pieces.size() * sizeof(std::uint64_t));
        file.requireUnchanged();
    }
    return XXH3_64bits_digest(state.get());
}

}  // namespace glycine::storage

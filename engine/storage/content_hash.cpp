#define XXH_INLINE_ALL
#include "engine/storage/content_hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <memory>

#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::storage {

namespace {
/// Between two questions whether to go on.
constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;
}  // namespace

std::uint64_t contentHash(const std::vector<std::filesystem::path>& files) {
    const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                                XXH3_freeState);
    if (state == nullptr) throw Error("xxHash does not start");
    XXH3_64bits_reset(state.get());
    for (const std::filesystem::path& path : files) {
        const MappedFile file(path);
        // The length keeps bytes from moving from the end of one file to the front of the next unseen.
        const std::uint64_t length = file.bytes().size();
        XXH3_64bits_update(state.get(), &length, sizeof length);
        BackgroundWork work(fmt::format("reading {}", path.filename().string()), static_cast<double>(length));
        for (std::uint64_t begin = 0; begin < length; begin += kPiece) {
            const std::uint64_t count = std::min(kPiece, length - begin);
            XXH3_64bits_update(state.get(), file.bytes().data() + begin, count);
            work.advance(static_cast<double>(count));
        }
        file.requireUnchanged();
    }
    return XXH3_64bits_digest(state.get());
}

}  // namespace glycine::storage

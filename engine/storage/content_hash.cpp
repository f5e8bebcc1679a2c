#define XXH_INLINE_ALL
#include "engine/storage/content_hash.hpp"

#include <xxhash.h>

#include <memory>

#include "engine/core/error.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::storage {

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
        XXH3_64bits_update(state.get(), file.bytes().data(), length);
        file.requireUnchanged();
    }
    return XXH3_64bits_digest(state.get());
}

}  // namespace glycine::storage

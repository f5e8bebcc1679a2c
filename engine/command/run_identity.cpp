#include "engine/command/run_identity.hpp"

#include <fmt/format.h>

#include "engine/core/build_info.hpp"
#include "engine/core/process_team.hpp"
#include "engine/storage/content_hash.hpp"

namespace glycine {

RunIdentity::RunIdentity(const Options& options) {
    add("glycine", buildInfo().version);
    for (const std::string& line : options.identity()) text_ += line + '\n';
}

void RunIdentity::add(std::string_view name, std::string_view value) {
    text_ += fmt::format("{}: {}\n", name, value);
}

void RunIdentity::addContents(std::string_view name, const std::vector<std::filesystem::path>& files) {
    add(name, fmt::format("{:016x}", storage::contentHash(files, teamAtWork())));
}

}  // namespace glycine

#include "engine/io/text/json.hpp"

#include <fmt/format.h>

#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine {

namespace {
std::string toText(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}
}  // namespace

void printJson(std::ostream& out, const Json& json) {
    out << toText(json);
}

Json readJson(std::string_view text, const std::string& source, std::string_view expected) {
    std::vector<std::set<std::string>> members;  // of the open objects, outermost first
    const auto look = [&](int, Json::parse_event_t event, const Json& parsed) {
        if (event == Json::parse_event_t::object_start) members.emplace_back();
        if (event == Json::parse_event_t::object_end) members.pop_back();
        if (event == Json::parse_event_t::key)
            if (const auto name = parsed.get<std::string>(); !members.back().insert(name).second)
                throw InputError(fmt::format("{}: an object has two members '{}'; expected each name once",
                                             source, excerpt(name)));
        return true;
    };
    Json json = Json::parse(text, look, false);
    if (json.is_discarded()) throw InputError(fmt::format("{}: is not JSON; expected {}", source, expected));
    return json;
}

void writeJson(const std::filesystem::path& path, const Json& json) {
    storage::AtomicFile file(path);
    file.write(toText(json));
    file.commit();
}

}  // namespace glycine

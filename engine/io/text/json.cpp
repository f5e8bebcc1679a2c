#include "engine/io/text/json.hpp"

#include <fmt/format.h>

#include <algorithm>
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
    const auto refuse = [&](const std::string& place) {
        throw InputError(fmt::format("{}: {}is not JSON; expected {}", source, place, expected));
    };
    try {
        return Json::parse(text, look);
    } catch (const Json::parse_error& error) {
        const std::string_view before = text.substr(0, std::max<std::size_t>(error.byte, 1) - 1);
        refuse(fmt::format("line {}: ", 1 + std::ranges::count(before, '\n')));
    } catch (const Json::exception&) {  // a number beyond float64
        refuse("");
    }
    return {};
}

void writeJson(const std::filesystem::path& path, const Json& json) {
    storage::AtomicFile file(path);
    file.write(toText(json));
    file.commit();
}

}  // namespace glycine

#include "engine/io/text/json.hpp"

#include <ostream>

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

void writeJson(const std::filesystem::path& path, const Json& json) {
    storage::AtomicFile file(path);
    file.write(toText(json));
    file.commit();
}

}  // namespace glycine

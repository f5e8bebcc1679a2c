#include "engine/crossapen/input/listed_files.hpp"

#include "engine/core/text.hpp"

namespace glycine::crossapen {

namespace fs = std::filesystem;

NameFit fitOf(const fs::path& listed, const fs::path& table, const fs::path& file) {
    const fs::path whole = fs::absolute(file).lexically_normal();
    const fs::path folder = fs::absolute(table).parent_path();
    if (fs::absolute(listed).lexically_normal() == whole || (folder / listed).lexically_normal() == whole)
        return NameFit::Path;
    if (listed == file.filename()) return NameFit::Name;
    // "a/b.csv.gz" → "b".
    const fs::path unpacked = lowerCase(file.extension().string()) == ".gz" ? file.stem() : file.filename();
    return listed == unpacked.stem() ? NameFit::Stem : NameFit::None;
}

}  // namespace glycine::crossapen

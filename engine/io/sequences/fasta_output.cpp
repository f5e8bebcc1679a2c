#include "engine/io/sequences/fasta_output.hpp"

#include <algorithm>
#include <cstddef>

#include "engine/core/progress.hpp"
#include "engine/io/text/text_output.hpp"

namespace glycine::io {

void writeFasta(const std::filesystem::path& path, std::span<const std::string> names,
                std::span<const std::string> letters) {
    constexpr std::size_t kLine = 60;
    BufferedText file(path);
    BackgroundWork work("writing " + path.filename().string(), static_cast<double>(names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) {
        file.text() += '>';
        file.text() += names[i];
        file.endLine();
        for (std::size_t begin = 0; begin < letters[i].size(); begin += kLine) {
            file.text().append(letters[i], begin, kLine);
            file.endLine();
        }
        work.advance(1);
    }
    file.commit();
}

}  // namespace glycine::io

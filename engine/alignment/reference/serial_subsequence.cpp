#include "engine/alignment/reference/serial_subsequence.hpp"

#include <algorithm>
#include <vector>

namespace glycine::align::reference {

std::size_t commonSubsequence(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second) {
    std::vector<std::size_t> row(second.size() + 1, 0);
    for (const std::uint8_t code : first) {
        std::size_t diagonal = 0;
        for (std::size_t j = 1; j <= second.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = code == second[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
            diagonal = above;
        }
    }
    return row.back();
}

}  // namespace glycine::align::reference

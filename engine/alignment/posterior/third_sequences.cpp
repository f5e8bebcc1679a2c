#include "engine/alignment/posterior/third_sequences.hpp"

#include <algorithm>

namespace glycine::align {

ThirdSequences::ThirdSequences(std::size_t sequences) : sequences_(sequences), most_(sequences) {}

ThirdSequences::ThirdSequences(std::size_t sequences, std::span<const float> distances, std::size_t most)
    : sequences_(sequences), most_(most) {
    if (sequences > most + 2) distances_.assign(distances.begin(), distances.end());
}

double ThirdSequences::distance(std::size_t x, std::size_t y) const {
    const std::size_t high = std::max(x, y);
    return static_cast<double>(distances_[high * (high - 1) / 2 + std::min(x, y)]);
}

void ThirdSequences::find(std::size_t x, std::size_t y, std::vector<std::size_t>& found) const {
    found.clear();
    for (std::size_t z = 0; z < sequences_; ++z)
        if (z != x && z != y) found.push_back(z);
    if (areAll() || found.size() <= most_) return;
    const auto isNearer = [&](std::size_t a, std::size_t b) {
        const double ofA = distance(x, a) + distance(y, a), ofB = distance(x, b) + distance(y, b);
        return ofA < ofB || (ofA == ofB && a < b);
    };
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most_), found.end(),
                     isNearer);
    found.resize(most_);
    std::ranges::sort(found);
}

double ThirdSequences::weightOf(std::span<const std::size_t> found, std::span<const double> weights) {
    double sum = 0;
    for (const std::size_t z : found) sum += weights[z];
    return sum;
}

}  // namespace glycine::align

#include "engine/mutualinfo/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace glycine::mutualinfo {

double pairCorrelation(std::span<const double> x, std::span<const double> y) {
    double count = 0, sumX = 0, sumY = 0;
    double leastX = 2, mostX = -2, leastY = 2, mostY = -2;
    for (std::size_t s = 0; s < x.size(); ++s) {
        if (std::isnan(x[s]) || std::isnan(y[s])) continue;
        count += 1;
        sumX += x[s];
        sumY += y[s];
        leastX = std::min(leastX, x[s]), mostX = std::max(mostX, x[s]);
        leastY = std::min(leastY, y[s]), mostY = std::max(mostY, y[s]);
    }
    if (count == 0) return std::numeric_limits<double>::quiet_NaN();
    if (leastX == mostX || leastY == mostY) return 0;
    // What deviates by the whole range at most is brought to 1: squares of a tiny range would vanish.
    const double meanX = sumX / count, meanY = sumY / count;
    const double rangeX = mostX - leastX, rangeY = mostY - leastY;
    double squaresX = 0, squaresY = 0, products = 0;
    for (std::size_t s = 0; s < x.size(); ++s) {
        if (std::isnan(x[s]) || std::isnan(y[s])) continue;
        const double fromX = (x[s] - meanX) / rangeX, fromY = (y[s] - meanY) / rangeY;
        squaresX += fromX * fromX;
        squaresY += fromY * fromY;
        products += fromX * fromY;
    }
    return std::clamp(products / std::sqrt(squaresX * squaresY), -1.0, 1.0);
}

}  // namespace glycine::mutualinfo

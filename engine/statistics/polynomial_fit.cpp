#include "engine/statistics/polynomial_fit.hpp"

#include <algorithm>
#include <stdexcept>

namespace glycine::statistics {

PolynomialFit::PolynomialFit(std::span<const double> x, std::span<const double> y, std::size_t degree) {
    if (x.empty() || x.size() != y.size()) throw std::invalid_argument("a polynomial through no points");
    least_ = *std::ranges::min_element(x);
    most_ = *std::ranges::max_element(x);
    std::vector<double> before(x.size(), 0.0);
    std::vector<double> present(x.size(), 1.0);
    double normBefore = 1;
    for (std::size_t j = 0; j <= std::min(degree, x.size() - 1); ++j) {
        double norm = 0, moment = 0, product = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            norm += present[i] * present[i];
            moment += x[i] * present[i] * present[i];
            product += y[i] * present[i];
        }
        const Term term{moment / norm, j == 0 ? 0 : norm / normBefore, product / norm};
        terms_.push_back(term);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double next = (x[i] - term.shift) * present[i] - term.share * before[i];
            before[i] = present[i];
            present[i] = next;
        }
        normBefore = norm;
    }
}

double PolynomialFit::operator()(double x) const {
    const double place = std::clamp(x, least_, most_);
    double before = 0, present = 1, sum = 0;
    for (const Term& term : terms_) {
        sum += term.weight * present;
        const double next = (place - term.shift) * present - term.share * before;
        before = present;
        present = next;
    }
    return sum;
}

}  // namespace glycine::statistics

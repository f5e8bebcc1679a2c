#include "engine/statistics/chi_squared_mixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include "engine/core/error.hpp"

namespace glycine::statistics {

namespace {

/// Product of finite numbers: the operator of std::complex checks for infinities each time.
std::complex<double> times(std::complex<double> a, std::complex<double> b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

ChiSquaredMixture::ChiSquaredMixture(std::span<const double> weights) {
    if (weights.empty()) throw UsageError("a mixture has no weights; expected at least one");
    std::vector<double> sorted(weights.begin(), weights.end());
    std::ranges::sort(sorted, std::greater());
    for (const double weight : sorted) {
        if (!(weight > 0) || !std::isfinite(weight))
            throw UsageError(
                fmt::format("a weight of a mixture is {}; expected finite numbers above 0", weight));
        if (terms_.empty() || terms_.back().weight != weight) terms_.push_back({weight, 0});
        ++terms_.back().times;
        mean_ += weight;
        variance_ += 2 * weight * weight;
    }
}

/// The s < 1 / (2 w), with w the largest weight, at which the cumulant generating function K(s) = −½ Σ ln(1 −
/// 2 w s) has the slope x > 0.
double ChiSquaredMixture::saddlePoint(double x) const {
    const auto slope = [&](double s) {
        double sum = 0;
        for (const Term& term : terms_)
            sum += static_cast<double>(term.times) * term.weight / (1 - 2 * term.weight * s);
        return sum;
    };
    double high = 1 / (2 * terms_.front().weight);
    double low = 0;
    if (slope(0) > x)
        for (low = -high; slope(low) > x;) low *= 2;
    for (int step = 0; step < 100; ++step) {
        const double middle = (low + high) / 2;
        if (middle <= low || middle >= high) break;
        (slope(middle) < x ? low : high) = middle;
    }
    return low;
}

double ChiSquaredMixture::survival(double x) const {
    if (!(x > 0)) return std::isnan(x) ? x : 1;
    if (std::isinf(x)) return 0;
    if (terms_.size() == 1)
        return boost::math::gamma_q(static_cast<double>(terms_[0].times) / 2, x / (2 * terms_[0].weight));
    // P = 1/(2πi) ∫ exp(K(s) − s x) / s ds from below to above, crossing the real line at any c between the
    // pole at 0 and the branch point `limit`.
    const double limit = 1 / (2 * terms_.front().weight);
    const double saddle = saddlePoint(x);
    const double least = 0.5 / std::sqrt(variance_);
    const double c = std::max(saddle, least);
    const double delta = limit - c;
    double exponent = -c * x;
    double curvature = 0;
    for (const Term& term : terms_) {
        const auto count = static_cast<double>(term.times);
        const double value = term.weight / (1 - 2 * term.weight * c);
        exponent -= 0.5 * count * std::log1p(-2 * term.weight * c);
        curvature += 2 * count * value * value;
    }
    // s = c + i a u + b u². In the upper tail the path is bent around the branch cut, so that exp(−s x)
    // decreases: x b ≥ 1/2. The error of the trapezoidal rule is exp(−2π d / step), where d is the distance
    // of a singularity from real u.
    const double a = 1 / std::sqrt(curvature);
    const double b = saddle > least ? a * a / (2 * delta) : 0;
    const double toPole = b > 0 ? delta / a * (std::sqrt(1 + 2 * c / delta) - 1) : c / a;
    const double step = std::min(toPole, delta / a) * 2 * std::numbers::pi / 30;
    // exp(K(s) − K(c)). A weight that occurs an even number of times needs no square root.
    const auto relative = [&](std::complex<double> fromC) {
        std::complex<double> product = 1;
        std::complex<double> roots = 1;
        for (const Term& term : terms_) {
            const std::complex<double> factor = 1.0 - 2 * term.weight / (1 - 2 * term.weight * c) * fromC;
            for (std::size_t i = 0; i < term.times / 2; ++i) product = times(product, factor);
            if (term.times % 2 == 1) roots = times(roots, std::sqrt(factor));
        }
        return 1.0 / times(product, roots);
    };
    constexpr std::size_t kMaxSteps = std::size_t{1} << 20;
    constexpr double kNegligible = 1e-12;
    double sum = 0.5 * a / c;
    for (std::size_t i = 1; i < kMaxSteps; ++i) {
        const double u = static_cast<double>(i) * step;
        const std::complex<double> fromC(b * u * u, a * u);
        const std::complex<double> value =
            relative(fromC) * std::exp(-x * fromC) / (c + fromC) * std::complex<double>(2 * b * u, a);
        sum += value.imag();
        if (std::abs(value) < kNegligible * std::abs(sum)) break;
    }
    return std::clamp(std::exp(exponent) * sum * step / std::numbers::pi, 0.0, 1.0);
}

double ChiSquaredMixture::quantile(double p) const {
    if (!(p > 0 && p < 1)) throw UsageError(fmt::format("P is {}; expected a number above 0 and below 1", p));
    double low = 0;
    double high = mean_;
    while (survival(high) > p) {
        low = high;
        high *= 2;
    }
    for (int step = 0; step < 60 && high - low > 1e-12 * high; ++step) {
        const double middle = (low + high) / 2;
        (survival(middle) > p ? low : high) = middle;
    }
    return high;
}

}  // namespace glycine::statistics

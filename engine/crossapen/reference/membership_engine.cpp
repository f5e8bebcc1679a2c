#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/crossapen/entropy_engine.hpp"

namespace glycine::crossapen::reference {

namespace {

/// Template i of `length` samples, `delay` apart, minus its own mean: Chen et al. 2007, equation 2.
template <class T>
std::vector<double> fuzzyTemplate(const T* signal, std::size_t i, std::size_t length, std::size_t delay) {
    std::vector<double> samples;
    for (std::size_t k = 0; k < length; ++k) samples.push_back(signal[i + k * delay]);
    const double baseline =
        std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(length);
    for (double& sample : samples) sample -= baseline;
    return samples;
}

/// The largest absolute difference of their components: equation 3.
double distance(const std::vector<double>& x, const std::vector<double>& y) {
    double largest = 0;
    for (std::size_t k = 0; k < x.size(); ++k) largest = std::max(largest, std::abs(x[k] - y[k]));
    return largest;
}

/// Equation 4.
double membership(double d, const FuzzyRule& rule) {
    return std::exp(-std::pow(d, rule.power) / rule.tolerance);
}

/// Σ µ over the first N − mτ templates of `length` samples of both series: equations 5 to 8 without the
/// divisor, for two series as in Xie et al. 2010.
template <class T>
double sumMemberships(const T* u, const T* v, std::size_t samples, std::size_t length, const FuzzyRule& rule,
                      bool isSelf) {
    const std::size_t templates = longTemplates(samples, rule.m, rule.delay);
    std::vector<std::vector<double>> partners;
    for (std::size_t j = 0; j < templates; ++j) partners.push_back(fuzzyTemplate(v, j, length, rule.delay));
    double sum = 0;
    for (std::size_t i = 0; i < templates; ++i) {
        const std::vector<double> x = fuzzyTemplate(u, i, length, rule.delay);
        for (std::size_t j = 0; j < templates; ++j)
            if (!isSelf || i != j) sum += membership(distance(x, partners[j]), rule);
    }
    return sum;
}

class ReferenceMemberships : public MembershipEngine {
  public:
    Support supports(const MembershipRequest& request) const override { return supportsMemberships(request); }

    MatchOutcome sum(std::span<const AnyEpoch> epochs, const FuzzyRule& rule,
                     std::span<const MatrixView<MembershipSums>> sums, Progress& progress) override {
        const Stopwatch watch;
        for (std::size_t e = 0; e < epochs.size(); ++e)
            std::visit([&](const auto& epoch) { sumEpoch(epoch, rule, sums[e], progress); }, epochs[e]);
        MatchOutcome outcome;
        outcome.variant = Variant::Membership;
        outcome.times.compute = watch.seconds();
        return outcome;
    }

  private:
    template <class T>
    static void sumEpoch(const Epoch<T>& epoch, const FuzzyRule& rule, MatrixView<MembershipSums> sums,
                         Progress& progress) {
        const std::size_t samples = epoch.samples();
        for (std::size_t a = 0; a < epoch.channels(); ++a)
            for (std::size_t b = a; b < epoch.channels(); ++b) {
                const auto sumOf = [&](std::size_t length) {
                    return sumMemberships(epoch.signals.row(a), epoch.signals.row(b), samples, length, rule,
                                          a == b);
                };
                // u and v are interchangeable in the definition.
                sums(a, b) = sums(b, a) = {sumOf(rule.m), sumOf(std::size_t{rule.m} + 1)};
                progress.advance(static_cast<double>(samples) * static_cast<double>(samples) *
                                 (a == b ? 1 : 2));
            }
    }
};

}  // namespace

Implementation<MembershipEngine> membershipEngine() {
    static const VariantTable<Variant> variants(
        "reference", {"float32", "float64"},
        {{Variant::Membership,
          "the definition: every template less its baseline against every one of the other channel",
          "Chen et al. 2007; Xie et al. 2010"}});
    return implementWith<MembershipEngine, ReferenceMemberships, Backend>(variants);
}

}  // namespace glycine::crossapen::reference

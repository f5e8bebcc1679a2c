#pragma once

#include <cmath>
#include <cstddef>

// Also included by kernels, which nvcc compiles as C++17.
#ifdef __CUDACC__
#define GLYCINE_TERM __device__
#else
#define GLYCINE_TERM
#endif

/// Terms summed over the attributes of a pair of coordinate rows. Each term is a single operation, used by
/// all backends in this form; its GLSL form is in shaders/distance/terms.glsl.
namespace glycine::distance {

/// Identifies a term when it is passed to an engine or kernel.
enum class SumTerm { AbsoluteDifference, SquaredDifference, LargestDifference, AnyDifference };
/// All terms.
inline constexpr SumTerm kSumTerms[] = {SumTerm::AbsoluteDifference, SumTerm::SquaredDifference,
                                        SumTerm::LargestDifference, SumTerm::AnyDifference};

/// Bounds for coordinates that were rounded before their differences were taken. If δ_k is the largest
/// rounding of attribute k, the differences of a pair are off by a vector e with |e_k| ≤ 2δ_k.
struct CoordinateRounding {
    double largest = 0;    ///< for one coordinate: the largest δ_k
    double manhattan = 0;  ///< 2 Σ δ_k: largest change of Σ|a − b|
    double euclidean = 0;  ///< 2 √Σ δ_k²: largest change of √Σ(a − b)², by the triangle inequality

    /// Largest change of a sum with this exact value.
    double ofSum(SumTerm term, double sum) const;
};

/// Arithmetic for the host's float64 and float32. Backends provide the same for their own numbers.
struct HostArithmetic {
    template <class Number>
    static Number absolute(Number x) {
        return std::abs(x);
    }
    /// x · y + z
    template <class Number>
    static Number multiplyAdd(Number x, Number y, Number z) {
        return x * y + z;
    }
    template <class Number>
    static Number larger(Number x, Number y) {
        return x < y ? y : x;
    }
    /// 0 for 0, else 1.
    template <class Number>
    static Number isNotZero(Number x) {
        return x != 0 ? 1 : 0;
    }
};

// A term provides
//   add<Arithmetic>(sum, a, b)  `sum` plus the term of one more attribute. Equal numbers do not
//                               change it, so padding attributes are 0 on both sides
//   join(x, y)                  joins two sums over different attributes; 0 is neutral
//   kDegree                     scaling coordinates by u scales sums by u^kDegree
//   leastSum(attributes)        smaller sums may lack terms lost below 2⁻¹²⁶, float32's range
//   change(rounding, sum)       CoordinateRounding::ofSum
// and its names in reports and in terms.glsl.

/// Σ |a − b|
struct AbsoluteDifference {
    static constexpr SumTerm kTerm = SumTerm::AbsoluteDifference;
    static constexpr const char* kName = "absolute differences";
    static constexpr const char* kShaderName = "ABSOLUTE_DIFFERENCE";
    static constexpr int kDegree = 1;

    template <class Arithmetic, class Sum, class Left, class Right>
    GLYCINE_TERM static Sum add(Sum sum, Left a, Right b) {
        return sum + Arithmetic::absolute(a - b);
    }
    GLYCINE_TERM static double join(double x, double y) { return x + y; }
    static double leastSum(std::size_t) { return 0; }
    static double change(const CoordinateRounding& rounding, double) { return rounding.manhattan; }
};

/// Σ (a − b)²
struct SquaredDifference {
    static constexpr SumTerm kTerm = SumTerm::SquaredDifference;
    static constexpr const char* kName = "squared differences";
    static constexpr const char* kShaderName = "SQUARED_DIFFERENCE";
    static constexpr int kDegree = 2;

    template <class Arithmetic, class Sum, class Left, class Right>
    GLYCINE_TERM static Sum add(Sum sum, Left a, Right b) {
        const Sum difference = a - b;
        return Arithmetic::multiplyAdd(difference, difference, sum);
    }
    GLYCINE_TERM static double join(double x, double y) { return x + y; }
    static double leastSum(std::size_t attributes) { return static_cast<double>(attributes) * 0x1p-126; }
    /// |√S + E|² − S for E = euclidean.
    static double change(const CoordinateRounding& rounding, double sum) {
        return rounding.euclidean * (2 * std::sqrt(sum) + rounding.euclidean);
    }
};

/// max |a − b|
struct LargestDifference {
    static constexpr SumTerm kTerm = SumTerm::LargestDifference;
    static constexpr const char* kName = "largest differences";
    static constexpr const char* kShaderName = "LARGEST_DIFFERENCE";
    static constexpr int kDegree = 1;

    template <class Arithmetic, class Sum, class Left, class Right>
    GLYCINE_TERM static Sum add(Sum sum, Left a, Right b) {
        return Arithmetic::larger(sum, Arithmetic::absolute(a - b));
    }
    GLYCINE_TERM static double join(double x, double y) { return x < y ? y : x; }
    static double leastSum(std::size_t) { return 0; }
    static double change(const CoordinateRounding& rounding, double) { return 2 * rounding.largest; }
};

/// The number of attributes with a ≠ b. Requires unrounded numbers (Preparation::Rank).
struct AnyDifference {
    static constexpr SumTerm kTerm = SumTerm::AnyDifference;
    static constexpr const char* kName = "attributes that differ";
    static constexpr const char* kShaderName = "ANY_DIFFERENCE";
    static constexpr int kDegree = 0;

    template <class Arithmetic, class Sum, class Left, class Right>
    GLYCINE_TERM static Sum add(Sum sum, Left a, Right b) {
        const Sum difference = a - b;
        return sum + Arithmetic::isNotZero(difference);
    }
    GLYCINE_TERM static double join(double x, double y) { return x + y; }
    static double leastSum(std::size_t) { return 0; }
    static double change(const CoordinateRounding&, double) { return 0; }
};

/// Returns use(Term()) for the operation of a term.
template <class Use>
auto withTerm(SumTerm term, Use&& use) {
    switch (term) {
        case SumTerm::SquaredDifference:
            return use(SquaredDifference());
        case SumTerm::LargestDifference:
            return use(LargestDifference());
        case SumTerm::AnyDifference:
            return use(AnyDifference());
        case SumTerm::AbsoluteDifference:
            break;
    }
    return use(AbsoluteDifference());
}

inline double CoordinateRounding::ofSum(SumTerm term, double sum) const {
    return withTerm(term, [this, sum](auto operation) { return operation.change(*this, sum); });
}

/// Sum over the attributes, in double.
template <class Number>
double sumOfTerms(const Number* a, const Number* b, std::size_t attributes, SumTerm term) {
    return withTerm(term, [=](auto operation) {
        double sum = 0;
        for (std::size_t k = 0; k < attributes; ++k)
            sum = operation.template add<HostArithmetic>(sum, double{a[k]}, double{b[k]});
        return sum;
    });
}

}  // namespace glycine::distance

#undef GLYCINE_TERM

#pragma once

#include <cmath>
#include <cstddef>

// Kernels that nvcc compiles, as C++17, include this header, too.
#ifdef __CUDACC__
#define GLYCINE_TERM __device__
#else
#define GLYCINE_TERM
#endif

/// What is summed over the attributes of a pair of coordinate rows. Each term is one operation, which all
/// backends take as it stands here; its GLSL form is in shaders/distance/terms.glsl.
namespace glycine::distance {

/// The terms by number, as they cross from interface to kernel.
enum class SumTerm { AbsoluteDifference, SquaredDifference, LargestDifference, AnyDifference };
/// All of them.
inline constexpr SumTerm kSumTerms[] = {SumTerm::AbsoluteDifference, SumTerm::SquaredDifference,
                                        SumTerm::LargestDifference, SumTerm::AnyDifference};

/// What became of coordinates that were rounded before their differences were taken. Let δ_k be the largest
/// rounding of attribute k; then the differences of a pair are off by a vector e with |e_k| ≤ 2δ_k.
struct CoordinateRounding {
    double largest = 0;    ///< of one coordinate: the largest δ_k
    double manhattan = 0;  ///< 2 Σ δ_k: by how much Σ|a − b| can change
    double euclidean = 0;  ///< 2 √Σ δ_k²: by how much √Σ(a − b)² can change, by the triangle inequality

    /// By how much a sum with this exact value can change.
    double ofSum(SumTerm term, double sum) const;
};

/// What float64 and float32 numbers of the host can do. Backends have the same for their own numbers.
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
    /// 1 for all but 0.
    template <class Number>
    static Number isNotZero(Number x) {
        return x != 0 ? 1 : 0;
    }
};

// A term gives
//   add<Arithmetic>(sum, a, b)  `sum` with the term of one more attribute. Of equal numbers it changes
//                               nothing, so that what pads attributes is 0 on both sides
//   join(x, y)                  two sums over different attributes; 0 is neutral
//   kDegree                     coordinates times u make sums times u^kDegree
//   leastSum(attributes)        sums below this may lack what terms lost below 2⁻¹²⁶, float32's range
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

/// The number of attributes with a ≠ b. Takes numbers that were not rounded (Preparation::Rank).
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

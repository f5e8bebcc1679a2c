#pragma once

namespace glycine {

/// The rounding error of sum = a + b, exactly (Knuth's TwoSum).
inline double lostInSum(double sum, double a, double b) {
    const double other = sum - a;
    return (a - (sum - other)) + (b - other);
}

/// Adds any number of numbers of one sign with an error of two units in the last place of their sum. The
/// errors of n plain additions may be n/2 of them. (Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26:1955,
/// 2005: Sum2)
class CompensatedSum {
  public:
    void add(double term) {
        const double sum = sum_ + term;
        lost_ += lostInSum(sum, sum_, term);
        sum_ = sum;
    }
    double value() const { return sum_ + lost_; }

  private:
    double sum_ = 0;
    double lost_ = 0;
};

}  // namespace glycine

#pragma once

#include <string>

namespace glycine {

/// One result compared with the reference's.
struct Comparison {
    std::string input{};           ///< which input: "sparse, 17 atoms"
    bool isEqual = false;          ///< to the bit
    double largestDifference = 0;  ///< in the unit of the subject (study::Subject::unit)
    double allowedDifference = 0;  ///< 0: bits must be equal
    bool isAbsolute = false;       ///< differences are absolute, not relative to the numbers
    std::string place{};           ///< location of the largest difference
    std::string verdict{};         ///< result of a sampled check, for people: "16 rows within 3e-06 Å"
    std::string also{};            ///< other comparisons, for people: "98 % of the columns the same"
    bool agrees() const { return isEqual || largestDifference <= allowedDifference; }

    /// Compares one element. The difference is relative to the larger of the two numbers, unless
    /// `isAbsolute`, and infinite if exactly one of them is NaN. `name` is called only for the largest
    /// difference so far.
    template <class Name>
    void compareElement(double expected, double found, const Name& name) {
        compareElement(expected, found, 0, name);
    }
    /// The same with an expected difference of `explained`: only the excess counts.
    template <class Name>
    void compareElement(double expected, double found, double explained, const Name& name) {
        if (takeDifference(expected, found, explained)) place = name() + valuesText(expected, found);
    }
    /// Marks the comparison as failed whatever the allowance; `place` then holds the reason.
    void fail(std::string reason);

  private:
    /// Whether it is the largest difference so far.
    bool takeDifference(double expected, double found, double explained);
    static std::string valuesText(double expected, double found);
};

/// A comparison that has found no difference yet.
Comparison equalSoFar(double allowedDifference);

/// "differs by up to 3.1e-06 Å, 1e-07 allowed". `unit` is the unit of the differences.
std::string describeDifference(const Comparison& comparison, const std::string& unit);

}  // namespace glycine

#pragma once

#include <string>

namespace glycine {

/// One result beside the reference's.
struct Comparison {
    std::string input{};           ///< which of the inputs: "sparse, 17 atoms"
    bool isEqual = false;          ///< to the bit
    double largestDifference = 0;  ///< in the unit of the subject (study::Subject::unit)
    double allowedDifference = 0;  ///< 0: bits must be equal
    bool isAbsolute = false;       ///< differences are taken as they are, not relative to the numbers
    std::string place{};           ///< where the largest difference was found
    std::string verdict{};         ///< of a sampled check, for people: "16 rows within 3e-06 Å"
    std::string also{};            ///< what else was compared, for people: "98 % of the columns the same"
    bool agrees() const { return isEqual || largestDifference <= allowedDifference; }

    /// Takes in one element, where differences are relative to the larger of the two numbers unless they are
    /// to be absolute; infinite where just one is no number. `name` is asked for when it is the largest
    /// difference so far.
    template <class Name>
    void compareElement(double expected, double found, const Name& name) {
        compareElement(expected, found, 0, name);
    }
    /// The same where a difference of `explained` is to be expected: only what exceeds it counts.
    template <class Name>
    void compareElement(double expected, double found, double explained, const Name& name) {
        if (takeDifference(expected, found, explained)) place = name() + valuesText(expected, found);
    }
    /// No allowance helps: the place says what is wrong.
    void fail(std::string reason);

  private:
    /// Whether it is the largest so far.
    bool takeDifference(double expected, double found, double explained);
    static std::string valuesText(double expected, double found);
};

/// One that has met no difference yet.
Comparison equalSoFar(double allowedDifference);

/// "differs by up to 3.1e-06 Å, 1e-07 allowed"; `unit`: of the differences.
std::string describeDifference(const Comparison& comparison, const std::string& unit);

}  // namespace glycine

#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/core/comparison.hpp"
#include "engine/core/configuration.hpp"
#include "engine/study/report.hpp"

namespace glycine {

/// One configuration compared with the reference.
struct ValidationRow {
    Configuration configuration;
    std::string skipped;  ///< why it did not run at all; empty if it ran
    std::size_t inputs = 0;
    std::size_t equalInputs = 0;  ///< inputs with results identical to the bit
    double seconds = 0;           ///< total over all inputs
    Comparison worst;             ///< the comparison that uses the largest share of its allowance
    std::vector<Comparison> disagreements;
    std::vector<std::string> also;        ///< further comparisons, one per input; may be empty
    std::vector<std::string> refusals;    ///< inputs that it declined, with the reason
    std::vector<study::Score> figures{};  ///< further measurements by name, for JSON; usually empty

    void add(const Comparison& comparison);
};

namespace study {

/// Output of `glycine validate <algorithm>`.
struct ValidationReport : Report {
    std::string unit;  ///< unit of the differences: "Å"
    std::vector<ValidationRow> rows;

    std::size_t disagreeing() const;  ///< number of rows with a disagreement
    std::size_t compared() const;     ///< number of rows that ran

    void print(std::ostream& out, std::size_t width) const;
    Json toJson() const;
};

}  // namespace study

}  // namespace glycine

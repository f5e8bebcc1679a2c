#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/algorithms/mutualinfo/mutualinfo.hpp"
#include "engine/study/subject.hpp"

/// Backends against the reference, within allowedDifference().
namespace glycine::mutualinfo {

/// An expression matrix, shared by problems.
struct StudyExpression {
    std::string description;
    Matrix<double> values;
};

/// "10 bins, order 3", with what is not usual.
std::string describe(const SplineOptions& splines);

/// All pairs of the genes. `checked`: of so many genes (the first, the last, others drawn with `seed`) all
/// pairs are compared; 0: of all.
std::unique_ptr<study::Problem> informationProblem(std::shared_ptr<const StudyExpression> expression,
                                                   const SplineOptions& splines, std::size_t checked = 0,
                                                   std::uint64_t seed = 1);

/// `mutualinfo` as the study harness sees it.
std::unique_ptr<study::Subject> subject();

}  // namespace glycine::mutualinfo

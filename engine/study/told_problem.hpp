#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/study/problem.hpp"

/// Problems that are told in place: for those that need no class of their own.
namespace glycine::study {

/// A computation: Computation::run, ::check and ::digest.
struct ToldComputation {
    std::function<Outcome(Progress&)> run;
    std::function<Comparison(Progress&)> check;
    std::function<std::optional<ResultDigest>()> digest{};
};
/// A problem: the functions of Problem of the same names. Without `concerns`, it concerns every
/// configuration.
struct ToldProblem {
    std::string name;
    Dimensions dimensions;
    std::function<Support(Backend&, const Configuration&)> supports;
    std::function<ToldComputation(Backend&, const Configuration&)> start;
    std::function<std::vector<Need>(const Configuration&)> needs{};
    std::function<bool(const Configuration&)> concerns{};
};
std::unique_ptr<Problem> problemOf(ToldProblem told);

}  // namespace glycine::study

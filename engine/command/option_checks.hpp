#pragma once

namespace CLI {
class Validator;
}

namespace glycine {

/// For CLI::Option::check: the value is a number above 0.
CLI::Validator isPositive();
/// For CLI::Option::check: the value is a number of at least 0.
CLI::Validator isNotNegative();

}  // namespace glycine

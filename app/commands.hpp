#pragma once

#include "engine/core/algorithm.hpp"

/// The commands that belong to no algorithm. Each adds its options and returns what runs after parsing.
namespace glycine {

Algorithm::Action addListCommand(CLI::App& command);
Algorithm::Action addInfoCommand(CLI::App& command);

}  // namespace glycine

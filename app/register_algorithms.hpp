#pragma once

namespace glycine {

/// Registers every built-in algorithm in AlgorithmRegistry, and its commands in CommandRegistry. Call once.
void registerAlgorithms();

}  // namespace glycine

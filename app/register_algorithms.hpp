#pragma once

namespace glycine {

/// Puts every algorithm that was built in into AlgorithmRegistry, and its commands into CommandRegistry. Call
/// once.
void registerAlgorithms();

}  // namespace glycine

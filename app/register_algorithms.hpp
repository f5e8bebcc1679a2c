#pragma once

namespace glycine {

/// Puts every algorithm that was built in into AlgorithmRegistry. Call once.
void registerAlgorithms();

}  // namespace glycine

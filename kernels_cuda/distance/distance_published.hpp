#pragma once

/// The names of the five published kernels, and what they can count.
namespace glycine::cuda {

/// N. A. Sinnott-Armstrong et al., "Exploiting Graphics Processing Units for Computational Biology and
/// Bioinformatics", Interdisciplinary Sciences 2 (2010).
enum class PublishedKernel { Naive, Coalesced, Char4, Register, Shared };

/// Which attributes of a pair are counted.
enum class Comparison {
    Differing,         ///< the paper's: symbols are different
    DifferingPresent,  ///< symbols are different and both are there
    Opposite,          ///< one symbol is 0, the other 2
    Present,           ///< both are there
};

/// Stands for a missing entry among symbols.
inline constexpr int kMissingValue = 255;

}  // namespace glycine::cuda

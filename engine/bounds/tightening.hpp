#pragma once

#include <cstddef>

#include "engine/bounds/bounds.hpp"

namespace glycine::bounds {

/// By how much smoothing tightened the bounds of one kind, over the pairs i < j.
struct Tightening {
    std::size_t pairs = 0;        ///< all pairs, n (n − 1) / 2
    std::size_t tightened = 0;    ///< pairs with a finite bound before and a tighter one after
    std::size_t fromUnknown = 0;  ///< pairs without an upper bound before and with one after
    double mean = 0;              ///< Å, over `tightened`
    double median = 0;            ///< Å, over `tightened`; of an even number the lower middle one
    double largest = 0;           ///< Å
};

/// `before` and `after` have the same format and size. Reads `before` below the diagonal and `after` above
/// it: they may be one memory, see SmoothingOptions::keepInput. O(n²) time, no memory to speak of: the median
/// is found among the bit patterns of the amounts (as float), which order like the amounts.
Tightening measureUpperTightening(const AnyBoundMatrices& before, const AnyBoundMatrices& after);
/// All zero without lower bounds.
Tightening measureLowerTightening(const AnyBoundMatrices& before, const AnyBoundMatrices& after);

}  // namespace glycine::bounds

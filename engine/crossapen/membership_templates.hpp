#pragma once

#include <cstddef>

#include "engine/core/matrix.hpp"

namespace glycine::crossapen {

/// Templates first … first + templates.columns() − 1 of a signal, each less its own mean: templates(k, i) is
/// sample k of template first + i, which is signal[first + i + k · delay] (FuzzyRule::delay). Templates have
/// templates.rows() = m + 1 samples. Computed in double precision and rounded once.
///
/// Those of length m follow from them. The differences f(0) … f(m) of two templates without baselines sum up
/// to zero, so that the mean of the first m is −f(m) / m: without the baselines of length m they are
/// f(k) + f(m) / m.
template <class T>
void subtractBaselines(const T* signal, std::size_t first, std::size_t delay, MatrixView<T> templates);

}  // namespace glycine::crossapen

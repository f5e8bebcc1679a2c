#pragma once

namespace glycine::distance::reference {

/// The function that the paper times as its CPU implementation, unchanged. Adds to distance[i + instances·j]
/// the number of attributes in which instances i and j differ, for all i and j, in both orders and on the
/// diagonal. `data`: instances × attributes, row by row. Only for timing; the specification is
/// Variant::Serial.
/// Source: Sinnott-Armstrong et al. 2010, appendix 1.
void countAsInPaper(int instances, int attributes, const int* data, int* distance);

}  // namespace glycine::distance::reference

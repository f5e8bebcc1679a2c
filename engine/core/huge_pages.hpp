#pragma once

#include <cstddef>

namespace glycine {

/// Asks the system for huge pages for the whole ones within `bytes` from `begin` on, before they are first
/// written. Faulting in small pages takes longer than filling them, and rows in huge pages are read about
/// twice as fast in random order. A failure is harmless.
void preferHugePages(void* begin, std::size_t bytes);

}  // namespace glycine

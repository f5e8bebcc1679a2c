#pragma once

#include <chrono>
#include <cstdint>

/// Waiting for other processes that share memory.
namespace glycine {

/// Sleeps while `word` holds `value`, at most this long; may return early. `word` may lie in memory that
/// processes share.
void waitWhile(const std::uint32_t& word, std::uint32_t value, std::chrono::microseconds longest);
/// Wakes all that wait at `word`, in any process.
void wakeAll(const std::uint32_t& word);

}  // namespace glycine

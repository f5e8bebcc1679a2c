#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

/// What the operating system tells of the processors. Each answer is empty where it tells nothing.
namespace glycine {

/// As the maker names it: "AMD EPYC 7763"; "processor of unknown name" where the system does not tell.
std::string processorName();

/// Numbers of the processors that this process may run on.
std::set<int> ownProcessors();

/// What all processors have spent their time on since they were started, as lines "cpu0 user nice system idle
/// iowait irq softirq steal …" in ticks (`ticksPerSecond`).
std::string processorTimesText();
double ticksPerSecond();

/// Bytes of the last cache before the memory; 0 where the system does not tell.
std::size_t lastCacheBytes();

/// Where the system shows counters of the energy that processors have used: Linux's powercap interface.
const char* energyCounterFolder();

/// Programs that wanted a processor, averaged over the last minute.
std::optional<double> loadAverage();

}  // namespace glycine

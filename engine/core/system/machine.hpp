#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

/// Information of the operating system about processors, graphics devices and this process. A result is empty
/// if the system reports nothing.

namespace glycine {

/// The maker's name: "AMD EPYC 7763"; "processor of unknown name" if the system reports none.
std::string processorName();

/// Numbers of the processors that this process may run on.
std::set<int> ownProcessors();

/// Times of all processors since boot, as lines "cpu0 user nice system idle iowait irq softirq steal …" in
/// ticks (`ticksPerSecond`).
std::string processorTimesText();
double ticksPerSecond();

/// Bytes of the last-level cache; 0 if the system does not report it.
std::size_t lastCacheBytes();

/// The folder of the processors' energy counters: Linux's powercap interface.
const char* energyCounterFolder();

/// Number of runnable programs, averaged over the last minute.
std::optional<double> loadAverage();

/// Seconds since this process was started. Replacing the program (exec) does not restart the count.
std::optional<double> secondsOfProcess();
/// The same, computed from the contents `stat` of /proc/self/stat. `now` is in seconds since boot, and
/// `processor` is the process's processor time in seconds. The file counts whole ticks of `tick` seconds. The
/// start lies within that tick, and at least `processor` seconds ago, as for a single thread.
std::optional<double> secondsOfProcess(const std::string& stat, double now, double processor, double tick);

/// Restarts the program in place, with these arguments (argv) and the present environment. Returns only if
/// the system cannot.
void restartProgram(char** arguments);

/// A path under which an open file of this process can be opened again, even if it was renamed.
std::string openFilePath(int descriptor);

/// Why OpenGL would render on the processor here, judged by the system's device lists without loading a
/// driver. Empty if there may be a GPU.
std::string lackOfGraphicsDevices();

/// Version of NVIDIA's kernel module, "580.159.03"; empty if it is not reported.
std::string nvidiaModuleVersion();

}  // namespace glycine

#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

/// What the operating system reports of processors, graphics devices and this process. An answer is empty
/// where the system reports nothing.

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

/// Seconds since this process was started; a process that starts another program in its place goes on.
std::optional<double> secondsOfProcess();
/// The same where /proc/self/stat reads `stat` at a moment `now`, in seconds since the system was started,
/// and the process has had `processor` seconds of processors. The file has whole ticks of `tick` seconds: the
/// beginning lies in that tick, and so long ago as a single thread needs to have had that time.
std::optional<double> secondsOfProcess(const std::string& stat, double now, double processor, double tick);

/// Starts the program anew in its own place, with these arguments (argv) and the present environment. Returns
/// where the system cannot.
void restartProgram(char** arguments);

/// A path under which an open file of this process can be opened once more, whatever its name is by now.
std::string openFilePath(int descriptor);

/// Why OpenGL would draw on the processor here, by what the system lists alone: no driver is loaded. Empty
/// where there may be a GPU.
std::string lackOfGraphicsDevices();

/// Version of NVIDIA's kernel module, "580.159.03"; empty where it does not tell.
std::string nvidiaModuleVersion();

}  // namespace glycine

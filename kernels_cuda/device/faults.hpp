#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// Faults put into the results of kernels, to see whether they are found (scripts/falsify.py). Only programs
/// that are built with -DGLYCINE_FAULTS=ON have this: every launch goes through a wrapper that the linker
/// puts in its place, so that no kernel and no launch knows of it.
///
/// GLYCINE_FAULT=KERNEL:KIND:SEED alters what that kernel has changed in device memory, after each of its
/// launches (fault_alteration.hpp has the kinds). GLYCINE_FAULT=list alters nothing. GLYCINE_FAULT_LOG names
/// a file to which each launch that was watched adds a line: the kernel, how many arrays it changed, how many
/// elements, and how many of them were altered, between tabs.
namespace glycine::cuda {

/// From its construction to its end, a launch: the device is idle before it, and is waited for after it.
class WatchedLaunch {
  public:
    /// `kernel`: its name. `addresses`: numbers among its parameters, some of which may be pointers.
    explicit WatchedLaunch(std::string kernel, const std::vector<std::uintptr_t>& addresses = {});
    ~WatchedLaunch();
    WatchedLaunch(const WatchedLaunch&) = delete;
    WatchedLaunch& operator=(const WatchedLaunch&) = delete;

  private:
    std::string kernel_;
    bool isWatched_ = false;
    std::map<std::uintptr_t, std::vector<std::byte>> before_;  ///< contents of arrays, by address
};

}  // namespace glycine::cuda

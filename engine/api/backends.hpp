#pragma once

namespace glycine {

/// Puts "reference", "cpu", "gl" and "cuda" into the BackendRegistry, once for the process. Nothing is loaded
/// and no device is touched: a backend is made when it is asked for, and one that cannot run here says why
/// then.
void registerBackends();

}  // namespace glycine

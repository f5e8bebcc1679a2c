#pragma once

namespace glycine {

/// Registers "reference", "cpu", "gl" and "cuda" in the BackendRegistry, once per process. Loads nothing and
/// touches no device: a backend is created on request, and one that cannot run reports the reason then.
void registerBackends();

}  // namespace glycine

#pragma once

#include "app/register_algorithms.hpp"

namespace glycine::test {

/// Puts the algorithms with their commands and subjects into their registries, once a process: a program may
/// hold several tests that need them.
inline void registerAlgorithmsOnce() {
    static const bool once = [] {
        registerAlgorithms();
        return true;
    }();
    static_cast<void>(once);
}

}  // namespace glycine::test

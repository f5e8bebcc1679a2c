#pragma once

#include "app/commands.hpp"
#include "app/register_algorithms.hpp"

namespace glycine::test {

/// Registers the algorithms with their commands and subjects, once per process: a program may contain several
/// tests that need them.
inline void registerAlgorithmsOnce() {
    static const bool once = [] {
        registerAlgorithms();
        return true;
    }();
    static_cast<void>(once);
}

/// The same, with the commands that do not belong to an algorithm.
inline const std::vector<Command>& allCommands() {
    static const bool once = [] {
        registerAlgorithmsOnce();
        registerCommands();
        return true;
    }();
    static_cast<void>(once);
    return CommandRegistry::instance().commands();
}

}  // namespace glycine::test

// GNU OpenMP reads the environment when its library is initialised: before main(), and before any constructor
// of the program. Only functions in the executable's .preinit_array run earlier. setenv() has no effect
// there, because the C library takes the environment from the stack afterwards, and the array of variables on
// the stack has no room for another one. The hook therefore borrows the place of a variable that only shells
// read, until all libraries are initialised. The program's own code and the programs that it starts see the
// user's environment.
#include "app/early_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "engine/core/parallel.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define GLYCINE_IS_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GLYCINE_IS_SANITIZED
#endif

namespace glycine {

namespace {

bool isShown = false;  ///< the limit, to GNU OpenMP

// Sanitizers are not ready that early.
#if defined(__ELF__) && !defined(GLYCINE_IS_SANITIZED)

constexpr std::string_view kName = "GOMP_SPINCOUNT=";
constexpr std::string_view kValue = kSpinCount;

/// "GOMP_SPINCOUNT=5000"
constinit std::array<char, kName.size() + kValue.size() + 1> setting = [] {
    std::array<char, kName.size() + kValue.size() + 1> text{};
    std::ranges::copy(kValue, std::ranges::copy(kName, text.begin()).out);
    return text;
}();

/// Preferred ones first.
constexpr std::array<const char*, 9> kBorrowed{
    "_=", "OLDPWD=", "SHLVL=", "PWD=", "LS_COLORS=", "MAIL=", "LOGNAME=", "SHELL=", "HOSTNAME="};

char* variable = nullptr;  ///< the borrowed one

/// Calls no other library, because none is initialised.
bool startsWith(const char* text, const char* start) {
    for (; *start != '\0'; ++text, ++start)
        if (*text != *start) return false;
    return true;
}

void showLimit(int /*count*/, char** /*arguments*/, char** environment) {
    for (char** entry = environment; *entry != nullptr; ++entry)
        if (startsWith(*entry, kName.data()) || startsWith(*entry, "OMP_WAIT_POLICY=")) return;
    for (const char* const name : kBorrowed)
        for (char** entry = environment; *entry != nullptr; ++entry)
            if (startsWith(*entry, name)) {
                variable = *entry;
                *entry = setting.data();
                isShown = true;
                return;
            }
}

__attribute__((section(".preinit_array"), used)) void (*const kShowLimit)(int, char**, char**) = showLimit;

/// Runs after the libraries were initialised and before any other constructor of the program. Libraries may
/// have moved the environment.
__attribute__((constructor(101))) void returnVariable() {
    if (environ == nullptr) return;
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (*entry == setting.data()) *entry = variable;
}

#endif

}  // namespace

bool isSpinningBounded() {
    return isShown || std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr;
}

}  // namespace glycine

#undef GLYCINE_IS_SANITIZED

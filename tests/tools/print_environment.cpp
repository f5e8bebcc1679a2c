// The environment of a program with app/early_environment.cpp, one variable a line, as env prints it.
#include <unistd.h>

#include <cstdio>

#include "app/early_environment.hpp"

int main() {
    if (!glycine::isSpinningBounded()) return 1;
    for (char** entry = environ; *entry != nullptr; ++entry) std::puts(*entry);
    return 0;
}

#pragma once

#include <string>

/// The running program, as the operating system sees it.
namespace glycine {

/// Starts the program anew in its own place, with these arguments (argv) and the present environment. Returns
/// where the system cannot.
void restartProgram(char** arguments);

/// A path under which an open file of this process can be opened once more, whatever its name is by now.
std::string openFilePath(int descriptor);

}  // namespace glycine

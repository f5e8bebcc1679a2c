#pragma once

/// The running program, as the operating system sees it.
namespace glycine {

/// Starts the program anew in its own place, with these arguments (argv) and the present environment. Returns
/// where the system cannot.
void restartProgram(char** arguments);

/// A path under which what standard input reads, where that is a file, can be opened again.
const char* standardInputPath();

}  // namespace glycine

#include "app/program.hpp"
#include "engine/command/command_line.hpp"

int main(int argc, char** argv) {
    return glycine::runProgram(argc, argv, glycine::runCommandLine);
}

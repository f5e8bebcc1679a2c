#include "engine/core/system/program_run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"

extern char** environ;

namespace glycine {

namespace {

void require(int code, const char* what) {
    if (code != 0)
        throw Error(std::string("this program cannot be started once more: ") + what + ": " +
                    std::generic_category().message(code));
}

/// The ends of a pipe, closed by the destructor.
class Pipe {
  public:
    Pipe() { require(::pipe2(ends_, O_CLOEXEC) == 0 ? 0 : errno, "pipe"); }
    Pipe(const Pipe&) = delete;
    ~Pipe() {
        ::close(ends_[0]);
        closeWritten();
    }
    int read() const { return ends_[0]; }
    int written() const { return ends_[1]; }
    void closeWritten() {
        if (ends_[1] >= 0) ::close(ends_[1]);
        ends_[1] = -1;
    }

  private:
    int ends_[2] = {-1, -1};
};

/// Starts the program, with standard output and error going to the pipe.
pid_t start(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
            const std::vector<std::string>& without, const Pipe& pipe) {
    std::vector<std::string> copies{"glycine"};
    copies.insert(copies.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& argument : copies) argv.push_back(argument.data());
    argv.push_back(nullptr);
    std::vector<char*> variables;
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (std::ranges::find(without, *variable) == without.end()) variables.push_back(*variable);
    variables.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    require(::posix_spawn_file_actions_init(&actions), "memory");
    pid_t child = -1;
    int code = ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
        if (code == 0) code = ::posix_spawn_file_actions_adddup2(&actions, pipe.written(), descriptor);
    if (code == 0)
        code = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv.data(), variables.data());
    ::posix_spawn_file_actions_destroy(&actions);
    require(code, "start");
    return child;
}

int exitCodeOf(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProgramRun runThisProgram(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          const std::vector<std::string>& without, const std::function<void()>& wait) {
    constexpr int kMilliseconds = 100;
    ProgramRun run;
    Pipe pipe;
    const Stopwatch watch;
    const pid_t child = start(arguments, folder, without, pipe);
    pipe.closeWritten();
    try {
        // A process closes the pipe after releasing its memory.
        for (char buffer[4096];;) {
            pollfd state{.fd = pipe.read(), .events = POLLIN, .revents = 0};
            if (::poll(&state, 1, kMilliseconds) <= 0) {
                wait();
                continue;
            }
            const ssize_t count = ::read(pipe.read(), buffer, sizeof buffer);
            if (count == 0 || (count < 0 && errno != EINTR)) break;
            if (count > 0) run.output.append(buffer, static_cast<std::size_t>(count));
        }
    } catch (...) {
        ::kill(child, SIGTERM);
        exitCodeOf(child);
        throw;
    }
    run.exitCode = exitCodeOf(child);
    run.seconds = watch.seconds();
    return run;
}

}  // namespace glycine

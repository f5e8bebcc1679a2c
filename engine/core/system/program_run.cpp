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

/// Starts the program, with standard output and standard error going to a pipe each.
pid_t start(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
            const std::vector<std::string>& without, const Pipe& output, const Pipe& messages) {
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
    if (code == 0) code = ::posix_spawn_file_actions_adddup2(&actions, output.written(), STDOUT_FILENO);
    if (code == 0) code = ::posix_spawn_file_actions_adddup2(&actions, messages.written(), STDERR_FILENO);
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
    Pipe output, messages;
    const Stopwatch watch;
    const pid_t child = start(arguments, folder, without, output, messages);
    output.closeWritten();
    messages.closeWritten();
    try {
        // A process closes its pipes after releasing its memory. poll() ignores negative descriptors.
        pollfd states[] = {{.fd = output.read(), .events = POLLIN, .revents = 0},
                           {.fd = messages.read(), .events = POLLIN, .revents = 0}};
        std::string* const texts[] = {&run.output, &run.messages};
        while (states[0].fd >= 0 || states[1].fd >= 0) {
            if (::poll(states, 2, kMilliseconds) <= 0) {
                wait();
                continue;
            }
            for (int k = 0; k < 2; ++k) {
                if (states[k].fd < 0 || states[k].revents == 0) continue;
                char buffer[4096];
                const ssize_t count = ::read(states[k].fd, buffer, sizeof buffer);
                if (count > 0) texts[k]->append(buffer, static_cast<std::size_t>(count));
                if (count == 0 || (count < 0 && errno != EINTR)) states[k].fd = -1;
            }
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

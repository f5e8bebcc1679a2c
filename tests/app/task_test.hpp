#pragma once

#include "engine/command/command_registry.hpp"
#include "engine/core/backend.hpp"
#include "engine/io/text/json.hpp"
#include "tests/app/registered_algorithms.hpp"
#include "tests/test.hpp"

/// Tasks of algorithms (`validate`, `bench`, …), run in the test's process on the processor.
namespace glycine::test {

struct TaskOutcome {
    int exitCode = -1;
    std::string out;
    std::string error;
    Json json() const { return Json::parse(out); }
};

using Declare = std::function<CommandAction(Options&)>;

/// Runs a task like the command line, with the backends of the host and a "cuda" that cannot run.
inline TaskOutcome runTask(const Declare& declare, std::vector<std::string> arguments) {
    static const bool once = [] {
        registerHostBackends();
        BackendRegistry::instance().add(
            {"cuda",
             "none here",
             [](const BackendOptions&) -> std::unique_ptr<Backend> { throw UnavailableError("none here"); },
             {}});
        return true;
    }();
    static_cast<void>(once);
    registerAlgorithmsOnce();
    std::ostringstream out;
    std::ostringstream err;
    CommandContext context(out, err, false);
    TaskOutcome outcome;
    try {
        Options options;
        const CommandAction action = declare(options);
        options.parse(std::move(arguments));
        outcome.exitCode = action(context);
    } catch (const Error& error) {
        outcome.exitCode = error.exitCode();
        outcome.error = error.what();
    }
    outcome.out = out.str();
    return outcome;
}

/// Runs a task that must succeed.
inline TaskOutcome succeedTask(const Declare& declare, const std::vector<std::string>& arguments) {
    const TaskOutcome outcome = runTask(declare, arguments);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.error << outcome.out;
    return outcome;
}

/// Expects wrong use: exit code 2, a message that says so, and no output.
inline void expectTaskRefused(const Declare& declare, const std::vector<std::string>& arguments,
                              const std::string& message) {
    const TaskOutcome outcome = runTask(declare, arguments);
    EXPECT_EQ(outcome.exitCode, 2) << outcome.error;
    EXPECT_THAT(outcome.error, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
}

}  // namespace glycine::test

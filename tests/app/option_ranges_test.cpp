// Every numeric option of every command, found through the registry: anything but a decimal number in its
// range is refused with the option's name, and both ends of the range are accepted.

#include "engine/command/command_registry.hpp"
#include "tests/app/registered_algorithms.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

/// The command's message about one value of one option; empty if it accepts everything.
std::string answerTo(const Command& command, const std::string& option, const std::string& value) {
    Options options;
    const CommandAction action = command.declare(options);
    try {
        options.parse({option + "=" + value});
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(OptionRanges, WhatIsNoDecimalNumberIsRefusedByTheOptionsName) {
    std::size_t tried = 0;
    for (const Command& command : allCommands()) {
        Options options;
        const CommandAction action = command.declare(options);
        for (const Options::Number& number : options.numbers())
            for (const char* value : {"nan", "inf", "-inf", "1e300", "-1e300", "1e999", "1e-400", "0x10",
                                      "0x1p3", "", "1,,2", "12abc", "1 2", "99999999999999999999"}) {
                EXPECT_THAT(answerTo(command, number.option, value), HasSubstr(number.option))
                    << command.group << " " << command.name << " " << number.option << "=" << value;
                ++tried;
            }
    }
    EXPECT_GT(tried, 14U * 100U) << "the commands are registered";
}

TEST(OptionRanges, BothEndsAreTakenAndNothingBeyondThem) {
    const auto text = [](const Options::Number& number, double value) {
        return number.isWhole ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
    };
    for (const Command& command : allCommands()) {
        Options options;
        const CommandAction action = command.declare(options);
        for (const Options::Number& number : options.numbers()) {
            SCOPED_TRACE(command.group + " " + command.name + " " + number.option);
            ASSERT_LT(number.low, number.high);
            const double step = number.isWhole ? 1 : 1e-3;
            const double low = number.isLowAllowed ? number.low : number.low + step;
            EXPECT_THAT(answerTo(command, number.option, text(number, low)),
                        Not(HasSubstr(number.option + ": ")));
            EXPECT_THAT(answerTo(command, number.option,
                                 text(number, number.isLowAllowed ? number.low - step : number.low)),
                        HasSubstr(number.option));
            // The largest 64-bit integers are not doubles, but the number above them is.
            if (number.high < 0x1p53) {
                EXPECT_THAT(answerTo(command, number.option, text(number, number.high)),
                            Not(HasSubstr(number.option + ": ")));
            }
            EXPECT_THAT(answerTo(command, number.option, text(number, number.high * 1.001 + 1)),
                        HasSubstr(number.option));
        }
    }
}

}  // namespace
}  // namespace glycine::test

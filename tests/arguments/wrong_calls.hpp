#pragma once

#include <exception>

#include "tests/test.hpp"

/// Calls of typed functions with arguments that they must refuse.
namespace glycine::test {

/// A value that the enumeration does not have.
template <class Value>
Value unknown() {
    return static_cast<Value>(99);
}

/// Error that a call throws: "InputError: …" or "UsageError: …"; anything else begins with "wrong: ".
inline std::string refusalOf(const std::function<void()>& call) {
    try {
        call();
        return "wrong: accepted";
    } catch (const InputError& error) {
        return std::string("InputError: ") + error.what();
    } catch (const UsageError& error) {
        return std::string("UsageError: ") + error.what();
    } catch (const Error& error) {
        return std::string("wrong: another glycine::Error: ") + error.what();
    } catch (const std::exception& error) {
        return std::string("wrong: no glycine::Error: ") + error.what();
    }
}

/// A call and the beginning of its error, in the form of refusalOf.
template <class... Arguments>
struct WrongCall {
    std::string what;  ///< what is wrong
    std::string refusal;
    std::function<void(Arguments...)> call;
};

inline void expectRefusal(const std::string& expected, const std::string& found) {
    EXPECT_EQ(found.substr(0, expected.size()), expected) << found;
}

}  // namespace glycine::test

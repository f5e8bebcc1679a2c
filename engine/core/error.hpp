#pragma once

#include <stdexcept>
#include <string>

namespace glycine {

/// The base class of every exception that Glycine throws. `exitCode()` is the exit code of the command.
class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& message) : std::runtime_error(message) {}
    ~Error() override;  // defined in the library, so that backend modules share one class
    virtual int exitCode() const noexcept { return 1; }
};

/// The user's data cannot be used. The message names the place, what was found and what was expected.
class InputError : public Error {
  public:
    using Error::Error;
    int exitCode() const noexcept override { return 2; }
};

/// A file cannot be read, or changed while it was being read; a later call may succeed.
class UnreadableInputError : public InputError {
  public:
    using InputError::InputError;
};

/// The call itself is wrong: an unknown name, or options that exclude each other.
class UsageError : public Error {
  public:
    using Error::Error;
    int exitCode() const noexcept override { return 2; }
};

/// A backend, variant or feature is not available on this machine. The message names what is missing.
class UnavailableError : public Error {
  public:
    using Error::Error;
};

/// A device or its driver failed during work that it had accepted.
class DeviceError : public Error {
  public:
    using Error::Error;
};

/// The user stopped the work.
class CancelledError : public Error {
  public:
    /// `message` says what happened to the work.
    explicit CancelledError(const std::string& message = "cancelled; nothing was written") : Error(message) {}
    int exitCode() const noexcept override { return 130; }
};

}  // namespace glycine

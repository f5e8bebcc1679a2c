#pragma once

#include <stdexcept>
#include <string>

namespace glycine {

/// The root of everything that Glycine throws. `exitCode()` is what the command returns for it.
class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& message) : std::runtime_error(message) {}
    ~Error() override;  // defined in the library alone, so that the modules of backends have the same class
    virtual int exitCode() const noexcept { return 1; }
};

/// The user's data cannot be used: the message names the place, what was found and what was expected.
class InputError : public Error {
  public:
    using Error::Error;
    int exitCode() const noexcept override { return 2; }
};

/// A file cannot be read, or changed while it was read: the same call may succeed later.
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

/// A backend, variant or feature cannot be had on this machine; the message names what is missing.
class UnavailableError : public Error {
  public:
    using Error::Error;
};

/// A device or its driver failed in the middle of work that it had promised to do.
class DeviceError : public Error {
  public:
    using Error::Error;
};

/// The user stopped the work.
class CancelledError : public Error {
  public:
    /// `message`: what became of the work.
    explicit CancelledError(const std::string& message = "cancelled; nothing was written") : Error(message) {}
    int exitCode() const noexcept override { return 130; }
};

}  // namespace glycine

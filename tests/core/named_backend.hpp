#pragma once

#include "engine/core/backend.hpp"
#include "tests/test.hpp"

namespace glycine::test {

/// A backend that has a name and computes nothing.
class NamedBackend : public Backend {
  public:
    explicit NamedBackend(std::string name) : name_(std::move(name)) {}
    std::string_view name() const override { return name_; }
    std::string device() const override { return "a device"; }
    std::string driver() const override { return "a driver"; }
    const Capabilities& capabilities() const override { return capabilities_; }

  private:
    std::string name_;
    Capabilities capabilities_;
};

}  // namespace glycine::test

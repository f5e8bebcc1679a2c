#pragma once

#include <string>
#include <vector>

namespace glycine {

/// One fact about a device, as `glycine info` prints it.
struct Capability {
    std::string name;   ///< "largest texture", "float render targets"
    std::string value;  ///< "16384", "yes", "no"
    std::string cause;  ///< one line: how it was found out, or why it is so; may be empty
};

/// What a backend's device can do. Bugs are known faults of its driver that Glycine works around.
struct Capabilities {
    std::vector<Capability> limits;
    std::vector<Capability> features;
    std::vector<Capability> bugs;
};

/// "Yes", or the reason why not. Decided before any work starts.
class Support {
  public:
    static Support yes() { return Support({}); }
    static Support no(std::string reason) { return Support(std::move(reason)); }
    explicit operator bool() const { return reason_.empty(); }
    /// Empty when supported.
    const std::string& reason() const { return reason_; }

  private:
    explicit Support(std::string reason) : reason_(std::move(reason)) {}
    std::string reason_;
};

}  // namespace glycine

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
    static Support yes() { return {{}, {}}; }
    static Support no(std::string reason) { return {std::move(reason), {}}; }
    /// No, on any device: the variant or number format is not for such work. Who named it used it wrongly.
    static Support misuse(std::string reason) {
        Support support = no(std::move(reason));
        support.isMisuse_ = true;
        return support;
    }
    /// Yes, but cpu was measured to be faster: where the user names no backend, cpu comes first.
    static Support slowly(std::string reluctance) { return {{}, std::move(reluctance)}; }
    explicit operator bool() const { return reason_.empty(); }
    /// Empty when supported.
    const std::string& reason() const { return reason_; }
    bool isMisuse() const { return isMisuse_; }
    /// Why it should be cpu, if cpu can; mostly empty.
    const std::string& reluctance() const { return reluctance_; }

  private:
    Support(std::string reason, std::string reluctance)
        : reason_(std::move(reason)), reluctance_(std::move(reluctance)) {}
    std::string reason_;
    std::string reluctance_;
    bool isMisuse_ = false;
};

}  // namespace glycine

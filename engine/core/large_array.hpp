#pragma once

#include <cstddef>
#include <memory>

namespace glycine {

/// Memory for much at once, not initialised, on a boundary of 64 bytes. Of large ones the system is asked for
/// large pages: taking them one small page at a time is slower than filling them.
class LargeArray {
  public:
    /// Throws std::bad_alloc.
    explicit LargeArray(std::size_t bytes);
    std::byte* data() const { return data_.get(); }

  private:
    struct Release {
        void operator()(std::byte* data) const;
    };
    std::unique_ptr<std::byte, Release> data_;
};

}  // namespace glycine

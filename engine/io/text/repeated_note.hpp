#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

namespace glycine::io {

/// One note about something that a file may have a thousand times: the first is told, the others are counted.
class RepeatedNote {
  public:
    void add(const std::string& note) {
        if (count_++ == 0) first_ = note;
    }
    bool empty() const { return count_ == 0; }
    /// Appends "FIRST" or "FIRST (and N more)" unless there was none.
    void appendTo(std::vector<std::string>& notes) const {
        if (count_ == 1) notes.push_back(first_);
        if (count_ > 1) notes.push_back(fmt::format("{} (and {} more like it)", first_, count_ - 1));
    }

  private:
    std::size_t count_ = 0;
    std::string first_;
};

}  // namespace glycine::io

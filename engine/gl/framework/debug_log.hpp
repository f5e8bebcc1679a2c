#pragma once

#include <string>
#include <vector>

namespace glycine::gl {

/// What the driver complained about through KHR_debug, on any context of this process. Only messages of high
/// or medium severity are kept, at most a hundred; tests assert that there are none.
class DebugLog {
  public:
    /// Starts listening on the current context, where it has KHR_debug.
    static void install();
    /// Returns the messages so far and forgets them.
    static std::vector<std::string> take();
};

}  // namespace glycine::gl

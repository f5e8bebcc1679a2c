#include "engine/core/error.hpp"

namespace glycine {

Error::~Error() = default;

}  // namespace glycine

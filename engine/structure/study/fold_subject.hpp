#pragma once

#include <memory>

#include "engine/study/subject.hpp"

namespace glycine::structure {

/// `fold` for `validate` and `bench`: energies and gradients of models over some steps.
std::unique_ptr<study::Subject> subject();

}  // namespace glycine::structure

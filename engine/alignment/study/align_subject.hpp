#pragma once

#include <memory>

#include "engine/study/subject.hpp"

namespace glycine::align {

/// `align` by its own method as the study harness sees it.
std::unique_ptr<study::Subject> alignSubject();

}  // namespace glycine::align

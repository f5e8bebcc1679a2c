#pragma once

#include <memory>

#include "engine/study/subject.hpp"

namespace glycine::bounds {

/// `bounds` for `validate`, `bench` and `reproduce`.
std::unique_ptr<study::Subject> subject();

/// Table 43-1 of GPU Gems 2, and what its chapter says of the ways to compute it.
study::PublishedFigure gems2Table();

}  // namespace glycine::bounds

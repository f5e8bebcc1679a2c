#pragma once

#include <memory>
#include <vector>

#include "engine/study/subject.hpp"

namespace glycine::crossapen {

/// `crossapen` as the study harness sees it.
std::unique_ptr<study::Subject> makeSubject();

/// The timed figures of Martínez-Zarzuela et al. 2013, section 4.
std::vector<study::PublishedFigure> publishedFigures();

}  // namespace glycine::crossapen

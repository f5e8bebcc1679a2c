#pragma once

#include <functional>
#include <string>

#include "engine/core/process_team.hpp"
#include "engine/pairs/checked_sink.hpp"
#include "engine/pairs/close_pairs.hpp"

namespace glycine::pairs {

/// A selection of pairs that the processes of a team find together, for the object's lifetime. Each keeps
/// what it finds in its own tiles; nothing is written before the lead has all of it, so a lost process loses
/// the run.
class SharedSelection {
  public:
    /// `identity`: of the run, called while the team is at work. Throws UsageError if the processes do not
    /// work on the same result. All processes must construct it.
    SharedSelection(PairSelection& selection, const std::function<std::string()>& identity);
    SharedSelection(const SharedSelection&) = delete;
    SharedSelection& operator=(const SharedSelection&) = delete;
    ~SharedSelection();
    /// The sink of this process's tiles.
    PairSink& sink() { return reporting_; }

  private:
    TeamAtWork atWork_;
    CheckedSink reporting_;
};

}  // namespace glycine::pairs

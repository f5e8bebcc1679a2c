#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/text/json.hpp"
#include "engine/study/ceiling.hpp"
#include "engine/study/contest.hpp"

/// A result above a ceiling shows that the device can do more than the probe found. Its own rate is the
/// ceiling then, for all results of the same report, and marked as such: no share is above 100 %.
namespace glycine::study {

/// Whose ceiling it is.
struct CeilingKey {
    std::string backend;
    std::string dialect;  ///< may be empty
    int threads = 0;      ///< CeilingUse::threads
    std::string name;
    auto operator<=>(const CeilingKey&) const = default;
};

class RaisedCeilings {
  public:
    struct Raise {
        std::string unit;
        double rate = 0;    ///< of the result
        double probed = 0;  ///< of the probe
        std::string by;     ///< which result
        /// "raised from 10 to 80 G/s by cpu/quick float32 on bounds, sparse, 17 atoms".
        std::string text() const;
    };
    /// Takes notice of a result that takes `seconds` for what the use is about, and of one that raised the
    /// use before.
    void note(const CeilingKey& key, const CeilingUse& use, double seconds, const std::string& result);
    /// Raises a use to the best result that was noted.
    void apply(const CeilingKey& key, CeilingUse& use) const;
    /// Null where no result is above the ceiling.
    const Raise* find(const CeilingKey& key) const;
    const std::map<CeilingKey, Raise>& all() const { return raises_; }

  private:
    std::map<CeilingKey, Raise> raises_;
};

/// Raises the ceilings of the rows of one report by each other's results; what bounds a row may be another
/// ceiling then, and comes first again. `where`: the algorithm or figure, for naming a result.
RaisedCeilings raiseCeilings(const std::vector<MeasuredRow*>& rows, std::string_view where);

/// {"name", "unit", "rate", "what", "work", "leastSeconds"} with "stage", "threads", and of a raised one
/// "raisedBy" and "probed".
Json ceilingUseToJson(const CeilingUse& use);
/// Throws what the JSON library throws.
CeilingUse ceilingUseFrom(const Json& json);

}  // namespace glycine::study

#pragma once

#include <array>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/run_report.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/names.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/device_ceilings.hpp"
#include "engine/study/statistics.hpp"
#include "engine/study/subject.hpp"

/// The report of a study as JSON, docs/studies.md and docs/study-report.schema.json, and what is read from
/// it again.
namespace glycine::study {

inline constexpr std::string_view kStudySchema = "glycine-study";
/// Of what this program writes. It reads this one and all before it.
inline constexpr int kStudyVersion = 1;

/// The beginning of a report. `label`: what the machine is called; empty: by its devices.
Json studyHead(const std::string& label, const std::vector<DeviceDescription>& devices);
/// The beginning of a step in it.
Json stepHead(const std::string& id, std::string_view kind, const std::string& algorithm,
              const SweepStep& sweep, const std::string& figure);

/// Of a step's result: the share by which others may have made times longer; of the processors that they
/// used, the rest was ours; and what a loop of one thread shows. 0 on a quiet machine.
double disturbanceOf(const Json& result);

/// Whether a device of a report ({"backend", "device", …}) is a software renderer. Reports that do not say
/// are judged by its name.
bool isSoftware(const Json& device);

/// A way to run an algorithm, as reports name it.
struct Contender {
    std::string backend;
    std::string variant;
    std::string dialect{};  ///< may be empty
    std::string numberFormat{};
    /// "gl/packed": the application of a comparison of machines.
    std::string application() const { return variant.empty() ? backend : backend + "/" + variant; }
    /// "gl/packed es300 float32".
    std::string label() const;
    bool operator==(const Contender&) const = default;
};

struct TimedRow {
    Contender contender{};
    std::string algorithm{};
    std::string series{};
    Dimensions dimensions{};
    std::string skipped{};       ///< why it has no time; empty: it ran
    bool isWrong = false;        ///< failed a check; no time
    bool isBeyondLimit = false;  ///< of the study: it may be supported
    std::string check{};         ///< how it was verified, or what was wrong
    std::string cutShort{};      ///< why it has fewer runs than were asked for; mostly empty
    Statistics seconds{};        ///< of the total
    double work = 0;             ///< Outcome::work; 0: none is told
    double bestRate = 0;         ///< in the subject's unit
    std::string rateUnit{};
    std::string digest{};           ///< of the result; may be empty
    std::vector<double> samples{};  ///< of the result's elements
    double ceilingShare = 0;        ///< 0: it has no ceiling; 1 at most
    std::string ceiling{};          ///< what that is
    std::string raisedBy{};         ///< CeilingUse::raisedBy
    bool isByOverhead = false;      ///< it is what launches take, no rate of the device
    std::string software{};         ///< the software renderer that drew; empty: none did
    std::string energy{};           ///< "1.2 J package-0": of a run; empty where nobody tells
    /// By which share times may be too long for what others did on the machine meanwhile; 0 on a quiet one.
    double disturbance = 0;

    bool hasTime() const { return skipped.empty() && !isWrong && seconds.count > 0; }
    /// "54 % of add+min float32", with what raised it; "–" without one.
    std::string shareText() const;
    /// "splines float32": one curve over sizes.
    std::string curve() const;
    /// "1,024 atoms", "2,000 instances × 512 attributes".
    std::string size() const;
    /// "bounds fixed, 1,024 atoms": what times of different machines are compared for.
    std::string problem() const;
    /// The interval of the median, widened by the disturbance.
    Interval certainty() const;
};

enum class Agreement { Equal, Within, Wrong, Declined, Skipped };
constexpr auto namesOf(Agreement) {
    using enum Agreement;
    return namesAre<Agreement>("agreement", {{Equal, "equal to the bit"},
                                             {Within, "within the tolerance"},
                                             {Wrong, "WRONG"},
                                             {Declined, "declined"},
                                             {Skipped, "not run"}});
}

struct ComparedRow {
    Contender contender{};
    std::string algorithm{};
    std::string inputs{};  ///< "input 1a2b3c4d" for the user's own file; empty: generated ones
    Agreement agreement = Agreement::Skipped;
    std::size_t count = 0;  ///< of inputs
    std::size_t equal = 0;  ///< of these, equal to the bit
    double difference = 0;  ///< the largest share of what is allowed: the difference itself
    double allowed = 0;     ///< and what is
    std::string unit{};
    std::string reason{};  ///< why it did not run, was declined or is wrong
};

struct FigureClaim {
    std::string figure{};
    std::string title{};
    std::string claim{};
    std::string place{};
    std::string column{};     ///< Claim::column
    std::string published{};  ///< what the publication has for it
    std::string verdict{};
    std::string reason{};
    std::optional<double> value{};
    Interval interval{};
    std::optional<double> low{};   ///< the claim holds from here …
    std::optional<double> high{};  ///< … to here
    double disturbance = 0;        ///< as TimedRow::disturbance

    /// With its place in the publication.
    std::string text() const;
    /// "2.21 (2.19 … 2.25)"; "–" where nothing was measured.
    std::string found() const;
    /// The verdict, or "undecided (busy machine)" where the interval, widened by the disturbance, crosses a
    /// limit.
    std::string certainVerdict() const;
};

/// What the time of a whole command is divided into, the kernel first.
inline constexpr std::array<std::string_view, 8> kWholeGroups{"kernel", "preparation", "reading", "writing",
                                                              "checks", "start-up",    "other",   "ending"};

/// A whole command on a backend.
struct WholeRow {
    std::string algorithm{};
    std::string name{};  ///< what it makes
    std::string backend{};
    bool isSoftware = false;
    std::string skipped{};                              ///< why it has no times; empty: it has
    std::array<double, kWholeGroups.size()> seconds{};  ///< of each of kWholeGroups
    double copySeconds = 0;                             ///< of the bytes that are read and written

    double wall() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }
};

struct StudyStepReport {
    std::string id{};
    std::string kind{};
    std::string algorithm{};
    std::string series{};
    std::string figure{};
    bool isDone = false;
    std::string reason{};    ///< why it was not run
    std::string cutShort{};  ///< why it is not complete; mostly empty
    std::string busy{};      ///< what disturbed; empty on a quiet machine
    Json result{};
};

struct StudyReport {
    std::string name{};   ///< of the file
    std::string label{};  ///< of the machine
    std::string scale{};
    Fields environment{};
    Fields devices{};
    Fields absent{};  ///< backends that could not run, with the reason
    std::vector<StudyStepReport> steps{};

    std::vector<TimedRow> times() const;
    std::vector<ComparedRow> comparisons() const;
    std::vector<FigureClaim> claims() const;
    std::vector<WholeRow> wholeRuns() const;
    std::vector<std::string> algorithms() const;
    /// Ceilings that results of timed rows or of published figures raised.
    RaisedCeilings raised{};
    /// Whether the study asked for the backend, be it there or not.
    bool asked(const std::string& backend) const;
};

/// Raises the ceilings of all steps of a report ("steps") by the results of all of them: rows' shares, and
/// the ceilings that were measured, whose "best" becomes the raised one, with "probed" and "raisedBy".
/// Nothing changes where that was done. Throws what the JSON library throws.
RaisedCeilings raiseCeilings(Json& steps);

/// What `glycine reproduce` has written counts as a study of figures alone. Throws InputError, with `name`
/// and the place in it, for what is no report of either, lacks a field, or was written by a later version.
StudyReport parseStudyReport(const Json& given, const std::string& name);
/// The same of a file, plain or packed by gzip; InputError also for one that cannot be read or is not JSON.
StudyReport readStudyReport(const std::filesystem::path& path);

}  // namespace glycine::study

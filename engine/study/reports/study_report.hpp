#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/run_report.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/names.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/conditions.hpp"
#include "engine/study/device_ceilings.hpp"
#include "engine/study/statistics.hpp"
#include "engine/study/subject.hpp"

/// The JSON report of a study (docs/studies.md, docs/study-report.schema.json), and the data read back from
/// it.
namespace glycine::study {

inline constexpr std::string_view kStudySchema = "glycine-study";
/// Version that this program writes. It reads this version and all earlier ones.
inline constexpr int kStudyVersion = 1;

/// The head of a report. `label`: name of the machine; empty: named after its devices.
Json studyHead(const std::string& label, const std::vector<DeviceDescription>& devices);
/// The head of a step's entry in the report.
Json stepHead(const std::string& id, std::string_view kind, const std::string& algorithm,
              const SweepStep& sweep, const std::string& figure);

/// Share by which other programs may have lengthened the times of a step: others / (1 − others) from the
/// share of the processors that they used, or the noise of a single-threaded loop if that is larger. 0 on a
/// quiet machine.
double disturbanceOf(const Json& result);
double disturbanceOf(const Conditions& conditions);

/// Whether a device in a report ({"backend", "device", …}) is a software renderer. If the report does not
/// say, the device's name decides.
bool isSoftware(const Json& device);

/// A configuration, as reports name it.
struct Contender {
    std::string backend;
    std::string variant;
    std::string dialect{};  ///< may be empty
    std::string numberFormat{};
    /// "gl/packed": the application, when machines are compared.
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
    std::string skipped{};       ///< why it has no time; empty if it ran
    bool isWrong = false;        ///< failed a check; no time
    bool isBeyondLimit = false;  ///< excluded by the study's limits; it may be supported
    std::string check{};         ///< how it was verified, or what was wrong
    std::string cutShort{};      ///< why it has fewer runs than requested; usually empty
    Statistics seconds{};        ///< total time
    double work = 0;             ///< Outcome::work; 0: unknown
    double bestRate = 0;         ///< of the total time, in the subject's unit; 0: stages alone have rates
    std::map<std::string, double> stageRates{};  ///< best rate of each stage and of "total"
    std::string rateUnit{};
    std::string digest{};           ///< digest of the result; may be empty
    std::vector<double> samples{};  ///< elements of the result
    double ceilingShare = 0;        ///< 0: no ceiling; at most 1
    std::string ceiling{};          ///< name of that ceiling
    std::string raisedBy{};         ///< CeilingUse::raisedBy
    bool isByOverhead = false;      ///< the ceiling is launch overhead, not a rate of the device
    std::string software{};         ///< the software renderer in use; empty: none
    std::string energy{};           ///< "1.2 J package-0", per run; empty if not measured
    /// Share by which times may be too long because of other programs; 0 on a quiet machine.
    double disturbance = 0;

    bool hasTime() const { return skipped.empty() && !isWrong && seconds.count > 0; }
    /// "54 % of add+min float32", and the result that raised the ceiling; "–" without a ceiling.
    std::string shareText() const;
    /// "splines float32": one curve over sizes.
    std::string curve() const;
    /// "1,024 atoms", "2,000 instances × 512 attributes".
    std::string size() const;
    /// "bounds fixed, 1,024 atoms": times of different machines are compared per problem.
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
    std::size_t count = 0;  ///< number of inputs
    std::size_t equal = 0;  ///< inputs with results identical to the bit
    double difference = 0;  ///< the difference that uses the largest share of the allowed one
    double allowed = 0;     ///< what is allowed for it
    std::string unit{};
    std::string reason{};  ///< why it did not run, was declined or is wrong
};

struct FigureClaim {
    std::string figure{};
    std::string title{};
    std::string claim{};
    std::string place{};
    std::string column{};     ///< Claim::column
    std::string published{};  ///< the publication's value
    std::string verdict{};
    std::string reason{};
    std::optional<double> value{};
    Interval interval{};
    std::optional<double> low{};   ///< lower limit of the claim
    std::optional<double> high{};  ///< upper limit of the claim
    double disturbance = 0;        ///< TimedRow::disturbance

    /// The claim, with its place in the publication.
    std::string text() const;
    /// "2.21 (2.19 … 2.25)"; "–" if nothing was measured.
    std::string found() const;
    /// The verdict, or "undecided (busy machine)" if the interval, widened by the disturbance, crosses a
    /// limit.
    std::string certainVerdict() const;
};

/// Groups of the time of a whole command, the kernel first.
inline constexpr std::array<std::string_view, 8> kEndToEndGroups{
    "kernel", "preparation", "reading", "writing", "checks", "start-up", "other", "ending"};

/// A whole command on one backend.
struct EndToEndTimes {
    std::string algorithm{};
    std::string name{};  ///< what the command computes
    std::string backend{};
    bool isSoftware = false;
    std::string skipped{};                                 ///< why it has no times; empty otherwise
    std::array<double, kEndToEndGroups.size()> seconds{};  ///< one entry for each of kEndToEndGroups
    /// time of copying the bytes that the command reads and writes
    double copySeconds = 0;

    double wall() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }
};

struct StudyStepReport {
    std::string id{};
    std::string kind{};
    std::string algorithm{};
    std::string series{};
    std::string figure{};
    bool isDone = false;
    std::string reason{};    ///< why it did not run
    std::string cutShort{};  ///< why it is not complete; usually empty
    std::string busy{};      ///< what disturbed the step; empty on a quiet machine
    Json result{};
};

struct StudyReport {
    std::string name{};   ///< file name
    std::string label{};  ///< machine name
    std::string scale{};
    Fields environment{};
    Fields devices{};
    Fields absent{};  ///< backends that could not run, with the reason
    std::vector<StudyStepReport> steps{};

    std::vector<TimedRow> times() const;
    std::vector<ComparedRow> comparisons() const;
    std::vector<FigureClaim> claims() const;
    std::vector<EndToEndTimes> endToEndRuns() const;
    std::vector<std::string> algorithms() const;
    /// Ceilings raised by results of timed rows or of published figures.
    RaisedCeilings raised{};
    /// Whether the study requested the backend, available or not.
    bool requested(const std::string& backend) const;
};

/// Calls `read` for each step that was done. Throws InputError with the report's name and the step's place if
/// the step's JSON is not what `read` expects.
void readDoneSteps(const StudyReport& report, const std::function<void(const StudyStepReport&)>& read);

/// Raises the ceilings of all steps of a report ("steps") by the results of all steps. This updates the rows'
/// shares and the measured ceilings, whose "best" becomes the raised value, with "probed" and "raisedBy".
/// Repeating it changes nothing. Throws the JSON library's exceptions.
RaisedCeilings raiseCeilings(Json& steps);

/// Parses a study's report; output of `glycine reproduce` counts as a study of figures only. Throws
/// InputError with `name` and the place in the file if it is neither, lacks a field, or was written by a
/// later version.
StudyReport parseStudyReport(const Json& given, const std::string& name);
/// Reads a report's JSON from a file, plain or gzipped; output of `glycine reproduce` becomes a study of
/// figures only. Throws as readStudyReport.
Json readStudyJson(const std::filesystem::path& path);
/// Reads a report from a file, plain or gzipped. Also throws InputError if the file cannot be read or is not
/// JSON.
StudyReport readStudyReport(const std::filesystem::path& path);

}  // namespace glycine::study

#pragma once

#include <string>
#include <vector>

#include "app/planned_run.hpp"
#include "engine/core/time_line.hpp"
#include "engine/io/text/json_forward.hpp"

/// A run whose report (`--json`) has the time of each stage, from which a larger run is planned.
namespace glycine::planning {

struct MeasuredRun {
    std::string label{};   ///< "distance of 2,000 × 20,000 by bitplane (run.json)"
    RunRequest request{};  ///< of one process on one device
    /// As in the report: more than Costs::operations has for the size if sequences have unequal lengths.
    double operations = 0;
    std::vector<TimedStage> stages{};

    double computeSeconds() const;
    double rate() const { return operations / computeSeconds(); }
};

/// Whether this is the report of a run, and not that of a study.
bool isRunReport(const Json& report);

/// Reads the report of a run of this algorithm. Throws InputError with `name` if it is another report, lacks
/// a field, or is of a run that was resumed, or that several devices or processes shared.
MeasuredRun readMeasuredRun(const Json& report, const std::string& name, const Costs& costs);

/// The stages of a run of the same command on machines like that of the measured one. Each stage has its own
/// law:
/// - the start is constant; processes of MPI need a tenth of a second more;
/// - reading and preparing the input: by its bytes. Machines share input that is read in place; else each
///   process reads all. Of `bounds`, the first machine alone reads;
/// - opening (the journal's checksum): by the input's bytes, shared by the machines;
/// - packing: by the bytes that a machine's tiles need;
/// - computing: by the operations of the device that ends last;
/// - copying to devices: by the operands of the tiles; storing: by the values of each machine;
/// - re-counting: by the time of an element, within its limit;
/// - all else (writing, drawing, summing up): by all values, by the first process.
std::vector<TimedStage> scaleStages(const MeasuredRun& measured, const RunRequest& request,
                                    const RunDivision& division);

}  // namespace glycine::planning

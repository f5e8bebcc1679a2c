#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/command/command_registry.hpp"
#include "engine/command/options.hpp"
#include "engine/storage/part_file.hpp"

/// Runs that each compute a part of a result, and `glycine merge`, which combines the parts.
namespace glycine {

/// Declares --part.
void addPartOption(Options& options, std::optional<storage::Part>& part);

/// Number of parts of the result, whether one is computed or all are merged; 1 without parts.
std::size_t partsOf(const CommandContext& context, const std::optional<storage::Part>& part);

/// Throws UsageError if a part cannot have a file, or if its input cannot be read again.
void requirePartFiles(bool isStandardOutput, bool isPiped);
/// Throws UsageError for options and files that the processes of glycine-mpi cannot share.
void requireShared(bool isPart, bool isStandardOutput, bool isPiped);

/// Runs `compute`, which fills the part, then gives the part's file its final name. A CancelledError states
/// what is kept. The part is discarded after a wrong result and after errors that would recur in every run.
void fillPart(storage::PartStore& part, const std::function<void()>& compute);

/// The command's arguments as JSON, for the part file.
std::string commandOfPart(const CommandContext& context);

/// The command that made the parts, without --part and --restart, and with `outputs` if there are any.
/// `backend`, if given, replaces that of the command, with all options that concern a backend or device.
/// Throws InputError if the stored command is damaged.
std::vector<std::string> commandToMerge(const storage::PartHead& head,
                                        const std::vector<std::string>& outputs, const std::string& backend);

/// Throws UsageError unless the parts come from the same input with the same parameters. Backend, variant and
/// tile size may differ.
void requireIdentity(const Parts& parts, const std::string& identity);

/// Declares `glycine merge`.
CommandAction declareMerge(Options& options);

}  // namespace glycine

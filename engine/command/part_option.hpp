#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/command/command_registry.hpp"
#include "engine/command/options.hpp"
#include "engine/storage/part_file.hpp"

/// Runs that compute a part of a result each, and what `glycine merge` makes of the parts.
namespace glycine {

/// Declares --part.
void addPartOption(Options& options, std::optional<storage::Part>& part);

/// Of the parts of a result: this one, or the merged ones; 1 where there are no parts.
std::size_t partsOf(const CommandContext& context, const std::optional<storage::Part>& part);

/// Throws UsageError where a part can have no file, or its input cannot be read again.
void requirePartFiles(bool isStandardOutput, bool isPiped);
/// Throws UsageError for what the processes of glycine-mpi cannot share.
void requireShared(bool isPart, bool isStandardOutput, bool isPiped);

/// Runs `compute`, which fills the part; then the part takes its name. A CancelledError says what is kept.
/// Nothing is kept of wrong results, and after errors that every further run would meet.
void fillPart(storage::PartStore& part, const std::function<void()>& compute);

/// The command as a part file keeps it: its arguments, as JSON.
std::string commandOfPart(const CommandContext& context);

/// The command by which parts were made, without --part and --restart, and with other outputs where there are
/// some. Throws InputError for one that is damaged.
std::vector<std::string> commandToMerge(const storage::PartHead& head,
                                        const std::vector<std::string>& outputs);

/// Throws UsageError unless the parts were made of the same input with the same parameters. Backend, variant
/// and side of the tiles may be others.
void requireIdentity(const Parts& parts, const std::string& identity);

/// Declares `glycine merge`.
CommandAction declareMerge(Options& options);

}  // namespace glycine

#pragma once

#include <memory>

#include "engine/command/command_registry.hpp"
#include "engine/study/subject.hpp"

namespace glycine::study {

/// Registers a subject and its commands, `glycine validate NAME` and `glycine bench NAME`.
void addSubject(std::unique_ptr<Subject> subject);

/// Registers `glycine reproduce ID` for the figures of all subjects.
void addReproduceCommand();

/// Registers `glycine bench device`, which does not belong to an algorithm.
void addBenchDeviceCommand();

/// Registers `glycine bench end-to-end` for the commands of all subjects.
void addEndToEndCommand();

/// Registers `glycine study` and `glycine report` for all subjects.
void addStudyCommands();

/// Declares the options of a command and returns its action. The subject must outlive the action.
CommandAction declareValidate(const Subject& subject, Options& options);
CommandAction declareBench(const Subject& subject, Options& options);
CommandAction declareReproduce(Options& options);
CommandAction declareBenchDevice(Options& options);
CommandAction declareEndToEnd(Options& options);
CommandAction declareStudy(Options& options);
CommandAction declareReport(Options& options);

}  // namespace glycine::study

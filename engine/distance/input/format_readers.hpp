#pragma once

#include <filesystem>
#include <initializer_list>
#include <vector>

#include "engine/distance/input/input_data.hpp"

/// Readers of data sets by format, for readDataSet (input_data.hpp). Each sets everything except
/// `description`. Names and family identifiers stay empty if the file has none.
namespace glycine::distance {

/// Throws UsageError when options.kind is neither Automatic nor one of `possible`.
void requireKind(const std::filesystem::path& path, const InputOptions& options,
                 std::initializer_list<DataKind> possible);
/// The team that reads, if all its processes see the same files; else null.
ProcessTeam* teamForFiles(const InputOptions& options, const std::vector<std::filesystem::path>& files);

/// PLINK sets: .bed, .bim, .fam.
DataSet readPlinkData(const std::filesystem::path& path, const InputOptions& options);
/// VCF and BCF.
DataSet readCallData(const std::filesystem::path& path, const InputOptions& options);
/// FASTA.
DataSet readSequenceData(const std::filesystem::path& path, const InputOptions& options);
/// Any alignment format; an .aln file may be FASTA or Clustal.
DataSet readAlignmentData(const std::filesystem::path& path, const InputOptions& options);

}  // namespace glycine::distance

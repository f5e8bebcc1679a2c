#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/core/backend.hpp"
#include "engine/gl/framework/gl_api.hpp"
#include "engine/storage/user_cache.hpp"

namespace glycine::gl {

/// The driver of the current context, its dialect and this build: what is measured or compiled here holds
/// there alone. The beginning of keys in the user's cache.
std::string driverKey(Dialect dialect);

/// Linked programs of earlier processes (glGetProgramBinary), so that shaders are compiled once a machine.
/// Found by driver, dialect, build and the complete sources. The driver has the last word: a program that it
/// does not take any more is compiled and replaced. Off where it offers no binary formats, or where the cache
/// is.
class ProgramBinaries {
  public:
    /// For the current context; `cache` must outlive it.
    ProgramBinaries(storage::UserCache& cache, Dialect dialect);

    /// Links `program` from what was kept; false: it must be compiled, `prepare` being called before it is
    /// linked and `store` afterwards.
    bool load(GLuint program, std::string_view sources);
    void prepare(GLuint program) const;
    void store(GLuint program, std::string_view sources);

    /// Programs that were loaded, and that were kept for later processes.
    std::size_t loaded() const { return loaded_; }
    std::size_t stored() const { return stored_; }
    /// For `glycine info`.
    Capability describe() const;

  private:
    bool isOn() const { return isOffered_ && cache_.isOn(); }

    storage::UserCache& cache_;
    std::string key_;
    bool isOffered_ = false;
    std::size_t loaded_ = 0;
    std::size_t stored_ = 0;
};

}  // namespace glycine::gl

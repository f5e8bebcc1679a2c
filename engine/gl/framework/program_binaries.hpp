#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/core/backend.hpp"
#include "engine/gl/framework/gl_api.hpp"
#include "engine/storage/user_cache.hpp"

namespace glycine::gl {

/// Identifies the driver of the current context, the dialect and this build, since measurements and compiled
/// programs are valid only for these. Prefix of keys in the user's cache.
std::string driverKey(Dialect dialect);

/// Linked programs of earlier processes (glGetProgramBinary), so that shaders compile once per machine. The
/// key is driver, dialect, build and the complete sources. If the driver rejects a stored program, it is
/// compiled again and replaced. Off if the driver offers no binary formats, or if the cache is off.
class ProgramBinaries {
  public:
    /// For the current context; `cache` must outlive it.
    ProgramBinaries(storage::UserCache& cache, Dialect dialect);

    /// Links `program` from the stored binary. If it returns false, compile the program, with `prepare`
    /// before linking and `store` afterwards.
    bool load(GLuint program, std::string_view sources);
    void prepare(GLuint program) const;
    /// Does nothing if the same binary is stored.
    void store(GLuint program, std::string_view sources);

    /// Number of programs loaded, and stored for later processes.
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

#pragma once

#include <initializer_list>
#include <string>

namespace glycine {

/// An optional library, loaded at run time so that nothing links it. It stays loaded until the process ends,
/// because drivers do not survive being unloaded.
class SharedLibrary {
  public:
    /// Loads the first of `names` that the system's loader finds ("libEGL.so.1", or a path).
    explicit SharedLibrary(std::initializer_list<const char*> names);

    bool isLoaded() const { return handle_ != nullptr; }
    /// Why the first of the names cannot be loaded, in the loader's words; empty if the library is loaded.
    const std::string& reason() const { return reason_; }
    /// The address of a function, as a pointer of its type; null if the library is not loaded or lacks it.
    template <class Function>
    Function function(const char* name) const {
        return reinterpret_cast<Function>(address(name));
    }

  private:
    void* address(const char* name) const;

    void* handle_ = nullptr;
    std::string reason_;
};

}  // namespace glycine

#include "engine/core/system/shared_library.hpp"

#include <dlfcn.h>

namespace glycine {

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        handle_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (handle_ != nullptr) {
            reason_.clear();
            return;
        }
        const char* said = ::dlerror();
        if (reason_.empty()) reason_ = said != nullptr ? said : std::string(name) + " cannot be loaded";
    }
}

void* SharedLibrary::address(const char* name) const {
    return handle_ != nullptr ? ::dlsym(handle_, name) : nullptr;
}

}  // namespace glycine

// Smooths the bounds of three atoms in a row: 1 and 2 Å apart at most, so at most 3 Å from end to end; and
// since the ends are at least 2.5 Å apart, the second and the third are at least 1.5 Å apart.

#include <cstdio>
#include <glycine/glycine.hpp>

int main(int count, char** arguments) {
    const char* const name = count > 1 ? arguments[1] : "cpu";
    try {
        glycine::registerBackends();
        const auto backend = glycine::BackendRegistry::instance().create(name, {});
        glycine::Matrix<float> upper(3, 3, 9.0F), lower(3, 3, 0.0F);
        upper(0, 1) = upper(1, 0) = 1;
        upper(1, 2) = upper(2, 1) = 2;
        lower(0, 2) = lower(2, 0) = 2.5F;
        glycine::bounds::smooth(*backend, glycine::bounds::BoundMatrices<float>{upper.view(), lower.view()},
                                {}, glycine::silentProgress());
        std::printf("%s on %s: at most %g, at least %g\n", name, backend->device().c_str(), upper(0, 2),
                    lower(1, 2));
        return upper(0, 2) == 3 && lower(1, 2) == 1.5F ? 0 : 1;
    } catch (const glycine::Error& error) {
        std::fprintf(stderr, "linked: %s\n", error.what());
        return 1;
    }
}

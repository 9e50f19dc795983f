// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/precondition/sparse_direct/cudss_library.hpp>

#include <coppice/core/optional_library.hpp>
#include <coppice/core/setting.hpp>

namespace coppice::inline v0_1::detail::cudss {

library library::load(std::string const& path) {
    static constexpr char const* names[] = {"libcudss.so.1"};
    optional_library file("cuDSS", path, names);
    library all;
    file.find(all.get_property, "cudssGetProperty");
    file.find(all.create, "cudssCreate");
    file.find(all.destroy, "cudssDestroy");
    file.find(all.set_stream, "cudssSetStream");
    file.find(all.config_create, "cudssConfigCreate");
    file.find(all.config_destroy, "cudssConfigDestroy");
    file.find(all.config_set, "cudssConfigSet");
    file.find(all.data_create, "cudssDataCreate");
    file.find(all.data_destroy, "cudssDataDestroy");
    file.find(all.data_get, "cudssDataGet");
    file.find(all.create_dense, "cudssMatrixCreateDn");
    file.find(all.create_csr, "cudssMatrixCreateCsr");
    file.find(all.matrix_destroy, "cudssMatrixDestroy");
    file.find(all.execute, "cudssExecute");
    all.path = file.path();
    all.why_not = file.why_not();
    if (!all.get_property) return all;
    int numbers[3] = {-1, -1, -1};
    for (int const which : {major_version, minor_version, patch_level})
        if (all.get_property(which, &numbers[which]) != success) numbers[which] = -1;
    all.version = std::to_string(numbers[0]) + '.' + std::to_string(numbers[1]) + '.' + std::to_string(numbers[2]);
    if (numbers[0] != supported_major_version) // before missing functions, which another version may explain
        all.why_not = "cuDSS: " + all.path + " has version " + all.version + ", expected " +
                      std::to_string(supported_major_version) + ".x";
    return all;
}

library const& library::found() {
    static library const one = [] {
        std::string const choice = setting("COPPICE_CUDSS");
        if (choice != "off") return load(choice);
        library none;
        none.why_not = "cuDSS: COPPICE_CUDSS is off";
        return none;
    }();
    return one;
}

char const* text_of(status code) {
    switch (code) {
    case success:
        return "success";
    case not_initialised:
        return "not initialised";
    case allocation_failed:
        return "an allocation failed";
    case invalid_value:
        return "invalid value";
    case not_supported:
        return "not supported";
    case execution_failed:
        return "execution failed";
    case internal_error:
        return "internal error";
    case refinement_failed:
        return "iterative refinement failed";
    }
    return "unknown status";
}

} // namespace coppice::inline v0_1::detail::cudss

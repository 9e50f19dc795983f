# scripts/package.sh writes the checksum of a release.
vcpkg_download_distfile(ARCHIVE
    URLS "https://coppice.example/releases/coppice-${VERSION}.tar.gz"
    FILENAME "coppice-${VERSION}.tar.gz"
    SHA512 00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
    FEATURES
        command COPPICE_BUILD_APPS
        cuda    COPPICE_CUDA
)
# The C interface is a shared library, which a static triplet must not install.
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" BUILD_C_LIBRARY)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${FEATURE_OPTIONS}
        -DCOPPICE_BUILD_C_LIBRARY=${BUILD_C_LIBRARY}
        -DCOPPICE_GRAPHBLAS=OFF
        -DCOPPICE_MPI=OFF
        -DCOPPICE_PETSC=OFF
        -DCOPPICE_BUILD_TESTS=OFF
        -DCOPPICE_BUILD_BENCH=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/coppice)
vcpkg_fixup_pkgconfig()
if("command" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES coppice AUTO_CLEAN)
endif()

file(REMOVE_RECURSE
    "${CURRENT_PACKAGES_DIR}/debug/include"
    "${CURRENT_PACKAGES_DIR}/debug/share"
    "${CURRENT_PACKAGES_DIR}/share/doc"
)
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

/* SPDX-License-Identifier: BSD-3-Clause */
/*! \file
 * The version of Coppice, for the preprocessor; CMake reads the version of the project from this file.
 *
 *     #if COPPICE_VERSION >= COPPICE_MAKE_VERSION(0, 2, 0)
 *
 * Versions are major.minor.patch; until 1.0 a new minor version may change interfaces, a new patch may not
 * (CONTRIBUTING.md lists these interfaces). */
#ifndef COPPICE_VERSION_H
#define COPPICE_VERSION_H

#define COPPICE_VERSION_MAJOR 0
#define COPPICE_VERSION_MINOR 1
#define COPPICE_VERSION_PATCH 0

#define COPPICE_MAKE_VERSION(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define COPPICE_VERSION COPPICE_MAKE_VERSION(COPPICE_VERSION_MAJOR, COPPICE_VERSION_MINOR, COPPICE_VERSION_PATCH)
#define COPPICE_VERSION_STRING "0.1.0"

#endif

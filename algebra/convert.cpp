// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/convert.hpp>

namespace coppice::inline v0_1 {

COPPICE_CONVERT(, float, std::int32_t);
COPPICE_CONVERT(, double, std::int32_t);
COPPICE_CONVERT(, std::complex<float>, std::int32_t);
COPPICE_CONVERT(, std::complex<double>, std::int32_t);
COPPICE_CONVERT(, float, std::int64_t);
COPPICE_CONVERT(, double, std::int64_t);
COPPICE_CONVERT(, std::complex<float>, std::int64_t);
COPPICE_CONVERT(, std::complex<double>, std::int64_t);

} // namespace coppice::inline v0_1

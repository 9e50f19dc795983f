# SPDX-License-Identifier: BSD-3-Clause
from spack.package import *


class Coppice(CMakePackage, CudaPackage):
    """C++20 and CUDA toolkit for graphs and sparse linear algebra: semiring SpMV and
    SpGEMM, graph algorithms, tridiagonal and banded solvers, preconditioners,
    algebraic multigrid and Krylov solvers, with a command and a C interface."""

    homepage = "https://coppice.example"
    url = "https://coppice.example/releases/coppice-0.1.0.tar.gz"

    license("BSD-3-Clause")

    # scripts/package.sh writes the checksum of a release.
    version("0.1.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("shared", default=True, description="Build shared libraries")
    variant("command", default=True, description="Build the command coppice")
    variant("c", default=True, description="Build the C interface, libcoppice_c.so")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("tbb")
    depends_on("zlib-api")
    depends_on("nlohmann-json", type="build")
    depends_on("eigen@3.4:", type="build")
    depends_on("cli11", type="build", when="+command")
    depends_on("fmt", type="build", when="+command")
    depends_on("cuda@12.4:", when="+cuda")

    conflicts("%gcc@:11", msg="Coppice needs C++20 as GCC 12 and newer compile it")
    conflicts("%clang@:13", msg="Coppice needs C++20 as Clang 14 and newer compile it")
    conflicts("cuda_arch=none", when="+cuda", msg="+cuda needs a value of cuda_arch")
    conflicts("platform=darwin", msg="Coppice is tested on Linux")
    conflicts("platform=windows", msg="Coppice is tested on Linux")

    sanity_check_is_dir = ["include/coppice"]
    sanity_check_is_file = ["include/coppice/coppice.hpp"]

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("COPPICE_BUILD_APPS", "command"),
            self.define_from_variant("COPPICE_BUILD_C_LIBRARY", "c"),
            self.define_from_variant("COPPICE_CUDA", "cuda"),
            self.define("COPPICE_GRAPHBLAS", False),
            self.define("COPPICE_MPI", False),
            self.define("COPPICE_PETSC", False),
            self.define("COPPICE_BUILD_TESTS", False),
            self.define("COPPICE_BUILD_BENCH", False),
        ]
        if self.spec.satisfies("+cuda"):
            architectures = self.spec.variants["cuda_arch"].value
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", architectures))
        return args

    def test_command(self):
        """the command solves a small system"""
        if self.spec.satisfies("~command"):
            raise SkipTest("built without the command")
        command = which(self.prefix.bin.coppice)
        out = command("--version", output=str.split, error=str.split)
        assert str(self.version) in out
        out = command("solve", "generate:aniso2,nx=50,ny=50", "--json", "-", output=str.split)
        assert '"reason": "converged"' in out

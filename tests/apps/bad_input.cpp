// SPDX-License-Identifier: BSD-3-Clause
// Invalid input: exit code, one-line message, no output file.
#include <doctest/doctest.h>

#include "apps/runner.hpp"

using namespace coppice::test;

namespace {

struct bad_run {
    std::vector<std::string> arguments; ///< "@name" is a file in the folder
    int code;
    std::string says; ///< part of the message
};

std::string const banner = "%%MatrixMarket matrix coordinate real general\n";
std::string const array_banner = "%%MatrixMarket matrix array real general\n";

void write_inputs(scratch_folder const& folder) {
    folder.write("good.mtx", banner + "3 3 5\n1 1 2\n2 2 2\n3 3 2\n1 2 -1\n2 1 -1\n");
    folder.write("text.mtx", "this is not a matrix\n");
    for (auto const* name :
         {"nothing.mtx", "nothing.csv", "nothing.rb", "nothing.graph", "nothing.json", "nothing.npz", "nothing.txt"})
        folder.write(name, "");
    folder.write("blank.mtx", "\n  \r\n\t\n");
    folder.write("good.csv", "a,b\n0,1\n");
    folder.write("truncated.mtx", banner + "3 3 5\n1 1 2\n2 2 2\n");
    folder.write("toomany.mtx", banner + "2 2 1\n1 1 2\n2 2 2\n");
    folder.write("outside.mtx", banner + "2 2 2\n1 1 2\n3 2 2\n");
    folder.write("zeroindex.mtx", banner + "2 2 2\n0 1 2\n2 2 2\n");
    folder.write("wide.mtx", banner + "2 3 2\n1 1 2\n2 3 2\n");
    folder.write("empty.mtx", banner + "0 0 0\n");
    folder.write("nan.mtx", banner + "2 2 2\n1 1 nan\n2 2 2\n");
    folder.write("inf.mtx", banner + "2 2 3\n1 1 2\n2 2 2\n2 1 inf\n");
    folder.write("large.mtx", banner + "2 2 2\n1 1 1e200\n2 2 2\n");
    folder.write("zerodiagonal.mtx", banner + "3 3 4\n1 1 2\n1 2 1\n2 1 1\n3 3 2\n");
    folder.write("wideband.mtx", banner + "20 20 3\n1 1 1\n15 1 2\n20 20 1\n");
    folder.write("singular.mtx", banner + "2 2 4\n1 1 1\n1 2 1\n2 1 1\n2 2 1\n");
    folder.write("exchange.mtx", banner + "2 2 2\n1 2 1\n2 1 1\n");
    folder.write("zero.mtx", banner + "1 1 0\n");
    folder.write("complex.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n");
    folder.write("notgzip.mtx.gz", "not compressed\n");
    folder.write("short.mtx", array_banner + "2 1\n1\n1\n");
    folder.write("rhs.mtx", array_banner + "2 1\n1\n2\n");
    folder.write("nanrhs.mtx", array_banner + "3 1\n1\nnan\n1\n");
    folder.write("one.mtx", array_banner + "3 1\n1\n2\n3\n");
    folder.write("two.mtx", array_banner + "3 2\n1\n2\n3\n4\n5\n6\n");
    folder.write("nantwo.mtx", array_banner + "3 2\n1\n2\n3\n4\nnan\n6\n");
    folder.write("novector.mtx", array_banner + "3 0\n");
    folder.write("words.txt", "words\n");
    folder.write("negative.txt", "0 1\n-1 0\n");
    folder.write("cut.tar", "x/x.mtx");
    folder.write("counts.rb", "title\n9 7 1 1\nrua 2 2 2 0\n(4I4) (4I4) (4F4.1)\n   1   2   3\n   1   2\n 1.0 2.0\n");
    folder.write("long.mtx", banner + "300000000 1 0\n");
    fs::create_directory(folder / "folder");
    fs::create_symlink("new.json", folder / "link.mtx"); // to a file that does not exist
    folder.write("unsymmetric.mtx", banner + "3 3 5\n1 1 1\n2 2 -1\n3 3 2\n1 2 5\n2 3 7\n");
}

std::vector<bad_run> const table = {
    // wrong usage
    {{}, 2, "no command given"},
    {{"slove"}, 2, "did you mean 'solve'"},
    {{"--frobnicate"}, 2, "unknown option '--frobnicate'"},
    {{"solve", "@good.mtx", "--frobnicate"}, 2, "unknown option '--frobnicate'; see coppice solve --help"},
    {{"solve", "@good.mtx", "--precnditioner=ilu0"},
     2,
     "unknown option '--precnditioner=ilu0'; did you mean '--preconditioner'?"},
    {{"solve", "@good.mtx", "--preco", "ilu0"}, 2, "unknown option '--preco'; did you mean '--preconditioner'? see"},
    {{"solve", "@good.mtx", "--mat"}, 2, "unknown option '--mat'; did you mean '--matching'?"},
    {{"solve", "@good.mtx", "--solver", "direct", "--rounds", "3"},
     2,
     "preconditioner \"direct\" has no option \"rounds\""},
    {{"solve", "@good.mtx", "--tolerance"}, 2, "--tolerance has no value, expected X"},
    {{"solve", "@good.mtx", "--tolerance="}, 2, "--tolerance has no value, expected X"},
    {{"solve", "@good.mtx", "--tolerance", "1,5"}, 2, "--tolerance is '1,5', expected a number"},
    {{"solve", "@good.mtx", "--mixed=often"}, 2, "--mixed takes no value, but is given 'often'"},
    {{"solve", "@good.mtx", "--rounds", "3", "--rounds", "4"}, 2, "--rounds is given 2 times, expected once"},
    {{"solve", "@good.mtx", "-o", "@x", "--output", "@y"}, 2, "--output is given 2 times, expected once"},
    {{"generate", "aniso1", "-o", "@x", "--nx"}, 2, "--nx has no value, expected NUMBER"},
    {{"generate", "aniso1", "-o", "@x", "--nx", "5", "--nx=6"}, 2, "--nx is given 2 times, expected once"},
    {{"solve", "@good.mtx", "--parts", "0"}, 2, "--parts is 0, expected 1 to 64"},
    {{"solve", "@good.mtx", "--parts", "2", "--compare"}, 2, "--parts cannot be combined with --compare"},
    {{"solve", "@good.mtx", "--parts", "2", "--rhs", "@two.mtx"}, 2, "--parts requires a single right-hand side"},
    {{"solve", "generate:aniso1,nx=5", "--preconditioner", "forest,threshold=1", "--parts", "2"},
     2,
     "threshold must be 0"},
    {{"solve", "@complex.mtx", "--parts", "2", "--preconditioner", "mos"},
     2,
     "mos is for real matrices, this system is"},
    {{"solve", "@good.mtx", "--parts", "2", "--null-space", "@b.mtx"},
     2,
     "--null-space cannot be combined with --parts"},
    {{"tridiagonal", "@good.mtx", "--parts", "65"}, 2, "--parts is 65, expected 1 to 64"},
    {{"bfs", "@good.mtx", "--parts", "65"}, 2, "--parts is 65, expected 1 to 64"},
    {{"multiply", "@good.mtx", "@good.mtx", "--parts", "0"}, 2, "--parts is 0, expected 1 to 64"},
    {{"pagerank", "@good.mtx", "--mpi", "maybe"}, 2, "maybe"},
    {{"tridiagonal", "generate:pentadiagonal,case=1,n=50", "--parts", "2"}, 2, "--parts requires a real tridiagonal"},
    {{"tridiagonal", "@good.mtx", "--parts", "2", "--method", "pcr"}, 2, "--parts requires a real tridiagonal"},
    {{"tridiagonal", "@singular.mtx", "--parts", "2"}, 4, "is singular"},
    {{"solve"}, 2, "needs a MATRIX"},
    {{"solve", "@good.mtx", "--preconditoner", "jacobi"}, 2, "did you mean '--preconditioner'"},
    {{"solve", "@good.mtx", "extra"}, 2, "unexpected argument 'extra'"},
    {{"solve", "@good.mtx", "--preconditioner", "ilu"}, 2, "did you mean 'ilu0'?"},
    {{"solve", "@unsymmetric.mtx", "--preconditioner", "ic0"}, 3, "it is not symmetric, and ic0 requires symmetry"},
    {{"solve", "@good.mtx", "--solver", "gmress"}, 2, "did you mean 'gmres'"},
    {{"solve", "@good.mtx", "--tolerance", "-1"}, 2, "--tolerance"},
    {{"solve", "@good.mtx", "--tolerance", "many"}, 2, "--tolerance"},
    {{"solve", "@good.mtx", "--tolerance"}, 2, "--tolerance"},
    {{"solve", "@good.mtx", "--max-iterations", "-5"}, 2, "--max-iterations"},
    {{"solve", "@good.mtx", "--solver", "gmres", "--restart", "0"}, 2, "--restart"},
    {{"solve", "@good.mtx", "--solver", "idrs", "--shadow-space", "9"}, 2, "--shadow-space is 9, expected 1 to 8"},
    {{"solve", "@good.mtx", "--method", "gmres"},
     2,
     "--method is an option of the preconditioner direct; --solver gmres"},
    {{"solve", "@good.mtx", "--solver", "cg", "--restart", "30"}, 2, "cg does not read --restart, an option of gmres"},
    {{"solve", "@good.mtx", "--shadow-space", "4"}, 2, "auto does not read --shadow-space, an option of idrs"},
    {{"solve", "@good.mtx", "--preconditioner", "forest", "--factors", "4"}, 2, "has no option \"factors\""},
    {{"solve", "@good.mtx", "--preconditioner", "alt-i", "--factors", "0"}, 2, "an integer from 1 to 16"},
    {{"solve", "@good.mtx", "--preconditioner", "mos-d,omega=2"}, 2, "a number from 0 to 1"},
    {{"solve", "@good.mtx", "--preconditioner", "alt-o", "--solver", "gmres"},
     2,
     "requires --solver fgmres, not gmres"},
    {{"solve", "@good.mtx", "--solution", "cosine"}, 2, "valid: sine, ones"},
    {{"solve", "@good.mtx", "--solution", "ones", "--rhs", "@rhs.mtx"}, 2, "exclude each other"},
    {{"solve", "@good.mtx", "--ties", "coin"}, 2, "one of: hash, near"},
    {{"solve", "@good.mtx", "--pivoting", "full"}, 2, "one of: none, partial, scaled"},
    {{"solve", "@good.mtx", "--preconditioner", "jacobi", "--rounds", "3"}, 2, "it takes none"},
    {{"solve", "@good.mtx", "--preconditioner", "tridiagonal", "--rounds", "3"}, 2, "one of: pivoting, threshold"},
    {{"solve", "@good.mtx", "--preconditioner", "forest,rounds=-2"}, 2, "an integer from -1 to 1000000"},
    {{"solve", "@good.mtx", "--preconditioner", "forest,charge-probability=2"}, 2, "a number from 0 to 1"},
    {{"solve", "@good.mtx", "--preconditioner", "forest,rounds"}, 2, "expected key=value"},
    {{"solve", "@good.mtx", "--preconditioner", "forest,rounds=3,rounds=3"},
     2,
     "option rounds is given twice in \"forest,rounds=3,rounds=3\""},
    {{"solve", "@good.mtx", "--preconditioner", "forest,rounds=3", "--rounds", "4"},
     2,
     "option rounds is given by --rounds and in --preconditioner forest,rounds=3, expected once"},
    {{"solve", "@good.mtx", "--solver", "cg", "--solver", "gmres"}, 2, "--solver is given 2 times, expected once"},
    {{"spmv", "@good.mtx", "--x", "@one.mtx", "--x", "@one.mtx"}, 2, "--x is given 2 times, expected once"},
    {{"bfs", "@good.mtx", "--symmetrise", "--symmetrise"}, 2, "--symmetrise is given 2 times, expected once"},
    {{"info", "@good.mtx", "-q", "--quiet"}, 2, "--quiet is given 2 times, expected once"},
    {{"info", "@good.mtx", "-qq"}, 2, "--quiet is given 2 times, expected once"},
    {{"info", "@good.mtx", "--no-sync", "--no-sync"}, 2, "--no-sync is given 2 times, expected once"},
    {{"bfs", "@good.csv", "--columns", "a,b,a"}, 2, "columns names 'a' twice"},
    {{"solve", "--help", "foo"}, 2, "coppice solve has no topic 'foo'; see coppice help solve"},
    {{"--help", "solve", "foo"}, 2, "coppice solve has no topic 'foo'"},
    {{"--help", "foo"}, 2, "unknown command or topic 'foo'"},
    {{"solve", "@good.mtx", "--backend", "opencl"}, 2, "valid: auto, host, cuda"},
    {{"solve", "@good.mtx", "--precision", "half"}, 2, "valid: single, double"},
    {{"solve", "@good.mtx", "--threads", "-2"}, 2, "--threads"},
    {{"solve", "@good.mtx", "-o", "@x", "--json", "@x"}, 2, "same file"},
    {{"solve", "@good.mtx", "-o", "@x", "--json", "@./x"}, 2, "same file"},
    {{"solve", "@good.mtx", "-o", "@folder/../x", "--report", "@x"}, 2, "same file"},
    {{"spmv", "@good.mtx", "-o", "@link.mtx", "--json", "@new.json"}, 2, "same file"},
    {{"spmv", "@good.mtx", "-o", "@y.mtx.bz2"}, 2, ".bz2"},
    {{"forest", "@good.mtx", "-o", "@y.pdf"}, 2, ".pdf"},
    {{"solve", "@good.mtx", "--report", "@r.pdf"}, 2, ".pdf"},
    {{"spmv", "@good.mtx", "-o", ""}, 2, "--output is empty"},
    {{"spmv", "@good.mtx", "--x", ""}, 2, "--x is empty"},
    {{"solve", "@good.mtx", "--tolerance", ""}, 2, "--tolerance is empty"},
    {{"generate", "laplace2d", "--nx", "", "-o", "@x"}, 2, "--nx is empty"},
    {{"factor", "@good.mtx", "--degree", ""}, 2, "--degree is ''"},
    {{"factor", "@good.mtx", "--degree", "2.5"}, 2, "--degree is '2.5'"},
    {{"factor", "@good.mtx", "--seed", "-1"}, 2, "--seed is '-1'"},
    {{"factor", "@good.mtx", "--seed", "18446744073709551616"}, 2, "from 0 to 18446744073709551615"},
    {{"generate", "rmat", "--seed", "-1", "-o", "@x"}, 2, "seed is '-1'"},
    {{"solve", "@good.mtx", "--max-iterations", "9223372036854775808"}, 2, "--max-iterations"},
    {{"factor", "@good.mtx", "--degree", "5"}, 2, "degree"},
    {{"factor", "@good.mtx", "--method", "best"}, 2, "valid: parallel, greedy"},
    {{"factor", "@good.mtx", "--charge-period", "0"}, 2, "--charge-period is 0, expected 1 or more"},
    {{"generate", "rmat", "--edge-factor", "-1", "-o", "@x"}, 2, "option edge-factor is '-1'"},
    {{"generate", "rmat", "--nx", "3", "-o", "@x"}, 2, "it takes scale, edge-factor, a"},
    {{"pagerank", "@good.mtx", "--damping", "1"}, 2, "--damping is 1, expected a number of at least 0 and below 1"},
    {{"pagerank", "@good.mtx", "--max-iterations", "0"}, 2, "--max-iterations is 0, expected an integer from 1"},
    {{"katz", "@good.mtx", "--alpha", "-1"}, 2, "--alpha is -1, expected a number from 0 to 1e+300"},
    {{"communities", "@good.mtx", "--resolution", "0"}, 2, "--resolution is 0, expected a number above 0"},
    {{"closeness", "@good.mtx", "--samples", "1e3"}, 2, "--samples is '1e3', expected a whole number\n"},
    {{"bfs", "@good.mtx", "--hops", "-1"}, 2, "--hops is -1, expected an integer from 0"},
    {{"random-walks", "@good.mtx", "--return-bias", "0"}, 2, "--return-bias is 0, expected a number from 1e-100"},
    {{"min-cut", "@good.mtx", "--source", "1", "--sink", "3"}, 3, "error: 2 capacities are negative"},
    {{"bfs", "@good.mtx", "--source", "alice"}, 2, "--renumber reads edge lists whose vertices are words"},
    {{"info", "--", "@good.mtx", "-q"}, 2, "unexpected argument '-q'; after --, arguments are no options"},
    {{"spmv", "@good.mtx", "--semiring", "plus-plus"}, 2, "plus-times, min-plus"},
    {{"spmv", "@good.mtx", "--scheme", "fast"}, 2, "unknown scheme"},
    {{"spmv", "@good.mtx", "--repeat", "0"}, 2, "--repeat"},
    {{"spmv", "@good.mtx", "--x", "-", "--mask", "-"}, 2, "--x and --mask are both -"},
    {{"spmv", "@good.mtx", "--complement"}, 2, "--complement needs --mask"},
    {{"spmv", "@good.mtx", "--accumulate", "@rhs.mtx", "--semiring", "arg-max"}, 2, "arg-max writes column numbers"},
    {{"multiply", "@good.mtx"}, 2, "multiply"},
    {{"multiply", "@good.mtx", "@good.mtx", "--complement"}, 2, "--complement needs --mask"},
    {{"multiply", "@wide.mtx", "@wide.mtx"}, 3, "rows of the second matrix"},
    {{"tridiagonal", "@good.mtx", "--method", "gauss"}, 2, "unknown method"},
    {{"tridiagonal", "@good.mtx", "--method", "cr", "--refinements", "1"}, 2, "--method cr takes no"},
    {{"tridiagonal", "@good.mtx", "--method", "cr", "--pivoting", "none"}, 2, "--method cr takes no --pivoting"},
    {{"tune", "--only", "everything"}, 2, "unknown value of --only 'everything'; valid: product, tridiagonal"},
    {{"multiply", "@good.mtx"}, 2, "multiply needs two matrices, A and B"},
    {{"tridiagonal", "generate:laplace2d,nx=3,ny=3", "--method", "pcr"}, 2, "pcr solves tridiagonal matrices"},
    {{"tridiagonal", "@good.mtx", "--threshold", "nan"}, 2, "--threshold"},
    {{"tridiagonal", "@good.mtx", "--block", "9"}, 2, "--block"},
    {{"generate", "aniso4", "-o", "@x"}, 2, "did you mean 'aniso"},
    {{"generate", "-o", "@x"}, 2, "needs a KIND"},
    {{"generate", "aniso1"}, 2, "needs -o FILE"},
    {{"generate", "aniso1", "--nx", "0", "-o", "@x"}, 2, "nx"},
    {{"generate", "aniso1", "--case", "3", "-o", "@x"}, 2, "case"},
    {{"generate", "tridiagonal", "--case", "21", "-o", "@x"}, 2, "case"},
    {{"info", "generate:aniso1,nx=ten"}, 2, "nx"},
    {{"info", "generate:anise,nx=10"}, 2, "anise"},
    {{"info", "generate:aniso1,speed=10"}, 2, "speed"},
    {{"info", "generate:aniso1,nx=3,nx=4"}, 2, "nx is given twice"},
    {{"bench"}, 2, "SUITE"},
    {{"queue", "--arrival", "0"}, 2, "arrival rate of a queue is 0, expected a number > 0"},
    {{"queue", "--service", "-1"}, 2, "service rate"},
    {{"queue", "--opening", "nan"}, 2, "opening rate of a queue is nan"},
    {{"queue", "--closing", "inf"}, 2, "closing rate"},
    {{"queue", "--servers", "0"}, 2, "number of servers of a queue is 0"},
    {{"queue", "--servers", "1.5"}, 2, "--servers is '1.5'"},
    {{"queue", "--places", "0"}, 2, "number of places of a queue is 0"},
    {{"queue", "--places", "4", "--share", "4"}, 2, "share of a server of a queue is 4, expected 1 to 3"},
    {{"queue", "--servers", "1000000000"}, 2, "number of servers of a queue is 1000000000"},
    {{"queue", "--servers", "100000000", "--places", "1000"}, 3, "too many states"},
    {{"queue", "--loss-cost", "inf"}, 2, "--loss-cost is inf"},
    {{"queue", "--server-cost", "-1"}, 2, "--server-cost is -1"},
    {{"queue", "--tolerance", "nan"}, 2, "--tolerance is nan"},
    {{"queue", "5"}, 2, "unexpected argument '5'"},
    {{"queue", "--report", "@r.pdf"}, 2, ".pdf"},
    {{"generate", "queue", "--share", "16", "-o", "@x"}, 2, "share of a server"},
    {{"generate", "cloud", "--case", "11", "-o", "@x"}, 2, "case"},
    {{"solve", "@good.mtx", "--preconditioner", "hbisa,block=9"}, 2, "block size is 9, expected 1 to the 3 rows"},
    {{"info", "@good.mtx", "--max-expansion", "-1"}, 2, "--max-expansion is -1"},
    {{"info", "@good.mtx", "--max-input", "-1"}, 2, "--max-input is -1, expected a number of at least 0"},
    {{"info", "@good.mtx", "--threads", "4097"}, 2, "--threads is 4097, expected 1 to 4096"},
    {{"help", "solve", "nonsense"}, 2, "coppice solve has no topic 'nonsense'"},
    {{"spmv", "@good.mtx", "--scheme", "balanced-atomic", "--semiring", "min-plus"},
     2,
     "requires --semiring plus-times"},
    {{"factor", "@good.mtx", "--method", "greedy", "--backend", "cuda"}, 2, "the greedy method is sequential"},
    {{"bfs", "@good.mtx", "--mapping", "@names.txt"}, 2, "add --renumber"},
    {{"bfs", "generate:laplace2d,nx=3", "--columns", "a,b"}, 2, "--columns names columns of a file, but MATRIX is"},
    {{"max-flow", "@good.mtx", "--source", "2", "--sink", "2"}, 2, "--source and --sink are both vertex 2"},
    {{"solve", "@complex.mtx", "--report", "@r.html"}, 2, "--report is for real systems"},
    {{"solve", "@good.mtx", "--coordinates", "@two.mtx", "--near-null-space", "@one.mtx"}, 2, "use one of the two"},
    {{"tune", "--backend", "host", "-o", "@tuning"}, 5, "tune measures a GPU, but the host backend is selected"},
    {{"tune", "--only", "solver"}, 2, "--only"},
    // bad input
    {{"info", "@missing.mtx"}, 3, "missing.mtx"},
    {{"solve", "@good.mtx", "--rhs", "@novector.mtx"}, 3, "novector.mtx contains no vector"},
    {{"solve", "@good.mtx", "--null-space", "@rhs.mtx"}, 3, "rhs.mtx is 2 x 1, expected 3 rows and a column for each"},
    {{"spmv", "@good.mtx", "-o", "/proc/y.mtx"}, 3, "/proc/y.mtx: cannot be written"},
    {{"info", "@"}, 3, ""},
    {{"info", "@text.mtx"}, 3, "text.mtx:1:"},
    {{"info", "@nothing.mtx"}, 3, "nothing.mtx: the file is empty\n"},
    {{"info", "@nothing.csv"}, 3, "nothing.csv: the file is empty\n"},
    {{"info", "@nothing.rb"}, 3, "nothing.rb: the file is empty\n"},
    {{"info", "@nothing.graph"}, 3, "nothing.graph: the file is empty\n"},
    {{"info", "@nothing.json"}, 3, "nothing.json: the file is empty\n"},
    {{"info", "@nothing.npz"}, 3, "nothing.npz: the file is empty\n"},
    {{"bfs", "@nothing.txt", "--renumber"}, 3, "nothing.txt: the file is empty\n"},
    {{"info", "@blank.mtx"}, 3, "blank.mtx: the file is empty except for blanks and line ends\n"},
    {{"solve", "@good.mtx", "--rhs", "@nothing.txt"}, 3, "nothing.txt: the file is empty\n"},
    {{"solve", "@good.mtx", "--rhs", "@blank.mtx"}, 3, "blank.mtx: the file is empty except for"},
    {{"bfs", "@empty.mtx"}, 3, "the graph has no vertices, and bfs is not defined for it"},
    {{"diameter", "@empty.mtx"}, 3, "the graph has no vertices, and diameter is not defined for it"},
    {{"min-cut", "@empty.mtx"}, 3, "the graph has no vertices, and min-cut is not defined for it"},
    {{"components", "@wide.mtx"}, 3, "components needs a square matrix"},
    {{"info", "@truncated.mtx"}, 3, "truncated.mtx"},
    {{"info", "@toomany.mtx"}, 3, "toomany.mtx:4:"},
    {{"info", "@outside.mtx"}, 3, "outside.mtx:4:"},
    {{"info", "@zeroindex.mtx"}, 3, "zeroindex.mtx:3:"},
    {{"info", "@notgzip.mtx.gz"}, 3, "notgzip.mtx.gz"},
    {{"multiply", "@complex.mtx", "@complex.mtx"}, 3, "requires a real matrix"},
    {{"solve", "@complex.mtx", "--preconditioner", "forest"},
     2,
     "real matrices, this system is complex; valid: auto, none"},
    {{"solve", "@complex.mtx", "--compare"}, 2, "--compare is for real systems"},
    {{"solve", "@complex.mtx", "--mixed"}, 2, "--mixed is for real systems"},
    {{"solve", "@good.mtx", "--mixed", "--precision", "single"}, 2, "refines in double precision"},
    {{"solve", "@good.mtx", "--mixed", "--compare"}, 2, "--mixed cannot be combined with"},
    {{"solve", "@good.mtx", "--rhs", "@two.mtx", "--compare"}, 2, "requires a single right-hand side"},
    {{"solve", "@good.mtx", "--rhs", "@two.mtx", "--x0", "@one.mtx"}, 3, "1 vector for 2 right-hand sides"},
    {{"solve", "@good.mtx", "--rhs", "@nantwo.mtx"}, 3, "element 2 of column 2 is NaN"},
    {{"solve", "@good.mtx", "--rhs", "@two.mtx", "--max-iterations", "0"}, 4, "for 2 of 2 right-hand sides"},
    {{"spmv", "@complex.mtx"}, 3, "requires a real matrix"},
    {{"tridiagonal", "@complex.mtx", "--method", "thomas"}, 2, "--method thomas solves real systems"},
    {{"solve", "@good.mtx", "--absolute-tolerance", "-1"}, 2, "--absolute-tolerance"},
    {{"solve", "@good.mtx", "--x0", "@short.mtx"}, 3, "--x0"},
    {{"solve", "@good.mtx", "--rhs", "-", "--x0", "-"}, 2, "standard input can be read only once"},
    {{"solve", "-", "--rhs", "-"}, 2, "standard input can be read only once"},
    {{"solve", "@good.mtx", "--compare", "--report", "@r.html"}, 2, "use one"},
    {{"info", "@words.txt"}, 3, "words.txt:1: not a matrix: expected a Matrix Market file"},
    {{"info", "@negative.txt"}, 3, "negative.txt:2: vertex '-1' is negative"},
    {{"info", "@cut.tar"}, 3, "not a tar archive"},
    {{"info", "@counts.rb"}, 3, "counts.rb:2: the header declares 7 lines of pointers"},
    {{"solve", "@good.mtx", "--rhs", "@long.mtx"}, 3, "the vector has 300000000 elements, expected 3"},
    {{"info", "@nan.mtx"}, 3, "row 1, column 1 is NaN"},
    {{"solve", "@inf.mtx"}, 3, "row 2, column 1 is infinite"},
    {{"solve", "@large.mtx", "--precision", "single"}, 3, "beyond the range"},
    {{"solve", "@wide.mtx"}, 3, "2 x 3"},
    {{"factor", "@wide.mtx"}, 3, "2 x 3"},
    {{"forest", "@wide.mtx"}, 3, "2 x 3"},
    {{"tridiagonal", "@wide.mtx"}, 3, "2 x 3"},
    {{"solve", "@empty.mtx"}, 3, "empty (0 x 0)"},
    {{"spmv", "@empty.mtx"}, 3, "empty (0 x 0)"},
    {{"factor", "@empty.mtx"}, 3, "empty (0 x 0)"},
    {{"solve", "@zerodiagonal.mtx", "--preconditioner", "jacobi"}, 3, "row 2 is zero"},
    {{"solve", "@good.mtx", "--rhs", "@short.mtx"}, 3, "2 elements, expected 3"},
    {{"solve", "@good.mtx", "--rhs", "@nanrhs.mtx"}, 3, "element 2 is NaN"},
    {{"solve", "@good.mtx", "--rhs", "@good.mtx"}, 3, "good.mtx"},
    {{"solve", "@good.mtx", "--rhs", "@missing.mtx"}, 3, "missing.mtx"},
    {{"spmv", "@wide.mtx", "--x", "@short.mtx"}, 3, "2 elements, expected 3"},
    {{"spmv", "@wide.mtx", "--transpose", "--x", "@nanrhs.mtx"}, 3, "3 elements, expected 2"},
    {{"spmv", "@good.mtx", "--accumulate", "@rhs.mtx"}, 3, "--accumulate"},
    {{"spmv", "@good.mtx", "--mask", "@rhs.mtx"}, 3, "--mask"},
    {{"spmv", "@good.mtx", "--mask", "@nanrhs.mtx"}, 3, "element 2 is NaN"},
    {{"spmv", "@good.mtx", "--mask", "@missing.mtx"}, 3, "missing.mtx"},
    {{"tridiagonal", "@good.mtx", "--block", "2"}, 3, "not block tridiagonal with blocks of 2 rows"},
    {{"tridiagonal", "@good.mtx", "--refinements", "-1"}, 2, "--refinements"},
    {{"tridiagonal", "@wideband.mtx"}, 3, "lower bandwidth 14 and upper bandwidth 0"},
    {{"solve", "@good.mtx", "-o", "@nowhere/x.mtx"}, 3, "folder does not exist"},
    {{"solve", "@good.mtx", "--report", "@nowhere/x.html"}, 3, "folder does not exist"},
    {{"solve", "@good.mtx", "--json", "@nowhere/x.json"}, 3, "folder does not exist"},
    {{"solve", "@good.mtx", "-o", "@"}, 3, "it is a folder"},
    {{"info", "@good.mtx", "--json", "/dev/full"}, 3, "/dev/full"},
    {{"spmv", "@good.mtx", "-o", "/dev/full"}, 3, "/dev/full"},
    // numerical failure
    {{"tridiagonal", "@zero.mtx", "--solution", "ones"}, 4, "no pivot in row 1"},
    {{"tridiagonal", "@singular.mtx", "--rhs", "@rhs.mtx"}, 4, "no pivot in row"},
    {{"tridiagonal", "@exchange.mtx", "--method", "rpts", "--pivoting", "none", "--solution", "ones"},
     4,
     "may need pivoting"},
    {{"solve", "@good.mtx", "--max-iterations", "0"}, 4, "did not converge"},
    {{"solve", "@singular.mtx", "--rhs", "@rhs.mtx", "--solver", "gmres"}, 4, "did not converge"},
    {{"solve", "@unsymmetric.mtx", "--solver", "cg", "--preconditioner", "none"}, 4, "cg requires a symmetric matrix"},
};

} // namespace

TEST_CASE("every mistake has its exit code and one line that names it") {
    for (auto const& bad : table) {
        scratch_folder const folder;
        write_inputs(folder);
        auto const before = folder.names().size();
        std::vector<std::string> arguments;
        std::string shown = "coppice";
        for (auto const& argument : bad.arguments) {
            arguments.push_back(argument.rfind("@", 0) == 0 ? folder / argument.substr(1) : argument);
            shown += " " + argument;
        }
        CAPTURE(shown);
        auto const result = run(arguments);
        CAPTURE(result.err);
        CHECK(result.code == bad.code);
        CHECK(is_one_error_line(result.err));
        CHECK(result.err.find(bad.says) != std::string::npos);
        if (bad.code != 4) {
            CHECK(result.out.empty());
            CHECK(folder.names().size() == before);
        }
    }
}

TEST_CASE("a request for CUDA without a device is exit code 5") {
    auto const result = run({"info", "generate:laplace2d,nx=4", "--backend", "cuda"});
    if (result.code == 0) return; // there is a device
    CHECK(result.code == 5);
    CHECK(is_one_error_line(result.err));
    CHECK(result.out.empty());
}

TEST_CASE("tune without a path of its file is wrong usage") {
    scratch_folder const folder;
    auto const r = shell(folder / ".", "env -u COPPICE_TUNING_FILE -u XDG_CACHE_HOME -u HOME \"$coppice\" tune");
    CHECK(r.code == 2);
    CHECK(is_one_error_line(r.err));
    CHECK(r.err.find("use -o FILE") != std::string::npos);
}

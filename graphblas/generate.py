#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the header of the GraphBLAS C API, its typed functions and its predefined objects from the tables below.

    graphblas/generate.py            writes include/GraphBLAS.h, typed_functions.inc, predefined.inc
    graphblas/generate.py --check    exits with 1 if one of them differs
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent

TYPES = {
    "BOOL": "bool", "INT8": "int8_t", "INT16": "int16_t", "INT32": "int32_t", "INT64": "int64_t", "UINT8": "uint8_t",
    "UINT16": "uint16_t", "UINT32": "uint32_t", "UINT64": "uint64_t", "FP32": "float", "FP64": "double"}
NUMBERS = [t for t in TYPES if t != "BOOL"]
INTEGERS = [t for t in NUMBERS if "INT" in t]
UNSIGNED = [t for t in NUMBERS if t.startswith("U")]
REALS = ["FP32", "FP64"]
# Complex types and their objects have the names of SuiteSparse:GraphBLAS. The types of the real parts are REAL_OF.
COMPLEX = {"FC32": "GxB_FC32_t", "FC64": "GxB_FC64_t"}
REAL_OF = {"FC32": "FP32", "FC64": "FP64"}
C_TYPES = {**TYPES, **COMPLEX}
OBJECTS = ["Type", "UnaryOp", "IndexUnaryOp", "BinaryOp", "Monoid", "Semiring", "Descriptor", "Scalar", "Vector", "Matrix"]
HANDLES = ["GrB_" + o for o in OBJECTS] + ["GrB_Global"]

# Operators: (prefix, name, types, C++ functor, type of the result). Without a type of the result it is that of the
# operand; "real" and "complex" denote the type of the parts and the type with such parts. The functors are in
# operators.hpp. GxB names are those of SuiteSparse:GraphBLAS.
ALL = list(TYPES)
EVERY = list(C_TYPES)
UNARY = [("GrB", "IDENTITY", EVERY, "identity", None), ("GrB", "AINV", EVERY, "ainv", None),
         ("GrB", "MINV", EVERY, "minv", None), ("GrB", "ABS", EVERY, "absolute", "real"),
         ("GrB", "BNOT", INTEGERS, "bit_not", None), ("GxB", "ONE", EVERY, "one", None),
         ("GxB", "LNOT", ALL, "logical_not", None), ("GxB", "CONJ", list(COMPLEX), "conj", None),
         ("GxB", "CREAL", list(COMPLEX), "creal", "real"), ("GxB", "CIMAG", list(COMPLEX), "cimag", "real"),
         ("GxB", "CARG", list(COMPLEX), "carg", "real")]
UNARY += [("GxB", name.upper(), REALS + list(COMPLEX), "real_" + name, None) for name in
          "sqrt log exp sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh".split()]
UNARY += [("GxB", name.upper(), REALS, "real_" + name, None) for name in
          "log2 exp2 log10 log1p expm1 cbrt ceil floor round trunc lgamma tgamma erf erfc".split()]
BINARY = [("GrB", "FIRST", EVERY, "first", None), ("GrB", "SECOND", EVERY, "second", None), ("GrB", "ONEB", EVERY, "pair", None),
          ("GrB", "MIN", ALL, "min", None), ("GrB", "MAX", ALL, "max", None), ("GrB", "PLUS", EVERY, "plus", None),
          ("GrB", "MINUS", EVERY, "minus", None), ("GrB", "TIMES", EVERY, "times", None), ("GrB", "DIV", EVERY, "div", None),
          ("GrB", "EQ", EVERY, "eq", "BOOL"), ("GrB", "NE", EVERY, "ne", "BOOL"), ("GrB", "GT", ALL, "gt", "BOOL"),
          ("GrB", "LT", ALL, "lt", "BOOL"), ("GrB", "GE", ALL, "ge", "BOOL"), ("GrB", "LE", ALL, "le", "BOOL"),
          ("GrB", "BOR", INTEGERS, "bit_or", None), ("GrB", "BAND", INTEGERS, "bit_and", None),
          ("GrB", "BXOR", INTEGERS, "bit_xor", None), ("GrB", "BXNOR", INTEGERS, "bit_xnor", None),
          ("GxB", "ANY", EVERY, "any", None), ("GxB", "PAIR", EVERY, "pair", None), ("GxB", "RMINUS", EVERY, "rminus", None),
          ("GxB", "RDIV", EVERY, "rdiv", None), ("GxB", "ISEQ", EVERY, "eq", None), ("GxB", "ISNE", EVERY, "ne", None),
          ("GxB", "ISGT", ALL, "gt", None), ("GxB", "ISLT", ALL, "lt", None), ("GxB", "ISGE", ALL, "ge", None),
          ("GxB", "ISLE", ALL, "le", None), ("GxB", "LOR", ALL, "lor", None), ("GxB", "LAND", ALL, "land", None),
          ("GxB", "LXOR", ALL, "lxor", None), ("GxB", "ATAN2", REALS, "atan2", None), ("GxB", "HYPOT", REALS, "hypot", None),
          ("GxB", "FMOD", REALS, "fmod", None), ("GxB", "COPYSIGN", REALS, "copysign", None),
          ("GxB", "CMPLX", REALS, "make_complex", "complex")]
BOOL_BINARY = [("LOR", "lor"), ("LAND", "land"), ("LXOR", "lxor"), ("LXNOR", "eq")]
POSITIONAL = ["FIRSTI", "FIRSTI1", "FIRSTJ", "FIRSTJ1", "SECONDI", "SECONDI1", "SECONDJ", "SECONDJ1"]
# Index-unary operators without a type: (name, type of the result, type of the scalar).
INDEX_UNARY = [("ROWINDEX", t, t) for t in ("INT32", "INT64")] + [("COLINDEX", t, t) for t in ("INT32", "INT64")] + \
    [("DIAGINDEX", t, t) for t in ("INT32", "INT64")]
INDEX_SELECT = ["TRIL", "TRIU", "DIAG", "OFFDIAG", "ROWLE", "ROWGT", "COLLE", "COLGT"]
VALUE_SELECT = ["EQ", "NE", "LT", "LE", "GT", "GE"]
# Monoids: (operator, types, identity, terminal); None: no terminal value.
MONOIDS = [("PLUS", NUMBERS, "zero", None), ("TIMES", NUMBERS, "one", None), ("MIN", NUMBERS, "highest", "lowest"),
           ("MAX", NUMBERS, "lowest", "highest")]
BOOL_MONOIDS = [("LOR", "false", "true"), ("LAND", "true", "false"), ("LXOR", "false", None), ("LXNOR", "true", None)]
GXB_MONOIDS = [("PLUS", list(COMPLEX), "zero", None), ("TIMES", list(COMPLEX), "one", None), ("ANY", EVERY, "zero", "any"),
               ("BOR", UNSIGNED, "zero", "ones"), ("BAND", UNSIGNED, "ones", "zero"),
               ("BXOR", UNSIGNED, "zero", None), ("BXNOR", UNSIGNED, "ones", None)]
SEMIRINGS = ["PLUS_TIMES", "PLUS_MIN", "MIN_PLUS", "MIN_TIMES", "MIN_FIRST", "MIN_SECOND", "MIN_MAX", "MAX_PLUS", "MAX_TIMES",
             "MAX_FIRST", "MAX_SECOND", "MAX_MIN"]
BOOL_SEMIRINGS = ["LOR_LAND", "LAND_LOR", "LXOR_LAND", "LXNOR_LOR"]
GXB_ADD = ["MIN", "MAX", "PLUS", "TIMES", "ANY"]
GXB_MULTIPLY = ["FIRST", "SECOND", "PAIR", "MIN", "MAX", "PLUS", "MINUS", "TIMES", "DIV"]
GXB_BOOL_MULTIPLY = ["FIRST", "SECOND", "PAIR", "LOR", "LAND", "LXOR", "EQ"]
GXB_BOOL_ADD = ["LOR", "LAND", "LXOR", "ANY"]
COMPLEX_ADD = ["PLUS", "TIMES", "ANY"]
COMPLEX_MULTIPLY = ["FIRST", "SECOND", "PAIR", "PLUS", "MINUS", "TIMES", "DIV", "RMINUS", "RDIV"]
DESCRIPTORS = [r + m + t for r in ("", "R") for m in ("", "S", "C", "SC") for t in ("", "T0", "T1", "T0T1") if r + m + t]

# Functions of one type each. Suffixes: T the predefined types, U user-defined, S GrB_Scalar. <x> is the C type; "<x> v" is
# a value, "<x> *v" an output, "const <x> *v" an input array.
TYPED = """
TU  GrB_Monoid_new(GrB_Monoid *monoid, GrB_BinaryOp op, <x> identity)
TU  GxB_Monoid_terminal_new(GrB_Monoid *monoid, GrB_BinaryOp op, <x> identity, <x> terminal)
TU  GrB_Scalar_setElement(GrB_Scalar s, <x> x)
TU  GrB_Scalar_extractElement(<x> *x, GrB_Scalar s)
TU  GrB_Vector_build(GrB_Vector w, const GrB_Index *I, const <x> *X, GrB_Index n, GrB_BinaryOp dup)
TUS GrB_Vector_setElement(GrB_Vector w, <x> x, GrB_Index i)
TUS GrB_Vector_extractElement(<x> *x, GrB_Vector u, GrB_Index i)
TU  GrB_Vector_extractTuples(GrB_Index *I, <x> *X, GrB_Index *n, GrB_Vector u)
TU  GrB_Matrix_build(GrB_Matrix C, const GrB_Index *I, const GrB_Index *J, const <x> *X, GrB_Index n, GrB_BinaryOp dup)
TUS GrB_Matrix_setElement(GrB_Matrix C, <x> x, GrB_Index i, GrB_Index j)
TUS GrB_Matrix_extractElement(<x> *x, GrB_Matrix A, GrB_Index i, GrB_Index j)
TU  GrB_Matrix_extractTuples(GrB_Index *I, GrB_Index *J, <x> *X, GrB_Index *n, GrB_Matrix A)
TU  GrB_Matrix_import(GrB_Matrix *A, GrB_Type type, GrB_Index nrows, GrB_Index ncols, const GrB_Index *Ap, const GrB_Index *Ai, const <x> *Ax, GrB_Index Ap_len, GrB_Index Ai_len, GrB_Index Ax_len, int format)
TU  GrB_Matrix_export(GrB_Index *Ap, GrB_Index *Ai, <x> *Ax, GrB_Index *Ap_len, GrB_Index *Ai_len, GrB_Index *Ax_len, int format, GrB_Matrix A)
TUS GrB_Vector_assign(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, <x> x, const GrB_Index *I, GrB_Index ni, GrB_Descriptor desc)
TUS GrB_Matrix_assign(GrB_Matrix C, GrB_Matrix Mask, GrB_BinaryOp accum, <x> x, const GrB_Index *I, GrB_Index ni, const GrB_Index *J, GrB_Index nj, GrB_Descriptor desc)
TUS GxB_Vector_subassign(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, <x> x, const GrB_Index *I, GrB_Index ni, GrB_Descriptor desc)
TUS GxB_Matrix_subassign(GrB_Matrix C, GrB_Matrix Mask, GrB_BinaryOp accum, <x> x, const GrB_Index *I, GrB_Index ni, const GrB_Index *J, GrB_Index nj, GrB_Descriptor desc)
TUS GrB_Vector_apply_BinaryOp1st(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_BinaryOp op, <x> x, GrB_Vector u, GrB_Descriptor desc)
TUS GrB_Vector_apply_BinaryOp2nd(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_BinaryOp op, GrB_Vector u, <x> y, GrB_Descriptor desc)
TUS GrB_Vector_apply_IndexOp(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_IndexUnaryOp op, GrB_Vector u, <x> y, GrB_Descriptor desc)
TUS GrB_Matrix_apply_BinaryOp1st(GrB_Matrix C, GrB_Matrix Mask, GrB_BinaryOp accum, GrB_BinaryOp op, <x> x, GrB_Matrix A, GrB_Descriptor desc)
TUS GrB_Matrix_apply_BinaryOp2nd(GrB_Matrix C, GrB_Matrix Mask, GrB_BinaryOp accum, GrB_BinaryOp op, GrB_Matrix A, <x> y, GrB_Descriptor desc)
TUS GrB_Matrix_apply_IndexOp(GrB_Matrix C, GrB_Matrix Mask, GrB_BinaryOp accum, GrB_IndexUnaryOp op, GrB_Matrix A, <x> y, GrB_Descriptor desc)
TUS GrB_Vector_select(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_IndexUnaryOp op, GrB_Vector u, <x> y, GrB_Descriptor desc)
TUS GrB_Matrix_select(GrB_Matrix C, GrB_Matrix Mask, GrB_BinaryOp accum, GrB_IndexUnaryOp op, GrB_Matrix A, <x> y, GrB_Descriptor desc)
TU  GrB_Vector_reduce(<x> *c, GrB_BinaryOp accum, GrB_Monoid monoid, GrB_Vector u, GrB_Descriptor desc)
TU  GrB_Matrix_reduce(<x> *c, GrB_BinaryOp accum, GrB_Monoid monoid, GrB_Matrix A, GrB_Descriptor desc)
""".strip().splitlines()

# Functions without a type; <O>: the objects of the second column.
PLAIN = """
GrB_init(int mode)
GrB_finalize(void)
GrB_getVersion(unsigned int *version, unsigned int *subversion)
GrB_Type_new(GrB_Type *type, size_t size)
GxB_Type_new(GrB_Type *type, size_t size, const char *name, const char *definition)
GrB_UnaryOp_new(GrB_UnaryOp *op, GxB_unary_function function, GrB_Type ztype, GrB_Type xtype)
GxB_UnaryOp_new(GrB_UnaryOp *op, GxB_unary_function function, GrB_Type ztype, GrB_Type xtype, const char *name, const char *definition)
GrB_BinaryOp_new(GrB_BinaryOp *op, GxB_binary_function function, GrB_Type ztype, GrB_Type xtype, GrB_Type ytype)
GxB_BinaryOp_new(GrB_BinaryOp *op, GxB_binary_function function, GrB_Type ztype, GrB_Type xtype, GrB_Type ytype, const char *name, const char *definition)
GrB_IndexUnaryOp_new(GrB_IndexUnaryOp *op, GxB_index_unary_function function, GrB_Type ztype, GrB_Type xtype, GrB_Type stype)
GxB_IndexUnaryOp_new(GrB_IndexUnaryOp *op, GxB_index_unary_function function, GrB_Type ztype, GrB_Type xtype, GrB_Type stype, const char *name, const char *definition)
GrB_Semiring_new(GrB_Semiring *semiring, GrB_Monoid add, GrB_BinaryOp multiply)
GrB_Descriptor_new(GrB_Descriptor *desc)
GrB_Descriptor_set(GrB_Descriptor desc, int field, int value)
GrB_Scalar_new(GrB_Scalar *s, GrB_Type type)
GrB_Scalar_dup(GrB_Scalar *s, GrB_Scalar t)
GrB_Scalar_clear(GrB_Scalar s)
GrB_Scalar_nvals(GrB_Index *nvals, GrB_Scalar s)
GrB_Vector_new(GrB_Vector *w, GrB_Type type, GrB_Index n)
GrB_Vector_dup(GrB_Vector *w, GrB_Vector u)
GrB_Vector_clear(GrB_Vector w)
GrB_Vector_size(GrB_Index *n, GrB_Vector u)
GrB_Vector_nvals(GrB_Index *nvals, GrB_Vector u)
GrB_Vector_resize(GrB_Vector w, GrB_Index n)
GrB_Vector_removeElement(GrB_Vector w, GrB_Index i)
GxB_Vector_build_Scalar(GrB_Vector w, const GrB_Index *I, GrB_Scalar s, GrB_Index n)
GrB_Matrix_new(GrB_Matrix *C, GrB_Type type, GrB_Index nrows, GrB_Index ncols)
GrB_Matrix_dup(GrB_Matrix *C, GrB_Matrix A)
GrB_Matrix_diag(GrB_Matrix *C, GrB_Vector v, int64_t k)
GrB_Matrix_clear(GrB_Matrix C)
GrB_Matrix_nrows(GrB_Index *nrows, GrB_Matrix A)
GrB_Matrix_ncols(GrB_Index *ncols, GrB_Matrix A)
GrB_Matrix_nvals(GrB_Index *nvals, GrB_Matrix A)
GrB_Matrix_resize(GrB_Matrix C, GrB_Index nrows, GrB_Index ncols)
GrB_Matrix_removeElement(GrB_Matrix C, GrB_Index i, GrB_Index j)
GxB_Matrix_build_Scalar(GrB_Matrix C, const GrB_Index *I, const GrB_Index *J, GrB_Scalar s, GrB_Index n)
GrB_Matrix_exportSize(GrB_Index *Ap_len, GrB_Index *Ai_len, GrB_Index *Ax_len, int format, GrB_Matrix A)
GrB_Matrix_exportHint(int *format, GrB_Matrix A)
GrB_Matrix_serializeSize(GrB_Index *size, GrB_Matrix A)
GrB_Matrix_serialize(void *blob, GrB_Index *size, GrB_Matrix A)
GrB_Matrix_deserialize(GrB_Matrix *C, GrB_Type type, const void *blob, GrB_Index size)
GrB_mxm(GrB_Matrix C, GrB_Matrix Mask, GrB_BinaryOp accum, GrB_Semiring semiring, GrB_Matrix A, GrB_Matrix B, GrB_Descriptor desc)
GrB_vxm(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Semiring semiring, GrB_Vector u, GrB_Matrix A, GrB_Descriptor desc)
GrB_mxv(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Semiring semiring, GrB_Matrix A, GrB_Vector u, GrB_Descriptor desc)
GrB_Vector_extract(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, const GrB_Index *I, GrB_Index ni, GrB_Descriptor desc)
GrB_Matrix_extract(GrB_Matrix C, GrB_Matrix Mask, GrB_BinaryOp accum, GrB_Matrix A, const GrB_Index *I, GrB_Index ni, const GrB_Index *J, GrB_Index nj, GrB_Descriptor desc)
GrB_Col_extract(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Matrix A, const GrB_Index *I, GrB_Index ni, GrB_Index j, GrB_Descriptor desc)
GrB_Vector_assign(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, const GrB_Index *I, GrB_Index ni, GrB_Descriptor desc)
GrB_Matrix_assign(GrB_Matrix C, GrB_Matrix Mask, GrB_BinaryOp accum, GrB_Matrix A, const GrB_Index *I, GrB_Index ni, const GrB_Index *J, GrB_Index nj, GrB_Descriptor desc)
GrB_Col_assign(GrB_Matrix C, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, const GrB_Index *I, GrB_Index ni, GrB_Index j, GrB_Descriptor desc)
GrB_Row_assign(GrB_Matrix C, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, GrB_Index i, const GrB_Index *J, GrB_Index nj, GrB_Descriptor desc)
GxB_Vector_subassign(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, const GrB_Index *I, GrB_Index ni, GrB_Descriptor desc)
GxB_Matrix_subassign(GrB_Matrix C, GrB_Matrix Mask, GrB_BinaryOp accum, GrB_Matrix A, const GrB_Index *I, GrB_Index ni, const GrB_Index *J, GrB_Index nj, GrB_Descriptor desc)
GxB_Col_subassign(GrB_Matrix C, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, const GrB_Index *I, GrB_Index ni, GrB_Index j, GrB_Descriptor desc)
GxB_Row_subassign(GrB_Matrix C, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, GrB_Index i, const GrB_Index *J, GrB_Index nj, GrB_Descriptor desc)
GrB_Vector_apply(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_UnaryOp op, GrB_Vector u, GrB_Descriptor desc)
GrB_Matrix_apply(GrB_Matrix C, GrB_Matrix Mask, GrB_BinaryOp accum, GrB_UnaryOp op, GrB_Matrix A, GrB_Descriptor desc)
GrB_Matrix_reduce_Monoid(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Monoid monoid, GrB_Matrix A, GrB_Descriptor desc)
GrB_Matrix_reduce_BinaryOp(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_BinaryOp op, GrB_Matrix A, GrB_Descriptor desc)
GrB_Vector_reduce_Monoid_Scalar(GrB_Scalar s, GrB_BinaryOp accum, GrB_Monoid monoid, GrB_Vector u, GrB_Descriptor desc)
GrB_Vector_reduce_BinaryOp_Scalar(GrB_Scalar s, GrB_BinaryOp accum, GrB_BinaryOp op, GrB_Vector u, GrB_Descriptor desc)
GrB_Matrix_reduce_Monoid_Scalar(GrB_Scalar s, GrB_BinaryOp accum, GrB_Monoid monoid, GrB_Matrix A, GrB_Descriptor desc)
GrB_Matrix_reduce_BinaryOp_Scalar(GrB_Scalar s, GrB_BinaryOp accum, GrB_BinaryOp op, GrB_Matrix A, GrB_Descriptor desc)
GrB_transpose(GrB_Matrix C, GrB_Matrix Mask, GrB_BinaryOp accum, GrB_Matrix A, GrB_Descriptor desc)
""".strip().splitlines()
# Arrays of malloc() that change their owner. Only tables by rows are not copied.
for name in ("CSR", "CSC"):
    PLAIN += [f"GxB_Matrix_pack_{name}(GrB_Matrix A, GrB_Index **Ap, GrB_Index **Ai, void **Ax, GrB_Index Ap_size, GrB_Index Ai_size, GrB_Index Ax_size, bool iso, bool jumbled, GrB_Descriptor desc)",
              f"GxB_Matrix_unpack_{name}(GrB_Matrix A, GrB_Index **Ap, GrB_Index **Ai, void **Ax, GrB_Index *Ap_size, GrB_Index *Ai_size, GrB_Index *Ax_size, bool *iso, bool *jumbled, GrB_Descriptor desc)"]
for o, form in (("Vector", ""), ("Matrix", "R")):
    PLAIN += [f"GxB_{o}_pack_Full{form}(GrB_{o} A, void **Ax, GrB_Index Ax_size, bool iso, GrB_Descriptor desc)",
              f"GxB_{o}_unpack_Full{form}(GrB_{o} A, void **Ax, GrB_Index *Ax_size, bool *iso, GrB_Descriptor desc)",
              f"GxB_{o}_pack_Bitmap{form}(GrB_{o} A, int8_t **Ab, void **Ax, GrB_Index Ab_size, GrB_Index Ax_size, bool iso, GrB_Index nvals, GrB_Descriptor desc)",
              f"GxB_{o}_unpack_Bitmap{form}(GrB_{o} A, int8_t **Ab, void **Ax, GrB_Index *Ab_size, GrB_Index *Ax_size, bool *iso, GrB_Index *nvals, GrB_Descriptor desc)"]
PLAIN += ["GxB_Vector_pack_CSC(GrB_Vector v, GrB_Index **vi, void **vx, GrB_Index vi_size, GrB_Index vx_size, bool iso, GrB_Index nvals, bool jumbled, GrB_Descriptor desc)",
          "GxB_Vector_unpack_CSC(GrB_Vector v, GrB_Index **vi, void **vx, GrB_Index *vi_size, GrB_Index *vx_size, bool *iso, GrB_Index *nvals, bool *jumbled, GrB_Descriptor desc)"]
# Names of types in C, "double" for GrB_FP64, with space for GxB_MAX_NAME_LEN characters; "" for a type without a name.
PLAIN += ["GxB_Type_name(char *name, GrB_Type type)", "GxB_Scalar_type_name(char *name, GrB_Scalar s)",
          "GxB_Vector_type_name(char *name, GrB_Vector u)", "GxB_Matrix_type_name(char *name, GrB_Matrix A)",
          "GxB_Type_from_name(GrB_Type *type, const char *name)", "GxB_Type_size(size_t *size, GrB_Type type)"]
PLAIN += ["GxB_Scalar_type(GrB_Type *type, GrB_Scalar s)", "GxB_Vector_type(GrB_Type *type, GrB_Vector u)",
          "GxB_Matrix_type(GrB_Type *type, GrB_Matrix A)"]
for kind in ("Semiring", "Monoid", "BinaryOp"):
    for name in ("eWiseAdd", "eWiseMult"):
        PLAIN.append(f"GrB_Vector_{name}_{kind}(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_{kind} op, GrB_Vector u, GrB_Vector v, GrB_Descriptor desc)")
    for name in ("eWiseAdd", "eWiseMult", "kronecker"):
        PLAIN.append(f"GrB_Matrix_{name}_{kind}(GrB_Matrix C, GrB_Matrix Mask, GrB_BinaryOp accum, GrB_{kind} op, GrB_Matrix A, GrB_Matrix B, GrB_Descriptor desc)")
for o in OBJECTS:
    PLAIN += [f"GxB_{o}_fprint(GrB_{o} object, const char *name, GxB_Print_Level level, FILE *file)"]
    PLAIN += [f"GrB_{o}_free(GrB_{o} *object)", f"GrB_{o}_wait(GrB_{o} object, int mode)",
              f"GrB_{o}_error(const char **error, GrB_{o} object)"]
for o in OBJECTS + ["Global"]:
    PLAIN += [f"GrB_{o}_get_Scalar(GrB_{o} object, GrB_Scalar value, int field)",
              f"GrB_{o}_get_String(GrB_{o} object, char *value, int field)",
              f"GrB_{o}_get_INT32(GrB_{o} object, int32_t *value, int field)",
              f"GrB_{o}_get_SIZE(GrB_{o} object, size_t *value, int field)",
              f"GrB_{o}_get_VOID(GrB_{o} object, void *value, int field)",
              f"GrB_{o}_set_Scalar(GrB_{o} object, GrB_Scalar value, int field)",
              f"GrB_{o}_set_String(GrB_{o} object, char *value, int field)",
              f"GrB_{o}_set_INT32(GrB_{o} object, int32_t value, int field)",
              f"GrB_{o}_set_VOID(GrB_{o} object, void *value, int field, size_t size)"]


def split(prototype):
    """Name and list of parameters of a prototype."""
    name, parameters = re.fullmatch(r"(\w+)\((.*)\)", prototype).groups()
    return name, [p.strip() for p in parameters.split(",")]


def prefixed(name, t):
    """The name of a function or object for a type: "GxB_" instead of "GrB_" if it is complex."""
    return name.replace("GrB_", "GxB_") if t in COMPLEX else name


def type_name(t):
    return prefixed("GrB_" + t, t)


def result_type(result, t):
    if result == "real":
        return REAL_OF.get(t, t)
    if result == "complex":
        return next(c for c, real in REAL_OF.items() if real == t)
    return result or t


def typed_variants():
    """(family, suffix, parameters with <x> still in them, C type) of every typed function."""
    for line in TYPED:
        kinds, prototype = line.split(None, 1)
        name, parameters = split(prototype)
        for suffix, ctype in C_TYPES.items():
            yield prefixed(name, suffix), suffix, parameters, ctype
        yield name, "UDT", parameters, "void"
        if "S" in kinds:
            yield name, "Scalar", parameters, "GrB_Scalar"


def c_parameter(parameter, ctype):
    if ctype == "GrB_Scalar":
        return parameter.replace("<x> *", "GrB_Scalar ").replace("<x>", "GrB_Scalar")
    if ctype == "void" and re.search(r"<x> \w", parameter):
        return parameter.replace("<x> ", "void *")
    return parameter.replace("<x>", ctype)


def value_of(parameter, suffix):
    """The argument for the function in C++ that all types share."""
    name = re.search(r"(\w+)$", parameter).group(1)
    if "<x>" not in parameter:
        return name
    if suffix == "Scalar":
        return f"scalar_argument({name})"
    if suffix == "UDT":
        return f"user_argument({name})"
    pointer = "" if "*" in parameter else "&"
    return f"typed_argument({type_name(suffix)}, {pointer}{name})"


def extern_names():
    """(C type, name) of every predefined object."""
    for t in C_TYPES:
        yield "GrB_Type", type_name(t)
    yield "GrB_UnaryOp", "GrB_LNOT"
    for prefix, name, types, _, _ in UNARY:
        for t in types:
            yield "GrB_UnaryOp", prefixed(f"{prefix}_{name}_{t}", t)
    for prefix, name, types, _, _ in BINARY:
        for t in types:
            yield "GrB_BinaryOp", prefixed(f"{prefix}_{name}_{t}", t)
    for name, _ in BOOL_BINARY:
        yield "GrB_BinaryOp", "GrB_" + name
    for name in POSITIONAL:
        for t in ("INT32", "INT64"):
            yield "GrB_BinaryOp", f"GxB_{name}_{t}"
    for name, t, _ in INDEX_UNARY:
        yield "GrB_IndexUnaryOp", f"GrB_{name}_{t}"
    for name in INDEX_SELECT:
        yield "GrB_IndexUnaryOp", "GrB_" + name
    for name, t in value_selections():
        yield "GrB_IndexUnaryOp", prefixed(f"GrB_VALUE{name}_{t}", t)
    for line in monoid_lines():
        yield "GrB_Monoid", line[0]
    for line in semiring_lines():
        yield "GrB_Semiring", line[0]
    for name in DESCRIPTORS:
        yield "GrB_Descriptor", "GrB_DESC_" + name


def value_selections():
    """(comparison, type). Complex numbers have no order."""
    for name in VALUE_SELECT:
        for t in EVERY if name in ("EQ", "NE") else ALL:
            yield name, t


def monoid_lines():
    """(name, operator, type, identity, terminal)."""
    for name, types, identity, terminal in MONOIDS:
        for t in types:
            yield f"GrB_{name}_MONOID_{t}", f"GrB_{name}_{t}", t, identity, terminal
            yield f"GxB_{name}_{t}_MONOID", f"GrB_{name}_{t}", t, identity, terminal
    for name, identity, terminal in BOOL_MONOIDS:
        yield f"GrB_{name}_MONOID_BOOL", f"GrB_{name}", "BOOL", "zero" if identity == "false" else "one", \
            terminal and ("zero" if terminal == "false" else "one")
        yield f"GxB_{name}_BOOL_MONOID", f"GrB_{name}", "BOOL", "zero" if identity == "false" else "one", \
            terminal and ("zero" if terminal == "false" else "one")
    for name, types, identity, terminal in GXB_MONOIDS:
        for t in types:
            prefix = "GxB" if name == "ANY" else "GrB"
            yield f"GxB_{name}_{t}_MONOID", prefixed(f"{prefix}_{name}_{t}", t), t, identity, terminal


def semiring_lines():
    """(name, monoid, multiply operator)."""
    def operator(name, t):
        gxb = name == "PAIR" or t in COMPLEX or (t == "BOOL" and name in ("LOR", "LAND", "LXOR"))
        return f"{'GxB' if gxb else 'GrB'}_{name}_{t}"
    for name in SEMIRINGS:
        add, multiply = name.split("_")
        for t in NUMBERS:
            yield f"GrB_{name}_SEMIRING_{t}", f"GrB_{add}_MONOID_{t}", f"GrB_{multiply}_{t}"
    for name in BOOL_SEMIRINGS:
        add, multiply = name.split("_")
        yield f"GrB_{name}_SEMIRING_BOOL", f"GrB_{add}_MONOID_BOOL", f"GrB_{multiply}"
    for add in GXB_ADD:
        for multiply in GXB_MULTIPLY:
            for t in NUMBERS:
                yield f"GxB_{add}_{multiply}_{t}", f"GxB_{add}_{t}_MONOID", operator(multiply, t)
    for add in GXB_BOOL_ADD:
        for multiply in GXB_BOOL_MULTIPLY:
            yield f"GxB_{add}_{multiply}_BOOL", f"GxB_{add}_BOOL_MONOID", operator(multiply, "BOOL")
    for add in COMPLEX_ADD:
        for multiply in COMPLEX_MULTIPLY:
            for t in COMPLEX:
                yield f"GxB_{add}_{multiply}_{t}", f"GxB_{add}_{t}_MONOID", operator(multiply, t)
    for add in GXB_ADD:
        for multiply in POSITIONAL:
            for t in ("INT32", "INT64"):
                yield f"GxB_{add}_{multiply}_{t}", f"GxB_{add}_{t}_MONOID", f"GxB_{multiply}_{t}"


def object_lines():
    """Definitions of the predefined objects, for the macros of predefined.cpp."""
    def typed(t):
        return f"{type_name(t)}, {C_TYPES[t]}"
    for t in C_TYPES:
        yield f"COPPICE_TYPE({typed(t)})"
    for prefix, name, types, functor, result in UNARY:
        for t in types:
            yield f"COPPICE_UNARY({prefixed(f'{prefix}_{name}_{t}', t)}, {functor}, {typed(result_type(result, t))}, {typed(t)})"
    yield f"COPPICE_UNARY(GrB_LNOT, logical_not, {typed('BOOL')}, {typed('BOOL')})"
    for prefix, name, types, functor, result in BINARY:
        for t in types:
            yield f"COPPICE_BINARY({prefixed(f'{prefix}_{name}_{t}', t)}, {functor}, {typed(result_type(result, t))}, {typed(t)})"
    for name, functor in BOOL_BINARY:
        yield f"COPPICE_BINARY(GrB_{name}, {functor}, {typed('BOOL')}, {typed('BOOL')})"
    for name in POSITIONAL:
        for t in ("INT32", "INT64"):
            yield f"COPPICE_POSITIONAL(GxB_{name}_{t}, {name.lower()}, {type_name(t)})"
    for name, t, _ in INDEX_UNARY:
        yield f"COPPICE_INDEX_UNARY(GrB_{name}_{t}, {name.lower()}, {typed(t)})"
    for name in INDEX_SELECT:
        yield f"COPPICE_POSITION_SELECT(GrB_{name}, {name.lower()})"
    for name, t in value_selections():
        yield f"COPPICE_VALUE_COMPARE({prefixed(f'GrB_VALUE{name}_{t}', t)}, {name.lower()}, {typed(t)})"
    for name, op, t, identity, terminal in monoid_lines():
        yield f"COPPICE_MONOID({name}, {op}, {C_TYPES[t]}, {identity}, {terminal or 'none'})"
    for name, monoid, multiply in semiring_lines():
        yield f"COPPICE_SEMIRING({name}, {monoid}, {multiply})"
    for name in DESCRIPTORS:
        flags = ["true" if f else "false" for f in
                 (name.startswith("R"), "C" in name, "S" in name, "T0" in name, "T1" in name)]
        yield f"COPPICE_DESCRIPTOR(GrB_DESC_{name}, {', '.join(flags)})"


def typed_functions():
    out = ["// SPDX-License-Identifier: BSD-3-Clause", "// Written by graphblas/generate.py: do not edit.", ""]
    for name, suffix, parameters, ctype in typed_variants():
        c = ", ".join(c_parameter(p, ctype) for p in parameters)
        shared = re.sub(r"^G.B_", "", name)
        out.append(f"GrB_Info {name}_{suffix}({c}) {{")
        out.append(f"    return {shared}({', '.join(value_of(p, suffix) for p in parameters)});")
        out.append("}")
    return "\n".join(out) + "\n"


def predefined():
    return "// SPDX-License-Identifier: BSD-3-Clause\n// Written by graphblas/generate.py: do not edit.\n\n" + \
        "\n".join(object_lines()) + "\n"


def cases(name, prefix="", suffix="", scalar=True):
    """Associations of _Generic from C types to the functions of a typed family."""
    c = [f"{prefix}{t}{suffix}: {prefixed(name, n)}_{n}" for n, t in C_TYPES.items()]
    c += [f"{prefix}long long{suffix}: {name}_INT64", f"{prefix}unsigned long long{suffix}: {name}_UINT64"]
    c += [f"{prefix}void{suffix or ' *'}: {name}_UDT"]
    if scalar:
        c += [f"GrB_Scalar: {name}_Scalar"]
    return ", ".join(c)


def macros():
    values = lambda n, s=True: cases(n, scalar=s) + f", const void *: {n}_UDT"
    outputs = lambda n, s=True: cases(n, suffix=" *", scalar=s)
    inputs = lambda n: cases(n, suffix=" *", scalar=False) + ", " + cases(n, prefix="const ", suffix=" *", scalar=False)
    both = lambda expression, v, m: f"_Generic((C), GrB_Vector: {v}, GrB_Matrix: {m}) {expression}"
    by_object = lambda what: ", ".join(f"GrB_{o}: GrB_{o}_{what}" for o in OBJECTS)
    m = {}
    m["GrB_Monoid_new(monoid, op, identity)"] = f"_Generic((identity), {values('GrB_Monoid_new', False)})(monoid, op, identity)"
    m["GrB_Scalar_setElement(s, x)"] = f"_Generic((x), {values('GrB_Scalar_setElement', False)})(s, x)"
    m["GrB_Scalar_extractElement(x, s)"] = f"_Generic((x), {outputs('GrB_Scalar_extractElement', False)})(x, s)"
    for o, index in (("Vector", "I"), ("Matrix", "I, J")):
        second = "i" if o == "Vector" else "i, j"
        m[f"GrB_{o}_build(C, {index}, X, n, dup)"] = f"_Generic((X), {inputs(f'GrB_{o}_build')})(C, {index}, X, n, dup)"
        m[f"GrB_{o}_setElement(C, x, {second})"] = f"_Generic((x), {values(f'GrB_{o}_setElement')})(C, x, {second})"
        m[f"GrB_{o}_extractElement(x, C, {second})"] = \
            f"_Generic((x), {outputs(f'GrB_{o}_extractElement')})(x, C, {second})"
        m[f"GrB_{o}_extractTuples({index}, X, n, C)"] = \
            f"_Generic((X), {outputs(f'GrB_{o}_extractTuples', False)})({index}, X, n, C)"
    m["GrB_Matrix_import(A, type, nrows, ncols, Ap, Ai, Ax, Ap_len, Ai_len, Ax_len, format)"] = \
        f"_Generic((Ax), {inputs('GrB_Matrix_import')})(A, type, nrows, ncols, Ap, Ai, Ax, Ap_len, Ai_len, Ax_len, format)"
    m["GrB_Matrix_export(Ap, Ai, Ax, Ap_len, Ai_len, Ax_len, format, A)"] = \
        f"_Generic((Ax), {outputs('GrB_Matrix_export', False)})(Ap, Ai, Ax, Ap_len, Ai_len, Ax_len, format, A)"
    m["GrB_free(object)"] = f"_Generic((object), {', '.join(f'GrB_{o} *: GrB_{o}_free' for o in OBJECTS)})(object)"
    m["GrB_wait(object, mode)"] = f"_Generic((object), {by_object('wait')})(object, mode)"
    m["GrB_error(string, object)"] = f"_Generic((object), {by_object('error')})(string, object)"
    prints = ", ".join(f"GrB_{o}: GxB_{o}_fprint" for o in OBJECTS)
    m["GxB_fprint(object, level, file)"] = f"_Generic((object), {prints})(object, #object, level, file)"
    m["GxB_print(object, level)"] = "GxB_fprint(object, level, NULL)"
    for name in ("eWiseAdd", "eWiseMult"):
        choice = {o: ", ".join(f"GrB_{k}: GrB_{o}_{name}_{k}" for k in ("Semiring", "Monoid", "BinaryOp"))
                  for o in ("Vector", "Matrix")}
        m[f"GrB_{name}(C, Mask, accum, op, A, B, desc)"] = both(
            "(C, Mask, accum, op, A, B, desc)", f"_Generic((op), {choice['Vector']})", f"_Generic((op), {choice['Matrix']})")
    m["GrB_kronecker(C, Mask, accum, op, A, B, desc)"] = "_Generic((op), " + ", ".join(
        f"GrB_{k}: GrB_Matrix_kronecker_{k}" for k in ("Semiring", "Monoid", "BinaryOp")) + ")(C, Mask, accum, op, A, B, desc)"
    def apply(o):
        second = f"_Generic((GxB_SECOND_OF(__VA_ARGS__, 0)), {values(f'GrB_{o}_apply_BinaryOp2nd')}, default: GrB_{o}_apply_BinaryOp2nd_UDT)"
        index = f"_Generic((GxB_SECOND_OF(__VA_ARGS__, 0)), {values(f'GrB_{o}_apply_IndexOp')}, default: GrB_{o}_apply_IndexOp_UDT)"
        binary = f"_Generic((GxB_FIRST_OF(__VA_ARGS__)), {values(f'GrB_{o}_apply_BinaryOp1st')}, default: {second})"
        return f"_Generic((op), GrB_UnaryOp: GrB_{o}_apply, GrB_BinaryOp: {binary}, GrB_IndexUnaryOp: {index})"
    m["GrB_apply(C, Mask, accum, op, ...)"] = both("(C, Mask, accum, op, __VA_ARGS__)", apply("Vector"), apply("Matrix"))
    m["GrB_select(C, Mask, accum, op, A, y, desc)"] = both(
        "(C, Mask, accum, op, A, y, desc)", f"_Generic((y), {values('GrB_Vector_select')})",
        f"_Generic((y), {values('GrB_Matrix_select')})")
    m["GrB_extract(C, Mask, accum, A, ...)"] = both(
        "(C, Mask, accum, A, __VA_ARGS__)", "_Generic((A), GrB_Vector: GrB_Vector_extract, default: GrB_Col_extract)",
        "GrB_Matrix_extract")
    for prefix, what in (("GrB", "assign"), ("GxB", "subassign")):
        column, row = f"{prefix}_Col_{what}", f"{prefix}_Row_{what}"
        vector, matrix = f"{prefix}_Vector_{what}", f"{prefix}_Matrix_{what}"
        lists = f"_Generic((first), const GrB_Index *: {column}, GrB_Index *: {column}, default: {row})"
        m[f"{prefix}_{what}(C, Mask, accum, A, first, ...)"] = both(
            "(C, Mask, accum, A, first, __VA_ARGS__)", f"_Generic((A), {values(vector)}, default: {vector})",
            f"_Generic((A), {values(matrix)}, GrB_Vector: {lists}, default: {matrix})")
    def reduce(o):
        scalar = f"_Generic((third), GrB_Monoid: GrB_{o}_reduce_Monoid_Scalar, default: GrB_{o}_reduce_BinaryOp_Scalar)"
        typed = cases(f"GrB_{o}_reduce", suffix=" *", scalar=False)
        return f"_Generic((C), {typed}, default: {scalar})"
    m["GrB_reduce(C, second, third, fourth, ...)"] = \
        f"_Generic((fourth), GrB_Vector: {reduce('Vector')}, GrB_Matrix: {reduce('Matrix')}, " \
        "GrB_Monoid: GrB_Matrix_reduce_Monoid, GrB_BinaryOp: GrB_Matrix_reduce_BinaryOp)(C, second, third, fourth, __VA_ARGS__)"
    kinds = {"Scalar": "GrB_Scalar", "String": "char *", "INT32": "int32_t *", "SIZE": "size_t *", "VOID": "void *"}
    def get(o):
        return "_Generic((value), " + ", ".join(f"{c}: GrB_{o}_get_{k}" for k, c in kinds.items()) + ")"
    m["GrB_get(object, value, field)"] = "_Generic((object), " + ", ".join(
        f"GrB_{o}: {get(o)}" for o in OBJECTS + ["Global"]) + ")(object, value, field)"
    def put(o):
        return f"_Generic((value), GrB_Scalar: GrB_{o}_set_Scalar, char *: GrB_{o}_set_String, const char *: GrB_{o}_set_String, " \
            f"void *: GrB_{o}_set_VOID, default: GrB_{o}_set_INT32)"
    m["GrB_set(object, value, ...)"] = "_Generic((object), " + ", ".join(
        f"GrB_{o}: {put(o)}" for o in OBJECTS + ["Global"]) + ")(object, value, __VA_ARGS__)"
    return m


HEAD = """// SPDX-License-Identifier: BSD-3-Clause
// clang-format off
/// \\file
/// The GraphBLAS C API, version 2.1 (https://graphblas.org), over Coppice. Written by graphblas/generate.py.
///
/// Functions, objects and error codes are those of the specification; GxB names are those of SuiteSparse:GraphBLAS. See
/// docs/guide/graphblas_c.md for what differs. Polymorphic names (GrB_assign and others) need C11; in C++ use the names
/// with a type.
#pragma once

/* Programs expect that the header includes these, as that of SuiteSparse:GraphBLAS does. */
/* NOLINTBEGIN(modernize-deprecated-headers): also C */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* NOLINTEND(modernize-deprecated-headers) */

#ifdef __cplusplus
#include <complex>
typedef std::complex<float> GxB_FC32_t;
typedef std::complex<double> GxB_FC64_t;
#define GxB_CMPLXF(real, imag) GxB_FC32_t(real, imag)
#define GxB_CMPLX(real, imag) GxB_FC64_t(real, imag)
#else
#include <complex.h>
#undef I /* programs use the name for lists of indices; 1.0i is _Complex_I */
typedef float _Complex GxB_FC32_t;
typedef double _Complex GxB_FC64_t;
#ifdef CMPLX
#define GxB_CMPLXF(real, imag) CMPLXF(real, imag)
#define GxB_CMPLX(real, imag) CMPLX(real, imag)
#else
#define GxB_CMPLXF(real, imag) ((float)(real) + (float)(imag) * _Complex_I)
#define GxB_CMPLX(real, imag) ((double)(real) + (double)(imag) * _Complex_I)
#endif
#endif

#define GRB_VERSION 2
#define GRB_SUBVERSION 1
#define COPPICE_GRAPHBLAS 1

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t GrB_Index;
#define GrB_INDEX_MAX ((GrB_Index)((1ULL << 60) - 1))
#define GxB_MAX_NAME_LEN 128
#define GrB_NULL NULL
#define GrB_INVALID_HANDLE NULL

typedef enum {
    GrB_SUCCESS = 0,
    GrB_NO_VALUE = 1,
    GrB_UNINITIALIZED_OBJECT = -1,
    GrB_NULL_POINTER = -2,
    GrB_INVALID_VALUE = -3,
    GrB_INVALID_INDEX = -4,
    GrB_DOMAIN_MISMATCH = -5,
    GrB_DIMENSION_MISMATCH = -6,
    GrB_OUTPUT_NOT_EMPTY = -7,
    GrB_NOT_IMPLEMENTED = -8,
    GrB_ALREADY_SET = -9,
    GrB_PANIC = -101,
    GrB_OUT_OF_MEMORY = -102,
    GrB_INSUFFICIENT_SPACE = -103,
    GrB_INVALID_OBJECT = -104,
    GrB_INDEX_OUT_OF_BOUNDS = -105,
    GrB_EMPTY_OBJECT = -106
} GrB_Info;
typedef enum { GrB_NONBLOCKING = 0, GrB_BLOCKING = 1 } GrB_Mode;
typedef enum { GrB_COMPLETE = 0, GrB_MATERIALIZE = 1 } GrB_WaitMode;
typedef enum { GrB_OUTP = 0, GrB_MASK = 1, GrB_INP0 = 2, GrB_INP1 = 3 } GrB_Desc_Field;
typedef enum {
    GrB_DEFAULT = 0,
    GrB_REPLACE = 1,
    GrB_COMP = 2,
    GrB_TRAN = 3,
    GrB_STRUCTURE = 4,
    GrB_COMP_STRUCTURE = 6
} GrB_Desc_Value;
typedef enum { GrB_CSR_FORMAT = 0, GrB_CSC_FORMAT = 1, GrB_COO_FORMAT = 2 } GrB_Format;
typedef enum { GrB_ROWMAJOR = 0, GrB_COLMAJOR = 1, GrB_BOTH = 2, GrB_UNKNOWN = 3 } GrB_Orientation;
typedef enum {
    GrB_UDT_CODE = 0,
    GrB_BOOL_CODE = 1,
    GrB_INT8_CODE = 2,
    GrB_UINT8_CODE = 3,
    GrB_INT16_CODE = 4,
    GrB_UINT16_CODE = 5,
    GrB_INT32_CODE = 6,
    GrB_UINT32_CODE = 7,
    GrB_INT64_CODE = 8,
    GrB_UINT64_CODE = 9,
    GrB_FP32_CODE = 10,
    GrB_FP64_CODE = 11,
    GxB_FC32_CODE = 7070,
    GxB_FC64_CODE = 7071
} GrB_Type_Code;
typedef enum {
    GrB_OUTP_FIELD = 0,
    GrB_MASK_FIELD = 1,
    GrB_INP0_FIELD = 2,
    GrB_INP1_FIELD = 3,
    GrB_NAME = 10,
    GrB_LIBRARY_VER_MAJOR = 11,
    GrB_LIBRARY_VER_MINOR = 12,
    GrB_LIBRARY_VER_PATCH = 13,
    GrB_API_VER_MAJOR = 14,
    GrB_API_VER_MINOR = 15,
    GrB_API_VER_PATCH = 16,
    GrB_BLOCKING_MODE = 17,
    GrB_STORAGE_ORIENTATION_HINT = 100,
    GrB_EL_TYPE_CODE = 102,
    GrB_INP0_TYPE_CODE = 103,
    GrB_INP1_TYPE_CODE = 104,
    GrB_OUTP_TYPE_CODE = 105,
    GrB_EL_TYPE_STRING = 106,
    GrB_INP0_TYPE_STRING = 107,
    GrB_INP1_TYPE_STRING = 108,
    GrB_OUTP_TYPE_STRING = 109,
    GrB_SIZE = 110,
    // Of GrB_GLOBAL: a COPPICE_Backend, which GrB_set takes; texts; numbers of operations.
    COPPICE_BACKEND = 7200,
    COPPICE_DEVICE_NAME = 7201,
    COPPICE_LAST_RUN = 7202,
    COPPICE_DEVICE_RUNS = 7203,
    COPPICE_HOST_RUNS = 7204
} GrB_Field;
typedef enum { COPPICE_BACKEND_AUTO = 0, COPPICE_BACKEND_HOST = 1, COPPICE_BACKEND_CUDA = 2 } COPPICE_Backend;

typedef enum {
    GxB_SILENT = 0,
    GxB_SUMMARY = 1,
    GxB_SHORT = 2,
    GxB_COMPLETE = 3,
    GxB_SHORT_VERBOSE = 4,
    GxB_COMPLETE_VERBOSE = 5
} GxB_Print_Level;

typedef void (*GxB_unary_function)(void *, const void *);
typedef void (*GxB_binary_function)(void *, const void *, const void *);
typedef void (*GxB_index_unary_function)(void *, const void *, GrB_Index, GrB_Index, const void *);

"""


def header():
    out = [HEAD]
    for o in HANDLES:
        out.append(f"typedef struct {o}_opaque *{o};\n")
    out.append("\nextern const GrB_Index *GrB_ALL;\nextern GrB_Global GrB_GLOBAL;\n\n// Predefined objects\n")
    for ctype, name in extern_names():
        out.append(f"extern {ctype} {name};\n")
    out.append("\n// Functions\n")
    for prototype in PLAIN:
        out.append(f"GrB_Info {prototype};\n")
    for name, suffix, parameters, ctype in typed_variants():
        out.append(f"GrB_Info {name}_{suffix}({', '.join(c_parameter(p, ctype) for p in parameters)});\n")
    out.append("\n#ifdef __cplusplus\n}\n#endif\n\n// Polymorphic names\n")
    out.append("#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n")
    out.append("#define GxB_FIRST_OF(first, ...) first\n#define GxB_SECOND_OF(first, second, ...) second\n")
    for name, body in macros().items():
        out.append(f"#define {name} {body}\n")
    out.append("#endif\n")
    return "".join(out)


def main():
    files = {"include/GraphBLAS.h": header(), "typed_functions.inc": typed_functions(), "predefined.inc": predefined()}
    different = [n for n, text in files.items() if not (HERE / n).exists() or (HERE / n).read_text() != text]
    if "--check" in sys.argv[1:]:
        for name in different:
            print(f"graphblas/{name} differs from what graphblas/generate.py writes: run it")
        return 1 if different else 0
    for name in different:
        (HERE / name).write_text(files[name])
    return 0


if __name__ == "__main__":
    sys.exit(main())

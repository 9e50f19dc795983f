! SPDX-License-Identifier: BSD-3-Clause
!> Fortran 2018 module of the handles of coppice.h, by ISO_C_BINDING. Compile it with the program, and link coppice_c:
!>
!>     gfortran $(pkg-config --variable=includedir coppice)/coppice/coppice.f90 program.f90 $(pkg-config --libs coppice)
!>
!> The functions are those of coppice.h with the same names and arguments; it documents them. Handles are type(c_ptr);
!> arrays have any type and kind, and are contiguous. Strings end with c_null_char: "host"//c_null_char. An empty
!> string of options is c_null_char. Arrays of Fortran count from 1: pass "base=1" for indices that do so. Vertices of
!> results of graph algorithms count from 0.
module coppice
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: c_ptr, c_null_ptr, c_null_char, c_int, c_int32_t, c_int64_t, c_float, c_double
    public :: c_float_complex, c_double_complex, c_f_pointer, c_associated, c_loc

    !> Codes that every function returns (coppice_status_t).
    integer(c_int), parameter, public :: coppice_status_success = 0, coppice_status_invalid_value = 1, &
        coppice_status_alloc_failed = 2, coppice_status_no_device = 3, coppice_status_execution_failed = 4, &
        coppice_status_internal_error = 5, coppice_status_file_error = 6
    !> Types of elements (coppice_type_t).
    integer(c_int), parameter, public :: coppice_int32 = 0, coppice_int64 = 1, coppice_float = 2, coppice_double = 3, &
        coppice_complex_float = 4, coppice_complex_double = 5

    public :: coppice_set_threads, coppice_executor_create, coppice_synchronize, coppice_matrix_create
    public :: coppice_matrix_read
    public :: coppice_matrix_set_values, coppice_spmv, coppice_preconditioner_create, coppice_preconditioner_refresh
    public :: coppice_preconditioner_apply, coppice_solve, coppice_graph, coppice_number, coppice_text, coppice_array
    public :: coppice_describe, coppice_destroy, coppice_string, coppice_message

    interface
        function coppice_set_threads(threads) bind(c) result(status)
            import :: c_int
            integer(c_int), value :: threads
            integer(c_int) :: status
        end function

        function coppice_executor_create(choice, stream, executor) bind(c) result(status)
            import :: c_char, c_int, c_ptr
            character(kind=c_char), intent(in) :: choice(*)
            type(c_ptr), value :: stream
            type(c_ptr), intent(inout) :: executor
            integer(c_int) :: status
        end function

        function coppice_synchronize(executor) bind(c) result(status)
            import :: c_int, c_ptr
            type(c_ptr), value :: executor
            integer(c_int) :: status
        end function

        function coppice_matrix_create(executor, rows, columns, nonzeros, index_type, offsets, indices, value_type, &
                                       values, options, matrix) bind(c) result(status)
            import :: c_char, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: executor
            integer(c_int64_t), value :: rows, columns, nonzeros
            integer(c_int), value :: index_type, value_type
            type(*), dimension(*), intent(in) :: offsets, indices, values
            character(kind=c_char), intent(in) :: options(*)
            type(c_ptr), intent(inout) :: matrix
            integer(c_int) :: status
        end function

        function coppice_matrix_read(executor, path, value_type, options, matrix) bind(c) result(status)
            import :: c_char, c_int, c_ptr
            type(c_ptr), value :: executor
            character(kind=c_char), intent(in) :: path(*), options(*)
            integer(c_int), value :: value_type
            type(c_ptr), intent(inout) :: matrix
            integer(c_int) :: status
        end function

        function coppice_matrix_set_values(matrix, values, count) bind(c) result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: matrix
            type(*), dimension(*), intent(in) :: values
            integer(c_int64_t), value :: count
            integer(c_int) :: status
        end function

        !> alpha, beta: c_null_ptr, or c_loc of a number.
        function coppice_spmv(matrix, semiring, x, x_length, y, y_length, alpha, beta) bind(c) result(status)
            import :: c_char, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: matrix, alpha, beta
            character(kind=c_char), intent(in) :: semiring(*)
            type(*), dimension(*), intent(in) :: x
            type(*), dimension(*), intent(inout) :: y
            integer(c_int64_t), value :: x_length, y_length
            integer(c_int) :: status
        end function

        !> near_null_space: c_null_ptr, or c_loc of vectors.
        function coppice_preconditioner_create(matrix, choice, near_null_space, vector_count, preconditioner) bind(c) &
            result(status)
            import :: c_char, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: matrix, near_null_space
            character(kind=c_char), intent(in) :: choice(*)
            integer(c_int64_t), value :: vector_count
            type(c_ptr), intent(inout) :: preconditioner
            integer(c_int) :: status
        end function

        function coppice_preconditioner_refresh(preconditioner, matrix) bind(c) result(status)
            import :: c_int, c_ptr
            type(c_ptr), value :: preconditioner, matrix
            integer(c_int) :: status
        end function

        function coppice_preconditioner_apply(preconditioner, r, z, length) bind(c) result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: preconditioner
            type(*), dimension(*), intent(in) :: r
            type(*), dimension(*), intent(inout) :: z
            integer(c_int64_t), value :: length
            integer(c_int) :: status
        end function

        !> preconditioner: a handle, or c_null_ptr.
        function coppice_solve(matrix, preconditioner, method, b, x, length, columns, found) bind(c) result(status)
            import :: c_char, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: matrix, preconditioner
            character(kind=c_char), intent(in) :: method(*)
            type(*), dimension(*), intent(in) :: b
            type(*), dimension(*), intent(inout) :: x
            integer(c_int64_t), value :: length, columns
            type(c_ptr), intent(inout) :: found
            integer(c_int) :: status
        end function

        function coppice_graph(matrix, algorithm, found) bind(c) result(status)
            import :: c_char, c_int, c_ptr
            type(c_ptr), value :: matrix
            character(kind=c_char), intent(in) :: algorithm(*)
            type(c_ptr), intent(inout) :: found
            integer(c_int) :: status
        end function

        function coppice_number(handle, name, number) bind(c) result(status)
            import :: c_char, c_double, c_int, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), intent(inout) :: number
            integer(c_int) :: status
        end function

        !> text: for coppice_string.
        function coppice_text(handle, name, text) bind(c) result(status)
            import :: c_char, c_int, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: name(*)
            type(c_ptr), intent(inout) :: text
            integer(c_int) :: status
        end function

        !> elements: for c_f_pointer with the shape [length].
        function coppice_array(handle, name, element_type, elements, length) bind(c) result(status)
            import :: c_char, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: element_type
            type(c_ptr), intent(inout) :: elements
            integer(c_int64_t), intent(inout) :: length
            integer(c_int) :: status
        end function

        !> text: for coppice_string.
        function coppice_describe(what, text) bind(c) result(status)
            import :: c_char, c_int, c_ptr
            character(kind=c_char), intent(in) :: what(*)
            type(c_ptr), intent(inout) :: text
            integer(c_int) :: status
        end function

        function coppice_destroy(handle) bind(c) result(status)
            import :: c_int, c_ptr
            type(c_ptr), value :: handle
            integer(c_int) :: status
        end function

        function last_error() bind(c, name="coppice_last_error") result(text)
            import :: c_ptr
            type(c_ptr) :: text
        end function
    end interface

contains

    !> A string of C as one of Fortran; empty for c_null_ptr.
    function coppice_string(text) result(string)
        type(c_ptr), intent(in) :: text
        character(len=:), allocatable :: string
        character(kind=c_char), pointer :: letters(:)
        integer :: length, k
        string = ""
        if (.not. c_associated(text)) return
        length = 0
        do
            call c_f_pointer(text, letters, [length + 1])
            if (letters(length + 1) == c_null_char) exit
            length = length + 1
        end do
        string = repeat(" ", length)
        do k = 1, length
            string(k:k) = letters(k)
        end do
    end function

    !> The message of the last failed call of this thread.
    function coppice_message() result(string)
        character(len=:), allocatable :: string
        string = coppice_string(last_error())
    end function

end module

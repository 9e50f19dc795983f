! SPDX-License-Identifier: BSD-3-Clause
! From Fortran: a matrix with indices from 1, a solve that chooses its method, breadth-first search. Uses the module
! coppice (include/coppice/coppice.f90) and links coppice::c.
program solve_by_name
    use coppice
    implicit none
    integer, parameter :: n = 500
    integer(c_int32_t) :: offsets(n + 1), columns(3 * n)
    real(c_double) :: values(3 * n), b(n), x(n), converged, iterations
    real(c_double), pointer :: levels(:)
    type(c_ptr) :: cores, a, found, search, text, elements
    integer(c_int64_t) :: length
    integer :: i, k
    logical :: right

    k = 0
    offsets(1) = 1
    do i = 1, n ! 2.5 on the diagonal, -1 next to it
        if (i > 1) call add(i - 1, -1d0)
        call add(i, 2.5d0)
        if (i < n) call add(i + 1, -1d0)
        offsets(i + 1) = k + 1
    end do
    b = 0.5d0
    b(1) = 1.5d0
    b(n) = 1.5d0 ! A (1, ..., 1)
    x = 0

    call check(coppice_set_threads(2)) ! of this process
    call check(coppice_executor_create("host"//c_null_char, c_null_ptr, cores))
    call check(coppice_matrix_create(cores, int(n, c_int64_t), int(n, c_int64_t), int(k, c_int64_t), coppice_int32, &
                                     offsets, columns, coppice_double, values, "base=1"//c_null_char, a))
    call check(coppice_solve(a, c_null_ptr, "auto,tolerance=1e-12"//c_null_char, b, x, int(n, c_int64_t), &
                             1_c_int64_t, found))
    call check(coppice_number(found, "converged"//c_null_char, converged))
    call check(coppice_number(found, "iterations"//c_null_char, iterations))
    call check(coppice_text(found, "preconditioner"//c_null_char, text))
    print '(a, a, a, i0, a, es8.1)', "preconditioner ", coppice_string(text), ", ", int(iterations), &
        " iterations, largest error ", maxval(abs(x - 1))
    right = converged == 1 .and. maxval(abs(x - 1)) < 1d-9

    call check(coppice_graph(a, "bfs,source=0"//c_null_char, search)) ! the first vertex
    call check(coppice_array(search, "values"//c_null_char, coppice_double, elements, length))
    call c_f_pointer(elements, levels, [length])
    right = right .and. length == n .and. all(levels == [(real(i - 1, c_double), i = 1, n)])

    right = right .and. coppice_graph(a, "dijkstra"//c_null_char, search) == coppice_status_invalid_value
    print '(a, a)', "refused: ", coppice_message()
    call check(coppice_destroy(search))
    call check(coppice_destroy(found))
    call check(coppice_destroy(a))
    call check(coppice_destroy(cores))
    if (.not. right) error stop "wrong"

contains

    subroutine add(column, value)
        integer, intent(in) :: column
        real(c_double), intent(in) :: value
        k = k + 1
        columns(k) = column
        values(k) = value
    end subroutine

    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status == coppice_status_success) return
        print '(a)', coppice_message()
        error stop
    end subroutine

end program

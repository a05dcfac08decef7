! Columns of a matrix where the threads are that work on them, in Fortran with OpenMP.
! gfortran -fopenmp $(pkg-config --variable=includedir homenode)/homenode/homenode.f90 columns.f90 \
!   $(pkg-config --libs homenode) -o columns && ./columns columns 0-7
program columns_on_nodes
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use homenode
  use omp_lib
  implicit none
  integer, parameter :: rows = 1024, columns = 1024
  character(64) :: rule, thread_map
  character(:), allocatable :: message
  type(hn_region) :: region
  real(c_double), pointer :: matrix(:, :)
  integer(c_int), allocatable :: nodes(:)
  real(c_double) :: total
  integer :: i, j, node, pages

  rule = 'columns'
  thread_map = ''
  if (command_argument_count() > 0) call get_command_argument(1, rule)
  if (command_argument_count() > 1) call get_command_argument(2, thread_map)

  call region%allocate(int(rows, c_size_t) * columns * 8, message)
  call check(message)
  call region%place_array([rows, columns], 8, rule, message)
  call check(message)
  call c_f_pointer(region%address(), matrix, [rows, columns])

  total = 0
  !$omp parallel private(i, j)
  if (thread_map /= '') call bind(omp_get_thread_num())
  !$omp do reduction(+ : total) schedule(static)
  do j = 1, columns
    do i = 1, rows
      matrix(i, j) = matrix(i, j) + 1
      total = total + matrix(i, j)
    end do
  end do
  !$omp end do
  !$omp end parallel

  print '(a, i0)', 'sum ', nint(total)
  call region%nodes(nodes, message)
  call check(message)
  do node = 0, maxval(nodes)
    pages = count(nodes == node)
    if (pages > 0) print '(a, i0, a, i0, a)', 'node ', node, ': ', pages, ' pages'
  end do
  call region%free()

contains

  subroutine bind(rank)
    integer, intent(in) :: rank
    character(:), allocatable :: refusal
    call hn_bind_thread_to_rank(thread_map, rank, refusal)
    call check(refusal)
  end subroutine

  subroutine check(text)
    character(*), intent(in) :: text
    if (text == '') return
    write (error_unit, '(a)') text
    stop 1
  end subroutine

end program columns_on_nodes

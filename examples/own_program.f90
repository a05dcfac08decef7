! What the lab counts of a program of one's own, in Fortran: the sum alone, not how the array is filled.
! gfortran $(pkg-config --variable=includedir homenode)/homenode/homenode.f90 own_program.f90 \
!   $(pkg-config --libs homenode) -o own_program
! homenode lab run --machine quad-4x2 --stats -- ./own_program
program own_program
  use, intrinsic :: iso_c_binding, only: c_double
  use homenode, only: hn_roi_begin, hn_roi_end
  implicit none
  integer, parameter :: elements = 2**20
  real(c_double), allocatable :: array(:)
  real(c_double) :: total
  integer :: i

  allocate(array(elements))
  do i = 1, elements
    array(i) = modulo(i, 2)
  end do

  call hn_roi_begin()
  total = sum(array)
  call hn_roi_end()

  print '(a, i0)', 'sum ', nint(total)
end program own_program

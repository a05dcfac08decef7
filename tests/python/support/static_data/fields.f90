! A Fortran program with data as the NAS benchmarks have it: a COMMON block, a SAVE array, a module's
! array, and an array of the main program. It says where each lies (maps.c).
module fields
  implicit none
  real(8), save :: density(65536)
end module fields

program placed_fields
  use, intrinsic :: iso_c_binding
  use fields
  implicit none
  interface
    subroutine print_maps_of(name, memory, bytes) bind(c)
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      type(*), dimension(*) :: memory
      integer(c_size_t), value :: bytes
    end subroutine
  end interface
  real(8) :: a(65536), b(1000)
  common /cfields/ a, b
  real(8), save :: kept(65536)
  call print_maps_of("cfields" // c_null_char, a, int((65536 + 1000) * 8, c_size_t))
  call print_maps_of("density" // c_null_char, density, int(65536 * 8, c_size_t))
  call print_maps_of("kept" // c_null_char, kept, int(65536 * 8, c_size_t))
end program placed_fields

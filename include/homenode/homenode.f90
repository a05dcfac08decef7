! homenode for Fortran 2008: the C interface with Fortran's strings, arrays and indices. Compile this
! file with your program and link with -lhomenode. What the functions do and which memory rules exist
! stands in homenode.h.
!
! Every routine takes `message` last: it is empty when all went well, and else one line that says what
! was tried and what to do next. `region%place` also sets it when some pages are elsewhere.
module homenode
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: hn_bind_thread, hn_bind_thread_to_rank, hn_place_thread, hn_page_bytes
  public :: hn_roi_begin, hn_roi_begin_all, hn_roi_end
  public :: hn_nodes, hn_cpus, hn_node_of_cpu, hn_distance, hn_memory_bytes

  !> What placing a region has done so far: hn_statistics of homenode.h.
  type, bind(c), public :: hn_statistics
    integer(c_int64_t) :: placements = 0
    integer(c_int64_t) :: pages_moved = 0
    integer(c_int64_t) :: pages_as_planned = 0
    integer(c_int64_t) :: pages_refused = 0
    real(c_double) :: seconds = 0
  end type hn_statistics

  !> A range of memory that is placed as a whole. Release it with %free; it is not copied.
  type, public :: hn_region
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: allocate => region_allocate
    procedure :: adopt => region_adopt
    procedure :: address => region_address
    procedure :: name => region_name
    procedure :: place => region_place
    procedure :: place_array => region_place_array
    procedure :: nodes => region_nodes
    procedure :: statistics => region_statistics
    procedure :: free => region_free
  end type hn_region

  integer, parameter, public :: hn_no_node = -1
  integer(c_int), parameter :: fortran_order = 1
  integer, parameter :: most_dimensions = 4

  type, bind(c) :: c_array
    integer(c_size_t) :: extents(most_dimensions)
    integer(c_size_t) :: element_bytes
    integer(c_int) :: dimensions
    integer(c_int) :: order
  end type c_array

  interface
    function hn_page_bytes() bind(c)
      import :: c_size_t
      integer(c_size_t) :: hn_page_bytes
    end function
    !> What lies between begin and end is what `homenode lab run` counts and times: of this process,
    !> or of every process (begin_all). Outside the lab nothing happens.
    subroutine hn_roi_begin() bind(c, name='hn_roi_begin_here')
    end subroutine
    subroutine hn_roi_begin_all() bind(c, name='hn_roi_begin_all_here')
    end subroutine
    subroutine hn_roi_end() bind(c, name='hn_roi_end_here')
    end subroutine
    function c_allocate(bytes, rule, region, error) bind(c, name='hn_region_allocate')
      import :: c_int, c_ptr, c_size_t
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: rule
      type(c_ptr) :: region, error
      integer(c_int) :: c_allocate
    end function
    function c_adopt(address, bytes, region, error) bind(c, name='hn_region_adopt')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: address
      integer(c_size_t), value :: bytes
      type(c_ptr) :: region, error
      integer(c_int) :: c_adopt
    end function
    function c_address(region) bind(c, name='hn_region_address')
      import :: c_ptr
      type(c_ptr), value :: region
      type(c_ptr) :: c_address
    end function
    function c_pages(region) bind(c, name='hn_region_pages')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: region
      integer(c_size_t) :: c_pages
    end function
    function c_name(region, name, error) bind(c, name='hn_region_name')
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: region
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: error
      integer(c_int) :: c_name
    end function
    function c_place(region, rule, error) bind(c, name='hn_region_place')
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: region
      character(kind=c_char), intent(in) :: rule(*)
      type(c_ptr) :: error
      integer(c_int) :: c_place
    end function
    function c_place_array(region, array, rule, error) bind(c, name='hn_region_place_array')
      import :: c_int, c_ptr, c_char, c_array
      type(c_ptr), value :: region
      type(c_array), intent(in) :: array
      character(kind=c_char), intent(in) :: rule(*)
      type(c_ptr) :: error
      integer(c_int) :: c_place_array
    end function
    function c_audit(region, nodes, capacity, json, error) bind(c, name='hn_region_audit')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: region
      integer(c_int), intent(out) :: nodes(*)
      integer(c_size_t), value :: capacity
      type(c_ptr), value :: json
      type(c_ptr) :: error
      integer(c_int) :: c_audit
    end function
    subroutine c_statistics(region, statistics) bind(c, name='hn_region_statistics')
      import :: c_ptr, hn_statistics
      type(c_ptr), value :: region
      type(hn_statistics), intent(out) :: statistics
    end subroutine
    subroutine c_free(region) bind(c, name='hn_region_free')
      import :: c_ptr
      type(c_ptr), value :: region
    end subroutine
    function c_bind(cpus, error) bind(c, name='hn_thread_bind')
      import :: c_int, c_ptr, c_char
      character(kind=c_char), intent(in) :: cpus(*)
      type(c_ptr) :: error
      integer(c_int) :: c_bind
    end function
    function c_bind_rank(thread_map, rank, error) bind(c, name='hn_thread_bind_rank')
      import :: c_int, c_ptr, c_char, c_size_t
      character(kind=c_char), intent(in) :: thread_map(*)
      integer(c_size_t), value :: rank
      type(c_ptr) :: error
      integer(c_int) :: c_bind_rank
    end function
    function c_place_thread(rule, error) bind(c, name='hn_thread_place')
      import :: c_int, c_ptr, c_char
      character(kind=c_char), intent(in) :: rule(*)
      type(c_ptr) :: error
      integer(c_int) :: c_place_thread
    end function
    function c_nodes(machine, nodes, capacity) bind(c, name='hn_machine_nodes')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: machine
      integer(c_int), intent(out) :: nodes(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t) :: c_nodes
    end function
    function c_cpus(machine, node, cpus, capacity) bind(c, name='hn_machine_cpus')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: machine
      integer(c_int), value :: node
      integer(c_int), intent(out) :: cpus(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t) :: c_cpus
    end function
    function c_node_of_cpu(machine, cpu) bind(c, name='hn_machine_node_of_cpu')
      import :: c_int, c_ptr
      type(c_ptr), value :: machine
      integer(c_int), value :: cpu
      integer(c_int) :: c_node_of_cpu
    end function
    function c_distance(machine, from, to) bind(c, name='hn_machine_distance')
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: machine
      integer(c_int), value :: from, to
      real(c_double) :: c_distance
    end function
    function c_memory_bytes(machine, node) bind(c, name='hn_machine_memory_bytes')
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: machine
      integer(c_int), value :: node
      integer(c_int64_t) :: c_memory_bytes
    end function
    subroutine c_string_free(string) bind(c, name='hn_string_free')
      import :: c_ptr
      type(c_ptr), value :: string
    end subroutine
    function c_strlen(string) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: string
      integer(c_size_t) :: c_strlen
    end function
  end interface

contains

  !> Zeroed memory. c_f_pointer(region%address(), array, shape(...)) makes an array of it.
  subroutine region_allocate(self, bytes, message)
    class(hn_region), intent(inout) :: self
    integer(c_size_t), intent(in) :: bytes
    character(:), allocatable, intent(out) :: message
    type(c_ptr) :: error
    integer(c_int) :: status
    call self%free()
    status = c_allocate(bytes, c_null_ptr, self%handle, error)
    message = taken(error)
  end subroutine

  !> Memory of the program, such as c_loc(array); it must outlive the region.
  subroutine region_adopt(self, address, bytes, message)
    class(hn_region), intent(inout) :: self
    type(c_ptr), intent(in) :: address
    integer(c_size_t), intent(in) :: bytes
    character(:), allocatable, intent(out) :: message
    type(c_ptr) :: error
    integer(c_int) :: status
    call self%free()
    status = c_adopt(address, bytes, self%handle, error)
    message = taken(error)
  end subroutine

  function region_address(self) result(address)
    class(hn_region), intent(in) :: self
    type(c_ptr) :: address
    address = c_address(self%handle)
  end function

  !> The name under which `homenode profile` shows it.
  subroutine region_name(self, name, message)
    class(hn_region), intent(in) :: self
    character(*), intent(in) :: name
    character(:), allocatable, intent(out) :: message
    type(c_ptr) :: error
    integer(c_int) :: status
    status = c_name(self%handle, trim(name) // c_null_char, error)
    message = taken(error)
  end subroutine

  !> Places the pages, anew as often as wanted; the values stay.
  subroutine region_place(self, rule, message)
    class(hn_region), intent(in) :: self
    character(*), intent(in) :: rule
    character(:), allocatable, intent(out) :: message
    type(c_ptr) :: error
    integer(c_int) :: status
    status = c_place(self%handle, trim(rule) // c_null_char, error)
    message = taken(error)
  end subroutine

  !> The same for a Fortran array of this shape that begins where the region does: 'rows', 'columns'
  !> and 'blocks' cut it along its indices. Give storage_size(array) / 8 for `element_bytes`.
  subroutine region_place_array(self, extents, element_bytes, rule, message)
    class(hn_region), intent(in) :: self
    integer, intent(in) :: extents(:), element_bytes
    character(*), intent(in) :: rule
    character(:), allocatable, intent(out) :: message
    type(c_array) :: array
    type(c_ptr) :: error
    integer(c_int) :: status
    integer :: given
    given = min(size(extents), most_dimensions)
    array%extents = 1
    array%extents(1:given) = extents(1:given)
    array%element_bytes = element_bytes
    array%dimensions = size(extents)
    array%order = fortran_order
    status = c_place_array(self%handle, array, trim(rule) // c_null_char, error)
    message = taken(error)
  end subroutine

  !> The node of each page as the kernel says, or hn_no_node.
  subroutine region_nodes(self, nodes, message)
    class(hn_region), intent(in) :: self
    integer(c_int), allocatable, intent(out) :: nodes(:)
    character(:), allocatable, intent(out) :: message
    type(c_ptr) :: error
    integer(c_int) :: status
    allocate(nodes(c_pages(self%handle)), source=int(hn_no_node, c_int))
    status = c_audit(self%handle, nodes, size(nodes, kind=c_size_t), c_null_ptr, error)
    message = taken(error)
  end subroutine

  function region_statistics(self) result(statistics)
    class(hn_region), intent(in) :: self
    type(hn_statistics) :: statistics
    call c_statistics(self%handle, statistics)
  end function

  !> Frees the region: the memory too when %allocate made it.
  subroutine region_free(self)
    class(hn_region), intent(inout) :: self
    call c_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  !> Binds the calling thread to CPUs, in numactl's notation.
  subroutine hn_bind_thread(cpus, message)
    character(*), intent(in) :: cpus
    character(:), allocatable, intent(out) :: message
    type(c_ptr) :: error
    integer(c_int) :: status
    status = c_bind(trim(cpus) // c_null_char, error)
    message = taken(error)
  end subroutine

  !> Binds the calling thread to the CPUs that a thread map has for `rank`, counting from 0:
  !> omp_get_thread_num().
  subroutine hn_bind_thread_to_rank(thread_map, rank, message)
    character(*), intent(in) :: thread_map
    integer, intent(in) :: rank
    character(:), allocatable, intent(out) :: message
    type(c_ptr) :: error
    integer(c_int) :: status
    status = c_bind_rank(trim(thread_map) // c_null_char, int(rank, c_size_t), error)
    message = taken(error)
  end subroutine

  !> Sets the policy of what the calling thread touches first from now on.
  subroutine hn_place_thread(rule, message)
    character(*), intent(in) :: rule
    character(:), allocatable, intent(out) :: message
    type(c_ptr) :: error
    integer(c_int) :: status
    status = c_place_thread(trim(rule) // c_null_char, error)
    message = taken(error)
  end subroutine

  !> The nodes of the live machine, in increasing order.
  function hn_nodes() result(nodes)
    integer(c_int), allocatable :: nodes(:)
    integer(c_int) :: nothing(1)
    integer(c_size_t) :: listed
    allocate(nodes(c_nodes(c_null_ptr, nothing, 0_c_size_t)))
    listed = c_nodes(c_null_ptr, nodes, size(nodes, kind=c_size_t))
  end function

  !> The online CPUs of a node of the live machine.
  function hn_cpus(node) result(cpus)
    integer, intent(in) :: node
    integer(c_int), allocatable :: cpus(:)
    integer(c_int) :: nothing(1)
    integer(c_size_t) :: listed
    allocate(cpus(c_cpus(c_null_ptr, int(node, c_int), nothing, 0_c_size_t)))
    listed = c_cpus(c_null_ptr, int(node, c_int), cpus, size(cpus, kind=c_size_t))
  end function

  !> The node of a CPU, or hn_no_node.
  integer function hn_node_of_cpu(cpu)
    integer, intent(in) :: cpu
    hn_node_of_cpu = c_node_of_cpu(c_null_ptr, int(cpu, c_int))
  end function

  !> The relative distance, 10 for local; NaN when nobody says.
  real(c_double) function hn_distance(from, to)
    integer, intent(in) :: from, to
    hn_distance = c_distance(c_null_ptr, int(from, c_int), int(to, c_int))
  end function

  !> The memory of a node; -1 for an unknown node.
  integer(c_int64_t) function hn_memory_bytes(node)
    integer, intent(in) :: node
    hn_memory_bytes = c_memory_bytes(c_null_ptr, int(node, c_int))
  end function

  !> Copies a string of the library and frees it; empty for none.
  function taken(string) result(text)
    type(c_ptr), intent(in) :: string
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    if (.not. c_associated(string)) then
      text = ''
      return
    end if
    call c_f_pointer(string, characters, [c_strlen(string)])
    allocate(character(size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
    call c_string_free(string)
  end function

end module homenode

! The Fortran module over the C interface, beyond what the example uses: prints what fails.
program module_test
  use, intrinsic :: iso_c_binding
  use homenode
  implicit none
  integer :: failures = 0
  character(:), allocatable :: message
  type(hn_region) :: region
  type(hn_statistics) :: statistics
  real(c_double), target :: array(100000)
  integer(c_int), allocatable :: nodes(:)
  integer :: i

  allocate(nodes, source=hn_nodes())
  call expect(size(nodes) > 0, 'the machine has nodes')
  do i = 1, size(nodes)
    associate (cpus => hn_cpus(nodes(i)))
      if (size(cpus) > 0) call expect(hn_node_of_cpu(cpus(1)) == nodes(i), 'a CPU knows its node')
    end associate
    call expect(hn_memory_bytes(nodes(i)) >= 0, 'a node has a size')
    call expect(.not. hn_distance(nodes(i), nodes(i)) > 10, 'a node is near itself')
  end do
  call expect(hn_node_of_cpu(-1) == hn_no_node, 'no CPU has no node')
  call expect(hn_memory_bytes(-7) == -1, 'no node has no size')

  call hn_roi_begin_all()
  call hn_roi_end()
  call hn_roi_begin()
  array = 2.5_c_double
  call hn_roi_end()
  call region%adopt(c_loc(array), int(size(array) * 8, c_size_t), message)
  call expect(message == '', 'an array is adopted: ' // message)
  call region%place('block', message)
  call expect(message == '', 'an array is placed: ' // message)
  call region%nodes(nodes, message)
  call expect(size(nodes) * hn_page_bytes() >= size(array) * 8, 'every byte has a page')
  call expect(all(nodes /= hn_no_node), 'every page has a node')
  statistics = region%statistics()
  call expect(statistics%placements == 1, 'placements are counted')
  call expect(statistics%pages_as_planned == size(nodes), 'pages are counted')
  call expect(maxval(abs(array - 2.5_c_double)) <= 0, 'placing keeps the values')
  call region%name('grid of u  ', message)
  call expect(message == '', 'a region is named: ' // message)
  call region%name('u[1]', message)
  call expect(index(message, "'u[1]'") > 0, 'a wrong name is named: ' // message)
  call region%place('nonsense   ', message)
  call expect(index(message, "'nonsense'") > 0, 'a wrong rule is named: ' // message)
  call region%place('rows', message)
  call expect(index(message, 'shape') + index(message, 'array') > 0, 'rows need a shape: ' // message)
  call region%place_array([2, 2, 2, 2, 2], 8, 'rows', message)
  call expect(message /= '', 'five dimensions are too many')
  call region%free()
  call region%place('block', message)
  call expect(message /= '', 'a region that is free cannot be placed')

  call hn_bind_thread('all', message)
  call expect(message == '', 'a thread is bound: ' // message)
  call hn_bind_thread('x', message)
  call expect(message /= '', 'x is no CPU')
  call hn_place_thread('local', message)
  call expect(message == '', 'a thread has a policy: ' // message)
  call hn_place_thread('block', message)
  call expect(message /= '', 'block is no policy')
  if (failures > 0) stop 1

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print '(a)', 'does not hold: ' // what
  end subroutine

end program module_test

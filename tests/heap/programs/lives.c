// heap_lives: an allocator under test in programs whose threads and libraries come and go.
#include "lives.h"

#include "check.h"

int main(int argc, char** argv) {
  static const struct section sections[] = {
      {"many_threads_come_and_go", many_threads_come_and_go},
      {"destructors_of_keys", destructors_of_keys},
      {"signals_at_a_high_rate", signals_at_a_high_rate},
      {"cancelled_reports", cancelled_reports},
      {"libraries_come_and_go", libraries_come_and_go},
      {"deep_binding", deep_binding},
      {"search_path_of_the_caller", search_path_of_the_caller},
      {"handlers_of_fork", handlers_of_fork},
      {"fork_beside_streams", fork_beside_streams},
      {"fork_in_a_handler", fork_in_a_handler},
      {"plain_fork_in_a_handler", plain_fork_in_a_handler},
      {"programs_start_programs", programs_start_programs},
      {"small_stacks", small_stacks},
      {"many_threads_at_once", many_threads_at_once},
      {"exit_handlers", exit_handlers},
  };
  return run_sections(argc, argv, sections, sizeof sections / sizeof *sections);
}

// heap_entry_points: an adversarial test of every entry point of the allocator under test.
#include "entry_points.h"

#include "check.h"

int main(int argc, char** argv) {
  static const struct section sections[] = {
      {"alignment_and_overlap", alignment_and_overlap},
      {"zero_size", zero_size},
      {"too_large", too_large},
      {"errno_is_kept", errno_is_kept},
      {"calloc_is_zero", calloc_is_zero},
      {"realloc_edges", realloc_edges},
      {"realloc_contents", realloc_contents},
      {"realloc_aligned", realloc_aligned},
      {"reallocarray_edges", reallocarray_edges},
      {"every_alignment", every_alignment},
      {"small_alignments_do_not_overlap", small_alignments_do_not_overlap},
      {"wrong_alignments", wrong_alignments},
      {"page_alignment", page_alignment},
      {"sized_frees", sized_frees},
      {"usable_size", usable_size},
      {"trim_returns_memory", trim_returns_memory},
      {"tunables", tunables},
      {"tunables_of_glibc", tunables_of_glibc},
      {"trimming_can_be_turned_off", trimming_can_be_turned_off},
      {"counts_are_true", counts_are_true},
      {"reports_are_written", reports_are_written},
      {"aliases_are_one_heap", aliases_are_one_heap},
      {"strings_of_libc", strings_of_libc},
      {"streams_of_libc", streams_of_libc},
      {"tables_of_libc", tables_of_libc},
      {"obstacks_of_libc", obstacks_of_libc},
  };
  return run_sections(argc, argv, sections, sizeof sections / sizeof *sections);
}

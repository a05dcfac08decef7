// The sections of heap_entry_points: every function of the malloc family against the texts of ISO
// C, POSIX and, where these leave a choice, what programs know from the GNU C library. glibc passes
// all of them. One file per topic.
#pragma once

// allocate.c
void alignment_and_overlap(void);
void zero_size(void);
void too_large(void);
void errno_is_kept(void);
void calloc_is_zero(void);
// resize.c
void realloc_edges(void);
void realloc_contents(void);
void realloc_aligned(void);
void reallocarray_edges(void);
// aligned.c
void every_alignment(void);
void small_alignments_do_not_overlap(void);
void wrong_alignments(void);
void page_alignment(void);
void sized_frees(void);
// inspect.c
void usable_size(void);
void trim_returns_memory(void);
void tunables(void);
void tunables_of_glibc(void);
void trimming_can_be_turned_off(void);
void counts_are_true(void);
void reports_are_written(void);
void aliases_are_one_heap(void);
// from_libc.c
void strings_of_libc(void);
void streams_of_libc(void);
void tables_of_libc(void);
void obstacks_of_libc(void);

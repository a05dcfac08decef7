/* On which node each page of a piece of memory lies, asked of the kernel and printed in one line:
     NAME map=PAGESxNODE,...
   All pages that hold a part of it are written to before, as the program would. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096UL

void print_maps_of(const char* name, void* memory, size_t bytes) {
  static int nodes[4096];
  static void* pages[4096];
  uintptr_t first = (uintptr_t)memory & ~(PAGE - 1);
  size_t count = ((uintptr_t)memory + bytes - first + PAGE - 1) / PAGE;
  if (count > 4096) exit(3);
  for (size_t i = 0; i < count; ++i) pages[i] = (void*)(first + i * PAGE);
  for (size_t i = 0; i < count; ++i) {
    volatile char* byte = i == 0 ? (char*)memory : (char*)pages[i];
    *byte = *byte;
  }
  if (syscall(SYS_move_pages, 0, count, pages, NULL, nodes, 0) != 0) exit(4);
  printf("%s map=", name);
  for (size_t i = 0; i < count;) {
    size_t end = i;
    while (end < count && nodes[end] == nodes[i]) ++end;
    printf("%s%zux%d", i == 0 ? "" : ",", end - i, nodes[i]);
    i = end;
  }
  printf("\n");
  fflush(stdout);
}

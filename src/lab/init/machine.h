// What the lab's machine has and QEMU has no option for: its caches, and a clock of modelled time.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Makes /sys in the jobs' root tell of the caches that the session's file "caches" describes.
void hn_show_caches(void);

// Finds the device behind which the lab's clock lies, switches it on and writes the path of its
// memory to `path`. False: this guest has none.
bool hn_find_clock(char* path, size_t size);

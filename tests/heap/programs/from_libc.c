// Blocks that the C library allocates and the program frees, or the other way round: strdup and its
// like, getline, memory streams, and what libc keeps for itself in between.
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <glob.h>
#include <locale.h>
#include <obstack.h>
#include <regex.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "check.h"
#include "entry_points.h"

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

void strings_of_libc(void) {
  char long_text[5000];
  memset(long_text, 'x', sizeof long_text);
  long_text[sizeof long_text - 1] = 0;
  for (size_t length = 0; length < sizeof long_text; length += 37) {
    char* copy = strdup(long_text + length);
    char* part = strndup(long_text, length);
    CHECK(strlen(copy) == sizeof long_text - 1 - length);
    CHECK(strlen(part) == length);
    copy = realloc(copy, 20000);
    CHECK(strlen(copy) == sizeof long_text - 1 - length);
    free(copy);
    free(part);
  }
  char* printed = NULL;
  CHECK(asprintf(&printed, "%s %d", long_text, 7) == sizeof long_text + 1);
  free(printed);
  wchar_t* wide = wcsdup(L"wide");
  CHECK(wide != NULL && wcscmp(wide, L"wide") == 0);
  free(wide);
  char* here = getcwd(NULL, 0);
  char* resolved = realpath("/proc/../proc/./self/..", NULL);
  CHECK(here != NULL && here[0] == '/');
  CHECK(resolved != NULL && strcmp(resolved, "/proc") == 0);
  free(here);
  free(resolved);
  CHECK(setlocale(LC_ALL, "C.UTF-8") == NULL || setlocale(LC_ALL, "C") != NULL);
  CHECK(setenv("HEAP_TEST_VARIABLE", long_text, 1) == 0);
  CHECK(unsetenv("HEAP_TEST_VARIABLE") == 0);
}

void streams_of_libc(void) {
  FILE* file = tmpfile();
  if (!CHECK(file != NULL)) return;
  for (int i = 1; i < 2000; i++) fprintf(file, "%0*d\n", i, i);
  rewind(file);
  size_t capacity = 4;
  char* line = malloc(capacity);  // Ours: getline reallocates it.
  for (int i = 1; i < 2000; i++) {
    if (!CHECK(getline(&line, &capacity, file) == i + 1 || i < 4)) break;
    if (!CHECK(atoi(line) == i)) break;
  }
  rewind(file);
  CHECK(getdelim(&line, &capacity, 'x', file) > 1000000);
  free(line);
  fclose(file);
  char* text = NULL;
  size_t length = 0;
  FILE* stream = open_memstream(&text, &length);
  for (int i = 0; i < 100000; i++) fputs("0123456789", stream);
  fflush(stream);
  CHECK(length == 1000000);
  text = NULL;
  fclose(stream);
  CHECK(text != NULL && strlen(text) == 1000000);
  text = realloc(text, 10);
  CHECK(memcmp(text, "0123456789", 10) == 0);
  free(text);
  file = fopen("/proc/self/maps", "r");
  if (!CHECK(file != NULL)) return;
  char* buffer = malloc(1 << 16);
  CHECK(setvbuf(file, buffer, _IOFBF, 1 << 16) == 0);
  CHECK(fgetc(file) != EOF);
  fclose(file);
  free(buffer);
}

static int by_name(const void* one, const void* two) {
  return strcmp(one, two);
}

static int backwards(const void* one, const void* two) {
  return (*(const int*)one < *(const int*)two) - (*(const int*)one > *(const int*)two);
}

static void sort_many(void) {
  enum { many = 50000 };
  int* numbers = malloc(many * sizeof *numbers);
  for (int i = 0; i < many; i++) numbers[i] = i;
  qsort(numbers, many, sizeof *numbers, backwards);
  CHECK(numbers[0] == many - 1 && numbers[many - 1] == 0);
  free(numbers);
}

static void list_folder(void) {
  struct dirent** entries = NULL;
  const int count = scandir("/proc/self", &entries, NULL, alphasort);
  CHECK(count > 10);
  for (int i = 0; i < count; i++) free(entries[i]);
  free(entries);
  glob_t found;
  CHECK(glob("/proc/self/s*", 0, NULL, &found) == 0 && found.gl_pathc > 2);
  globfree(&found);
}

void tables_of_libc(void) {
  sort_many();
  list_folder();
  regex_t expression;
  CHECK(regcomp(&expression, "^(a|b)*[0-9]{1,40}x+$", REG_EXTENDED) == 0);
  CHECK(regexec(&expression, "abab123xx", 0, NULL, 0) == 0);
  regfree(&expression);
  void* tree = NULL;
  enum { many = 1000 };
  char* names[many];
  for (int i = 0; i < many; i++) {
    CHECK(asprintf(&names[i], "%d", i) > 0);
    CHECK(tsearch(names[i], &tree, by_name) != NULL);
  }
  tdestroy(tree, free);
  void* frames[16];
  const int depth = backtrace(frames, 16);
  char** symbols = backtrace_symbols(frames, depth);
  CHECK(symbols != NULL);
  free(symbols);
}

// Stacks of objects that grow, in blocks of the allocator's; each object may move as it grows.
void obstacks_of_libc(void) {
  enum { many = 300 };
  char* objects[many];
  struct obstack stack;
  obstack_init(&stack);
  for (size_t i = 0; i < many; i++) {
    for (size_t size = 0; size < i * 40; size++) obstack_1grow(&stack, (char)i);
    obstack_1grow(&stack, 0);
    objects[i] = obstack_finish(&stack);
  }
  for (size_t i = 1; i < many; i++) {
    CHECK(objects[i][0] == (char)i || (char)i == 0);
    CHECK(objects[i][i * 40 - 1] == (char)i && objects[i][i * 40] == 0);
  }
  obstack_free(&stack, objects[many / 2]);
  memset(obstack_alloc(&stack, 1 << 20), 1, 1 << 20);
  CHECK(objects[many / 2 - 1][0] == (char)(many / 2 - 1));
  obstack_free(&stack, NULL);
}

// The header compiles as C and the library answers a C program.
#include <homenode/homenode.h>
#include <stddef.h>
#include <string.h>

int main(void) {
  char* json = NULL;
  int status = hn_machine_json("synthetic:numa:2 core:2 pu:1", &json, NULL);
  int good = status == HN_OK && json != NULL && strstr(json, "homenode.machine/2") != NULL;
  hn_string_free(json);
  return good && hn_version()[0] != '\0' ? 0 : 1;
}

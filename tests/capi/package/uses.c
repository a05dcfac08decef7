// What a C program outside this project does: a region, placed and audited.
#include <homenode/homenode.h>
#include <homenode/roi.h>
#include <stdio.h>

int main(void) {
  hn_region* region = NULL;
  char* error = NULL;
  if (hn_region_allocate(8 * hn_page_bytes(), "cyclic", &region, &error) != HN_OK) {
    fprintf(stderr, "%s\n", error);
    hn_string_free(error);
    return 1;
  }
  int nodes[8] = {HN_NO_NODE};
  hn_roi_begin();
  const int status = hn_region_audit(region, nodes, 8, NULL, NULL);
  hn_roi_end();
  hn_region_free(region);
  return status == HN_OK && nodes[7] != HN_NO_NODE ? 0 : 1;
}

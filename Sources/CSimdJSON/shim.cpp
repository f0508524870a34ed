#include "csimdjson.h"
int csimdjson_version_major(void) { return 0; }

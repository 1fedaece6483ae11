#define _GNU_SOURCE
#include "CLinux.h"
int linux_placeholder(void) { return 0; }

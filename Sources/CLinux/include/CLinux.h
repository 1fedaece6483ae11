#include <stdint.h>
int linux_placeholder(void);

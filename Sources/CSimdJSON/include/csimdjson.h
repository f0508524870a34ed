#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int csimdjson_version_major(void);
#ifdef __cplusplus
}
#endif

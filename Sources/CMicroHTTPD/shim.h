#pragma once
#include <microhttpd.h>

// MHD_get_daemon_info is variadic: the port that a daemon listens on, 0 where it cannot be told.
static inline long MHD_daemonPort(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

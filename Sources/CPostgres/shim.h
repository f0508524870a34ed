#pragma once
// libpq as it is: no variadic call is needed.
#include <libpq-fe.h>

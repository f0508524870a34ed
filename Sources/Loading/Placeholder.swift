// Empty until its first type lands.

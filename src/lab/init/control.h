// The wire to the driver: one virtio-serial port, newline-terminated ASCII both ways.
#pragma once

// Opens the virtio-serial port called homenode.ctl; returns its descriptor.
int hn_open_control(void);

// Writes one line to the driver; waits while the driver is slow to read.
void hn_tell(int control, const char* format, ...) __attribute__((format(printf, 2, 3)));
